//! Everything that the app can ask for. Plain data: the worker does the network, the loop does the terminal.

use crate::config::Notify;
use crate::tui::screens::domains::jobs::DomainTask;

use super::custom_actions::run::Run;
use super::drafts::WriteDrafts;
use super::pending::{ReqId, Slot};
use super::popups::jobs::{FileContents, PopupTask, WriteFile};
use super::screens::add_pet::import::jobs::ImportTask;
use super::screens::add_pet::jobs::AddTask;
use super::screens::add_pet::rapid::jobs::RapidTask;
use super::screens::pets::jobs::PetsTask;
use super::screens::profiles::jobs::ProfileTask;
use super::session_cache::SessionCache;

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Work for the worker.
    Job(Job),
    /// Stop what runs in this slot; its reply no longer matters.
    Cancel(Slot),
    /// Stop the import that is under way.
    StopImport,
    /// Give the terminal back and stop, as Ctrl-Z asks.
    Suspend,
    /// Take the terminal again, after something else has stopped the program.
    Resume,
    /// Redraw everything.
    Redraw,
    /// Have the terminal report the mouse, or not.
    Mouse(bool),
    /// Notify the user.
    Notify(Notify, String),
    /// Give a text to the terminal's clipboard.
    Clipboard(String),
}

/// A job, with the id that its reply will carry. A newer one replaces the older one of its slot, except for
/// [`Slot::Create`].
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Which job it is.
    pub id: ReqId,
    /// What to do.
    pub task: Task,
}

/// What a job does, by the part of the app that asks for it.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// For the screen of pets.
    Pets(PetsTask),
    /// For the form.
    Add(AddTask),
    /// For rapid entry.
    Rapid(RapidTask),
    Import(ImportTask),
    /// For the domains panel; needs no service.
    Domains(DomainTask),
    /// For the services that can be switched to.
    Profiles(ProfileTask),
    /// For a box.
    Popups(PopupTask),
    /// For what is typed.
    Drafts(WriteDrafts),
    /// One of the user's own actions.
    Action(Run),
    /// Keep this for the next session.
    WriteCache(Box<SessionCache>),
    /// Complete this path.
    CompletePath(String),
}

from_parts! {
    Task: Pets(PetsTask), Add(AddTask), Rapid(RapidTask), Import(ImportTask), Domains(DomainTask),
    Profiles(ProfileTask), Popups(PopupTask), Drafts(WriteDrafts), Action(Run), WriteCache(Box<SessionCache>)
}

impl Task {
    /// Where it runs: one at a time in each slot.
    pub const fn slot(&self) -> Slot {
        match self {
            Self::Pets(PetsTask::List { .. }) => Slot::List,
            Self::Pets(PetsTask::More(_)) => Slot::More,
            Self::Pets(PetsTask::Count { status, .. }) => Slot::Count(*status),
            Self::Pets(PetsTask::ReadInventory) => Slot::Inventory,
            Self::Pets(PetsTask::Find(..)) => Slot::ById,
            Self::Pets(PetsTask::Follow { .. }) => Slot::Follow,
            Self::Pets(PetsTask::Provenance(_)) => Slot::Provenance,
            Self::Pets(PetsTask::AddSamples(..)) => Slot::Samples,
            Self::Add(AddTask::Create(..) | AddTask::Settle(..)) => Slot::Create,
            Self::Add(AddTask::SearchFor(_)) => Slot::SearchFor,
            Self::Rapid(RapidTask::Write(_)) => Slot::Queue,
            Self::Rapid(RapidTask::Send(lane, _)) => Slot::Line(*lane),
            Self::Rapid(RapidTask::SearchFor(_)) => Slot::SearchForLine,
            Self::Import(ImportTask::CheckFile(..)) => Slot::CheckFile,
            Self::Import(ImportTask::Run(_)) => Slot::Import,
            Self::Domains(DomainTask::Keep(_)) => Slot::Keep,
            Self::Domains(DomainTask::Check(lane, _)) => Slot::Check(*lane),
            Self::Domains(DomainTask::FollowRedirects { .. }) => Slot::Walk,
            Self::Domains(DomainTask::ChooseResolvers { .. }) => Slot::Resolvers,
            Self::Profiles(ProfileTask::Read) => Slot::Profiles,
            Self::Profiles(ProfileTask::Use(_)) => Slot::UseProfile,
            Self::Profiles(ProfileTask::Test { .. }) => Slot::TestProfile,
            Self::Profiles(ProfileTask::Try(_)) => Slot::TryProfile,
            Self::Profiles(ProfileTask::Add(_) | ProfileTask::KeepKey { .. }) => Slot::WriteProfile,
            Self::Profiles(ProfileTask::FindKeyFile(_)) => Slot::KeyFile,
            Self::Popups(PopupTask::Copy(_)) => Slot::Copy,
            Self::Popups(PopupTask::Write(WriteFile { what: FileContents::Inventory, .. })) => Slot::Export,
            Self::Popups(PopupTask::Write(_)) => Slot::Write,
            Self::Popups(PopupTask::SetTheme(_)) => Slot::Setting,
            Self::Popups(PopupTask::AddView(_)) => Slot::Views,
            Self::Popups(PopupTask::TestKey(_)) => Slot::TestKey,
            Self::Drafts(_) => Slot::Drafts,
            Self::Action(run) => Slot::Action(run.number),
            Self::WriteCache(_) => Slot::Remember,
            Self::CompletePath(_) => Slot::CompletePath,
        }
    }
}
