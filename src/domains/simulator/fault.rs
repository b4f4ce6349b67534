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
    /// Over UDP it only says that the answer is too long.
    Truncated,
    /// It hears nothing over UDP.
    TcpOnly,
    /// It answers this much later.
    Slow(Duration),
    /// Its answers are damaged.
    Malformed(Malformed),
    /// Another fault that only questions of this type meet.
    Only(RecordType, Box<ServerFault>),
}

/// How an answer is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// Random bytes.
    Noise,
    /// It belongs to another question, by its number.
    WrongId,
    /// It repeats another question than was asked.
    WrongQuestion,
    /// It ends in the middle.
    CutShort,
    /// A name in it points at itself.
    CompressionLoop,
}

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
        matches!(self, Self::Silent | Self::Code(_) | Self::NotAuthoritative | Self::Malformed(_))
    }
}

impl Malformed {
    /// The answer, damaged.
    pub(super) fn damage(self, mut answer: Vec<u8>) -> Vec<u8> {
        /// How long the header is.
        const HEADER: usize = 12;
        match self {
            Self::Noise => (0..64_u8).map(|place| place.wrapping_mul(167) ^ 0x5a).collect(),
            Self::WrongId => {
                if let Some(first) = answer.first_mut() {
                    *first ^= 0xff;
                }
                answer
            }
            Self::WrongQuestion => {
                // The first letter of the name that was asked for.
                if let Some(letter) = answer.get_mut(HEADER + 1) {
                    *letter = if *letter == b'x' { b'y' } else { b'x' };
                }
                answer
            }
            Self::CutShort => {
                answer.truncate(answer.len().min(HEADER + 7));
                answer
            }
            Self::CompressionLoop => {
                answer.truncate(HEADER);
                answer.extend([0xc0, 12, 0, 1, 0, 1]);
                answer
            }
        }
    }
}
