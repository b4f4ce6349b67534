//! CAA at every level, asked at once: which one decides is known only from the answers (RFC 8659 section 3).

use super::super::observation::RecordType;
use super::shared::{Shared, all};

impl Shared<'_> {
    /// Asks for CAA at the name, through its CNAME, and at each of its parents.
    pub async fn caa(&self) {
        let name = &self.domain.name;
        let levels = std::iter::once(name.clone()).chain(name.parents());
        all(levels.map(|level| async move { self.ask_any(&level, RecordType::CAA).await })).await;
        self.complete(|complete| complete.caa = true);
    }
}
