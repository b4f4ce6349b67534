//! What the checks of one run share: most domains of a list share few zones and one platform, so many
//! questions are the same, and are asked once.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::OnceCell;

use crate::domains::{DnsName, Domain, Handshake, Lookup, Question, Server};

/// Cells that the first user fills once; the others wait.
pub(super) type Cells<K, V> = Mutex<HashMap<K, Arc<OnceCell<V>>>>;

/// Answers and handshakes of one run. Nothing in it is older than the run.
#[derive(Debug)]
pub struct ProbeCache {
    nobody: DnsName,
    /// The answer of a server to a question.
    pub(super) answers: Cells<(Arc<Server>, Question), Lookup>,
    /// The handshake with a platform under its own name.
    pub(super) platforms: Cells<(SocketAddr, String), Handshake>,
}

impl Default for ProbeCache {
    fn default() -> Self {
        let mut random = [0; 6];
        // Without randomness the label is still unlikely to exist.
        let _ = getrandom::fill(&mut random);
        let random: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let nobody = DnsName::new(&format!("petstore-check-{random}"));
        Self { nobody, answers: Mutex::default(), platforms: Mutex::default() }
    }
}

impl ProbeCache {
    /// Random names: next to `domain`, or below it if it is an apex; and next to the registered domain.
    pub(super) fn nobody(&self, domain: &Domain) -> [DnsName; 2] {
        let parent = domain.name.parent().filter(|_| !domain.is_apex());
        let above = [parent.unwrap_or(domain.name.clone()), domain.registrable.parent().unwrap_or_default()];
        above.map(|above| self.nobody.followed_by(&above))
    }
}

pub(super) fn cell<K: Eq + Hash, V>(cells: &Cells<K, V>, key: K) -> Arc<OnceCell<V>> {
    Arc::clone(cells.lock().entry(key).or_default())
}
