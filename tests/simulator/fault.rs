//! What can be wrong with a server, name server or resolver.

use std::time::Duration;

use hickory_proto::op::ResponseCode;
use hickory_proto::rr::RecordType;

/// What is wrong with a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerFault {
    /// It never answers.
    Silent,
    /// It answers everything with this code, for example REFUSED, SERVFAIL or NOTIMP.
    Code(ResponseCode),
    /// It answers, but not as an authority.
    NotAuthoritative,
    /// It takes a question with EDNS for malformed (FORMERR).
    NoEdns,
    /// It answers this much later.
    Slow(Duration),
    /// Its answers come out of this.
    Damages(Damage),
    /// Another fault that only questions of this type meet.
    Only(RecordType, Box<ServerFault>),
}

/// What becomes of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Damage(pub fn(Vec<u8>) -> Vec<u8>);

impl PartialEq for Damage {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for Damage {}

impl ServerFault {
    /// `fault`, met only by questions of type `kind`.
    pub fn only(kind: RecordType, fault: Self) -> Self {
        Self::Only(kind, Box::new(fault))
    }

    /// Those that a question of type `kind` meets.
    pub(super) fn met_by(faults: &[Self], kind: RecordType) -> Vec<&Self> {
        let met = faults.iter().filter_map(|fault| match fault {
            Self::Only(only, fault) => (*only == kind).then_some(fault.as_ref()),
            fault => Some(fault),
        });
        met.collect()
    }

    /// Whether a resolver gets nothing of use from a server with this fault.
    pub(super) fn is_fatal(&self) -> bool {
        matches!(self, Self::Silent | Self::Code(_) | Self::NotAuthoritative | Self::Damages(_))
    }
}
