//! The arguments of `petstore ssh` and `petstore ssh-session`.

use std::time::Duration;

use clap::{Args, Subcommand};

use crate::cli::args::{DatabaseArg, parse_duration};
use crate::store::keys::Scopes;

pub const SSH_HELP: &str = "Examples:
  petstore ssh authorize till-2 till-2.pub --database sqlite:store.db -p branch
  petstore ssh authorize display display.pub --scopes read --database sqlite:store.db -p branch

Run it as the account that people log in to. A person who logs in gets the full screen with a separate API key, and no \
shell. With a command, such as `ssh shop@host pets list`, petstore runs that. To end a person's access: petstore keys \
revoke ID.";

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum SshCommand {
    /// Print the line for authorized_keys that lets a person log in.
    ///
    /// Creates an API key for the person, and keeps it in a private file. The line allows nothing but petstore. The person's
    /// other SSH keys get a line with the same name.
    #[command(after_help = SSH_HELP)]
    Authorize(AuthorizeArgs),
}

#[derive(Debug, Args)]
pub struct AuthorizeArgs {
    /// Name of the person or the till: letters, digits, `.`, `-` and `_`.
    pub name: String,
    /// The public key, or the file that contains it.
    #[arg(value_name = "KEY|FILE")]
    pub key: String,
    #[command(flatten)]
    pub database: DatabaseArg,
    /// What the API key may do: read, write, audit, admin (everything). [default: read,write]
    #[arg(long, alias = "scope", value_name = "SCOPES")]
    pub scopes: Option<Scopes>,
    /// End a session after this time without a key, such as 30m. [default: never]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub idle: Option<Duration>,
}
