//! When drafts are written, and what comes back.
