//! From a code of the catalogue, or a message of a browser or of curl, to causes and cures.

use strsim::osa_distance;

use super::catalogue::Code;

/// Messages of browsers and tools, in lower case, with their possible causes, the likeliest first. The first entry that
/// is contained in a message counts, so longer ones come before shorter ones.
const MESSAGES: &[(&[&str], &[Code])] = &[
    (
        &["err_cert_common_name_invalid", "ssl_error_bad_cert_domain", "no alternative certificate subject name"],
        &[Code::TlsPending, Code::TlsWrongName, Code::TlsNoSan],
    ),
    (&["mozilla_pkix_error_self_signed_cert"], &[Code::TlsSelf]),
    (&["self-signed certificate in certificate chain"], &[Code::TlsIntercept, Code::TlsUnknownCa]),
    (&["self-signed certificate", "self signed certificate"], &[Code::TlsSelf]),
    (
        &["err_cert_authority_invalid"],
        &[Code::TlsSelf, Code::TlsStaging, Code::TlsChain, Code::TlsUnknownCa, Code::TlsIntercept],
    ),
    (
        &["sec_error_unknown_issuer"],
        &[Code::TlsChain, Code::TlsSelf, Code::TlsStaging, Code::TlsUnknownCa, Code::TlsIntercept],
    ),
    (&["unable to get local issuer certificate"], &[Code::TlsChain, Code::TlsUnknownCa, Code::TlsIntercept]),
    (&["mozilla_pkix_error_mitm_detected"], &[Code::TlsIntercept]),
    (&["mozilla_pkix_error_not_yet_valid", "certificate is not yet valid"], &[Code::TlsFuture]),
    (&["err_cert_date_invalid"], &[Code::TlsExpired, Code::TlsFuture]),
    (&["sec_error_expired", "certificate has expired"], &[Code::TlsExpired]),
    (&["err_cert_revoked", "sec_error_revoked_certificate"], &[Code::TlsRevoked]),
    (&["unrecognized_name"], &[Code::TlsAlert]),
    (&["err_ssl_version_or_cipher_mismatch", "ssl_error_no_cypher_overlap"], &[Code::TlsAlert, Code::TlsNotTls]),
    (&["sslv3 alert handshake failure"], &[Code::TlsAlert]),
    (&["err_ssl_protocol_error"], &[Code::TlsNotTls, Code::TlsAlert]),
    (&["ssl_error_rx_record_too_long", "wrong version number"], &[Code::TlsNotTls]),
    (
        &[
            "pr_connect_reset_error",
            "pr_end_of_file_error",
            "err_connection_reset",
            "err_connection_closed",
            "connection reset by peer",
        ],
        &[Code::TlsReset],
    ),
    (&["err_connection_refused", "connection refused"], &[Code::TlsRefused]),
    (&["err_connection_timed_out", "connection timed out"], &[Code::TlsTimeout]),
    (&["dns_probe_finished_no_internet", "err_internet_disconnected"], &[Code::Offline]),
    (&["dns_probe"], &[Code::DnsMissing, Code::NegWait, Code::NotDelegated]),
    (
        &["err_name_not_resolved", "could not resolve host"],
        &[Code::DnsMissing, Code::NegWait, Code::NotDelegated, Code::DnssecBogus],
    ),
    (
        &["server not found", "server ip address could not be found", "nxdomain"],
        &[Code::DnsMissing, Code::NegWait, Code::NotDelegated],
    ),
    (&["servfail"], &[Code::DnssecBogus, Code::ServfailAll, Code::LameAll, Code::DnsLoop]),
    (
        &[
            "err_too_many_redirects",
            "redirected you too many times",
            "isn't redirecting properly",
            "maximum (50) redirects followed",
        ],
        &[Code::RdLoop, Code::RdTooMany],
    ),
    (&["error 525"], &[Code::ProxyCloudflare, Code::TlsAlert]),
    (&["error 526"], &[Code::ProxyCloudflare, Code::TlsExpired, Code::TlsWrongName]),
    (&["dnssec"], &[Code::DnssecBogus, Code::DsWait]),
    // The words above which browsers put the code.
    (&["site can't be reached"], &[Code::DnsMissing, Code::NegWait, Code::TlsRefused, Code::TlsTimeout]),
    (&["hsts"], &[Code::HstsNote, Code::TlsPending]),
    (
        &["connection is not private", "potential security risk"],
        &[Code::TlsPending, Code::TlsOld, Code::TlsWrongName, Code::TlsExpired],
    ),
    (&["not secure"], &[Code::TlsPending, Code::HttpNoUpgrade]),
    (&["404"], &[Code::Http404Project]),
];

/// The possible causes of a code or a message, the likeliest first; empty if unknown.
pub fn causes(text: &str) -> Vec<Code> {
    if let Ok(code) = text.trim().parse() {
        return vec![code];
    }
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    let known = MESSAGES.iter().find(|(messages, _)| messages.iter().any(|message| lower.contains(message)));
    known.map(|(_, codes)| codes.to_vec()).unwrap_or_default()
}

/// The closest code or message to a misspelled one.
pub fn nearest(text: &str) -> Option<&'static str> {
    let lower = text.trim().to_lowercase();
    let codes = Code::ALL.iter().map(|code| (code.as_str(), osa_distance(&lower, &code.as_str().to_lowercase())));
    let messages = MESSAGES.iter().flat_map(|(messages, _)| *messages);
    let messages = messages.map(|message| (*message, osa_distance(&lower, message)));
    codes
        .chain(messages)
        .filter(|(word, apart)| *apart <= word.len() / 4)
        .min_by_key(|(_, apart)| *apart)
        .map(|(word, _)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_itself_and_a_message_leads_to_what_is_behind_it() {
        assert_eq!(causes("dns-a-blocks"), [Code::DnsABlocks]);
        for (message, first) in [
            ("NET::ERR_CERT_COMMON_NAME_INVALID", Code::TlsPending),
            ("Your connection isn’t private? NET::ERR_CERT_AUTHORITY_INVALID", Code::TlsSelf),
            ("ERR_CERT_DATE_INVALID", Code::TlsExpired),
            ("ERR_SSL_UNRECOGNIZED_NAME_ALERT", Code::TlsAlert),
            ("SSL_ERROR_UNRECOGNIZED_NAME_ALERT", Code::TlsAlert),
            ("ERR_TOO_MANY_REDIRECTS", Code::RdLoop),
            ("DNS_PROBE_FINISHED_NXDOMAIN", Code::DnsMissing),
            ("curl: (60) SSL: no alternative certificate subject name matches target host name 'x'", Code::TlsPending),
            ("Your connection is not private", Code::TlsPending),
            ("The page isn’t redirecting properly", Code::RdLoop),
        ] {
            assert_eq!(causes(message).first(), Some(&first), "{message}");
        }
        assert_eq!(causes("hello"), []);
    }

    #[test]
    fn a_typing_mistake_is_taken_for_what_was_meant() {
        assert_eq!(nearest("DNS-A-BLOKS"), Some("DNS-A-BLOCKS"));
        assert_eq!(nearest("ERR_CERT_COMON_NAME_INVALID"), Some("err_cert_common_name_invalid"));
        assert_eq!(nearest("hello world"), None);
    }
}
