//! What nearly every file of the diagnosis needs.

pub(super) use std::collections::BTreeSet;
pub(super) use std::net::IpAddr;

pub(super) use jiff::{SignedDuration, Timestamp};

pub(super) use super::words::{self, duration, list, moment, names};
pub(super) use crate::domains::RecordType::{A, AAAA, CAA, CNAME, DNSKEY, DS, HTTPS, MX, NS, SOA, TXT};
pub(super) use crate::domains::{
    Asked, Caches, Certificate, Code, ConnectionFailure, Data, Distrust, DnsName, Domain, Evidence, Finding, Handshake,
    Hop, KeyId, Lookup, Mark, Method, NoReply, Observations, PROPAGATION, Presented, Promise, Record, RecordType,
    Reply, Reported, Response, ResponseCode, Role, Server, SourceAnswer, TYPES, Topic, Trail, Verdict, Who, code_name,
    error_words, is_cloudflare, is_public, overall, parse_name, say, type_name,
};
pub(super) use crate::model::text::{display_safe, whole};
pub(super) use crate::model::{counted, cut, short};
