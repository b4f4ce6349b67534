//! The JSON schema of the configuration file, which editors use to complete and check it.

use std::io;
use std::path::Path;

use crate::local::atomic_file;

/// The schema.
pub const SCHEMA: &str = include_str!("../../assets/config.schema.json");

/// The first line of every configuration file that petstore writes: where editors find the schema.
pub const SCHEMA_LINE: &str = "#:schema config.schema.json\n";

/// Writes the schema beside the configuration file at `path`.
pub fn write_schema(path: &Path) -> io::Result<()> {
    atomic_file::replace_private(&path.with_file_name("config.schema.json"), SCHEMA)
}
