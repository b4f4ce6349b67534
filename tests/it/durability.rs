//! The real binary through signals, kill -9, power cuts, and disks that are full or broken: what it has answered 201 is
//! kept, once.

mod after_power_cut;
mod backup;
mod bad_disk;
mod clock;
mod disk;
mod fixture;
mod kill;
mod moved;
mod power_cut;
mod signals;
mod two_processes;
