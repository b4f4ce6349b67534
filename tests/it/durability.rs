//! The real binary through signals, kill -9, power cuts, and disks that are full or broken: what it has answered 201 is
//! kept, once. `dNN` in a name is a case of the list that the service must take.

mod backup;
mod bad_disk;
mod clock;
mod disk;
mod fixture;
mod kill;
mod moved;
mod power_cut;
mod remains;
mod signals;
mod two_processes;
