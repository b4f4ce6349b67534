//! The arguments of `petstore ssh` and `petstore ssh-session`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use crate::cli::args::{DatabaseArg, parse_duration};
use crate::cli::error::Failed;
use crate::cli::render::FormatArg;
use crate::config::Env;
use crate::store::keys::Scopes;

pub const SSH_HELP: &str = "Examples:
  petstore ssh authorize till-2 till-2.pub --database sqlite:store.db -p branch
  petstore ssh check

Run these as the account that people log in to. A person who logs in gets the full screen with a separate API key, \
and no shell. With a command, such as `ssh shop@host pets list`, petstore runs that.";

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum SshCommand {
    /// Let a person log in with an SSH key.
    ///
    /// Creates an API key, keeps it in a private file, and adds a line to authorized_keys that allows nothing but petstore.
    /// The person's other SSH keys can be added with the same name.
    Authorize(AuthorizeArgs),
    /// List who may log in, with their SSH keys and scopes.
    #[command(after_help = "Example:\n  petstore ssh list --format json")]
    List(FormatArg),
    /// Remove a person's lines from authorized_keys, and revoke their API key.
    ///
    /// Sessions that are open end when they next use the key. What was typed and not sent stays on disk.
    #[command(after_help = "Example:\n  petstore ssh revoke till-2 --database sqlite:store.db")]
    Revoke {
        /// Whose access ends.
        name: String,
        #[command(flatten)]
        database: DatabaseArg,
        #[command(flatten)]
        file: FileArg,
    },
    /// Find lines that lead nowhere, people without a line, files that others may change, and settings of sshd in the way.
    ///
    /// Exits with 0 if nothing fails, and with 1 otherwise. Changes nothing.
    #[command(after_help = "Example:\n  petstore ssh check")]
    Check {
        #[command(flatten)]
        file: FileArg,
        #[command(flatten)]
        output: FormatArg,
    },
    /// Print the line for an SSH key: for AuthorizedKeysCommand of sshd_config.
    ///
    /// In sshd_config: AuthorizedKeysCommand /usr/bin/petstore ssh keys %u %k, and AuthorizedKeysCommandUser with the
    /// account that people log in to.
    #[command(after_help = "Example:\n  petstore ssh keys shop AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9")]
    Keys {
        /// The account that is logged in to (%u). Nothing is printed for other accounts than the one that runs this.
        account: String,
        /// The SSH key that is offered (%k), in base64.
        key: String,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    petstore ssh authorize till-2 till-2.pub --database sqlite:store.db -p branch\n  \
    petstore ssh authorize display display.pub --scopes read --database sqlite:store.db -p branch")]
pub struct AuthorizeArgs {
    /// Name of the person or the till: letters, digits, `.`, `-` and `_`.
    pub name: String,
    /// The public key, or the file that contains it.
    #[arg(value_name = "KEY|FILE")]
    pub key: String,
    #[command(flatten)]
    pub database: DatabaseArg,
    /// What the API key may do: read, write, admin (everything). [default: read,write]
    #[arg(long, alias = "scope", value_name = "SCOPES")]
    pub scopes: Option<Scopes>,
    /// End a session after this time without a key, such as 30m. [default: never]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub idle: Option<Duration>,
    /// Print the line instead of adding it to authorized_keys.
    #[arg(long)]
    pub print: bool,
    #[command(flatten)]
    pub file: FileArg,
}

// Which file `sshd` reads.
#[derive(Debug, Args)]
pub struct FileArg {
    /// The authorized_keys file. [default: ~/.ssh/authorized_keys]
    #[arg(long, value_name = "FILE")]
    authorized_keys: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct SessionArgs {
    /// Whose session it is.
    pub name: String,
}

impl FileArg {
    pub fn path(&self, env: &Env) -> Result<PathBuf, Failed> {
        let home = || env.path("HOME").map(|home| home.join(".ssh/authorized_keys"));
        let path = self.authorized_keys.clone().or_else(home);
        path.ok_or_else(|| Failed::config("no home directory is known").hint("set HOME, or use --authorized-keys FILE"))
    }
}
