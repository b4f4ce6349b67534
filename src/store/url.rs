//! Where the database is: what `--database` takes.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use super::postgres::{PostgresUrl, PostgresUrlError};

/// The address of a database, for example `sqlite:store.db`, `sqlite:///var/lib/petstore/store.db` or
/// `postgres://petstore@db.shop.example/pets`. What is shown of it has no password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// A SQLite file, by its absolute path.
    Sqlite(PathBuf),
    /// A PostgreSQL server.
    Postgres(PostgresUrl),
}

/// Why an address is invalid.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseUrlError {
    /// No scheme that is known.
    #[error("use sqlite:FILE or postgres://USER@HOST/DATABASE")]
    UnknownScheme,
    /// A scheme without a file.
    #[error("sqlite: needs a file name, for example sqlite:store.db")]
    NoFile,
    /// `?mode=ro` and the like.
    #[error("sqlite:FILE does not support options after a question mark")]
    Options,
    /// A database that lives in memory.
    #[error("a database in memory is not supported, since it is lost with the process: use a file")]
    Memory,
    /// The address of a server.
    #[error(transparent)]
    Postgres(#[from] PostgresUrlError),
    /// A relative path, and the working directory cannot be found.
    #[error("cannot find the working directory")]
    WorkingDirectory(#[source] io::Error),
}

impl FromStr for DatabaseUrl {
    type Err = DatabaseUrlError;

    /// `sqlite:relative.db`, `sqlite:/abs.db` and `sqlite:///abs.db`. A relative path is taken from the working
    /// directory of now. For servers see [`PostgresUrl`].
    fn from_str(text: &str) -> Result<Self, DatabaseUrlError> {
        match text.split_once(':') {
            Some(("sqlite", rest)) => {
                let file = rest.strip_prefix("//").unwrap_or(rest);
                match file {
                    "" => Err(DatabaseUrlError::NoFile),
                    ":memory:" => Err(DatabaseUrlError::Memory),
                    _ if file.contains('?') => Err(DatabaseUrlError::Options),
                    _ => std::path::absolute(file).map(Self::Sqlite).map_err(DatabaseUrlError::WorkingDirectory),
                }
            }
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres(text.parse()?)),
            _ => Err(DatabaseUrlError::UnknownScheme),
        }
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(url) => url.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sqlite_file_is_named_relative_or_absolute() {
        let relative = std::path::absolute("store.db").unwrap();
        for (text, path) in [
            ("sqlite:store.db", relative.clone()),
            ("sqlite://store.db", relative),
            ("sqlite:/srv/store.db", "/srv/store.db".into()),
            ("sqlite:///srv/store.db", "/srv/store.db".into()),
        ] {
            assert_eq!(text.parse::<DatabaseUrl>().unwrap(), DatabaseUrl::Sqlite(path), "{text}");
        }
        assert_eq!("sqlite:///srv/s.db".parse::<DatabaseUrl>().unwrap().to_string(), "sqlite:/srv/s.db");
    }

    #[test]
    fn what_cannot_be_a_store_is_refused_with_the_reason() {
        let refusal = |text: &str| text.parse::<DatabaseUrl>().unwrap_err();
        assert!(matches!(refusal("store.db"), DatabaseUrlError::UnknownScheme));
        assert!(matches!(refusal("mysql://host/db"), DatabaseUrlError::UnknownScheme));
        assert!(matches!(refusal("sqlite:"), DatabaseUrlError::NoFile));
        assert!(matches!(refusal("sqlite::memory:"), DatabaseUrlError::Memory));
        assert!(matches!(refusal("sqlite://:memory:"), DatabaseUrlError::Memory));
        assert!(matches!(refusal("sqlite:store.db?mode=ro"), DatabaseUrlError::Options));
        assert!(matches!(refusal("postgres://host"), DatabaseUrlError::Postgres(_)));
    }
}
