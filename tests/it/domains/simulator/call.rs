//! A client for web servers that takes any certificate and remembers it.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use crate::simulator::Simulator;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::ask::now;

/// Takes everything.
#[derive(Debug)]
struct Anything(CryptoProvider);

impl ServerCertVerifier for Anything {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

pub(super) async fn handshake(
    world: &Simulator,
    address: impl Into<IpAddr>,
    sni: &str,
) -> io::Result<TlsStream<TcpStream>> {
    let provider = ring::default_provider();
    let config = ClientConfig::builder_with_provider(Arc::new(provider.clone())).with_safe_default_protocol_versions();
    let config = config.unwrap().dangerous().with_custom_certificate_verifier(Arc::new(Anything(provider)));
    let name = ServerName::try_from(sni.to_owned()).unwrap();
    let stream = TcpStream::connect((address.into(), world.https_port())).await?;
    TlsConnector::from(Arc::new(config.with_no_client_auth())).connect(name, stream).await
}

/// The certificates that are shown to callers of `sni`.
pub(super) async fn chain(world: &Simulator, address: impl Into<IpAddr>, sni: &str) -> Vec<CertificateDer<'static>> {
    let stream = handshake(world, address, sni).await.unwrap();
    stream.get_ref().1.peer_certificates().unwrap().iter().map(|one| one.clone().into_owned()).collect()
}

/// What a client that trusts the world would say of these certificates.
pub(super) fn judge(world: &Simulator, chain: &[CertificateDer<'_>], sni: &str) -> Result<(), CertificateError> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(world.trust_pem().as_bytes()).unwrap()).unwrap();
    let verifier = WebPkiServerVerifier::builder_with_provider(roots.into(), ring::default_provider().into());
    let time = UnixTime::since_unix_epoch(std::time::Duration::from_secs(now().as_second().try_into().unwrap()));
    let name = ServerName::try_from(sni.to_owned()).unwrap();
    match verifier.build().unwrap().verify_server_cert(&chain[0], &chain[1..], &name, &[], time) {
        Ok(_) => Ok(()),
        Err(Error::InvalidCertificate(error)) => Err(error),
        Err(other) => panic!("{other:?}"),
    }
}

/// The whole answer to one request.
pub(super) async fn request(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    method: &str,
    host: &str,
    path: &str,
) -> Vec<u8> {
    let head = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nAccept: */*\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    answer
}

/// The answer to GET over https, in text.
pub(super) async fn https(world: &Simulator, address: impl Into<IpAddr>, host: &str, path: &str) -> String {
    let stream = handshake(world, address, host).await.unwrap();
    String::from_utf8(request(stream, "GET", host, path).await).unwrap()
}

/// The answer to `method` over http, in text.
pub(super) async fn http(
    world: &Simulator,
    address: impl Into<IpAddr>,
    method: &str,
    host: &str,
    path: &str,
) -> String {
    let stream = TcpStream::connect((address.into(), world.http_port())).await.unwrap();
    String::from_utf8(request(stream, method, host, path).await).unwrap()
}
