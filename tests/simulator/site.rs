//! What answers at an address: its doors, its certificates, and its pages.

use super::certificate::IssuedCertificate;
use petstore::domains::DnsName;

/// What answers at an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    pub http: Door,
    pub https: Door,
    /// How callers of certain names (or of all in `*.zone`) are greeted; the last that fits is taken.
    pub greetings: Vec<(DnsName, Greeting)>,
    /// How all other callers are greeted.
    pub stranger: Greeting,
    /// What is answered; the last that fits is taken.
    pub pages: Vec<StubPage>,
    /// What is answered when no page fits.
    pub otherwise: StubAnswer,
}

/// What happens to a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Door {
    /// It is served.
    #[default]
    Open,
    /// Nothing listens. Only a simulator that starts with it refuses connections: a door that is closed later resets
    /// them.
    Closed,
    /// It is accepted and reset.
    Resets,
    /// It is accepted, and nothing is sent.
    Silent,
    /// After its first bytes these are sent.
    Says(Vec<u8>),
}

/// How a TLS handshake goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Greeting {
    Certificate(IssuedCertificate),
    /// It fails with this alert.
    Alert(u8),
    /// It goes on only with cipher suites with CBC.
    OldCiphers,
}

impl Greeting {
    /// The alert for a name that a server does not know (RFC 6066).
    pub const UNRECOGNIZED_NAME: Self = Self::Alert(112);
    /// The alert of a server that speaks only old versions of TLS.
    pub const PROTOCOL_VERSION: Self = Self::Alert(70);
}

impl Default for Greeting {
    fn default() -> Self {
        Self::UNRECOGNIZED_NAME
    }
}

impl Site {
    /// Greets callers of `name`, which may be `*.zone`, like this from now on.
    pub fn greet(&mut self, name: &str, greeting: Greeting) -> &mut Self {
        self.greetings.push((DnsName::new(name), greeting));
        self
    }

    /// Shows this certificate to callers of its names.
    pub fn show(&mut self, certificate: IssuedCertificate) -> &mut Self {
        for name in &certificate.names {
            self.greetings.push((DnsName::new(name), Greeting::Certificate(certificate.clone())));
        }
        self
    }

    /// Answers with this page before all others.
    pub fn page(&mut self, page: StubPage) -> &mut Self {
        self.pages.push(page);
        self
    }

    /// How a caller of `name` is greeted.
    pub(super) fn greeting(&self, name: Option<&str>) -> &Greeting {
        let name = name.map(DnsName::new);
        let fits = |pattern: &DnsName| match pattern.as_str().strip_prefix("*.") {
            Some(zone) => name.as_ref().and_then(DnsName::parent) == Some(DnsName::new(zone)),
            None => name.as_ref() == Some(pattern),
        };
        self.greetings.iter().rev().find(|(pattern, _)| fits(pattern)).map_or(&self.stranger, |(_, greeting)| greeting)
    }
}

/// What is answered to some requests. Without conditions it is for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StubPage {
    /// Only for https, or only for http.
    pub https: Option<bool>,
    /// Only for this host.
    pub host: Option<DnsName>,
    /// Only for paths that begin like this.
    pub path: String,
    /// Only for this method.
    pub method: Option<String>,
    pub answer: StubAnswer,
}

impl StubPage {
    /// A page for all requests.
    pub fn new(answer: StubAnswer) -> Self {
        Self { https: None, host: None, path: String::new(), method: None, answer }
    }

    /// Only for https.
    pub fn https(self) -> Self {
        Self { https: Some(true), ..self }
    }

    /// Only for http.
    pub fn http(self) -> Self {
        Self { https: Some(false), ..self }
    }

    /// Only for this host.
    pub fn host(self, host: &str) -> Self {
        Self { host: Some(DnsName::new(host)), ..self }
    }

    /// Only for paths that begin like this.
    pub fn path(self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self }
    }

    /// Only for this method.
    pub fn method(self, method: &str) -> Self {
        Self { method: Some(method.to_owned()), ..self }
    }

    pub(super) fn fits(&self, https: bool, method: &str, host: &DnsName, path: &str) -> bool {
        self.https.is_none_or(|wanted| wanted == https)
            && self.host.as_ref().is_none_or(|wanted| wanted == host)
            && self.method.as_ref().is_none_or(|wanted| wanted == method)
            && path.starts_with(&self.path)
    }
}

/// An answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StubAnswer {
    pub status: u16,
    /// Headers; `{host}` and `{path}` in their values are replaced by those of the request, the path with its query.
    pub headers: Vec<(String, String)>,
    /// What follows.
    pub body: StubBody,
}

/// The body of an answer, or what is sent instead of a proper one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StubBody {
    /// These bytes.
    Bytes(Vec<u8>),
    /// So many bytes, as long as they are read.
    Huge(u64),
    /// Headers without end, and no body.
    EndlessHeaders,
    /// These bytes instead of HTTP.
    Garbage(Vec<u8>),
}

impl Default for StubAnswer {
    /// What a platform says about a host that it does not know.
    fn default() -> Self {
        Self::status(404).body("<title>No such project</title>\n")
    }
}

impl StubAnswer {
    /// An answer with this status and nothing else.
    pub fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: StubBody::Bytes(Vec::new()) }
    }

    /// A redirect to `location`; `{host}` and `{path}` in it are replaced by those of the request.
    pub fn redirect(status: u16, location: &str) -> Self {
        Self::status(status).header("Location", location)
    }

    /// With one more header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With this body, of HTML.
    pub fn body(self, text: &str) -> Self {
        Self { body: StubBody::Bytes(text.into()), ..self }.header("Content-Type", "text/html; charset=utf-8")
    }

    /// With another kind of body.
    pub fn with(self, body: StubBody) -> Self {
        Self { body, ..self }
    }
}
