//! Pages: which requests they are for, and what they answer.

use std::time::Duration;

use crate::domains::DnsName;

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
    /// How much later it comes.
    pub delay: Duration,
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
        Self { status, headers: Vec::new(), body: StubBody::Bytes(Vec::new()), delay: Duration::ZERO }
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

    /// So much later.
    pub fn slow(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }
}
