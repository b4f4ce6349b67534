//! The listeners for http and https: each connection is met as the plan says at that time.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::server::Acceptor;
use rustls::sign::SingleCertAndKey;
use rustls::{ServerConfig, SupportedProtocolVersion};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy, sink};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::LazyConfigAcceptor;

use super::Shared;
use super::certificate::IssuedCertificate;
use super::doors::accept;
use super::http::{self, Connection};
use super::site::{Door, Greeting};

const VERSIONS: &[&SupportedProtocolVersion] = &[&rustls::version::TLS12, &rustls::version::TLS13];

/// Meets all connections to this listener, until it is dropped.
pub(super) async fn serve(listener: TcpListener, tls: bool, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        let stream = accept(&listener).await;
        while connections.try_join_next().is_some() {}
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            if let Err(error) = meet(stream, tls, &shared).await {
                tracing::trace!(%error, "a connection of the simulated network ended");
            }
        });
    }
}

async fn meet(mut stream: TcpStream, tls: bool, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let address = stream.local_addr()?;
    let door = match shared.plan.lock().sites.get(&address.ip()) {
        Some(site) if tls => site.https.clone(),
        Some(site) => site.http.clone(),
        None => Door::Closed,
    };
    match door {
        Door::Closed | Door::Resets => stream.set_zero_linger(),
        Door::Silent => copy(&mut stream, &mut sink()).await.map(|_| ()),
        Door::Says(bytes) => {
            let mut first = [0; 16 * 1024];
            if stream.read(&mut first).await? > 0 {
                stream.write_all(&bytes).await?;
            }
            http::finish(stream).await
        }
        Door::Open if tls => greet(stream, address, shared).await,
        Door::Open => http::exchange(stream, Connection { address, tls, sni: None }, shared).await,
    }
}

/// The TLS handshake, and what follows if it succeeds.
async fn greet(stream: TcpStream, address: SocketAddr, shared: &Shared) -> io::Result<()> {
    let mut start = LazyConfigAcceptor::new(Acceptor::default(), stream).await?;
    let sni = start.client_hello().server_name().map(str::to_owned);
    let site = shared.plan.lock().sites.get(&address.ip()).cloned().unwrap_or_default();
    match site.greeting(sni.as_deref()) {
        Greeting::Alert(alert) => {
            // A record of type 21, TLS 1.2, two bytes long: fatal, and the reason.
            start.io.write_all(&[21, 3, 3, 0, 2, 2, *alert]).await?;
            http::finish(start.io).await
        }
        Greeting::Certificate(certificate) => {
            let stream = start.into_stream(Arc::new(config(certificate, shared)?)).await?;
            http::exchange(stream, Connection { address, tls: true, sni }, shared).await
        }
    }
}

fn config(certificate: &IssuedCertificate, shared: &Shared) -> io::Result<ServerConfig> {
    let key = shared.authorities.lock().issue(certificate)?;
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_protocol_versions(VERSIONS).map_err(io::Error::other)?.with_no_client_auth();
    let mut config = builder.with_cert_resolver(Arc::new(SingleCertAndKey::from(key)));
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
