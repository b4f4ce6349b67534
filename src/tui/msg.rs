//! Everything that can happen to the app.

use crate::api::Exchange;
use crate::api::failure::Failure;
use crate::app::clipboard::Copied;
use crate::local::complete::Completion;
use crate::transfer::import::{ImportEnded, ImportProgress, Summary};

pub use super::key::{Key, KeyPress};
pub use super::mouse::MouseEvent;
pub use crate::app::outbox::queue::LineSent;
pub use crate::app::outbox::send::NotCreated;
pub use crate::app::outbox::unknown_outcome::SearchedPets;

use super::custom_actions::run::Ran;
use super::pending::{ReqId, Slot};
use super::popups::jobs::{NotWritten, PopupReply};
use super::screens::add_pet::import::jobs::{ImportReply, UnusableFile};
use super::screens::add_pet::jobs::AddReply;
use super::screens::add_pet::rapid::jobs::RapidReply;
use super::screens::domains::jobs::DomainReply;
use super::screens::pets::jobs::{Followed, PetsReply};
use super::screens::profiles::jobs::{ProfileReply, Tested};

/// A paste of more bytes is not taken.
pub(super) const MOST_PASTED: usize = 64 << 20;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// A key went down or repeats.
    Key(KeyPress),
    /// The mouse, while it is on.
    Mouse(MouseEvent),
    /// Text came as one piece, through bracketed paste.
    Paste(String),
    /// The same, of more bytes than `MOST_PASTED`.
    PasteTooLarge,
    /// The terminal has another size.
    Resize(Size),
    /// The terminal gained or lost focus.
    Focus {
        /// Which of the two.
        here: bool,
    },
    /// The connection to the terminal became slow or fast.
    Line {
        /// Which of the two.
        slow: bool,
    },
    /// A deadline that `next_deadline` named has come.
    Tick,
    /// A job that an effect started has ended.
    Reply(Reply),
    /// A request has ended.
    Exchanged(Recorded),
    /// SIGTSTP: the program is asked to stop, as by Ctrl-Z.
    Suspend,
    /// SIGCONT: the program goes on, whatever had stopped it.
    Continued,
    /// The terminal was taken again.
    Resumed,
    /// The program must end.
    Quit(QuitReason),
}

impl Msg {
    /// Whether it may be drawn later: what others do is not waited for.
    pub(super) const fn can_wait(&self) -> bool {
        matches!(self, Self::Reply(Reply { outcome: Outcome::Pets(PetsReply::Followed(Followed::Added(_))), .. }))
    }
}

/// The end of a job, or how far it is. Dropped unless the job of this id is waited for.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// Which job it was.
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

/// What came of a job, by the part of the app that asked for it.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Of the screen of pets.
    Pets(PetsReply),
    /// Of the form.
    Add(AddReply),
    /// Of rapid entry.
    Rapid(RapidReply),
    Import(ImportReply),
    /// Of the domains panel.
    Domains(DomainReply),
    /// Of the services that can be switched to.
    Profiles(ProfileReply),
    /// Of a box.
    Popups(PopupReply),
    /// Of one of the user's own actions.
    Action(Ran),
    /// What is typed was written, or why not.
    DraftsWritten(Result<(), String>),
    /// The session cache was written, or why not.
    CacheWritten(Result<(), String>),
    /// What begins like a typed path.
    PathCompleted(String, Completion),
}

from_parts! {
    Outcome: Pets(PetsReply), Add(AddReply), Rapid(RapidReply), Import(ImportReply), Domains(DomainReply),
    Profiles(ProfileReply), Popups(PopupReply), Action(Ran)
}

impl Outcome {
    /// Whether the job goes on, and more comes of it.
    pub(super) const fn is_progress(&self) -> bool {
        matches!(
            self,
            Self::Pets(PetsReply::InventoryPart(_) | PetsReply::Followed(_))
                | Self::Import(ImportReply::Checking(_) | ImportReply::Started(..) | ImportReply::Progress { .. })
                | Self::Domains(DomainReply::CheckProgress(..))
                | Self::Popups(PopupReply::Exporting(_))
        )
    }

    /// The outcome of a job in `slot` that could not start, or panicked.
    pub fn failed(slot: Slot, failure: Failure) -> Self {
        let here = |failure: &Failure| failure.sentence("this program");
        match slot {
            Slot::Action(number) => Ran { number, result: Err(here(&failure)) }.into(),
            Slot::List => PetsReply::Listed(Err(failure)).into(),
            Slot::More => PetsReply::More(Err(failure)).into(),
            Slot::Count(status) => PetsReply::Counted(status, Err(failure)).into(),
            Slot::Inventory => PetsReply::InventoryRead(Err(failure)).into(),
            Slot::Follow => PetsReply::NotFollowed(failure).into(),
            Slot::Provenance => PetsReply::Provenance(Err(failure)).into(),
            Slot::ById => PetsReply::Found(Err(failure)).into(),
            Slot::Samples => PetsReply::SamplesAdded(0, Some(failure)).into(),
            Slot::Create => AddReply::Created(Err(failure.into())).into(),
            Slot::SearchFor => AddReply::SearchedFor(Err(failure)).into(),
            Slot::Queue => RapidReply::Written(Err(here(&failure))).into(),
            Slot::Line(lane) => RapidReply::Sent(lane, LineSent::Failed(failure)).into(),
            Slot::SearchForLine => RapidReply::SearchedFor(Err(failure)).into(),
            Slot::CheckFile => ImportReply::Checked(Err(UnusableFile { why: here(&failure), missing: None })).into(),
            Slot::CompletePath => Self::PathCompleted(String::new(), Completion::default()),
            Slot::Import => {
                let (progress, ended) = (ImportProgress::default(), ImportEnded::Failed(here(&failure)));
                ImportReply::Ended(Box::new(Summary { progress, ended, left: None, report: None })).into()
            }
            Slot::Keep => DomainReply::RegistryWritten(Err(failure.sentence("the list"))).into(),
            Slot::Check(lane) => DomainReply::Checked(lane, Err(failure)).into(),
            Slot::Walk => DomainReply::RedirectsFollowed(Err(failure)).into(),
            Slot::Resolvers => DomainReply::ResolversChosen(Err(failure)).into(),
            Slot::Profiles => ProfileReply::Read(Err(here(&failure))).into(),
            Slot::TestProfile => ProfileReply::Tested(Tested::Failed(failure)).into(),
            Slot::TryProfile => ProfileReply::Tried(Tested::Failed(failure)).into(),
            Slot::UseProfile => ProfileReply::Used(Err(here(&failure))).into(),
            Slot::WriteProfile => ProfileReply::NotWritten(failure).into(),
            Slot::KeyFile => ProfileReply::KeyFile(None).into(),
            Slot::Copy => PopupReply::Copied(Copied::Terminal).into(),
            Slot::Write => PopupReply::Written(Err(NotWritten::Failed(here(&failure)))).into(),
            Slot::Export => PopupReply::Exported(Err(NotWritten::NotRead(failure))).into(),
            Slot::Setting => PopupReply::ThemeWritten(Err(here(&failure))).into(),
            Slot::Views => PopupReply::ViewAdded(Err(here(&failure))).into(),
            Slot::TestKey => PopupReply::KeyTested(Err(failure)).into(),
            Slot::Drafts => Self::DraftsWritten(Err(here(&failure))),
            Slot::Remember => Self::CacheWritten(Err(here(&failure))),
        }
    }
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
    /// SIGQUIT.
    Quit,
    /// SIGHUP, or the terminal is gone.
    Hangup,
    /// A session over SSH in which nothing was typed for its idle limit.
    Idle,
    /// A session over SSH whose person may not log in any more.
    Revoked,
}

/// Columns and rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Width in cells.
    pub columns: u16,
    /// Height in cells.
    pub rows: u16,
}
