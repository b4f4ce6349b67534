//! Everything that the app can ask for. Plain data: the worker does the network, the loop does the terminal.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;

use crate::api::NextPage;
use crate::api::find::Ask;
use crate::api::list::List;
use crate::app::domain_service::CheckRequest;
use crate::app::outbox::queue::QueueRecord;
use crate::config::{Notify, ThemeChoice};
use crate::domains::redirect_config::{ConfigSource, DomainsConfiguration, Redirect};
use crate::domains::registry::RegistryChange;
use crate::domains::sandbox::Sandbox;
use crate::model::{ApiKey, IdempotencyKey, NewPet, PetId, PetQuery};
use crate::transfer::ColumnMapping;
use crate::transfer::import::{ImportControl, ImportOptions, Start};

use super::drafts::Drafts;
use super::pending::{ReqId, Slot};
use super::session_cache::SessionCache;

pub use crate::app::outbox::queue::LineToSend;

pub use super::screens::profiles::jobs::{NewService, ProfileTask};

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Work for the worker.
    Job(Job),
    /// Stop what runs in this slot; its reply no longer matters.
    Cancel(Slot),
    /// Pause, stop or go on with the import that is under way.
    ControlImport(ImportControl),
    /// Give the terminal back and stop, as Ctrl-Z asks.
    Suspend,
    /// Paint everything anew.
    Redraw,
    /// Make an act that is due heard.
    Notify(Notify, String),
    /// Give a text to the terminal's clipboard.
    Clipboard(String),
}

/// A job, with the slot and the id that its reply will carry.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Where the reply belongs. A newer job replaces the older one of its slot, except for [`Slot::Create`].
    pub slot: Slot,
    /// Which job it is.
    pub id: ReqId,
    /// What to do.
    pub task: Task,
}

/// What a job does.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Ask for a list, and follow its next pages up to `pages` in all.
    List {
        /// What to ask for.
        query: PetQuery,
        /// How many pages to follow, at least 1.
        pages: u16,
        /// What is here already: rows that are still the same need not come again.
        known: Option<List>,
    },
    /// Ask for one further page.
    More(NextPage),
    /// Add an animal, once for each key.
    Create(NewPet, IdempotencyKey),
    /// Give out the whole inventory.
    ReadInventory,
    /// Look for the animal of this id.
    Find(PetId, Ask),
    /// Write what became of lines of rapid entry into their file.
    Queue(Vec<QueueRecord>),
    /// Send a line of rapid entry, once.
    SendLine(Box<LineToSend>),
    /// Look for an animal of this name and category that may have been added.
    SearchFor(NewPet),
    /// Ask for one animal with this key; go on with the key if it is accepted.
    TestKey(ApiKey),
    /// Add this many samples, one after another; the key stands for all of them.
    AddSamples(usize, IdempotencyKey),
    /// Something about domains; needs no service.
    Domains(DomainTask),
    /// Something about the services that can be switched to.
    Profile(ProfileTask),
    /// Add an animal that was sent at this time with this key, if the service is sure to know the key still.
    Settle(NewPet, IdempotencyKey, Timestamp),
    /// Something about what is typed.
    Drafts(DraftTask),
    /// Copy a text by a program of this machine, where there is one.
    Copy(String),
    /// Write the theme into the configuration file.
    SetTheme(ThemeChoice),
    /// Keep this for the next session.
    WriteCache(Box<SessionCache>),
    /// Something about the import of a file.
    Import(Box<ImportTask>),
    /// Write the whole inventory into a file.
    Export {
        /// The file.
        path: String,
        /// Also where there is such a file.
        replace: bool,
    },
    /// Write a text to a file.
    Write {
        /// The file.
        path: String,
        /// What is to be in it.
        text: String,
        /// Also where there is such a file.
        replace: bool,
    },
}

/// What a job about the import of a file does.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportTask {
    /// Check all of it, and send nothing.
    CheckFile(ImportSource, ColumnMapping),
    /// Send its rows.
    Run(RunImport),
    /// Write the rows that were not added into a new file.
    WriteRejects {
        /// Which.
        what: RejectsSource,
        /// The new file.
        path: String,
        /// Also where there is such a file.
        replace: bool,
    },
}

/// Rows that were not added, or cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectsSource {
    /// What was imported, or is to be.
    pub source: ImportSource,
    /// How it is read.
    pub reading: ColumnMapping,
    /// The report of its import, where it was begun.
    pub report: Option<PathBuf>,
}

/// An import to begin, or to go on with.
#[derive(Clone, Debug, PartialEq)]
pub struct RunImport {
    /// What is imported.
    pub source: ImportSource,
    /// How it is read.
    pub reading: ColumnMapping,
    /// How many rows can be sent.
    pub good: u64,
    /// How it begins.
    pub start: Start,
    /// Its report, if it is not the one beside the file.
    pub report: Option<PathBuf>,
    /// How rows are sent.
    pub how: ImportOptions,
}

/// Animals that are to be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportSource {
    /// A file, by its name as typed.
    File(String),
    /// What was pasted.
    Pasted(Arc<str>),
}

/// What a job about drafts does.
#[derive(Clone, Debug, PartialEq)]
pub enum DraftTask {
    /// Claim the files for the service of this identity, and read what was left there.
    Open(String),
    /// Write what is typed.
    Write(WriteDrafts),
}

/// Drafts to write.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteDrafts {
    /// Counts the writes: an older one never takes the place of a newer one.
    pub number: u64,
    /// What is typed.
    pub drafts: Box<Drafts>,
    /// Into other files than those that were claimed: what was left there is not on the screen.
    pub apart: bool,
}

/// What a job about domains does.
#[derive(Clone, Debug, PartialEq)]
pub enum DomainTask {
    /// Apply these changes to the list on disk, and read it.
    Keep(Vec<RegistryChange>),
    /// Look at one domain.
    Check(Box<CheckRequest>),
    /// Follow redirects by header-only requests.
    FollowRedirects {
        /// Which.
        redirects: Vec<Redirect>,
        /// What stands outside and the time of day, in the sandbox.
        sandbox: Option<(Sandbox, Timestamp)>,
    },
    /// Write the project's configuration into the configuration file.
    Save {
        /// As it was when it was read; what somebody else has changed since is not written over.
        was: ConfigSource,
        /// As it is to be.
        configuration: DomainsConfiguration,
    },
}
