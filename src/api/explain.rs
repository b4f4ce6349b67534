//! What a failure means and what to do about it, in plain words: beside what it says of itself, for those who meet it
//! for the first time.

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
            "The service inside this program, or what asks another one, did not start. Nothing was sent.",
            "Mend what it names: often a file that cannot be opened, or a full disk. Then start petstore again.",
        ),
        Failure::NoAnswer { .. } => explained(
            "The service was reached, but its answer did not come in time. Reading changes nothing; an animal that \
             was sent may have been added.",
            "Wait and ask again. If it stays so, the service has too much to do, or something on the way holds answers \
             back.",
        ),
        Failure::Broken { .. } => explained(
            "The connection ended before the answer was whole: the service or something on the way closed it. Reading \
             changes nothing; an animal that was sent may have been added.",
            "Ask again. If it happens each time, look whether the service stops at this request, and at a proxy or VPN \
             on the way.",
        ),
        Failure::Refused { status, .. } => refused(*status),
        Failure::Malformed { excerpt, .. } if excerpt.trim_start().starts_with('<') => explained(
            "A web page came where JSON was promised: something else than the service answers at this address.",
            "Check that the address ends as the service's description says, mostly in /v1, and whether this network \
             asks for a login in a browser first.",
        ),
        Failure::Malformed { .. } => explained(
            "The service answered with success, but not with what its description promises.",
            "Check the address: it may be another service, or another version of it. Otherwise its operator must mend \
             it; the request and its answer tell them what came.",
        ),
        Failure::Busy => explained(
            "More was asked for at once than this program can take.",
            "Nothing is lost: try again in a moment.",
        ),
        Failure::Crashed { .. } => explained(
            "A part of this program stopped by a mistake in it. Everything else goes on.",
            "Try again. If it happens again, report it with the words above.",
        ),
    }
}

/// Why no request went out, by the words of the system, of the resolver and of the TLS library.
fn not_sent(why: &str) -> Explanation {
    let why = why.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| why.contains(word));
    if says(&["certificate expired", "certificate: expired"]) {
        explained(
            "The service's certificate has expired, so that it cannot prove that it is the right one. Nothing was sent.",
            "Check this machine's clock. If it is right, the service's operator must renew the certificate.",
        )
    } else if says(&["not valid yet", "notvalidyet"]) {
        explained(
            "The service's certificate is not valid yet. Nothing was sent.",
            "Most often this machine's clock is wrong: check it. Otherwise the certificate was issued for a later time.",
        )
    } else if says(&["not valid for name", "notvalidforname", "not valid for any names"]) {
        explained(
            "The certificate is for another name than the one in the address: this may be another service. Nothing was \
             sent.",
            "Check the host in the address. If it is right, the service's operator must put this name into the \
             certificate.",
        )
    } else if says(&["unknownissuer", "unknown issuer", "causedasendentity", "self-signed", "self signed"]) {
        explained(
            "The certificate was issued by an authority that this machine does not trust. Nothing was sent.",
            "On a company's network, add its root certificate to this machine. Otherwise be careful: somebody may be \
             between you and the service.",
        )
    } else if says(&["revoked"]) {
        explained(
            "The certificate was withdrawn by its authority. Nothing was sent.",
            "The service's operator must get a new one. Do not go around it.",
        )
    } else if says(&["invalidcontenttype", "corrupt message", "wrong version number"]) {
        explained(
            "What answers there does not speak TLS, though the address says https. Nothing was sent.",
            "Check the port in the address: https is mostly on 443.",
        )
    } else if says(&["certificate", "tls", "handshake", "fatal alert", "peer is incompatible", "peer misbehaved"]) {
        explained(
            "The encrypted connection (TLS) could not be agreed on. Nothing was sent.",
            "Check the address and its port, and whether something on the way opens TLS connections. The words above \
             help the service's operator.",
        )
    } else if says(&["lookup", "dns", "resolve", "name or service not known", "nodename nor servname"]) {
        explained(
            "The name in the address leads to no machine: it is misspelt, or names cannot be looked up here.",
            "Check the spelling of the host, and whether this machine is online; inside a company, whether its VPN is \
             on.",
        )
    } else if says(&["connection refused"]) {
        explained(
            "The machine was reached, but nothing listens at that port.",
            "Check the port in the address, and whether the service runs.",
        )
    } else if says(&["no connection within", "timed out", "timeout"]) {
        explained(
            "The machine did not answer at all: it is off, or a firewall drops what is sent to it.",
            "Check the address and the network, with VPN and proxy.",
        )
    } else if says(&["unreachable", "no route"]) {
        explained(
            "There is no way to that machine from here.",
            "Check whether this machine is online, and whether the address needs a VPN or IPv6.",
        )
    } else if says(&["proxy", "tunnel"]) {
        explained(
            "The proxy that this machine is set to use did not let the request through.",
            "Check HTTPS_PROXY and NO_PROXY in the environment.",
        )
    } else {
        explained(
            "No connection could be made. Nothing was sent.",
            "Check the address, and whether this machine is online.",
        )
    }
}

/// What a status says that is no success. Those that the service's description does not mention mean what they mean
/// everywhere (RFC 9110).
const fn refused(status: u16) -> Explanation {
    match status {
        300..=399 => explained(
            "The service sends elsewhere. It is not followed, so that the key goes to no other host.",
            "Put the address that it leads to into the profile, if you trust it.",
        ),
        401 => explained(
            "The service wants an API key, and this one is missing, wrong, expired or withdrawn. Nothing was changed.",
            "Enter another key. Nothing is asked again before that. Whoever runs the service can make one: petstore \
             keys create.",
        ),
        403 => explained(
            "The key is known, but may not do this: it may be one for reading only. Nothing was changed.",
            "Ask whoever runs the service for a key that may, and enter it.",
        ),
        404 => explained(
            "There is nothing at that address: the animal does not exist, or the path of the service is wrong.",
            "If lists fail too, check that the address ends in /v1. If only one animal is missing, check its id.",
        ),
        405 | 501 => explained(
            "The service does not offer this operation.",
            "Looking up one animal by its id is deprecated and may be gone: search the lists instead.",
        ),
        406 | 415 => explained(
            "The service does not take or give JSON in this way.",
            "Check that the address is that of the Petstore Animals API.",
        ),
        408 => explained("The service waited too long for the request.", "Ask again; the network may be slow."),
        409 => explained(
            "The same addition is being carried out, or another one has used its key.",
            "Wait a moment, then look for the animal in the list before you send it again.",
        ),
        410 => explained("What was asked for is gone for good.", "Ask for something else: it does not come back."),
        412 | 428 => explained(
            "What the request was based on has changed meanwhile.",
            "Ask for the rows again, then do it once more.",
        ),
        413 | 414 | 431 => {
            explained("The service finds the request too large.", "Make the text shorter, or ask for less at once.")
        }
        400 | 422 => explained(
            "The service did not accept a value in the request. Nothing was changed, and sending the same again gives \
             the same.",
            "Correct what its message names, then send it again.",
        ),
        429 => explained(
            "More was asked than the service allows in this time. Nothing was changed.",
            "Wait as long as it says. Watching less often (A) and fewer rows help.",
        ),
        502..=504 => explained(
            "Something before the service answered in its place: it is down, restarts, or has too much to do. An animal \
             that was sent may have been added.",
            "Wait: it is mostly short. After an addition look for the animal in the list before you send it again.",
        ),
        500..=599 => explained(
            "The service made a mistake. An animal that was sent may have been added all the same.",
            "Ask again later. If it stays, its operator must mend it; x-request-id in the answer helps them.",
        ),
        400..=499 => explained(
            "The service does not accept the request as it is. Nothing was changed.",
            "Its message above may say why.",
        ),
        _ => explained(
            "The answer is none that HTTP has for this request.",
            "Check the address: it may be another service.",
        ),
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
    fn what_is_wrong_with_a_certificate_is_told_apart_by_the_words_of_the_library() {
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
            (E::Revoked, "withdrawn"),
            (E::BadSignature, "(TLS) could not be agreed on"),
        ] {
            let text = certificate(error.clone());
            assert!(text.contains(means), "{error:?}: {text}");
        }
    }

    #[test]
    fn why_nothing_was_sent_is_told_apart() {
        for (why, means) in [
            ("Connection refused (os error 111)", "nothing listens"),
            ("failed to lookup address information: Name or service not known", "leads to no machine"),
            ("no connection within 5 s", "did not answer at all"),
            ("Network is unreachable (os error 101)", "no way to that machine"),
            ("received corrupt message of type InvalidContentType", "does not speak TLS"),
            ("something new", "No connection could be made"),
        ] {
            assert!(unsent(why).contains(means), "{why}: {}", unsent(why));
        }
    }

    #[test]
    fn every_status_and_every_other_failure_has_its_words() {
        let refused = |status| {
            let message = String::new();
            explain(&Failure::Refused { status, code: None, message, retry_after: None })
        };
        for (status, means) in [(401, "API key"), (404, "nothing at that address"), (422, "a value"), (503, "before")] {
            assert!(refused(status).means.contains(means), "{status}");
        }
        assert_eq!(refused(400), refused(422));
        let page = Failure::Malformed { why: "expected a list".into(), excerpt: " <html>".into() };
        assert!(explain(&page).means.contains("web page"));
        for failure in [
            Failure::NotStarted { why: String::new() },
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
