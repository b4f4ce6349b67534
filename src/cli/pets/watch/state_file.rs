//! The file in which a watch remembers the last pet that it has delivered, for its next start.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cli::error::{Exit, Failed};
use crate::config::Service;
use crate::local::atomic_file;
use crate::local::log::line;
use crate::model::text::short;
use crate::model::{PetId, PetStatus};

/// The most bytes that are read of it.
const MAX_BYTES: u64 = 16 << 10;

/// The file, until this is dropped for this watch alone.
pub(super) struct StateFile {
    path: PathBuf,
    shown: String,
    kept: Kept,
    is_new: bool,
    _lock: File,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    service: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<PetStatus>,
    /// The last pet.
    position: PetId,
}

impl StateFile {
    /// Opens or creates it for the pets of `service` with `status`.
    ///
    /// # Errors
    /// It is in use, is not such a file, or is about other pets.
    pub(super) fn open(path: &Path, service: &Service, status: Option<PetStatus>) -> Result<Self, Failed> {
        let shown = short(&path.to_string_lossy());
        let usage = |what: String| Failed::new(Exit::Usage, what);
        let service = match service {
            Service::Demo => {
                return Err(usage("--state needs a service that keeps its pets; the demo does not".to_owned()));
            }
            Service::Embedded { database } => database.display().to_string(),
            Service::Remote(remote) => remote.base_url.to_string(),
        };
        let cannot_open = |error: io::Error| Failed::because(format!("cannot open {shown}"))(error);
        if let Some(what) = atomic_file::no_file(path) {
            return Err(usage(format!("{shown} is {what}, not a file")));
        }
        let path = atomic_file::target(path).map_err(cannot_open)?;
        let mut lock = path.clone().into_os_string();
        lock.push(".lock");
        let Some(lock) = atomic_file::claim(Path::new(&lock)).map_err(cannot_open)? else {
            return Err(usage(format!("{shown} is in use by another watch")));
        };
        let other = "choose another file, or remove this one to begin with the next pet that is added";
        let (kept, is_new) = match read(&path).map_err(cannot_open)? {
            None => (Kept { service, status, position: PetId::MIN }, true),
            Some(text) => {
                let not_one = |_| usage(format!("{shown} is not a state file of petstore pets watch")).hint(other);
                let kept: Kept = serde_json::from_str(&text).map_err(not_one)?;
                if kept.service != service {
                    let what = format!("{shown} is about {}, not about {}", short(&kept.service), short(&service));
                    return Err(usage(what).hint(other));
                }
                if kept.status != status {
                    let of = |status: Option<PetStatus>| status.map_or("all pets", PetStatus::as_str);
                    let what = format!("{shown} is about {}, not about {}", of(kept.status), of(status));
                    return Err(usage(what).hint(other));
                }
                (kept, false)
            }
        };
        Ok(Self { path, shown, kept, is_new, _lock: lock })
    }

    /// The last pet, if there was one.
    pub(super) fn position(&self) -> Option<PetId> {
        (!self.is_new).then_some(self.kept.position)
    }

    /// Remembers the last pet, if that has changed.
    pub(super) fn keep(&mut self, position: Option<PetId>) -> Result<(), Failed> {
        let Some(position) = position.filter(|position| self.position() != Some(*position)) else { return Ok(()) };
        self.kept.position = position;
        self.is_new = false;
        let written = line(&self.kept).and_then(|text| atomic_file::replace(&self.path, &text));
        written.map_err(Failed::because(format!("cannot write {}", self.shown)))
    }
}

fn read(path: &Path) -> io::Result<Option<String>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
