//! Why a request gave no answer, typed by what the caller can do about it, in words for people: one set for the app and the
//! command line; and what it means and what to do about it. Exhaustive, so that a new failure cannot stay without words.

use std::error::Error;
use std::fmt::Display;
use std::time::Duration;

use crate::model::escape::shown_json;
use crate::model::text::without_keys;
use crate::model::{Pet, Problem, ProblemCode, cut, display_safe};

/// What a request gives, unless it fails.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// A failed request, comparable and cleaned: every text in it is safe to show. Displayed, it is a few words for a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Nothing was sent: the name did not resolve, the connection was refused or took too long, or TLS failed.
    #[error("no connection ({why})")]
    NotSent {
        /// The cause, for example `connection refused`.
        why: String,
    },
    /// The service inside the program, or the client, could not be started; asking again gives the same.
    #[error("not started ({why})")]
    NotStarted {
        /// The cause.
        why: String,
    },
    /// A session over SSH may not do it.
    #[error("not over SSH")]
    NotOverSsh,
    /// It may have arrived; no whole answer came in time.
    #[error("no answer within {} s", after.as_secs())]
    NoAnswer {
        /// How long it was waited for.
        after: Duration,
    },
    /// It may have arrived; the connection broke before the answer was whole.
    #[error("the connection broke ({why})")]
    Broken {
        /// The cause.
        why: String,
    },
    /// An answer that is not a success.
    #[error("the service answered {status}")]
    Refused {
        /// The HTTP status code.
        status: u16,
        /// `code` of the Error body, where there was one.
        code: Option<String>,
        /// `message` of the Error body, or how the body began.
        message: String,
        /// How long the service asks to wait (`Retry-After`).
        retry_after: Option<RetryAfter>,
        /// The Error body, as a line of JSON.
        body: Option<String>,
    },
    /// A success that is not what the description promises.
    #[error("the answer does not match the API description: {why}")]
    Malformed {
        /// What was wrong.
        why: String,
        /// How the body began.
        excerpt: String,
    },
    /// The app has more to do than it can take.
    #[error("busy")]
    Busy,
    /// The job ended by a fault of the program.
    #[error("crashed ({why})")]
    Crashed {
        /// The message of the panic.
        why: String,
    },
}

/// What can be done about a failure. Each front end says it in its own way: by a key, a command or a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Another key is needed.
    EnterKey,
    /// A key that may do this is needed.
    GetPermission,
    /// The service asks to wait for so many seconds.
    Wait(u64),
    /// Asking again later may help.
    TryLater,
    /// A value that was sent must be corrected.
    CorrectValue,
    /// The address may be wrong, or nothing runs there.
    CheckAddress,
    /// The path of the address may be wrong.
    CheckPath,
    /// Something else may answer at the address.
    CheckService,
    /// The certificate's CA is not trusted.
    TrustAuthority,
    /// Asking again gives the same.
    None,
}

/// The value of a `Retry-After` header (RFC 9110, section 10.2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// Seconds from now.
    Seconds(u64),
    /// A date, or something that is neither: not to be waited for blindly.
    Other,
}

/// The innermost cause says what happened; the layers above it only say where.
fn root_cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    let text = cause.to_string();
    // The error number adds nothing to the message.
    let text = text.split_once(" (os error").map_or(text.as_str(), |(words, _)| words);
    safe(if text.contains("closed before message completed") { "it closed the connection" } else { text })
}

fn safe(text: &str) -> String {
    cut(&display_safe(&without_keys(text)), 400)
}

/// The most bytes of an Error body that are kept.
const MOST_KEPT: usize = 64 << 10;

impl Failure {
    /// Nothing was sent, because of this.
    pub fn not_sent(error: &dyn Error) -> Self {
        Self::NotSent { why: root_cause(error) }
    }

    pub(super) fn broken(error: &dyn Error) -> Self {
        Self::Broken { why: root_cause(error) }
    }

    /// A success with something wrong in it, and how its body begins if that says more.
    pub(super) fn malformed(why: impl Display, excerpt: &str) -> Self {
        Self::Malformed { why: safe(&why.to_string()), excerpt: safe(excerpt) }
    }

    /// An answer with an Error body, or one that begins with this.
    pub fn refused(status: u16, body: Result<Problem, &str>, retry_after: Option<RetryAfter>) -> Self {
        let (code, message, body) = match &body {
            Ok(problem) => {
                let json = serde_json::to_string(problem).ok().filter(|json| json.len() <= MOST_KEPT);
                (Some(safe(&problem.code)), safe(&problem.message), json.map(|json| shown_json(&json).into_owned()))
            }
            Err(excerpt) => (None, safe(excerpt), None),
        };
        Self::Refused { status, code, message, retry_after, body }
    }

    /// Whether an earlier request with the same Idempotency-Key is being carried out.
    pub fn is_in_progress(&self) -> bool {
        matches!(self, Self::Refused { status: 409, code: Some(code), .. }
            if code == ProblemCode::IdempotencyInProgress.as_str())
    }

    /// The pet as it is now, where it is not as a change expected it.
    pub fn changed(&self) -> Option<Pet> {
        let Self::Refused { status: 409, body: Some(body), .. } = self else { return None };
        serde_json::from_str::<Problem>(body).ok()?.pet
    }

    /// The pause that the service asks for, where it says how long that is.
    pub const fn asked_pause(&self) -> Option<Duration> {
        let Self::Refused { retry_after: Some(RetryAfter::Seconds(seconds)), .. } = self else { return None };
        Some(Duration::from_secs(*seconds))
    }

    /// Whether the key was missing or not accepted (section 5).
    pub const fn is_unauthorized(&self) -> bool {
        matches!(self, Self::Refused { status: 401, .. })
    }

    /// Whether the request may have been carried out although no answer came. Such a creation must not be repeated
    /// blindly: it could add the pet twice.
    pub fn outcome_unknown(&self) -> bool {
        match self {
            Self::NotSent { .. } | Self::NotStarted { .. } | Self::NotOverSsh | Self::Busy => false,
            Self::NoAnswer { .. } | Self::Broken { .. } | Self::Malformed { .. } | Self::Crashed { .. } => true,
            Self::Refused { status: 409, .. } => self.is_in_progress(),
            // The service behind it has answered.
            Self::Refused { status: 503, code: Some(code), .. } => {
                ![ProblemCode::NotAdded, ProblemCode::NotChanged].iter().any(|known| code == known.as_str())
            }
            // A gateway that gave up says nothing about the service behind it.
            Self::Refused { status, .. } => matches!(status, 500..=599) && *status != 501,
        }
    }

    /// What can be done about it, the most likely thing.
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::Refused { status: 401, .. } => Remedy::EnterKey,
            Self::Refused { retry_after: Some(RetryAfter::Seconds(seconds)), .. } => Remedy::Wait(*seconds),
            Self::Refused { status: 403, .. } => Remedy::GetPermission,
            Self::Refused { status: 404, .. } => Remedy::CheckPath,
            Self::Refused { status: 400 | 422, .. } => Remedy::CorrectValue,
            Self::NotSent { why } if why.contains("certificate") => Remedy::TrustAuthority,
            Self::NotSent { .. } => Remedy::CheckAddress,
            Self::Malformed { .. } => Remedy::CheckService,
            Self::Refused { status: 408 | 429 | 500..=599, .. } => Remedy::TryLater,
            Self::NoAnswer { .. } | Self::Broken { .. } | Self::Busy => Remedy::TryLater,
            Self::Refused { .. } | Self::NotStarted { .. } | Self::NotOverSsh | Self::Crashed { .. } => Remedy::None,
        }
    }

    /// Whether waiting may be enough.
    pub const fn may_pass(&self) -> bool {
        match self {
            Self::Refused { status, .. } => matches!(status, 408 | 429 | 500 | 502..=599),
            Self::NotSent { .. } | Self::NoAnswer { .. } | Self::Broken { .. } | Self::Busy => true,
            Self::NotStarted { .. } | Self::NotOverSsh | Self::Malformed { .. } | Self::Crashed { .. } => false,
        }
    }

    /// Whether a creation was certainly not carried out, and may be later.
    pub fn can_wait(&self) -> bool {
        self.may_pass() && !self.outcome_unknown()
    }

    /// One sentence: what happened when `service` was asked.
    pub fn sentence(&self, service: &str) -> String {
        match self {
            Self::NotSent { why } => format!("No connection to {service} ({why})."),
            Self::NotStarted { why } => format!("Not started: {why}. Fix that, then restart petstore."),
            Self::NotOverSsh => "A session over SSH opens no files of the server.".to_owned(),
            Self::NoAnswer { after } => format!("No answer from {service} within {} s.", after.as_secs()),
            Self::Broken { why } => format!("The connection to {service} broke ({why})."),
            Self::Refused { status: 401, code: Some(_), message, .. } => {
                format!("{service} did not accept the API key: \"{message}\"")
            }
            Self::Refused { status: 401, .. } => format!("{service} did not accept the API key (401)."),
            Self::Refused { status, code: Some(code), message, .. } => {
                format!("{service} answered {status} ({code}): \"{message}\"")
            }
            Self::Refused { status, code: None, .. } => {
                format!("{service} answered {status}, without an Error body.")
            }
            Self::Malformed { .. } => format!("petstore cannot read the answer of {service}."),
            Self::Busy => "The program is busy. Try again in a moment.".to_owned(),
            Self::Crashed { why } => format!("Internal error: {why}."),
        }
    }

    /// Every line that is known about it, for the full view.
    pub fn details(&self, service: &str) -> Vec<String> {
        let mut lines = vec![self.sentence(service)];
        if let Self::Refused { status, code, message, .. } = self {
            lines.push(format!("status   {status}"));
            lines.push(format!("code     {}", code.as_deref().unwrap_or("(no Error body)")));
            lines.push(format!("message  {}", if message.is_empty() { "(empty)" } else { message }));
            let asked = self.asked_pause();
            lines.extend(asked.map(|asked| format!("The service asks you to wait {} s.", asked.as_secs())));
        }
        if let Self::Malformed { why, excerpt } = self {
            lines.push(format!("It does not match the API description: {why}."));
            if !excerpt.is_empty() {
                lines.push("The answer starts with:".to_owned());
                lines.push(excerpt.clone());
            }
        }
        lines
    }
}

/// What a failure means, and what can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// What it means.
    pub means: &'static str,
    /// What to do, the most likely thing first.
    pub todo: &'static str,
}

const fn explained(means: &'static str, todo: &'static str) -> Explanation {
    Explanation { means, todo }
}

/// What `failure` means, and what can be done.
pub fn explain(failure: &Failure) -> Explanation {
    match failure {
        Failure::NotSent { why } => not_sent(why),
        Failure::NotStarted { .. } => explained(
            "The embedded store or the client did not start. Nothing was sent.",
            "Fix the cause: often a file that cannot be opened, or a full disk. Then restart petstore.",
        ),
        Failure::NotOverSsh => explained(
            "What is typed in a session over SSH names no file of the server.",
            "Import and export with a command from your own machine: ssh USER@HOST pets import - < pets.csv.",
        ),
        Failure::NoAnswer { .. } => explained(
            "The service was reached, but its answer did not come in time. Reading changes nothing; a pet that \
             was sent may have been added.",
            "Wait and try again. If it happens again, the service is overloaded, or something on the network holds answers \
             back.",
        ),
        Failure::Broken { .. } => explained(
            "The connection ended before the answer was complete: the service or something on the network closed it. Reading \
             changes nothing; a pet that was sent may have been added.",
            "Try again. If it happens each time, check whether the service crashes at this request, and check proxies and \
             VPNs.",
        ),
        Failure::Refused { .. } if failure.changed().is_some() => explained(
            "The pet is not as you saw it: another program or person has changed it. Nothing was changed.",
            "Check the pet as it is now, and change it again if you still want to.",
        ),
        Failure::Refused { status, .. } => refused(*status),
        Failure::Malformed { excerpt, .. } if excerpt.trim_start().starts_with('<') => explained(
            "The answer is a web page, not JSON: something other than the service answers at this address.",
            "Check the address (it usually ends in /v1), and whether this network requires a login in a browser first.",
        ),
        Failure::Malformed { .. } => explained(
            "The service reported success, but its answer does not match the API description.",
            "Check the address: it may be another service, or another version of it. Otherwise its operator must fix \
             it; show them the request and the answer.",
        ),
        Failure::Busy => {
            explained("This program has too many requests at once.", "Nothing is lost. Try again in a moment.")
        }
        Failure::Crashed { .. } => explained(
            "A part of this program crashed. Everything else continues.",
            "Try again. If it happens again, report it with the message above.",
        ),
    }
}

/// Why no request went out: words of the system, of the resolver or of the TLS library, and what they mean.
const NOT_SENT: [(&[&str], &str, &str); 12] = [
    (
        &["certificate expired", "certificate: expired"],
        "The service's certificate has expired, so it cannot prove its identity. Nothing was sent.",
        "Check this machine's clock. If it is right, the service's operator must renew the certificate.",
    ),
    (
        &["not valid yet", "notvalidyet"],
        "The service's certificate is not valid yet. Nothing was sent.",
        "Check this machine's clock; it is usually wrong. Otherwise the certificate was issued for a later time.",
    ),
    (
        &["not valid for name", "notvalidforname", "not valid for any names"],
        "The certificate is for another name than the one in the address: this may be another service. Nothing was \
             sent.",
        "Check the host in the address. If it is right, the service's operator must add this name to the certificate.",
    ),
    (
        &["unknownissuer", "unknown issuer", "causedasendentity", "self-signed", "self signed"],
        "The certificate was issued by an authority that this machine does not trust. Nothing was sent.",
        "On a company network, add its root certificate to this machine. Otherwise be careful: the connection may be \
             intercepted.",
    ),
    (
        &["revoked"],
        "The certificate was revoked. Nothing was sent.",
        "The service's operator must get a new one. Do not bypass this.",
    ),
    (
        &["invalidcontenttype", "corrupt message", "wrong version number"],
        "The server does not speak TLS, although the address uses https. Nothing was sent.",
        "Check the port in the address: https usually uses 443.",
    ),
    (
        &["certificate", "tls", "handshake", "fatal alert", "peer is incompatible", "peer misbehaved"],
        "The encrypted connection (TLS) could not be established. Nothing was sent.",
        "Check the address and its port, and whether a proxy intercepts TLS. The message above helps the service's \
             operator.",
    ),
    (
        &["lookup", "dns", "resolve", "name or service not known", "nodename nor servname"],
        "The name in the address cannot be resolved: it is misspelt, or DNS does not work here.",
        "Check the spelling of the host, and whether this machine is online and its VPN is on.",
    ),
    (
        &["connection refused"],
        "The machine was reached, but nothing listens on that port.",
        "Check the port in the address, and whether the service runs.",
    ),
    (
        &["no connection within", "timed out", "timeout"],
        "The machine did not answer at all: it is off, or a firewall drops the packets.",
        "Check the address, the network, VPN and proxy.",
    ),
    (
        &["unreachable", "no route"],
        "This machine has no route to that machine.",
        "Check whether this machine is online, and whether the address needs a VPN or IPv6.",
    ),
    (
        &["proxy", "tunnel"],
        "The configured proxy did not let the request through.",
        "Check HTTPS_PROXY and NO_PROXY in the environment.",
    ),
];

fn not_sent(why: &str) -> Explanation {
    let why = why.to_ascii_lowercase();
    let known = NOT_SENT.iter().find(|(words, ..)| words.iter().any(|word| why.contains(word)));
    let unknown = explained(
        "No connection could be made. Nothing was sent.",
        "Check the address, and whether this machine is online.",
    );
    known.map_or(unknown, |(_, means, todo)| explained(means, todo))
}

/// What a status other than success means. Those that the API description does not mention have their general meaning
/// (RFC 9110).
const fn refused(status: u16) -> Explanation {
    match status {
        300..=399 => explained(
            "The service redirects to another address. That is not followed, so the key is not sent to another host.",
            "If you trust the other address, put it into the profile.",
        ),
        401 => explained(
            "The service requires an API key. It is missing, wrong, expired or revoked. Nothing was changed.",
            "Enter another key; until then no more requests are sent. The service's operator can create one: petstore keys \
             create.",
        ),
        403 => explained(
            "The key is valid but lacks the permission for this: it may be read-only. Nothing was changed.",
            "Ask the service's operator for a key with this permission, and enter it.",
        ),
        404 => explained(
            "Nothing was found at that address: the pet does not exist, or the path of the service is wrong.",
            "If lists fail too, check that the address ends in /v1. If only one pet is missing, check its id.",
        ),
        405 | 501 => explained(
            "The service does not offer this operation.",
            "Looking up a pet by its id is deprecated and may have been removed: search the lists instead.",
        ),
        406 | 415 => explained(
            "The service does not accept or return JSON here.",
            "Check that the address belongs to a Petstore Animals API.",
        ),
        408 => explained("The service waited too long for the request.", "Try again; the network may be slow."),
        409 => explained(
            "The same pet is being added right now, or another request has used the same Idempotency-Key.",
            "Wait a moment, then check the list for the pet before you send it again.",
        ),
        410 => explained("It was removed permanently.", "Request something else: it will not come back."),
        412 | 428 => explained("The data has changed since it was read.", "Refresh the rows, then try again."),
        413 | 414 | 431 => {
            explained("The request is too large for the service.", "Shorten the text, or request fewer rows.")
        }
        400 | 422 => explained(
            "The service did not accept a value in the request. Nothing was changed, and sending it unchanged fails again.",
            "Correct what the message names, then send it again.",
        ),
        429 => explained(
            "Too many requests: the service limits its rate. Nothing was changed.",
            "Wait as long as the service asks. Refreshing less often (A) and fewer rows help.",
        ),
        502..=504 => explained(
            "A proxy before the service answered: the service is down, restarting or overloaded. A pet that was sent may \
             have been added.",
            "Wait; this is usually short. If you sent a pet, check the list for it before you send it again.",
        ),
        500..=599 => explained(
            "The service had an internal error. A pet that was sent may still have been added.",
            "Try again later. If it happens again, its operator must fix it; x-request-id in the answer helps them.",
        ),
        400..=499 => explained(
            "The service does not accept the request. Nothing was changed.",
            "Its message above may explain why.",
        ),
        _ => {
            explained("The answer is not valid HTTP for this request.", "Check the address: it may be another service.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remedy_is_one_that_helps() {
        let refused = |status, retry_after: Option<u64>| {
            let failure = Failure::refused(status, Err(""), retry_after.map(RetryAfter::Seconds));
            (failure.remedy(), failure.may_pass())
        };
        // Waiting does not make the key valid.
        assert_eq!(refused(401, Some(5)), (Remedy::EnterKey, false));
        assert_eq!(refused(404, Some(5)), (Remedy::Wait(5), false));
        assert_eq!(refused(429, Some(5)), (Remedy::Wait(5), true));
        assert_eq!((refused(408, None), refused(503, None)), ((Remedy::TryLater, true), (Remedy::TryLater, true)));
        // An operation that the service does not offer is not retried automatically.
        assert_eq!(refused(501, None), (Remedy::TryLater, false));
    }

    fn unsent(why: &str) -> &'static str {
        explain(&Failure::NotSent { why: why.into() }).means
    }

    /// As the TLS library writes it.
    fn certificate(error: rustls::CertificateError) -> &'static str {
        unsent(&rustls::Error::InvalidCertificate(error).to_string())
    }

    #[test]
    fn errors_of_certificates_are_distinguished_by_the_messages_of_the_library() {
        use rustls::CertificateError as E;
        use rustls::pki_types::{ServerName, UnixTime};
        let at = |seconds| UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let expected = ServerName::try_from("shop.example").unwrap();
        let presented = vec!["other.example".to_owned()];
        for (error, means) in [
            (E::Expired, "has expired"),
            (E::ExpiredContext { time: at(9), not_after: at(5) }, "has expired"),
            (E::NotValidYet, "not valid yet"),
            (E::NotValidYetContext { time: at(5), not_before: at(9) }, "not valid yet"),
            (E::NotValidForName, "another name"),
            (E::NotValidForNameContext { expected: expected.clone(), presented }, "another name"),
            (E::NotValidForNameContext { expected, presented: Vec::new() }, "another name"),
            (E::UnknownIssuer, "does not trust"),
            (E::Revoked, "was revoked"),
            (E::BadSignature, "(TLS) could not be established"),
        ] {
            let text = certificate(error.clone());
            assert!(text.contains(means), "{error:?}: {text}");
        }
    }

    #[test]
    fn reasons_why_nothing_was_sent_are_distinguished() {
        for (why, means) in [
            ("Connection refused (os error 111)", "nothing listens"),
            ("failed to lookup address information: Name or service not known", "cannot be resolved"),
            ("no connection within 5 s", "did not answer at all"),
            ("Network is unreachable (os error 101)", "no route to that machine"),
            ("received corrupt message of type InvalidContentType", "does not speak TLS"),
            ("something new", "No connection could be made"),
        ] {
            assert!(unsent(why).contains(means), "{why}: {}", unsent(why));
        }
    }

    #[test]
    fn every_status_and_every_other_failure_is_explained() {
        let refused = |status| explain(&Failure::refused(status, Err(""), None));
        for (status, means) in [(401, "API key"), (404, "Nothing was found"), (422, "a value"), (503, "proxy before")] {
            assert!(refused(status).means.contains(means), "{status}");
        }
        assert_eq!(refused(400), refused(422));
        let page = Failure::Malformed { why: "expected a list".into(), excerpt: " <html>".into() };
        assert!(explain(&page).means.contains("web page"));
        for failure in [
            Failure::NotStarted { why: String::new() },
            Failure::NotOverSsh,
            Failure::NoAnswer { after: Duration::ZERO },
            Failure::Broken { why: String::new() },
            Failure::Malformed { why: String::new(), excerpt: "{}".into() },
            Failure::Busy,
            Failure::Crashed { why: String::new() },
        ] {
            let Explanation { means, todo } = explain(&failure);
            assert!(means.ends_with('.') && todo.ends_with('.'), "{failure:?}");
        }
        for status in 0..=999 {
            assert!(refused(status).todo.ends_with('.'), "{status}");
        }
    }
}
