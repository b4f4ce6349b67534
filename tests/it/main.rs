//! Tests with real sockets, real files and the real service, in one binary so that the dependencies are linked once.

mod service;
