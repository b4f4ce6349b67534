//! The words of `petstore domains`.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr as _;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use jiff::Timestamp;

use crate::cli::args::{parse_duration, parse_time};
use crate::cli::completions;
use crate::cli::render::FormatArg;
use crate::domains::DnsName;
use crate::domains::record_export::ExportFormat;

const DOMAINS_HELP: &str = "Examples:
  petstore domains add docs.example.com --platform-host sites.platform.example
  petstore domains check docs.example.com
  petstore domains explain ERR_CERT_COMMON_NAME_INVALID";

/// Set up custom domains, and find out what is wrong with one.
#[derive(Debug, Args)]
#[command(after_help = DOMAINS_HELP)]
pub struct DomainsArgs {
    #[command(subcommand)]
    pub command: DomainsCommand,
}

#[derive(Debug, Subcommand)]
pub enum DomainsCommand {
    /// Put a domain on the list.
    #[command(after_help = "Example:\n  petstore domains add docs.example.com --platform-host sites.platform.example")]
    Add(AddArgs),
    /// The domains of the list, the worst first.
    #[command(after_help = "Example:\n  petstore domains list --format json")]
    List(FormatArg),
    /// One domain of the list: where it stands, and what to do next.
    #[command(after_help = "Example:\n  petstore domains show docs.example.com")]
    Show(ShowArgs),
    /// Look at a domain from outside: what is wrong, who must act, how long to wait.
    ///
    /// Ends with 0 (all right, or a warning), 8 (something is wrong, and somebody must act), 9 (nothing is wrong: time
    /// will do it, or your next step; `who` tells which), 1 (nothing could be measured), or 3 (several domains with
    /// different results). Without a domain, all of the list.
    #[command(
        after_help = "Examples:\n  petstore domains check docs.example.com --platform-host sites.platform.example\n  \
        petstore domains check --from old.example.com --to docs.example.com --status 301"
    )]
    Check(CheckArgs),
    /// Check again and again until the domain is live, or the time is up.
    ///
    /// A line for each change. Checks right after each promised time, and a last time when the time is up. Ends with 0 when
    /// it is live, 9 when the time is up.
    #[command(after_help = "Example:\n  petstore domains watch docs.example.com --until dns --timeout 2h")]
    Watch(WatchArgs),
    /// The record to add, in the format of a DNS provider or tool.
    #[command(after_help = "Example:\n  petstore domains records docs.example.com --format bind")]
    Records(RecordsArgs),
    /// Hold every redirect of the configuration against what is served.
    #[command(after_help = "Example:\n  petstore domains redirects --file domains.toml")]
    Redirects(RedirectsArgs),
    /// Say that the record was saved at the DNS provider; the clock of 48 hours begins.
    #[command(after_help = "Example:\n  petstore domains saved docs.example.com")]
    Saved(WhenArgs),
    /// Say that Verify, or Re-verify, was chosen in the dashboard; the clock of 30 minutes begins.
    #[command(after_help = "Example:\n  petstore domains verified docs.example.com")]
    Verified(WhenArgs),
    /// A check with all its evidence, for a support ticket.
    #[command(after_help = "Example:\n  petstore domains report docs.example.com > ticket.txt")]
    Report(ReportArgs),
    /// Take a domain out: what to do in which order, then off the list.
    #[command(after_help = "Example:\n  petstore domains remove docs.example.com")]
    Remove(RemoveArgs),
    /// The cause and the cure behind a code or a browser's message.
    #[command(after_help = "Examples:\n  petstore domains explain ERR_CERT_COMMON_NAME_INVALID\n  \
        petstore domains explain DNS-A-BLOCKS")]
    Explain(ExplainArgs),
    /// What a typed name means.
    #[command(after_help = "Example:\n  petstore domains parse https://Docs.Example.com/guide")]
    Parse(ParseArgs),
    /// Check a configuration of domains, JSON or TOML.
    #[command(after_help = "Example:\n  petstore domains lint domains.toml")]
    Lint(LintArgs),
}

/// Where and how a check looks. Each has its key in [domains] of the configuration.
#[derive(Clone, Debug, Default, Args)]
pub struct ProbeArgs {
    /// The value that the dashboard shows for the record.
    #[arg(long, value_name = "HOST")]
    pub platform_host: Option<String>,
    /// A recursive resolver to ask, instead of the system's and the public ones; may be given again.
    #[arg(long, value_name = "ADDR[:PORT]")]
    pub resolver: Vec<String>,
    /// Where a name server is reached, by its host name; may be given again.
    #[arg(long, value_name = "HOST=ADDR:PORT", value_parser = parse_name_server)]
    pub name_server: Vec<(DnsName, SocketAddr)>,
    /// The port that http:// means.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub http_port: Option<u16>,
    /// The port that https:// means.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub https_port: Option<u16>,
    /// A PEM file of roots that are trusted beside the system's.
    #[arg(long, value_name = "FILE")]
    pub trust: Option<PathBuf>,
    /// Connect also to loopback, private, link-local, carrier and metadata addresses.
    #[arg(long)]
    pub allow_private: bool,
    /// The CAA identity of the platform's certificate authority; may be given again.
    #[arg(long, value_name = "NAME")]
    pub ca: Vec<String>,
    /// The time to take for now (RFC 3339), for rehearsals: what comes of them is not kept.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub now: Option<Timestamp>,
    /// When the record was saved, instead of what the list says; a rehearsal, too.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub saved_at: Option<Timestamp>,
    /// When Verify was chosen, instead of what the list says; a rehearsal, too.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub verified_at: Option<Timestamp>,
}

impl ProbeArgs {
    /// Whether it is judged as if something else had been told, or at another time: what comes of it is not kept.
    pub(super) const fn is_rehearsal(&self) -> bool {
        self.now.is_some() || self.saved_at.is_some() || self.verified_at.is_some()
    }
}

#[derive(Debug, Args)]
pub struct AddArgs {
    /// The domain, as it is typed or pasted.
    pub name: String,
    /// The value that the dashboard shows for the record.
    #[arg(long, value_name = "HOST")]
    pub platform_host: Option<String>,
    #[command(flatten)]
    pub output: FormatArg,
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The domain.
    #[arg(add = completions::domains())]
    pub name: String,
    #[command(flatten)]
    pub output: FormatArg,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The domains; all of the list without one.
    #[arg(add = completions::domains())]
    pub names: Vec<String>,
    /// Check one redirect instead: the domain that redirects.
    #[arg(long, value_name = "DOMAIN", requires = "to", conflicts_with = "names")]
    pub from: Option<String>,
    /// Where the redirect leads.
    #[arg(long, value_name = "DOMAIN", requires = "from")]
    pub to: Option<String>,
    /// The status that the redirect should have.
    #[arg(long, value_name = "N", default_value_t = 301, requires = "from", value_parser = clap::value_parser!(u16).range(300..400))]
    pub status: u16,
    /// With the questions, servers, answers and times behind each line.
    #[arg(short, long)]
    pub evidence: bool,
    #[command(flatten)]
    pub probe: ProbeArgs,
    #[command(flatten)]
    pub output: FormatArg,
}

/// How far a domain is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Until {
    /// Until the record is right everywhere.
    Dns,
    /// Until it is live.
    #[default]
    Live,
}

#[derive(Debug, Args)]
pub struct WatchArgs {
    /// The domain.
    #[arg(add = completions::domains())]
    pub name: String,
    /// How far.
    #[arg(long, value_enum, default_value_t = Until::Live)]
    pub until: Until,
    /// The longest time, such as 90s, 30m or 48h.
    #[arg(long, value_name = "TIME", default_value = "48h", value_parser = parse_duration)]
    pub timeout: Duration,
    #[command(flatten)]
    pub probe: ProbeArgs,
    #[command(flatten)]
    pub output: FormatArg,
}

#[derive(Debug, Args)]
pub struct RecordsArgs {
    /// The domain.
    #[arg(add = completions::domains())]
    pub name: String,
    /// The format.
    #[arg(short = 'o', long, default_value = "plain", value_parser = parse_export)]
    pub format: ExportFormat,
    /// Also delete what stands in its way: asks the name servers first.
    #[arg(long)]
    pub with_deletes: bool,
    #[command(flatten)]
    pub probe: ProbeArgs,
}

#[derive(Debug, Args)]
pub struct RedirectsArgs {
    /// A file with the configuration, instead of [domains] of this program's.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
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
    /// When, if not now (RFC 3339).
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub at: Option<Timestamp>,
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The domain.
    #[arg(add = completions::domains())]
    pub name: String,
    #[command(flatten)]
    pub probe: ProbeArgs,
}

#[derive(Debug, Args)]
pub struct RemoveArgs {
    /// The domain.
    #[arg(add = completions::domains())]
    pub name: String,
    /// It was removed in the dashboard; looks for the record that was left.
    #[arg(long, conflicts_with = "forget")]
    pub done: bool,
    /// Take it off the list, with everything that is kept of it.
    #[arg(long)]
    pub forget: bool,
    #[command(flatten)]
    pub probe: ProbeArgs,
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A code of this program, or what a browser or curl said.
    #[arg(required = true)]
    pub message: Vec<String>,
    #[command(flatten)]
    pub output: FormatArg,
}

#[derive(Debug, Args)]
pub struct ParseArgs {
    /// What was typed.
    #[arg(allow_hyphen_values = true)]
    pub name: String,
    /// The value that the dashboard shows, which is not the domain.
    #[arg(long, value_name = "HOST")]
    pub platform_host: Option<String>,
    #[command(flatten)]
    pub output: FormatArg,
}

#[derive(Debug, Args)]
pub struct LintArgs {
    /// The file, or - for standard input.
    pub file: PathBuf,
    #[command(flatten)]
    pub output: FormatArg,
}

/// `HOST=ADDR:PORT`.
fn parse_name_server(text: &str) -> Result<(DnsName, SocketAddr), String> {
    let (host, address) = text.split_once('=').ok_or("write HOST=ADDRESS:PORT")?;
    Ok((DnsName::new(host), socket_address(address, 53)?))
}

/// `ADDR` or `ADDR:PORT`.
pub(super) fn socket_address(text: &str, port: u16) -> Result<SocketAddr, String> {
    let text = text.trim();
    SocketAddr::from_str(text)
        .or_else(|_| IpAddr::from_str(text).map(|address| SocketAddr::new(address, port)))
        .map_err(|_| format!("\"{}\" is neither ADDRESS nor ADDRESS:PORT", crate::model::text::short(text)))
}

fn parse_export(text: &str) -> Result<ExportFormat, String> {
    text.trim().parse().map_err(|_| {
        let known: Vec<_> = ExportFormat::ALL.iter().map(|format| format.as_str()).collect();
        format!("one of {}", known.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_or_refused_with_an_example() {
        assert_eq!(socket_address("127.0.0.1", 53), Ok(([127, 0, 0, 1], 53).into()));
        assert_eq!(socket_address("[::1]:5353", 53).unwrap().port(), 5353);
        assert!(parse_name_server("ns1.acme.com").is_err() && parse_name_server("ns1.acme.com=x").is_err());
    }
}
