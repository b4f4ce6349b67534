//! What the worker has at hand on this machine.

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::drafts::DraftFiles;
use crate::app::clipboard::ClipboardBackend;
use crate::app::connections::Services;
use crate::app::domain_service::DomainService;
use crate::app::outbox::queue::Queues;
use crate::config::Settings;
use crate::config::paths::expand_home;
use crate::local::complete::{Completion, complete};
use crate::transfer::journal::Target;
use crate::transfer::{ColumnMapping, Input, TransferError};
use crate::tui::effect::Task;
use crate::tui::popups::jobs::PopupTask;
use crate::tui::screens::add_pet::import::jobs::{ImportSource, ImportTask};

/// What the worker has at hand on this machine.
pub struct WorkerContext {
    pub domains_context: Arc<DomainService>,
    /// How texts are copied here, the best way first.
    pub copying: Vec<ClipboardBackend>,
    /// What `~` stands for in the name of a file.
    pub home: Option<PathBuf>,
    /// The configuration file, or why it is not written.
    pub config: Result<PathBuf, &'static str>,
    /// The directory for what is kept for the next session.
    pub kept: Option<PathBuf>,
    /// The directory for what is pasted and imported.
    pub pasted: Option<PathBuf>,
    /// Where lines of rapid entry wait.
    pub queues: Arc<Queues>,
    /// For what is typed; none where nothing of it is kept.
    pub drafts: Option<Arc<DraftFiles>>,
    /// For profiles.
    pub services: Arc<Services>,
    /// This is a session over SSH: what is typed comes from another machine and names no file of this one.
    pub over_ssh: bool,
}

impl WorkerContext {
    /// Whether a session over SSH may do this. The files of the person, which the session names itself, are enough for it.
    pub(super) fn allows(&self, task: &Task) -> bool {
        let is_own = |path: &Path| path.file_name().is_some() && path.parent() == self.pasted.as_deref();
        let may_read = |source: &ImportSource| match source {
            ImportSource::File(path) => is_own(Path::new(path)),
            ImportSource::Pasted(_) => true,
        };
        !self.over_ssh
            || match task {
                Task::Pets(_) | Task::Add(_) | Task::Rapid(_) | Task::Drafts(_) | Task::WriteCache(_) => true,
                // `[ssh]` of the configuration decides whether there are any.
                Task::Action(_) => true,
                Task::Import(ImportTask::CheckFile(source, _)) => may_read(source),
                Task::Import(ImportTask::Run(run)) => may_read(&run.source) && run.report.as_deref().is_none_or(is_own),
                Task::Popups(PopupTask::Copy(_) | PopupTask::TestKey(_)) => true,
                // These have no configuration file to write to.
                Task::Popups(PopupTask::SetTheme(_) | PopupTask::AddView(_)) => true,
                Task::Popups(PopupTask::Write(_)) => false,
                Task::Domains(_) | Task::Profiles(_) | Task::CompletePath(_) => false,
            }
    }
}

/// What a job about files knows of the machine and of the service in use.
#[derive(Clone)]
pub(super) struct Surroundings {
    pub(super) machine: Arc<WorkerContext>,
    /// The service in use.
    pub(super) settings: Option<Settings>,
}

impl Surroundings {
    /// Where a file is whose name was typed.
    pub(super) fn place(&self, path: &str) -> PathBuf {
        let place = expand_home(Path::new(path), self.machine.home.as_deref());
        std::path::absolute(&place).unwrap_or(place)
    }

    /// What begins like a path that is typed. Blocks.
    pub(super) fn complete(&self, typed: &str) -> Completion {
        let (directory, begun) = typed.split_at(typed.rfind('/').map_or(0, |at| at + 1));
        complete(&self.place(if directory.is_empty() { "." } else { directory }), begun)
    }

    /// The service in use, as reports name it.
    pub(super) fn target(&self) -> Target {
        let none = || Target { service: String::new(), key: String::new() };
        self.settings.as_ref().map_or_else(none, Target::of)
    }

    /// How a file is read, with the names of categories in use.
    pub(super) fn reading(&self, chosen: ColumnMapping) -> ColumnMapping {
        let categories = self.settings.as_ref().map(|settings| Arc::clone(&settings.categories));
        ColumnMapping { categories: categories.unwrap_or_default(), ..chosen }
    }

    /// What is imported, to be read.
    pub(super) fn open(&self, source: &ImportSource) -> Result<Input, TransferError> {
        match source {
            ImportSource::File(path) => Input::file(&self.place(path)),
            ImportSource::Pasted(text) => Input::stream("what was pasted", Cursor::new(text.as_bytes().to_vec())),
        }
    }
}
