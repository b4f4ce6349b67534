//! What most of these tests use.

pub use crate::harness::{PATIENCE, PETSTORE, Start, Terminal};
pub use std::fs;
pub use std::io::{BufRead as _, BufReader, Write as _};
pub use std::net::{TcpListener, TcpStream};
pub use std::path::{Path, PathBuf};
pub use std::process::{Child, Command, Stdio};
pub use std::time::{Duration, Instant};
