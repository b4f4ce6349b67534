//! Encrypted connections, and the certificate that is changed while the service runs.

use crate::prelude::*;

use petstore::server::Tls;
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::fixture::Service;
use super::metrics::{figures, with_metrics};
use crate::cli::fixture::{Lines, Running, listening, serve};

/// A certificate for `localhost` and its key, as files.
pub struct Pair {
    directory: TempDir,
}

impl Pair {
    pub fn new() -> Self {
        let pair = Self { directory: tempfile::tempdir().unwrap() };
        pair.renew();
        pair
    }

    fn certificate(&self) -> PathBuf {
        self.directory.path().join("certificate.pem")
    }

    fn key(&self) -> PathBuf {
        self.directory.path().join("key.pem")
    }

    /// Another certificate in the same files.
    fn renew(&self) {
        self.renew_until(2999);
    }

    /// The same, which expires when this year begins.
    fn renew_until(&self, year: i32) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        params.not_after = date_time_ymd(year, 1, 1);
        let certificate = params.self_signed(&key).unwrap();
        fs::write(self.certificate(), certificate.pem()).unwrap();
        fs::write(self.key(), key.serialize_pem()).unwrap();
        fs::set_permissions(self.key(), Permissions::from_mode(0o600)).unwrap();
    }

    pub fn tls(&self) -> Tls {
        Tls::load(&self.certificate(), &self.key()).unwrap()
    }

    /// A client that trusts the certificate that is in the file now, and nothing else.
    async fn connect(
        &self,
        address: SocketAddr,
        versions: &[&'static SupportedProtocolVersion],
    ) -> io::Result<TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(self.certificate()).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider).with_protocol_versions(versions).unwrap();
        let mut config = config.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let name = ServerName::try_from("localhost").unwrap();
        TlsConnector::from(Arc::new(config)).connect(name, TcpStream::connect(address).await?).await
    }
}

async fn get(mut stream: impl AsyncRead + AsyncWrite + Unpin, path: &str, key: &str) -> String {
    let head =
        format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

async fn encrypted(pair: &Pair, config: Config) -> Service {
    Service::with(Config { tls: Some(pair.tls()), ..config }).await
}

#[tokio::test]
async fn requests_are_answered_over_tls_1_2_and_1_3_as_http_1_1() {
    let pair = Pair::new();
    let service = encrypted(&pair, Service::config()).await;
    assert!(service.server.base_url().starts_with("https://127.0.0.1:"));
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let stream = pair.connect(service.server.local_addr(), &[version]).await.unwrap();
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
        let answer = get(stream, "/v1/pets", service.key()).await;
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("[]"), "{answer}");
    }
}

#[tokio::test]
async fn the_metrics_tell_when_the_certificate_expires_also_that_of_a_reload() {
    let pair = Pair::new();
    let tls = pair.tls();
    let (_service, at) = with_metrics(Config { tls: Some(tls.clone()), ..Service::config() }).await;
    pair.renew_until(2031);
    tls.reload().unwrap();
    assert_eq!(figures(at).await.get("petstore_certificate_expires_seconds"), 1_924_992_000.0);
}

#[tokio::test]
async fn a_client_that_speaks_http_in_clear_text_gets_no_answer_in_it() {
    let pair = Pair::new();
    let service = encrypted(&pair, Service::config()).await;
    let mut stream = service.connect().await;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    // The end may come as a reset.
    let _ = stream.read_to_end(&mut answer).await;
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
    let other = pair.connect(service.server.local_addr(), rustls::ALL_VERSIONS).await.unwrap();
    assert!(get(other, "/healthz", "").await.starts_with("HTTP/1.1 204"));
}

#[tokio::test]
async fn half_a_handshake_is_ended_in_time_and_keeps_nobody_out() {
    let pair = Pair::new();
    let config = Config { connections: 1, header_time: Duration::from_secs(1), ..Service::config() };
    let service = encrypted(&pair, config).await;
    let mut half = service.connect().await;
    half.write_all(b"\x16\x03\x01").await.unwrap();
    // The only place becomes free for somebody else.
    let other = pair.connect(service.server.local_addr(), rustls::ALL_VERSIONS).await.unwrap();
    assert!(get(other, "/healthz", "").await.starts_with("HTTP/1.1 204"));
    assert!(matches!(half.read(&mut [0; 16]).await, Ok(0) | Err(_)));
    let mut slow = service.connect().await;
    slow.write_all(b"\x16\x03\x01").await.unwrap();
    assert!(matches!(slow.read(&mut [0; 16]).await, Ok(0) | Err(_)));
}

#[test]
fn files_that_cannot_be_used_are_named_with_the_reason() {
    let (pair, other) = (Pair::new(), Pair::new());
    let missing = pair.directory.path().join("none.pem");
    let (certificate, key) = (pair.certificate(), pair.key());
    let chain = "it must be a PEM chain, the server's certificate first";
    for (certificate, key, why) in [
        (&missing, &key, format!("cannot read the certificate {}; {chain}", missing.display())),
        (&key, &key, format!("cannot read the certificate {}; {chain}", key.display())),
        (&certificate, &missing, format!("cannot read the private key {}", missing.display())),
        (
            &certificate,
            &certificate,
            format!("the private key {0} is readable by everyone. Run: chmod 600 {0}", certificate.display()),
        ),
    ] {
        assert_eq!(Tls::load(certificate, key).unwrap_err().to_string(), why);
    }
    let error = Tls::load(&pair.certificate(), &other.key()).unwrap_err();
    assert!(error.to_string().contains(other.key().to_str().unwrap()), "{error}");
    fs::set_permissions(pair.key(), Permissions::from_mode(0o644)).unwrap();
    let error = Tls::load(&pair.certificate(), &pair.key()).unwrap_err();
    assert!(error.to_string().contains("chmod 600"), "{error}");
    fs::set_permissions(pair.key(), Permissions::from_mode(0o640)).unwrap();
    Tls::load(&pair.certificate(), &pair.key()).unwrap();
}

/// The real binary in this home with these options, and what it says after its address.
fn served(home: &TempDir, options: &[&str]) -> (Running, Lines, SocketAddr) {
    let (service, mut said) = serve(home, options);
    let address = listening(&mut said);
    let address = address.rsplit("//").next().unwrap().strip_suffix("/v1").unwrap().parse().unwrap();
    (service, said, address)
}

/// Waits for a line of the log.
#[track_caller]
fn wait_for(said: &mut Lines, text: &str) {
    assert!(said.any(|line| line.contains(text)), "it has not said: {text}");
}

#[tokio::test]
async fn a_new_certificate_is_used_after_sighup_and_a_bad_one_is_not() {
    let pair = Pair::new();
    let (certificate, key) = (pair.certificate(), pair.key());
    let flags = ["--tls-cert", certificate.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
    let (binary, mut said, address) = served(&pair.directory, &flags);
    pair.connect(address, rustls::ALL_VERSIONS).await.unwrap();

    pair.renew();
    assert!(pair.connect(address, rustls::ALL_VERSIONS).await.is_err());
    binary.signal(Signal::HUP);
    wait_for(&mut said, "certificate reloaded for new connections");
    pair.connect(address, rustls::ALL_VERSIONS).await.unwrap();

    fs::write(&key, "no key").unwrap();
    binary.signal(Signal::HUP);
    wait_for(&mut said, "the old one stays in use");
    let stream = pair.connect(address, rustls::ALL_VERSIONS).await.unwrap();
    assert!(get(stream, "/healthz", "").await.starts_with("HTTP/1.1 204"));
}

#[test]
fn a_certificate_file_that_hangs_on_sighup_keeps_neither_requests_nor_sigterm_waiting() {
    let pair = Pair::new();
    let (certificate, key) = (pair.certificate(), pair.key());
    let flags = ["--tls-cert", certificate.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
    let (mut binary, mut said, address) = served(&pair.directory, &flags);
    fs::remove_file(&certificate).unwrap();
    assert!(Command::new("mkfifo").arg(&certificate).status().unwrap().success());
    let (process, is_reading) = (Pid::from_child(&binary.0), AtomicBool::new(false));
    thread::scope(|scope| {
        // Again and again, since signals that wait become one.
        scope.spawn(|| {
            while !is_reading.load(Ordering::Relaxed) {
                kill_process(process, Signal::HUP).unwrap();
                thread::yield_now();
            }
        });
        wait_for(&mut said, "the certificate is still being read");
        is_reading.store(true, Ordering::Relaxed);
    });
    std::net::TcpStream::connect(address).unwrap();
    binary.signal(Signal::TERM);
    assert_eq!(binary.0.wait().unwrap().code(), Some(0));
}

#[test]
fn sighup_does_not_end_a_service_without_tls() {
    let home = tempfile::tempdir().unwrap();
    let (mut binary, ..) = served(&home, &[]);
    binary.signal(Signal::HUP);
    binary.signal(Signal::TERM);
    assert_eq!(binary.0.wait().unwrap().code(), Some(0));
}
