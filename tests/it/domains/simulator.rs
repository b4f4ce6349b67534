//! Each thing that the world can show, asked for over real sockets.

mod ask;
mod authority;
mod call;
mod certificates;
mod doors;
mod faults;
mod pages;
mod resolvers;
mod troubles;
