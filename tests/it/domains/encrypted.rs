//! Resolvers over TLS and HTTPS, for networks that block port 53.

use crate::prelude::*;

use crate::simulator::{Plan, Simulator};
use petstore::domains::check_options::named_resolver;
use petstore::domains::{NoReply, Protocol, Server};

use rustls::ServerConfig;
use rustls::crypto::ring;
use tokio_rustls::TlsAcceptor;

use super::fixture::{check, now, reported, settings};

/// A door over TLS and HTTPS to the first resolvers of a world: the protocol is what the caller chose by ALPN.
struct Door {
    certificate: CertificateDer<'static>,
    acceptor: TlsAcceptor,
}

impl Door {
    fn new() -> Self {
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        let certificate = made.cert.der().clone();
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let mut config = builder.with_single_cert(vec![certificate.clone()], made.signing_key.into()).unwrap();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Self { certificate, acceptor: TlsAcceptor::from(Arc::new(config)) }
    }

    /// The first two resolvers of `world` behind it, as they are named for `scheme`, for example `tls://`.
    async fn resolvers(&self, world: &Simulator, scheme: &str) -> Vec<Arc<Server>> {
        let mut resolvers = Vec::new();
        for number in 0..2 {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let (acceptor, resolver) = (self.acceptor.clone(), world.resolver(number));
            tokio::spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(meet(acceptor.clone(), stream, resolver));
                }
            });
            resolvers.push(named_resolver(&format!("{scheme}{address}")).unwrap());
        }
        resolvers
    }
}

async fn meet(acceptor: TlsAcceptor, stream: TcpStream, resolver: SocketAddr) -> io::Result<()> {
    let mut stream = acceptor.accept(stream).await?;
    if stream.get_ref().1.alpn_protocol().is_none() {
        let mut question = vec![0; usize::from(stream.read_u16().await?)];
        stream.read_exact(&mut question).await?;
        let answer = answer(resolver, &question).await?;
        stream.write_all(&[&(answer.len() as u16).to_be_bytes(), answer.as_slice()].concat()).await?;
        return stream.shutdown().await;
    }
    // One question as the body of a POST (RFC 8484 section 4.1).
    let mut request = Vec::new();
    let question = loop {
        if stream.read_buf(&mut request).await? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if let Some(body) = body(&request) {
            break body;
        }
    };
    let answer = answer(resolver, question).await?;
    let length = answer.len();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/dns-message\r\nContent-Length: {length}\r\n\r\n");
    stream.write_all(&[head.as_bytes(), &answer].concat()).await?;
    stream.shutdown().await
}

/// What the resolver answers over TCP.
async fn answer(resolver: SocketAddr, question: &[u8]) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(resolver).await?;
    stream.write_all(&[&(question.len() as u16).to_be_bytes(), question].concat()).await?;
    let mut answer = vec![0; usize::from(stream.read_u16().await?)];
    stream.read_exact(&mut answer).await?;
    Ok(answer)
}

/// The body of a request, once it is there as a whole.
fn body(request: &[u8]) -> Option<&[u8]> {
    let end = request.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok())?;
    request.get(end..end + length)
}

#[tokio::test]
async fn a_domain_is_checked_by_resolvers_over_tls_and_over_https() {
    let world = Simulator::start(Plan::healthy(now())).await.unwrap();
    let door = Door::new();
    let root = CertificateDer::from_pem_slice(world.trust_pem().as_bytes()).unwrap();
    let roots = vec![root, door.certificate.clone()];
    let trust = CheckOptions::new(settings(&world).expectation, roots).trust;
    for (scheme, protocol) in [("tls://", Protocol::Tls), ("https://", Protocol::Https("/dns-query".to_owned()))] {
        let resolvers = door.resolvers(&world, scheme).await;
        let settings = CheckOptions { resolvers, trust: Arc::clone(&trust), ..settings(&world) };
        assert!(settings.resolvers.iter().all(|resolver| resolver.protocol == protocol));
        let outcome = check(&settings, Plan::DOMAIN, &reported()).await;
        assert_eq!((outcome.code(), outcome.verdict()), (Code::DnsOk, Verdict::Ok), "{}", outcome.lines());
        let of_resolvers = outcome.seen.lookups.iter().filter(|lookup| lookup.server.protocol == protocol);
        assert!(of_resolvers.clone().count() >= 6 && of_resolvers.clone().all(|lookup| lookup.reply().is_some()));
    }
}

#[tokio::test]
async fn a_resolver_whose_certificate_is_not_trusted_is_not_counted() {
    let world = Simulator::start(Plan::healthy(now())).await.unwrap();
    let own = settings(&world);
    let settings = CheckOptions {
        resolvers: Door::new().resolvers(&world, "tls://").await,
        name_servers: own.name_servers,
        now: own.now,
        ..CheckOptions::new(own.expectation, Vec::new())
    };
    let outcome = check(&settings, Plan::DOMAIN, &reported()).await;
    let of_resolvers = outcome.seen.lookups.iter().filter(|lookup| lookup.server.protocol == Protocol::Tls);
    let failures: Vec<_> = of_resolvers.map(|lookup| lookup.outcome.as_ref().err().copied()).collect();
    assert!(
        !failures.is_empty() && failures.iter().all(|failure| *failure == Some(NoReply::Untrusted)),
        "{failures:?}"
    );
}

#[test]
fn resolvers_are_named_by_address_with_or_without_a_protocol() {
    for (text, address) in [
        ("1.1.1.1", "1.1.1.1:53"),
        ("tls://1.1.1.1", "1.1.1.1:853"),
        ("tls://[2001:db8::1]", "[2001:db8::1]:853"),
        ("https://9.9.9.9/dns-query", "9.9.9.9:443"),
        ("https://127.0.0.1:8443", "127.0.0.1:8443"),
    ] {
        assert_eq!(named_resolver(text).unwrap().address.to_string(), address, "{text}");
    }
    for text in ["tls://dns.example", "https://dns.example/dns-query", "nonsense"] {
        assert!(named_resolver(text).unwrap_err().contains("is not an address"), "{text}");
    }
}
