//! Where the database is: what `--database` takes.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::database_error::DatabaseUrlError;
use super::postgres::PostgresUrl;

/// The address of a database, for example `sqlite:store.db`, `sqlite:///var/lib/petstore/store.db` or
/// `postgres://petstore@db.shop.example/pets`. What is shown of it has no password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// A SQLite file, by its absolute path.
    Sqlite(PathBuf),
    /// A PostgreSQL server.
    Postgres(PostgresUrl),
}

impl FromStr for DatabaseUrl {
    type Err = DatabaseUrlError;

    /// `sqlite:relative.db`, `sqlite:/abs.db` and `sqlite:///abs.db`. A relative path is taken from the working
    /// directory of now. For servers see [`PostgresUrl`].
    fn from_str(text: &str) -> Result<Self, DatabaseUrlError> {
        let refused = |why: &str| Err(DatabaseUrlError(why.to_owned()));
        match text.split_once(':') {
            Some(("sqlite", rest)) => {
                let file = rest.strip_prefix("//").unwrap_or(rest);
                refused(match file {
                    "" => "sqlite: needs a file name, for example sqlite:store.db",
                    ":memory:" => {
                        "a database in memory is not supported, since it is lost with the process: use a file"
                    }
                    _ if file.contains('?') => "sqlite:FILE does not support options after a question mark",
                    _ => {
                        let path = std::path::absolute(file).map(Self::Sqlite);
                        return path.or_else(|error| refused(&format!("cannot find the working directory: {error}")));
                    }
                })
            }
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres(text.parse()?)),
            _ => refused("use sqlite:FILE or postgres://USER@HOST/DATABASE"),
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
        let refusal = |text: &str| text.parse::<DatabaseUrl>().unwrap_err().to_string();
        assert_eq!(refusal("store.db"), "use sqlite:FILE or postgres://USER@HOST/DATABASE");
        assert_eq!(refusal("mysql://host/db"), "use sqlite:FILE or postgres://USER@HOST/DATABASE");
        assert_eq!(refusal("sqlite:"), "sqlite: needs a file name, for example sqlite:store.db");
        assert_eq!(
            refusal("sqlite::memory:"),
            "a database in memory is not supported, since it is lost with the process: use a file"
        );
        assert_eq!(
            refusal("sqlite://:memory:"),
            "a database in memory is not supported, since it is lost with the process: use a file"
        );
        assert_eq!(refusal("sqlite:store.db?mode=ro"), "sqlite:FILE does not support options after a question mark");
        assert_eq!(refusal("postgres://host"), "the address has no database; use postgres://USER@HOST/DATABASE");
    }
}
