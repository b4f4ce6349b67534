//! The arguments of `petstore domains`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum, value_parser};
use jiff::Timestamp;

use crate::cli::args::{parse_duration, parse_time};
use crate::cli::completions;
use crate::cli::render::FormatArg;
use crate::domains::DnsName;
use crate::domains::check_options::socket_address;

use super::words::FailOn;

pub const DOMAINS_HELP: &str = "Examples:
  petstore domains add docs.example.com --platform-host sites.platform.example
  petstore domains check docs.example.com
  petstore domains explain ERR_CERT_COMMON_NAME_INVALID";

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum DomainsCommand {
    /// Add a domain to the list.
    #[command(after_help = "Example:\n  petstore domains add docs.example.com --platform-host sites.platform.example")]
    Add(AddArgs),
    /// List the domains, the worst first.
    #[command(after_help = "Example:\n  petstore domains list --format json")]
    List(ListArgs),
    /// Check domains from outside: what is wrong, who must act, how long to wait.
    ///
    /// Without a domain, checks the whole list. Exit status: 0 if all is right or there is only a warning, 8 if
    /// something is wrong and needs action, 9 if it only needs time, 11 if the next step is yours, 1 if the check failed.
    /// Several domains end with the worst, 8, 11 or 9; with 3 if nothing is wrong, but
    /// some could not be checked.
    #[command(
        after_help = "Examples:\n  petstore domains check docs.example.com --platform-host sites.platform.example\n  \
        petstore domains check --from old.example.com --to docs.example.com --status 301"
    )]
    Check(CheckArgs),
    /// Check a domain repeatedly until it is live or the time is up.
    ///
    /// Prints a line for each change. Checks right after each expected time, and once more when the time is up. Exit
    /// status: 0 when it is live, 9 when the time is up.
    #[command(after_help = "Example:\n  petstore domains watch docs.example.com --until dns --timeout 2h")]
    Watch(WatchArgs),
    /// Print the record to add, as the fields of a form or as a line of a zone file.
    #[command(after_help = "Example:\n  petstore domains records docs.example.com --format bind")]
    Records(RecordsArgs),
    /// Check the configured redirects against the live site.
    #[command(after_help = "Example:\n  petstore domains redirects --file domains.toml")]
    Redirects(RedirectsArgs),
    /// Record that the DNS record was saved at the provider; starts the 48-hour limit.
    #[command(after_help = "Example:\n  petstore domains saved docs.example.com")]
    Saved(WhenArgs),
    /// Record that Verify or Re-verify was chosen in the dashboard; starts the 30-minute limit.
    #[command(after_help = "Example:\n  petstore domains verified docs.example.com")]
    Verified(VerifiedArgs),
    /// Check a domain and print all the evidence, for a support ticket.
    #[command(after_help = "Example:\n  petstore domains report docs.example.com > ticket.txt")]
    Report(ReportArgs),
    /// Take a domain out of service step by step, then off the list.
    ///
    /// Begins the removal, and prints its steps with what was seen of each. From then on, checks follow the removal, and
    /// no longer ask for the record or for Verify. --keep calls it off.
    #[command(
        after_help = "Examples:\n  petstore domains remove docs.example.com\n  petstore domains remove docs.example.com --keep"
    )]
    Remove(RemoveArgs),
    /// Explain a code or a browser message: its cause and fix.
    #[command(after_help = "Examples:\n  petstore domains explain ERR_CERT_COMMON_NAME_INVALID\n  \
        petstore domains explain DNS-A-BLOCKS")]
    Explain(ExplainArgs),
}

impl DomainsCommand {
    /// Whether it asks name servers.
    pub const fn asks(&self) -> bool {
        match self {
            Self::Check(_) | Self::Watch(_) | Self::Report(_) | Self::Remove(_) => true,
            Self::Redirects(args) => !args.offline,
            Self::Records(args) => args.with_deletes,
            _ => false,
        }
    }
}

// How checks are made. Most have a key in [domains] of the configuration.
#[derive(Clone, Debug, Default, Args)]
pub struct ProbeArgs {
    /// The value that the dashboard shows for the record.
    #[arg(long, value_name = "HOST")]
    pub platform_host: Option<String>,
    /// A recursive resolver to ask instead of the system's and the public ones; can be repeated. Over TLS as
    /// tls://ADDR, over HTTPS as https://ADDR/dns-query.
    #[arg(long, value_name = "ADDR[:PORT]")]
    pub resolver: Vec<String>,
    /// Ask only the resolver of this machine: no public one learns the name.
    #[arg(long, conflicts_with = "resolver")]
    pub only_system_resolver: bool,
    /// The address to use for a name server; can be repeated.
    #[arg(long, hide = true, value_name = "HOST=ADDR:PORT", value_parser = parse_name_server)]
    pub name_server: Vec<(DnsName, SocketAddr)>,
    /// Port for http://.
    #[arg(long, hide = true, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub http_port: Option<u16>,
    /// Port for https://.
    #[arg(long, hide = true, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    pub https_port: Option<u16>,
    /// PEM file of CA certificates to trust in addition to the system's.
    #[arg(long, value_name = "FILE")]
    pub trust: Option<PathBuf>,
    /// Also connect to loopback, private, link-local, carrier and metadata addresses.
    #[arg(long)]
    pub allow_private: bool,
    /// CAA identity of the platform's certificate authority; can be repeated.
    #[arg(long, value_name = "NAME")]
    pub ca: Vec<String>,
    /// Check as if it were this time (RFC 3339); the result is not saved.
    #[arg(long, hide = true, value_name = "TIME", value_parser = parse_time)]
    pub now: Option<Timestamp>,
    /// Check as if the record was saved at this time; the result is not saved.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub saved_at: Option<Timestamp>,
    /// Check as if Verify was chosen at this time; the result is not saved.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub verified_at: Option<Timestamp>,
}

#[derive(Debug, Args)]
pub struct AddArgs {
    /// The domain, or an address that contains it.
    #[arg(allow_hyphen_values = true)]
    pub name: String,
    /// Say how the name is understood, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// The value that the dashboard shows for the record.
    #[arg(long, value_name = "HOST")]
    pub platform_host: Option<String>,
    #[command(flatten)]
    pub output: FormatArg,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The domains; by default the whole list.
    #[arg(add = completions::domains())]
    pub names: Vec<String>,
    /// Check one redirect instead: the domain that redirects.
    #[arg(long, value_name = "DOMAIN", requires = "to", conflicts_with = "names")]
    pub from: Option<String>,
    /// Where the redirect leads.
    #[arg(long, value_name = "DOMAIN", requires = "from")]
    pub to: Option<String>,
    /// The status that the redirect should have.
    #[arg(long, value_name = "N", default_value_t = 301, requires = "from", value_parser = value_parser!(u16).range(300..400))]
    pub status: u16,
    /// Show every finding with the questions and answers behind it, and what each server sees.
    #[arg(short, long)]
    pub evidence: bool,
    /// The least verdict that ends with exit status 8.
    #[arg(long, value_enum, value_name = "VERDICT", default_value_t)]
    pub fail_on: FailOn,
    #[command(flatten)]
    pub probe: ProbeArgs,
    #[command(flatten)]
    pub output: FormatArg,
}

#[derive(Debug, Args)]
pub struct ListArgs {
    /// Exit with 8 if a domain has this verdict or a worse one, with 11 if one waits for you, with 9 if one needs time; by default, always with 0.
    #[arg(long, value_enum, value_name = "VERDICT")]
    pub fail_on: Option<FailOn>,
    #[command(flatten)]
    pub output: FormatArg,
}

/// When watching ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Until {
    /// When the record is right everywhere.
    Dns,
    /// When the domain is live.
    #[default]
    Live,
}

#[derive(Debug, Args)]
pub struct WatchArgs {
    /// The domain.
    #[arg(add = completions::domains())]
    pub name: String,
    /// When to stop.
    #[arg(long, value_enum, default_value_t)]
    pub until: Until,
    /// Time limit, such as 90s, 30m or 48h.
    #[arg(long, value_name = "TIME", default_value = "48h", value_parser = parse_duration)]
    pub timeout: Duration,
    #[command(flatten)]
    pub probe: ProbeArgs,
    #[command(flatten)]
    pub output: FormatArg,
}

/// How a record is written.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum RecordFormat {
    /// The fields of a provider's form.
    #[default]
    Plain,
    /// A line of a zone file.
    Bind,
}

#[derive(Debug, Args)]
pub struct RecordsArgs {
    /// The domain.
    #[arg(add = completions::domains())]
    pub name: String,
    /// How the record is written.
    #[arg(short = 'o', long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: RecordFormat,
    /// Also delete conflicting records; asks the name servers for them.
    #[arg(long)]
    pub with_deletes: bool,
    #[command(flatten)]
    pub probe: ProbeArgs,
}

#[derive(Debug, Args)]
pub struct RedirectsArgs {
    /// A configuration file in JSON or TOML, or - for standard input, instead of [domains] in petstore's own.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Check only the configuration.
    #[arg(long)]
    pub offline: bool,
    #[command(flatten)]
    pub probe: ProbeArgs,
    #[command(flatten)]
    pub output: FormatArg,
}

#[derive(Debug, Args)]
pub struct WhenArgs {
    /// The domain.
    #[arg(add = completions::domains())]
    pub name: String,
    /// When it was done (RFC 3339); by default now.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub at: Option<Timestamp>,
}

#[derive(Debug, Args)]
pub struct VerifiedArgs {
    #[command(flatten)]
    pub when: WhenArgs,
    /// Record it even if the last check found that Verify would fail, or the record was never saved.
    #[arg(long)]
    pub yes: bool,
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The domain.
    #[arg(add = completions::domains())]
    pub name: String,
    #[command(flatten)]
    pub output: FormatArg,
    #[command(flatten)]
    pub probe: ProbeArgs,
}

#[derive(Debug, Args)]
pub struct RemoveArgs {
    /// The domain.
    #[arg(add = completions::domains())]
    pub name: String,
    /// Record that it was removed in the dashboard, and check for a record left behind.
    #[arg(long, conflicts_with = "forget")]
    pub done: bool,
    /// Take it off the list and delete its history.
    #[arg(long)]
    pub forget: bool,
    /// Call off a removal that was begun: the domain stays in service.
    #[arg(long, conflicts_with_all = ["done", "forget"])]
    pub keep: bool,
    #[command(flatten)]
    pub probe: ProbeArgs,
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A code from petstore, or a message from a browser or curl.
    #[arg(required = true)]
    pub message: Vec<String>,
    #[command(flatten)]
    pub output: FormatArg,
}

/// `HOST=ADDR:PORT`.
fn parse_name_server(text: &str) -> Result<(DnsName, SocketAddr), String> {
    let (host, address) = text.split_once('=').ok_or("write HOST=ADDRESS:PORT")?;
    Ok((DnsName::new(host), socket_address(address, 53)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_parsed_or_rejected() {
        assert_eq!(socket_address("127.0.0.1", 53), Ok(([127, 0, 0, 1], 53).into()));
        assert_eq!(socket_address("[::1]:5353", 53).unwrap().port(), 5353);
        assert!(parse_name_server("ns1.acme.com").is_err() && parse_name_server("ns1.acme.com=x").is_err());
    }
}
