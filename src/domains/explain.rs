//! From a code of the catalogue, or a message of a browser or of curl, to causes and cures.

use strsim::osa_distance;

use super::catalogue::Code;

/// Messages of browsers and tools, in lower case, with their possible causes, the likeliest first. The first entry that
/// is contained in a message counts, so longer ones come before shorter ones.
const MESSAGES: &[(&[&str], &[Code])] = &[
    // Sentences of Let's Encrypt, and the problem types of ACME (RFC 8555 section 6.7).
    (
        &["looking up caa", "query timed out looking up caa"],
        &[Code::CaaLookupFailed, Code::DnssecBogus, Code::ServfailAll, Code::NsSilent],
    ),
    (&["caa record for", "prevents issuance", "acme:error:caa"], &[Code::CaaBlocked, Code::CaaEmpty, Code::CaaMethod]),
    (
        &["too many certificates", "too many failed authorizations", "too many new orders", "ratelimited"],
        &[Code::CaRateLimit],
    ),
    (
        &["no valid ip addresses found", "no valid a records found", "nxdomain looking up"],
        &[Code::DnsMissing, Code::DnsNodata, Code::NegWait, Code::NotDelegated],
    ),
    (
        &["during secondary validation", "multi-perspective", "secondary validation"],
        &[Code::CaElsewhere, Code::DnssecBogus, Code::ServfailAll],
    ),
    (
        &["servfail looking up", "acme:error:dns"],
        &[Code::DnssecBogus, Code::ServfailAll, Code::NsSilent, Code::LameAll],
    ),
    (
        &["likely firewall problem", "error getting validation data", "acme:error:connection"],
        &[Code::HttpPort80, Code::TlsRefused, Code::TlsTimeout, Code::DnsAaaaLeft],
    ),
    (
        &["invalid response from http", "acme:error:unauthorized", "key authorization file"],
        &[Code::AcmeBlocked, Code::Http404Project, Code::DnsAaaaLeft, Code::DnsWrongTarget],
    ),
    (&["acme:error:incorrectresponse"], &[Code::AcmeBlocked, Code::DnsWrongTarget]),
    (&["acme:error:tls"], &[Code::TlsReset, Code::TlsVersion, Code::TlsNotTls]),
    (&["rejectedidentifier", "does not end with a valid public suffix"], &[Code::InReserved, Code::InUnknownTld]),
    (&["acme:error:unsupportedidentifier"], &[Code::InIp, Code::InWildcard]),
    // Cloudflare's numbers.
    (&["error 1000", "dns points to prohibited ip"], &[Code::ProxyCloudflare, Code::DnsPrivate]),
    (&["error 1001", "dns resolution error"], &[Code::ProxyCloudflare, Code::DnsTargetGone, Code::DnsMissing]),
    (&["error 1014", "cname cross-user banned"], &[Code::ProxyCloudflare]),
    (&["error 1016", "origin dns error"], &[Code::ProxyCloudflare, Code::DnsTargetGone]),
    (&["error 520", "unknown error"], &[Code::ProxyCloudflare, Code::Http5xx]),
    (&["error 521", "web server is down"], &[Code::ProxyCloudflare, Code::TlsRefused]),
    (&["error 522", "error 524"], &[Code::ProxyCloudflare, Code::TlsTimeout]),
    (&["error 523", "origin is unreachable"], &[Code::ProxyCloudflare, Code::DnsTargetGone, Code::DnsPrivate]),
    // Forms of DNS providers and dashboards.
    (
        &["not permitted at apex", "cname at the root", "cname at the apex", "cname on the root"],
        &[Code::ApexCname, Code::InApex],
    ),
    (
        &["in use by another", "added to another", "assigned to another", "domain is already in use", "already taken"],
        &[Code::HttpTaken],
    ),
    (
        &["already exists", "conflicts with", "cname conflict", "conflicting record", "duplicate record"],
        &[Code::DnsCnameAndOther, Code::DnsABlocks, Code::DnsAaaaLeft, Code::DnsMultiCname],
    ),
    // Certificates, as browsers and tools name what is wrong with them.
    (&["certificate_transparency", "certificate transparency"], &[Code::TlsUnlogged]),
    (
        &[
            "weak_key",
            "weak_server_key",
            "weak_signature",
            "inadequate_key_size",
            "sec_error_invalid_key",
            "signature_algorithm_disabled",
            "key too small",
            "key too weak",
            "weak key",
        ],
        &[Code::TlsWeak],
    ),
    (&["err_ech_", "ssl_error_ech", "encrypted client hello"], &[Code::DnsHttpsElsewhere]),
    (&["expired_issuer_certificate", "not_yet_valid_issuer_certificate"], &[Code::TlsChain]),
    (&["err_cert_validity_too_long"], &[Code::TlsLong]),
    (
        &[
            "err_ssl_obsolete_version",
            "ssl_error_unsupported_version",
            "tlsv1 alert protocol version",
            "unsupported protocol",
        ],
        &[Code::TlsVersion],
    ),
    (
        &["mozilla_pkix_error_additional_policy", "sec_error_untrusted_issuer", "sec_error_ca_cert_invalid"],
        &[Code::TlsUnknownCa],
    ),
    (
        &["mozilla_pkix_error_empty_issuer_name", "err_cert_invalid", "sec_error_bad_der"],
        &[Code::TlsNotTls, Code::TlsNoSan],
    ),
    (&["err_cert_known_interception_blocked"], &[Code::TlsIntercept]),
    (&["err_ssl_pinned_key_not_in_cert_chain", "mozilla_pkix_error_key_pinning_failure"], &[Code::TlsIntercept]),
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
    (&["sec_error_expired", "certificate has expired", "err_cert_revoked", "revoked"], &[Code::TlsExpired]),
    (&["unrecognized_name", "tlsv1 unrecognized name"], &[Code::TlsAlert]),
    (
        &[
            "err_ssl_version_or_cipher_mismatch",
            "ssl_error_no_cypher_overlap",
            "sslv3 alert handshake failure",
            "handshake_failure",
        ],
        &[Code::TlsAlert, Code::TlsVersion, Code::TlsNotTls],
    ),
    (
        &["can't establish a secure connection", "secure connection failed"],
        &[Code::TlsAlert, Code::TlsPending, Code::TlsVersion, Code::TlsNotTls],
    ),
    (&["sec_error_", "mozilla_pkix_error_"], &[Code::TlsUnknownCa, Code::TlsChain, Code::TlsWrongName]),
    (&["err_ssl_protocol_error"], &[Code::TlsNotTls, Code::TlsAlert]),
    (&["ssl_error_rx_record_too_long", "wrong version number"], &[Code::TlsNotTls]),
    (
        &[
            "pr_connect_reset_error",
            "pr_end_of_file_error",
            "err_connection_reset",
            "err_connection_closed",
            "connection reset by peer",
            "err_empty_response",
            "ns_error_net_reset",
            "ssl_error_internal_error_alert",
            "empty reply from server",
            "unexpectedly dropped the connection",
        ],
        &[Code::TlsReset],
    ),
    (
        &["err_connection_refused", "connection refused", "ns_error_connection_refused", "can't connect to the server"],
        &[Code::TlsRefused, Code::HttpPort80],
    ),
    (
        &[
            "err_connection_timed_out",
            "err_timed_out",
            "connection timed out",
            "ns_error_net_timeout",
            "isn't responding",
        ],
        &[Code::TlsTimeout, Code::HttpPort80],
    ),
    (&["err_address_unreachable", "no route to host"], &[Code::DnsPrivate, Code::V6Untested]),
    (&["dns_probe_finished_no_internet", "err_internet_disconnected"], &[Code::Offline]),
    (&["dns_probe"], &[Code::DnsMissing, Code::NegWait, Code::NotDelegated]),
    (
        &["err_name_not_resolved", "could not resolve host", "ns_error_unknown_host", "err_icann_name_collision"],
        &[Code::DnsMissing, Code::NegWait, Code::NotDelegated, Code::DnssecBogus],
    ),
    (
        &["server not found", "server ip address could not be found", "can't find the server", "nxdomain"],
        &[Code::DnsMissing, Code::NegWait, Code::NotDelegated],
    ),
    (&["servfail"], &[Code::DnssecBogus, Code::ServfailAll, Code::LameAll, Code::DnsLoop]),
    (
        &[
            "err_too_many_redirects",
            "ns_error_redirect_loop",
            "redirected you too many times",
            "too many redirects occurred",
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
    // Cloudflare's pages say "Error 520", and without HTML "error code: 520".
    let lower = text.to_lowercase().replace('\u{2019}', "'").replace("error code: ", "error ");
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
            ("DNS problem: SERVFAIL looking up CAA for docs.acme.com", Code::CaaLookupFailed),
            ("DNS problem: NXDOMAIN looking up A for docs.acme.com", Code::DnsMissing),
            ("DNS problem: SERVFAIL looking up A for docs.acme.com", Code::DnssecBogus),
            ("CAA record for acme.com prevents issuance", Code::CaaBlocked),
            ("urn:ietf:params:acme:error:rateLimited :: too many certificates already issued", Code::CaRateLimit),
            ("urn:ietf:params:acme:error:connection", Code::HttpPort80),
            ("During secondary validation: DNS problem: query timed out looking up A", Code::CaElsewhere),
            ("192.0.2.1: Timeout during connect (likely firewall problem)", Code::HttpPort80),
            ("urn:ietf:params:acme:error:unauthorized", Code::AcmeBlocked),
            ("urn:ietf:params:acme:error:rejectedIdentifier", Code::InReserved),
            ("Error 520: Web server is returning an unknown error", Code::ProxyCloudflare),
            ("Error 1014: CNAME Cross-User Banned", Code::ProxyCloudflare),
            ("NET::ERR_CERT_VALIDITY_TOO_LONG", Code::TlsLong),
            ("SSL_ERROR_UNSUPPORTED_VERSION", Code::TlsVersion),
            ("NS_ERROR_UNKNOWN_HOST", Code::DnsMissing),
            ("NS_ERROR_CONNECTION_REFUSED", Code::TlsRefused),
            ("81053: An A, AAAA, or CNAME record with that host already exists.", Code::DnsCnameAndOther),
            ("RRSet of type CNAME is not permitted as it conflicts with other records", Code::DnsCnameAndOther),
            ("RRSet of type CNAME with DNS name acme.com. is not permitted at apex in zone acme.com.", Code::ApexCname),
            ("This domain is already in use by another project", Code::HttpTaken),
            ("NET::ERR_CERT_WEAK_KEY", Code::TlsWeak),
            ("MOZILLA_PKIX_ERROR_INADEQUATE_KEY_SIZE", Code::TlsWeak),
            ("curl: (60) SSL certificate problem: EE certificate key too weak", Code::TlsWeak),
            ("ERR_ECH_FALLBACK_CERTIFICATE_INVALID", Code::DnsHttpsElsewhere),
            ("NET::ERR_CERTIFICATE_TRANSPARENCY_REQUIRED", Code::TlsUnlogged),
            ("MOZILLA_PKIX_ERROR_INSUFFICIENT_CERTIFICATE_TRANSPARENCY", Code::TlsUnlogged),
            ("Safari can’t establish a secure connection to the server", Code::TlsAlert),
            ("This Connection Is Not Private", Code::TlsPending),
            ("Safari Can’t Find the Server", Code::DnsMissing),
            ("Safari can’t open the page. Too many redirects occurred", Code::RdLoop),
            ("the server unexpectedly dropped the connection", Code::TlsReset),
            ("Error code: SEC_ERROR_UNKNOWN_ISSUER", Code::TlsChain),
            ("Error code: SSL_ERROR_BAD_CERT_DOMAIN", Code::TlsPending),
            ("Error code: SEC_ERROR_EXPIRED_CERTIFICATE", Code::TlsExpired),
            ("Error code: SEC_ERROR_EXPIRED_ISSUER_CERTIFICATE", Code::TlsChain),
            ("MOZILLA_PKIX_ERROR_NOT_YET_VALID_CERTIFICATE", Code::TlsFuture),
            ("MOZILLA_PKIX_ERROR_V1_CERT_USED_AS_CA", Code::TlsUnknownCa),
            ("Secure Connection Failed: SSL_ERROR_HANDSHAKE_FAILURE_ALERT", Code::TlsAlert),
        ] {
            assert_eq!(causes(message).first(), Some(&first), "{message}");
        }
        assert_eq!(causes("hello"), []);
    }

    #[test]
    fn a_revoked_certificate_is_issued_again_by_re_verify() {
        for message in [
            "NET::ERR_CERT_REVOKED",
            "Error code: SEC_ERROR_REVOKED_CERTIFICATE",
            "Peer’s Certificate has been revoked.",
            "This Connection Is Not Private: the certificate for this website was revoked",
            "curl: (60) schannel: CertGetCertificateChain trust error CERT_TRUST_IS_REVOKED",
            "sslv3 alert certificate revoked",
        ] {
            let causes = causes(message);
            assert_eq!(causes, [Code::TlsExpired], "{message}");
            assert!(causes[0].cause().contains("revoked"), "{}", causes[0].cause());
            assert!(causes[0].cure().ends_with("choose Re-verify in the dashboard."), "{}", causes[0].cure());
        }
        assert_eq!(nearest("ERR_CERT_REVOKD"), Some("err_cert_revoked"));
    }

    #[test]
    fn cloudflares_numbers_and_the_problem_types_of_acme_are_known() {
        for number in (520..=526).chain([1000, 1001, 1014, 1016]) {
            assert_eq!(causes(&format!("Error {number}")).first(), Some(&Code::ProxyCloudflare), "{number}");
            assert!(!causes(&format!("error code: {number}")).is_empty(), "{number}");
        }
        for problem in ["caa", "connection", "dns", "incorrectResponse", "rateLimited", "rejectedIdentifier", "tls"] {
            assert!(!causes(&format!("urn:ietf:params:acme:error:{problem}")).is_empty(), "{problem}");
        }
    }

    #[test]
    fn a_typing_mistake_is_taken_for_what_was_meant() {
        assert_eq!(nearest("DNS-A-BLOKS"), Some("DNS-A-BLOCKS"));
        assert_eq!(nearest("ERR_CERT_COMON_NAME_INVALID"), Some("err_cert_common_name_invalid"));
        assert_eq!(nearest("hello world"), None);
    }
}
