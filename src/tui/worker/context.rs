//! What the worker has at hand on this machine.

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::app::Queues;
use crate::app::clipboard::ClipboardBackend;
use crate::app::connections::Services;
use crate::app::domain_service::DomainService;
use crate::config::paths::expand_home;
use crate::local::complete::{Completion, complete};
use crate::local::draft_files::Claims;
use crate::transfer::{ImportSource, Input, TransferError};

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
    /// Where pets wait to be sent.
    pub queues: Arc<Queues>,
    /// For what is typed; none where nothing of it is kept.
    pub drafts: Option<Arc<Claims>>,
    /// For profiles.
    pub services: Arc<Services>,
    /// This is a session over SSH: what is typed comes from another machine and names no file of this one.
    pub over_ssh: bool,
}

impl WorkerContext {
    /// The configuration file, or why it is not written.
    pub fn configuration(&self) -> Result<&Path, String> {
        self.config.as_deref().map_err(|why| (*why).to_owned())
    }

    /// Whether a session over SSH may read this: what was pasted in it, and the files that it made of that.
    pub fn is_own(&self, source: &ImportSource) -> bool {
        match source {
            ImportSource::File(path) => self.is_own_file(Path::new(path)),
            ImportSource::Pasted(_) => true,
        }
    }

    /// Whether a session over SSH has made this file.
    pub fn is_own_file(&self, path: &Path) -> bool {
        path.file_name().is_some() && path.parent() == self.pasted.as_deref()
    }

    /// Where a file is whose name was typed.
    pub fn place(&self, path: &str) -> PathBuf {
        let place = expand_home(Path::new(path), self.home.as_deref());
        std::path::absolute(&place).unwrap_or(place)
    }

    /// What begins like a path that is typed. Blocks.
    pub fn complete(&self, typed: &str) -> Completion {
        let (directory, begun) = typed.split_at(typed.rfind('/').map_or(0, |at| at + 1));
        complete(&self.place(if directory.is_empty() { "." } else { directory }), begun)
    }

    /// What is imported, to be read.
    pub fn open(&self, source: &ImportSource) -> Result<Input, TransferError> {
        match source {
            ImportSource::File(path) => Input::file(&self.place(path)),
            ImportSource::Pasted(text) => Input::stream("what was pasted", Cursor::new(text.as_bytes().to_vec())),
        }
    }
}
