//! What a failure means and what to do about it, in plain words, in addition to its own message.

use super::Failure;

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

/// Why no request went out, by the words of the system, of the resolver and of the TLS library.
fn not_sent(why: &str) -> Explanation {
    let why = why.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| why.contains(word));
    if says(&["certificate expired", "certificate: expired"]) {
        explained(
            "The service's certificate has expired, so it cannot prove its identity. Nothing was sent.",
            "Check this machine's clock. If it is right, the service's operator must renew the certificate.",
        )
    } else if says(&["not valid yet", "notvalidyet"]) {
        explained(
            "The service's certificate is not valid yet. Nothing was sent.",
            "Check this machine's clock; it is usually wrong. Otherwise the certificate was issued for a later time.",
        )
    } else if says(&["not valid for name", "notvalidforname", "not valid for any names"]) {
        explained(
            "The certificate is for another name than the one in the address: this may be another service. Nothing was \
             sent.",
            "Check the host in the address. If it is right, the service's operator must add this name to the certificate.",
        )
    } else if says(&["unknownissuer", "unknown issuer", "causedasendentity", "self-signed", "self signed"]) {
        explained(
            "The certificate was issued by an authority that this machine does not trust. Nothing was sent.",
            "On a company network, add its root certificate to this machine. Otherwise be careful: the connection may be \
             intercepted.",
        )
    } else if says(&["revoked"]) {
        explained(
            "The certificate was revoked. Nothing was sent.",
            "The service's operator must get a new one. Do not bypass this.",
        )
    } else if says(&["invalidcontenttype", "corrupt message", "wrong version number"]) {
        explained(
            "The server does not speak TLS, although the address uses https. Nothing was sent.",
            "Check the port in the address: https usually uses 443.",
        )
    } else if says(&["certificate", "tls", "handshake", "fatal alert", "peer is incompatible", "peer misbehaved"]) {
        explained(
            "The encrypted connection (TLS) could not be established. Nothing was sent.",
            "Check the address and its port, and whether a proxy intercepts TLS. The message above helps the service's \
             operator.",
        )
    } else if says(&["lookup", "dns", "resolve", "name or service not known", "nodename nor servname"]) {
        explained(
            "The name in the address cannot be resolved: it is misspelt, or DNS does not work here.",
            "Check the spelling of the host, and whether this machine is online and its VPN is on.",
        )
    } else if says(&["connection refused"]) {
        explained(
            "The machine was reached, but nothing listens on that port.",
            "Check the port in the address, and whether the service runs.",
        )
    } else if says(&["no connection within", "timed out", "timeout"]) {
        explained(
            "The machine did not answer at all: it is off, or a firewall drops the packets.",
            "Check the address, the network, VPN and proxy.",
        )
    } else if says(&["unreachable", "no route"]) {
        explained(
            "There is no route to that machine.",
            "Check whether this machine is online, and whether the address needs a VPN or IPv6.",
        )
    } else if says(&["proxy", "tunnel"]) {
        explained(
            "The configured proxy did not let the request through.",
            "Check HTTPS_PROXY and NO_PROXY in the environment.",
        )
    } else {
        explained(
            "No connection could be made. Nothing was sent.",
            "Check the address, and whether this machine is online.",
        )
    }
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
        let at = |seconds| UnixTime::since_unix_epoch(std::time::Duration::from_secs(seconds));
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
        let refused = |status| {
            let message = String::new();
            explain(&Failure::Refused { status, code: None, message, retry_after: None })
        };
        for (status, means) in [(401, "API key"), (404, "Nothing was found"), (422, "a value"), (503, "proxy before")] {
            assert!(refused(status).means.contains(means), "{status}");
        }
        assert_eq!(refused(400), refused(422));
        let page = Failure::Malformed { why: "expected a list".into(), excerpt: " <html>".into() };
        assert!(explain(&page).means.contains("web page"));
        for failure in [
            Failure::NotStarted { why: String::new() },
            Failure::NotOverSsh,
            Failure::NoAnswer { after: std::time::Duration::ZERO },
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
