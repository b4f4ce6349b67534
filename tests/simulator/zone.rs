//! Zones: an SOA record, and a flat list of unchecked records, some of which no real server would accept.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use hickory_proto::rr::rdata::NULL;
use hickory_proto::rr::{self, RData, RecordType};
use jiff::Timestamp;

use petstore::domains::dns::message::{labels, wire_name};
use petstore::domains::{DnsName, NoReply};

/// One record of a zone or of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZoneRecord {
    /// The name that it belongs to; `*.` at the beginning makes it a wildcard.
    pub owner: DnsName,
    /// How long it may be kept, in seconds.
    pub ttl: u32,
    /// What it says.
    pub data: ZoneData,
}

/// What a record says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ZoneData {
    /// An IPv4 address.
    A(Ipv4Addr),
    /// An IPv6 address.
    Aaaa(Ipv6Addr),
    /// Another name for the owner.
    Cname(DnsName),
    /// Another place for everything below the owner.
    Dname(DnsName),
    /// A name server.
    Ns(DnsName),
    /// A mail server, and its preference.
    Mx(u16, DnsName),
    /// Texts of at most 255 bytes each.
    Txt(Vec<Vec<u8>>),
    /// Which authorities may issue certificates.
    Caa {
        /// 128 makes it critical.
        flags: u8,
        /// For example `issue`.
        tag: String,
        /// For example `letsencrypt.org`.
        value: Vec<u8>,
    },
    /// The start of a zone.
    Soa {
        /// The primary name server.
        primary: DnsName,
        /// The version of the zone.
        serial: u32,
        /// How long an answer that says no may be kept, in seconds.
        minimum: u32,
    },
    /// A signature, of which only the dates matter; given with what it covers to those who ask for DNSSEC.
    Rrsig { covers: RecordType, begins: Timestamp, expires: Timestamp },
    /// Raw bytes, whether the type allows them or not.
    Raw(RecordType, Vec<u8>),
}

impl ZoneRecord {
    /// A record.
    pub fn new(owner: &str, ttl: u32, data: ZoneData) -> Self {
        Self { owner: DnsName::new(owner), ttl, data }
    }

    /// Whether it is at `owner` and of the asked kind.
    pub(super) fn answers(&self, owner: &DnsName, kind: RecordType) -> bool {
        self.owner == *owner && (kind == RecordType::ANY || self.data.kind() == kind)
    }

    pub(super) fn to_proto(&self) -> Result<rr::Record, NoReply> {
        let bytes = self.data.bytes();
        let rdata = if bytes.is_empty() { NULL::new() } else { NULL::with(bytes) };
        let data = RData::Unknown { code: self.data.kind(), rdata };
        Ok(rr::Record::from_rdata(wire_name(&self.owner)?, self.ttl, data))
    }
}

impl ZoneData {
    /// An A or AAAA record.
    pub fn address(address: impl Into<IpAddr>) -> Self {
        match address.into() {
            IpAddr::V4(address) => Self::A(address),
            IpAddr::V6(address) => Self::Aaaa(address),
        }
    }

    /// A CNAME record.
    pub fn cname(target: &str) -> Self {
        Self::Cname(DnsName::new(target))
    }

    /// An NS record.
    pub fn ns(host: &str) -> Self {
        Self::Ns(DnsName::new(host))
    }

    /// A TXT record; a long text takes several parts.
    pub fn txt(text: impl AsRef<[u8]>) -> Self {
        Self::Txt(text.as_ref().chunks(usize::from(u8::MAX)).map(<[u8]>::to_vec).collect())
    }

    /// A CAA record that is not critical.
    pub fn caa(tag: &str, value: &str) -> Self {
        Self::Caa { flags: 0, tag: tag.to_owned(), value: value.into() }
    }

    pub const fn kind(&self) -> RecordType {
        match self {
            Self::A(_) => RecordType::A,
            Self::Aaaa(_) => RecordType::AAAA,
            Self::Cname(_) => RecordType::CNAME,
            Self::Dname(_) => RecordType::DNAME,
            Self::Ns(_) => RecordType::NS,
            Self::Mx(..) => RecordType::MX,
            Self::Txt(_) => RecordType::TXT,
            Self::Caa { .. } => RecordType::CAA,
            Self::Soa { .. } => RecordType::SOA,
            Self::Rrsig { .. } => RecordType::RRSIG,
            Self::Raw(kind, _) => *kind,
        }
    }

    /// What goes over the wire; no name in it is compressed, which every type allows.
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::A(address) => address.octets().to_vec(),
            Self::Aaaa(address) => address.octets().to_vec(),
            Self::Cname(name) | Self::Dname(name) | Self::Ns(name) => uncompressed(name),
            Self::Mx(number, name) => [number.to_be_bytes().as_slice(), &uncompressed(name)].concat(),
            Self::Txt(parts) => parts.iter().flat_map(|part| counted(part)).collect(),
            Self::Caa { flags, tag, value } => [[*flags].as_slice(), &counted(tag.as_bytes()), value].concat(),
            Self::Soa { primary, serial, minimum } => {
                let numbers = [*serial, 7200, 900, 1_209_600, *minimum].map(u32::to_be_bytes).concat();
                let hostmaster = DnsName::new("hostmaster").followed_by(primary);
                [uncompressed(primary), uncompressed(&hostmaster), numbers].concat()
            }
            Self::Rrsig { covers, begins, expires } => {
                let seconds = |time: &Timestamp| u32::try_from(time.as_second()).unwrap_or_default().to_be_bytes();
                let times = [seconds(expires), seconds(begins)].concat();
                // Algorithm, labels, the original TTL, the key tag, the root as signer, and no signature.
                [&u16::from(*covers).to_be_bytes()[..], &[13, 2, 0, 0, 14, 16], &times, &[4, 14, 0]].concat()
            }
            Self::Raw(_, bytes) => bytes.clone(),
        }
    }
}

/// The bytes after their length.
fn counted(bytes: &[u8]) -> Vec<u8> {
    let bytes = &bytes[..bytes.len().min(usize::from(u8::MAX))];
    [&[u8::try_from(bytes.len()).unwrap_or(u8::MAX)], bytes].concat()
}

/// The name as record data carries it, without compression and without checking its lengths.
fn uncompressed(name: &DnsName) -> Vec<u8> {
    let labels = labels(name).unwrap_or_default();
    labels.iter().flat_map(|label| counted(label)).chain([0]).collect()
}

/// A zone. Its records may contradict each other in every way that real servers refuse to load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    /// The name at its top.
    pub apex: DnsName,
    /// The primary name server that its SOA record names.
    pub primary: DnsName,
    /// The version that its SOA record tells.
    pub serial: u32,
    /// How long its SOA record may be kept, in seconds.
    pub ttl: u32,
    /// How long an answer that says no may be kept, in seconds, as far as `ttl` allows.
    pub minimum: u32,
    /// Everything but the SOA record, with the NS records of the apex.
    pub records: Vec<ZoneRecord>,
}

impl Zone {
    /// How long NS records may be kept, in seconds.
    pub(super) const NS_TTL: u32 = 172_800;

    /// A zone with nothing but its SOA and NS records.
    pub fn new(apex: &str, name_servers: &[&str]) -> Self {
        let primary = DnsName::new(name_servers.first().unwrap_or(&apex));
        let apex = DnsName::new(apex);
        let (serial, ttl, minimum) = (2_026_112_001, 3600, 900);
        let mut zone = Self { apex: apex.clone(), primary, serial, ttl, minimum, records: Vec::new() };
        zone.delegate(apex.as_str(), name_servers);
        zone
    }

    /// Adds a record to the others, with `owner` in full.
    pub fn add(&mut self, owner: &str, ttl: u32, data: ZoneData) -> &mut Self {
        self.records.push(ZoneRecord::new(owner, ttl, data));
        self
    }

    /// Makes this the only record at `owner`.
    pub fn set(&mut self, owner: &str, ttl: u32, data: ZoneData) -> &mut Self {
        self.clear(owner).add(owner, ttl, data)
    }

    /// Removes all records at `owner`.
    pub fn clear(&mut self, owner: &str) -> &mut Self {
        let owner = DnsName::new(owner);
        self.records.retain(|record| record.owner != owner);
        self
    }

    /// Removes the records of one type at `owner`.
    pub fn remove(&mut self, owner: &str, kind: RecordType) -> &mut Self {
        let owner = DnsName::new(owner);
        self.records.retain(|record| !record.answers(&owner, kind));
        self
    }

    /// Makes these the name servers of `owner`: the zone's own at its apex, a delegation below it.
    pub fn delegate(&mut self, owner: &str, name_servers: &[&str]) -> &mut Self {
        self.remove(owner, RecordType::NS);
        for host in name_servers {
            self.add(owner, Self::NS_TTL, ZoneData::ns(host));
        }
        self
    }

    pub(super) fn soa(&self) -> ZoneRecord {
        let (primary, serial, minimum) = (self.primary.clone(), self.serial, self.minimum);
        ZoneRecord { owner: self.apex.clone(), ttl: self.ttl, data: ZoneData::Soa { primary, serial, minimum } }
    }

    /// Its SOA record as in a negative answer (RFC 2308 section 3).
    pub(super) fn denial(&self) -> ZoneRecord {
        ZoneRecord { ttl: self.ttl.min(self.minimum), ..self.soa() }
    }

    /// All records at `owner`.
    pub(super) fn at(&self, owner: &DnsName) -> Vec<ZoneRecord> {
        let soa = (self.apex == *owner).then(|| self.soa());
        soa.into_iter().chain(self.records.iter().filter(|record| record.owner == *owner).cloned()).collect()
    }

    /// Whether there is a record at `name` or below it.
    pub(super) fn exists(&self, name: &DnsName) -> bool {
        *name == self.apex || self.records.iter().any(|record| record.owner.is_within(name))
    }
}
