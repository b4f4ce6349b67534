//! How connections are made, kept and renewed.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio_postgres::NoTls;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::url::{Encryption, PostgresUrl};
use super::{CONNECTIONS, STATEMENT_TIME};
use crate::store::{StoreError, Why};

/// How long to wait for a connection that others use.
const WAIT: Duration = Duration::from_secs(5);

/// How long a new connection may take, all addresses of the server together.
const CREATE: Duration = Duration::from_secs(4);

/// From what age on a connection is not used again, so that addresses and certificates are looked at anew; each a
/// little earlier or later than the others.
const LIFETIME: Duration = Duration::from_secs(20 * 60);

/// How long the server keeps a transaction open for an instance that has gone silent.
const IDLE_IN_TRANSACTION: Duration = Duration::from_secs(10);

/// Else a page is planned anew each time, since a plan for any limit looks dearer than one for this limit, and planning
/// takes longer than reading.
const KEEP_PLANS: &str = "SET plan_cache_mode = force_generic_plan";

/// Nothing is connected before the first use.
pub(super) fn open(url: &PostgresUrl) -> Result<Pool, StoreError> {
    let config = url.config().clone();
    let kept = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = match url.encryption() {
        Encryption::None => Manager::from_config(config, NoTls, kept),
        Encryption::Verified { root_certificates } => {
            let tls = MakeRustlsConnect::new(tls(root_certificates)?);
            Manager::from_config(config, tls, kept)
        }
    };
    let mut pool = Pool::builder(manager)
        .max_size(CONNECTIONS)
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(WAIT))
        .create_timeout(Some(CREATE))
        .recycle_timeout(Some(WAIT))
        .pre_recycle(Hook::sync_fn(|client, metrics| {
            // Spread by where it lies in memory.
            let spread = Duration::from_millis(std::ptr::from_ref(client).addr() as u64 / 64 % 300_000);
            if metrics.age() < LIFETIME + spread { Ok(()) } else { Err(HookError::message("too old")) }
        }));
    if !url.is_behind_pooler() {
        let settings = format!(
            "SET statement_timeout = {}; SET idle_in_transaction_session_timeout = {}",
            STATEMENT_TIME.as_millis(),
            IDLE_IN_TRANSACTION.as_millis()
        );
        pool = pool.post_create(Hook::async_fn(move |client, _| {
            let settings = settings.clone();
            Box::pin(async move {
                // Not every kin of PostgreSQL has this one, and all work without it.
                let _ = client.batch_execute(KEEP_PLANS).await;
                client.batch_execute(&settings).await.map_err(HookError::Backend)
            })
        }));
    }
    pool.build().map_err(|error| Why::NoConnection(Arc::new(error)).into())
}

/// Certificates are verified against those that the system trusts, or the ones in `roots`, and the server's name.
fn tls(roots: Option<&Path>) -> Result<ClientConfig, StoreError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let cannot = |path: &Path, source| StoreError::RootCertificates { path: path.to_owned(), source };
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| cannot(Path::new(""), error.into()))?;
    let builder = match roots {
        None => builder.with_platform_verifier().map_err(|error| cannot(Path::new("the system's"), error.into()))?,
        Some(path) => {
            let mut store = RootCertStore::empty();
            for certificate in CertificateDer::pem_file_iter(path).map_err(|error| cannot(path, error.into()))? {
                let certificate = certificate.map_err(|error| cannot(path, error.into()))?;
                store.add(certificate).map_err(|error| cannot(path, error.into()))?;
            }
            builder.with_root_certificates(store)
        }
    };
    Ok(builder.with_no_client_auth())
}
