//! The words of the command line.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Args as ClapArgs, Parser, Subcommand, ValueEnum};

use crate::config::Choices;
use crate::model::text::safe_causes;
use crate::model::{Limit, PetStatus};
use crate::store::DatabaseUrl;

use super::copy::CopyArgs;
use super::domains::args::DomainsCommand;
use super::keys::KeysArgs;
use super::serve::ServeArgs;
use super::transfer::args::{EXPORT_HELP, ExportArgs, IMPORT_HELP, ImportArgs};
use super::upkeep::{BackupArgs, CheckArgs, MigrateArgs};

/// Keep the animals of a store from a terminal.
///
/// Without a command it opens the full screen, on the service inside the program unless another one is named.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100, subcommand_required = false)]
pub struct Args {
    #[command(flatten)]
    pub shared: Shared,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Options that stand anywhere.
#[derive(Debug, ClapArgs)]
pub struct Shared {
    /// Use 250 sample animals in a temporary store; nothing is kept.
    #[arg(long, global = true)]
    pub demo: bool,
    /// The service's address, /v1 included; its key in PETSTORE_API_KEY.
    #[arg(long, global = true, value_name = "URL")]
    pub base_url: Option<String>,
    /// A profile of the configuration file.
    #[arg(short, long, global = true, value_name = "NAME")]
    pub profile: Option<String>,
    /// Another configuration file.
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Allow http:// to another machine: the key then travels in clear text.
    #[arg(long, global = true)]
    pub insecure_http: bool,
    /// Draw nothing beyond ASCII.
    #[arg(long, global = true)]
    pub ascii: bool,
    /// Ask and answer in plain lines, for screen readers and braille lines: nothing is repainted. [env: ACCESSIBLE=1]
    #[arg(long, global = true)]
    pub accessible: bool,
}

impl Shared {
    /// What was chosen, for the configuration.
    pub fn choices(&self) -> Choices {
        Choices {
            config: self.config.clone(),
            profile: self.profile.clone(),
            base_url: self.base_url.clone(),
            demo: self.demo,
            insecure_http: self.insecure_http,
            ascii: self.ascii,
            accessible: self.accessible,
        }
    }
}

/// The database of a service, for those who run it.
#[derive(Debug, ClapArgs)]
pub struct DatabaseArg {
    /// The service's database, sqlite:FILE or postgres://USER@HOST/DATABASE. It may be in use.
    #[arg(long = "database", value_name = "URL", env = DATABASE_VARIABLE, hide_env_values = true, value_parser = DatabaseParser)]
    pub url: DatabaseUrl,
}

/// Reads the address of a database. Unlike clap's own, its refusal does not repeat the address, which may have a
/// password in it.
#[derive(Clone, Copy, Debug)]
pub struct DatabaseParser;

impl TypedValueParser for DatabaseParser {
    type Value = DatabaseUrl;

    fn parse_ref(&self, command: &clap::Command, arg: Option<&Arg>, value: &OsStr) -> Result<DatabaseUrl, clap::Error> {
        let name = arg.and_then(Arg::get_long).unwrap_or("database");
        let refused =
            |why: String| clap::Error::raw(ErrorKind::ValueValidation, format!("--{name}: {why}\n")).with_cmd(command);
        let text = value.to_str().ok_or_else(|| refused("the address of a database is text".to_owned()))?;
        text.parse().map_err(|error| refused(safe_causes(&error)))
    }
}

/// Where an address with a password is out of other users' sight, which arguments are not.
pub const DATABASE_VARIABLE: &str = "PETSTORE_DATABASE";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List, add and get animals; import and export files of them.
    #[command(subcommand)]
    Pets(PetsCommand),
    /// Set up custom domains, and find out what is wrong with one.
    #[command(subcommand)]
    Domains(Box<DomainsCommand>),
    /// Serve the Petstore Animals API.
    Serve(ServeArgs),
    /// Manage the API keys of a service.
    Keys(KeysArgs),
    /// Copy a service's database while it is in use.
    Backup(BackupArgs),
    /// Check every page and animal of a service's database.
    Check(CheckArgs),
    /// Copy a store to another database, and verify it.
    Copy(CopyArgs),
    /// Make or bring up to date the tables of a service's database.
    Migrate(MigrateArgs),
}

#[derive(Debug, Subcommand)]
pub enum PetsCommand {
    /// List animals.
    #[command(after_help = "Examples:\n  petstore pets list --status available --limit 50\n  \
        petstore pets list --format ids | head -3")]
    List(ListArgs),
    /// Add an animal, or those of a JSON stream on stdin.
    #[command(after_help = "Examples:\n  petstore pets add --name Biscuit --category-id 3\n  \
        petstore pets add - < animals.ndjson")]
    Add(AddArgs),
    /// Get one animal by its id. The operation is removed on 5 December 2030.
    #[command(after_help = "Example:\n  petstore pets get 17 --format json")]
    Get(GetArgs),
    /// Add the animals of a file: CSV, NDJSON, JSON or XLSX.
    #[command(after_help = IMPORT_HELP)]
    Import(ImportArgs),
    /// Write the whole inventory to a file or to standard output.
    #[command(after_help = EXPORT_HELP)]
    Export(ExportArgs),
}

#[derive(Debug, ClapArgs)]
pub struct ListArgs {
    /// Only animals of this status.
    #[arg(short, long, value_parser = parse_status, value_name = "available|pending|sold")]
    pub status: Option<PetStatus>,
    /// The most animals, 1 to 100. [default: 20, or that of the configuration]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<Limit>,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, ClapArgs)]
pub struct AddArgs {
    /// `-` reads JSON objects {"name", "categoryId", "status"} from stdin, one after another.
    #[arg(value_parser = ["-"], conflicts_with_all = ["name", "category_id", "status"])]
    pub stdin: Option<String>,
    /// The animal's name, 1 to 255 characters.
    #[arg(long, required_unless_present = "stdin")]
    pub name: Option<String>,
    /// The category's id, a whole number of 64 bits.
    #[arg(long, value_name = "ID", allow_hyphen_values = true, required_unless_present = "stdin")]
    pub category_id: Option<String>,
    /// The status; when not given the service decides.
    #[arg(short, long, value_parser = parse_status, value_name = "available|pending|sold")]
    pub status: Option<PetStatus>,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, ClapArgs)]
pub struct GetArgs {
    /// The animal's id.
    #[arg(allow_negative_numbers = true)]
    pub id: i64,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, ClapArgs)]
pub struct Output {
    /// How the animals are written.
    #[arg(short = 'o', long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// How animals are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Columns for people.
    Table,
    /// The service's own shape.
    Json,
    /// One JSON object a line.
    Ndjson,
    /// RFC 4180, with a header.
    Csv,
    /// Tabs, with a header.
    Tsv,
    /// One id a line.
    Ids,
}

/// One of the three words.
pub fn parse_status(word: &str) -> Result<PetStatus, crate::model::status::NotAStatus> {
    word.parse()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_words_are_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn options_may_stand_before_or_after_the_words() {
        for line in ["petstore --demo pets list -n 5", "petstore pets list --limit=5 --demo"] {
            let args = Args::try_parse_from(line.split(' ')).unwrap();
            assert!(args.shared.demo, "{line}");
        }
    }

    #[test]
    fn a_refused_address_of_a_database_is_not_shown() {
        for url in [
            "postgres://ada:secret@host",
            "postgres://ada:secret@host/pets?sslmode=off",
            "mysql://ada:secret@host/pets",
        ] {
            let error = Args::try_parse_from(["petstore", "serve", "--database", url]).unwrap_err().to_string();
            assert!(error.contains("--database: ") && !error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn a_limit_beyond_the_description_names_the_range() {
        let error = Args::try_parse_from(["petstore", "pets", "list", "-n", "150"]).unwrap_err().to_string();
        assert!(error.contains("1 to 100"), "{error}");
    }

    #[test]
    fn every_line_that_the_screen_offers_is_one_that_is_understood() {
        use crate::tui::command_line;
        use crate::tui::test_kit::App;
        let mut app = App::loaded(80, 24);
        let mut understood = 0;
        for screen in ["1", "2", "Esc 3"] {
            app.keys(screen);
            for binding in app.state.keymap.clone().bindings() {
                let Some(line) = command_line::of(&app.state, binding.context, binding.action) else { continue };
                let words = line.split(' ').filter(|word| *word != ">");
                let parsed = Args::try_parse_from(words.map(|word| word.replace("ID", "7")));
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
                understood += 1;
            }
        }
        assert!(understood > 10, "{understood}");
    }
}
