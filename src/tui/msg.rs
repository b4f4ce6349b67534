//! Everything that can happen to the app.

use crate::api::Exchange;
use crate::api::find::LookupResult;
use crate::api::inventory::Coverage;
use crate::api::list::ListAnswer;
use crate::app::clipboard::Copied;
use crate::app::domain_service::{CheckResult, NotSaved};
use crate::domains::Finding;
use crate::domains::check::FollowedRedirect;
use crate::domains::redirect_config::DomainsConfiguration;
use crate::domains::registry::Registry;
use crate::model::{Field, Pet};
use crate::transfer::earlier_import::EarlierImport;
use crate::transfer::import::{ImportEvent, ImportProgress};
use crate::transfer::preview::Preview;

pub use super::key::{Key, KeyPress};
pub use crate::app::outbox::queue::LineSent;
pub use crate::app::outbox::send::NotCreated;
pub use crate::app::outbox::unknown_outcome::SearchedPets;

use super::drafts::Drafts;
use super::pending::{ReqId, Slot};
use crate::api::failure::Failure;

pub use super::screens::profiles::jobs::{AddedProfile, KeyPlaces, ProfileReply, Tested, Used};

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// A key went down or repeats.
    Key(KeyPress),
    /// Text came as one piece, through bracketed paste.
    Paste(String),
    /// The terminal has another size.
    Resize(Size),
    /// Whoever types looks at this terminal from now on, or at something else.
    Focus {
        /// Which of the two.
        here: bool,
    },
    /// The line to the terminal is slow from now on, or not any more.
    Line {
        /// Which of the two.
        slow: bool,
    },
    /// A deadline that [`next_deadline`](super::deadline::next_deadline) named has come.
    Tick,
    /// A job that an effect started has ended.
    Reply(Reply),
    /// A request has ended.
    Exchanged(Recorded),
    /// The program goes on after Ctrl-Z and `fg`.
    Resumed,
    /// The program must end.
    Quit(QuitReason),
}

/// The end of a job. Dropped unless `id` is still what `slot` waits for.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// What kind of job it was.
    pub slot: Slot,
    /// Which of them.
    pub id: ReqId,
    /// What came of it.
    pub outcome: Outcome,
}

/// The record of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// What was asked and answered.
    pub exchange: Box<Exchange>,
    /// How many before it were not recorded, because more came at once than can wait.
    pub missed: u64,
}

/// What came of a job.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A list, one or more pages of it.
    Listed(Result<ListAnswer, Failure>),
    /// Some of the whole inventory; it goes on.
    InventoryPart(Vec<Pet>),
    /// The whole inventory was given out.
    InventoryRead(Result<Coverage, Failure>),
    /// What the look for one animal found.
    Found(Result<LookupResult, Failure>),
    /// A setting was written into this file, or why not.
    SettingWritten(Result<String, String>),
    /// What is kept for the next session was written, or why not.
    CacheWritten(Result<(), String>),
    /// An animal was added, with its id.
    Created(Result<Pet, NotCreated>),
    /// What became of lines of rapid entry was written into their file, or why not.
    QueueWritten(Result<(), String>),
    /// What came of sending a line of rapid entry.
    LineSent(LineSent),
    /// The search for an animal that may have been added.
    SearchedFor(Result<SearchedPets, Failure>),
    /// A typed key; the worker goes on with it when it was accepted.
    KeyTested(Result<(), Failure>),
    /// How many samples were added; fewer than asked for with the reason.
    SamplesAdded(usize, Option<Failure>),
    /// What a look at a domain has found so far; it goes on.
    CheckProgress(Vec<Finding>),
    /// A domain was looked at.
    Checked(Box<CheckResult>),
    /// The list of domains as it is on disk now.
    RegistryWritten(Result<Registry, String>),
    /// Redirects were followed.
    RedirectsFollowed(Vec<FollowedRedirect>),
    /// The configuration's domains were written to this file.
    Saved(DomainsConfiguration, Result<String, NotSaved>),
    /// An animal was not sent again: the service may not know its key any more.
    NotSettled,
    /// Something about the services that can be switched to.
    Profile(ProfileReply),
    /// Something about what is typed.
    Drafts(DraftReply),
    /// A text was copied, or the terminal must do it.
    Copied(Copied),
    /// A file was written.
    Written(Result<String, NotWritten>),
    /// Something about the import of a file.
    Import(ImportReply),
    /// How many animals of the inventory are in the file so far; it goes on.
    Exporting(u64),
    /// The whole inventory was written to a file, with so many animals.
    Exported(Result<Exported, NotWritten>),
    /// The job ended without a result: it panicked, or the queue was full.
    Failed(Failure),
}

/// What came of a job about drafts.
#[derive(Clone, Debug, PartialEq)]
pub enum DraftReply {
    /// What a session before left, or why none can be kept.
    Opened(Result<Option<Box<Drafts>>, String>),
    /// What is typed was written, or why not.
    Written(Result<(), String>),
}

/// What came of a job about the import of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportReply {
    /// So many rows are checked; it goes on.
    Checking(u64),
    /// A file was looked at.
    Checked(Result<Box<CheckedFile>, UnusableFile>),
    /// It is imported from this file, with this report; it goes on.
    Started(String, String),
    /// The counts, and what has happened; it goes on.
    Progress(ImportProgress, Vec<ImportEvent>),
    /// It was not begun, for this reason: nothing was sent, and there is no report of it.
    NotStarted(EndOf),
    /// It has ended.
    Ended(Box<ImportEnd>),
}

/// What is in a file that is to be imported.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedFile {
    /// Its whole path; none of what was pasted.
    pub path: Option<String>,
    /// What was found.
    pub preview: Preview,
    /// An earlier import of a file of its name.
    pub before: Option<EarlierImport>,
}

/// Why a file cannot be imported as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableFile {
    /// A sentence.
    pub why: String,
    /// The field for which there is no column, and the columns that there are, where a choice among them would help.
    pub missing: Option<(Field, Vec<String>)>,
}

/// How an import has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportEnd {
    /// The counts.
    pub progress: ImportProgress,
    /// Good rows that were not dealt with, where that is known.
    pub left: Option<u64>,
    /// Why.
    pub why: EndOf,
}

/// Why an import has ended.
#[derive(Clone, Debug, PartialEq)]
pub enum EndOf {
    /// Every row was dealt with.
    Complete,
    /// It was told to.
    Stopped,
    /// A row was not added, and that was to be the end.
    OnError,
    /// The service does not accept the key.
    KeyRefused(Failure),
    /// The service is away.
    NoAnswer(Failure),
    /// The file or its report failed.
    Failed(String),
}

/// The whole inventory in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The file.
    pub path: String,
    /// How many animals are in it.
    pub count: u64,
    /// Whether these are known to be all.
    pub coverage: Coverage,
}

/// Why a file was not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotWritten {
    /// There is a file of this name.
    Exists(String),
    /// It could not be written.
    Failed(String),
}

/// Why the app ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuitReason {
    /// The user asked for it.
    User,
    /// SIGINT from outside; Ctrl-C in the terminal is a key.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGHUP, or the terminal is gone.
    Hangup,
}

/// Columns and rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Width in cells.
    pub columns: u16,
    /// Height in cells.
    pub rows: u16,
}
