//! `petstore keys`: the API keys of a service's database.

use std::io::{self, Write};

use clap::{Args, Subcommand};
use secrecy::ExposeSecret;

use crate::clock;
use crate::store::{DatabaseUrl, Store, StoreError};

/// Manage the API keys of a service.
#[derive(Debug, Args)]
pub struct KeysArgs {
    #[command(subcommand)]
    command: KeysCommand,
}

#[derive(Debug, Subcommand)]
enum KeysCommand {
    /// Make a new API key and print it, once: only its hash is stored.
    Create {
        /// The service's database, for example sqlite:store.db. It may be in use.
        #[arg(long, value_name = "URL")]
        database: DatabaseUrl,
        /// Whom or what the key is for.
        #[arg(long)]
        name: String,
    },
}

/// Why no key was made or printed.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// The database does not allow it, or the name breaks the rules.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The key is stored but could not be printed. Make another one.
    #[error("the new key could not be printed")]
    Print(#[source] io::Error),
}

/// Does what `args` say; the key goes to `out`, alone on a line.
pub async fn run(args: KeysArgs, out: &mut impl Write) -> Result<(), KeysError> {
    let KeysCommand::Create { database, name } = args.command;
    let store = Store::open(&database).await?;
    let created = store.create_key(&name, clock::now()).await;
    store.close().await;
    writeln!(out, "{}", created?.expose_secret()).and_then(|()| out.flush()).map_err(KeysError::Print)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        keys: KeysArgs,
    }

    #[tokio::test]
    async fn the_key_is_alone_on_its_line_and_opens_the_service() {
        let directory = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}/store.db", directory.path().display());
        let args = Line::parse_from(["keys", "create", "--database", &url, "--name", "till"]).keys;
        let mut out = Vec::new();
        run(args, &mut out).await.unwrap();
        let key = String::from_utf8(out).unwrap();
        let store = Store::open(&url.parse().unwrap()).await.unwrap();
        let id = store.verify_key(key.strip_suffix('\n').unwrap(), clock::now()).await.unwrap();
        assert!(id.is_some());
    }
}
