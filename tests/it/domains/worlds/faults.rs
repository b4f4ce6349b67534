//! What a test breaks in a plan: servers, resolvers, certificates.

use crate::simulator::{
    Damage, Door, IssuedCertificate, Issuer, NameServer, Plan, Resolver, ServerFault, Zone, ZoneData,
};
use hickory_proto::rr::RecordType;
use petstore::domains::DnsName;

/// How long the header of an answer is.
const HEADER: usize = 12;

/// Each damage by its name.
pub const DAMAGES: [(&str, Damage); 5] = [
    ("noise", Damage(|_| (0..64_u8).map(|place| place.wrapping_mul(167) ^ 0x5a).collect())),
    (
        "another id",
        Damage(|mut answer| {
            answer[0] ^= 0xff;
            answer
        }),
    ),
    (
        "another question",
        Damage(|mut answer| {
            // The first letter of the name that was asked for.
            let letter = &mut answer[HEADER + 1];
            *letter = if *letter == b'x' { b'y' } else { b'x' };
            answer
        }),
    ),
    (
        "cut short",
        Damage(|mut answer| {
            answer.truncate(HEADER + 7);
            answer
        }),
    ),
    (
        "a name that points at itself",
        Damage(|mut answer| {
            answer.truncate(HEADER);
            answer.extend([0xc0, 12, 0, 1, 0, 1]);
            answer
        }),
    ),
];

/// Name servers and resolvers with faults.
pub trait FaultyServer {
    /// Gets one more fault.
    fn fault(&mut self, fault: ServerFault) -> &mut Self;
}

impl FaultyServer for NameServer {
    fn fault(&mut self, fault: ServerFault) -> &mut Self {
        self.faults.push(fault);
        self
    }
}

impl FaultyServer for Resolver {
    fn fault(&mut self, fault: ServerFault) -> &mut Self {
        self.faults.push(fault);
        self
    }
}

/// Resolvers that do not see what others see.
pub trait OddResolver {
    /// Sees this zone instead of the world's.
    fn sees(&mut self, zone: Zone) -> &mut Self;
    /// Finds the signatures of `domain` wrong.
    fn finds_bogus(&mut self, domain: &str, code: u16, text: &str) -> &mut Self;
    /// Adds an extended error to good answers for names in `domain`.
    fn remarks(&mut self, domain: &str, code: u16, text: &str) -> &mut Self;
}

impl OddResolver for Resolver {
    fn sees(&mut self, zone: Zone) -> &mut Self {
        self.zones.push(zone);
        self
    }

    fn finds_bogus(&mut self, domain: &str, code: u16, text: &str) -> &mut Self {
        self.bogus.push((DnsName::new(domain), code, text.to_owned()));
        self
    }

    fn remarks(&mut self, domain: &str, code: u16, text: &str) -> &mut Self {
        self.remarks.push((DnsName::new(domain), code, text.to_owned()));
        self
    }
}

/// Certificates that browsers refuse, or soon will.
pub trait WrongCertificate: Sized {
    /// The same, but ended ten days ago.
    fn expired(self) -> Self;
    /// The same, but with ten of its 90 days left.
    fn nearly_expired(self) -> Self;
    /// The same, but beginning in two days.
    fn not_yet_valid(self) -> Self;
    /// The same, but with a common name only.
    fn without_names(self) -> Self;
    /// The same, but signed by another.
    fn issued_by(self, issuer: Issuer) -> Self;
    /// The same, but without the issuer's certificate.
    fn alone(self) -> Self;
}

impl WrongCertificate for IssuedCertificate {
    fn expired(self) -> Self {
        self.later(-70)
    }

    fn nearly_expired(self) -> Self {
        self.later(-50)
    }

    fn not_yet_valid(self) -> Self {
        self.later(32)
    }

    fn without_names(self) -> Self {
        Self { names: Vec::new(), ..self }
    }

    fn issued_by(self, issuer: Issuer) -> Self {
        Self { issuer, ..self }
    }

    fn alone(self) -> Self {
        Self { with_issuer: false, ..self }
    }
}

/// Signs `apex` for these days around now, at all servers, and lists its key at the parent zone.
pub fn sign(plan: &mut Plan, apex: &str, from: i64, until: i64) {
    let parent = DnsName::new(apex).parent().unwrap();
    let day = |number: i64| plan.now.checked_add(jiff::SignedDuration::from_hours(24 * number)).unwrap();
    let signature = ZoneData::Rrsig { covers: RecordType::SOA, begins: day(from), expires: day(until) };
    plan.zone(apex).add(apex, 3600, signature).add(apex, 3600, key());
    plan.zone(parent.as_str()).add(apex, 86_400, ds_record(KEY_TAG));
}

/// The tag of the key of a signed zone.
pub const KEY_TAG: u16 = 1038;

/// A key with this tag, without its value.
fn key() -> ZoneData {
    ZoneData::Raw(RecordType::DNSKEY, vec![1, 1, 3, 13, 0, 0])
}

/// A DS record for a key with this tag.
pub fn ds_record(tag: u16) -> ZoneData {
    ZoneData::Raw(RecordType::DS, [&tag.to_be_bytes()[..], &[13, 2], &[7; 32]].concat())
}

/// A door that speaks http where https is expected.
pub fn plain_http() -> Door {
    let body = "The plain HTTP request was sent to HTTPS port\n";
    let head = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close";
    Door::Says(format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes())
}
