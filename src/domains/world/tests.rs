//! Each thing that the world can show, asked for over real sockets.

mod ask;
mod authority;
mod faults;
mod resolvers;
