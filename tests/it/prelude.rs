//! What most of these tests use.

pub use futures_util::future::join_all;
pub use futures_util::{StreamExt as _, stream};
pub use hickory_proto::op::ResponseCode;
pub use hickory_proto::rr::RecordType;
pub use jiff::{SignedDuration, Timestamp};
pub use petstore::api::client::{Timeouts, install_tls_provider};
pub use petstore::api::{Client, Failure};
pub use petstore::app::domain_service::DomainService;
pub use petstore::app::outbox::queue::Queues;
pub use petstore::clock::Now;
pub use petstore::domains::check_options::CheckOptions;
pub use petstore::domains::diagnosis::Expectation;
pub use petstore::domains::{
    Code, DnsName, Finding, Measurement, ProbeCache, Redirect, Reported, Role, Stage, Verdict, parse_name,
};
pub use petstore::local::draft_files::Claims;
pub use petstore::model::{
    ApiKey, IdempotencyKey, IdempotencyKeys, Limit, NewPet, Pet, PetId, PetPatch, PetQuery, PetStatus,
};
pub use petstore::server::Config;
pub use petstore::store::keys::{NewKey, Scopes};
pub use petstore::store::{
    CreateOutcome, DatabaseUrl, FailureKind, Idempotency, KeyId, Position, Store, StoreError, StoreFailure,
};
pub use petstore::{clock, server};
pub use rustix::process::{Pid, Signal, kill_process};
pub use rustls::pki_types::CertificateDer;
pub use rustls::pki_types::pem::PemObject as _;
pub use secrecy::{ExposeSecret, SecretString};
pub use serde_json::Value;
pub use std::collections::{BTreeMap, BTreeSet, HashMap};
pub use std::fs::Permissions;
pub use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
pub use std::net::SocketAddr;
pub use std::num::NonZeroU32;
pub use std::os::unix::fs::PermissionsExt as _;
pub use std::path::{Path, PathBuf};
pub use std::pin::pin;
pub use std::process::{Child, Command, Output, Stdio};
pub use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
pub use std::sync::{Arc, LazyLock, Mutex};
pub use std::time::{Duration, Instant};
pub use std::{fs, io, thread};
pub use tempfile::TempDir;
pub use tokio::io::{AsyncReadExt, AsyncWriteExt};
pub use tokio::net::{TcpListener, TcpStream};
pub use tokio::sync::{mpsc, watch};
pub use tokio::task::{JoinSet, yield_now};
pub use tokio::time::timeout;
pub use tokio_postgres::NoTls;
pub use tokio_util::sync::CancellationToken;
pub use uuid::Uuid;

/// An addition of a pet.
pub const REX: &str = r#"{"name":"Rex","categoryId":1}"#;
