//! From a code of the catalogue, or a message of a browser or of curl, to causes and cures.

use strsim::osa_distance;

use super::Code;

/// Messages of browsers and tools, in lower case, with the codes of their possible causes, the likeliest first. The
/// first line of which a part is contained in a message counts, so longer ones come before shorter ones.
const MESSAGES: &str = "\
# Sentences of Let's Encrypt, and the problem types of ACME (RFC 8555 section 6.7).
looking up caa | query timed out looking up caa = CAA-LOOKUP-FAILED DNSSEC-BOGUS SERVFAIL-ALL NS-SILENT
caa record for | prevents issuance | acme:error:caa = CAA-BLOCKED CAA-EMPTY CAA-METHOD
too many certificates | too many failed authorizations | too many new orders | ratelimited = CA-RATE-LIMIT
no valid ip addresses found | no valid a records found = DNS-MISSING DNS-NODATA NEG-WAIT NOT-DELEGATED
nxdomain looking up = DNS-MISSING DNS-NODATA NEG-WAIT NOT-DELEGATED
during secondary validation | multi-perspective | secondary validation = CA-ELSEWHERE DNSSEC-BOGUS SERVFAIL-ALL
servfail looking up | acme:error:dns = DNSSEC-BOGUS SERVFAIL-ALL NS-SILENT LAME-ALL
likely firewall problem | error getting validation data = HTTP-PORT-80 TLS-REFUSED TLS-TIMEOUT DNS-AAAA-LEFT
acme:error:connection = HTTP-PORT-80 TLS-REFUSED TLS-TIMEOUT DNS-AAAA-LEFT
invalid response from http | acme:error:unauthorized = ACME-BLOCKED HTTP-404-PROJECT DNS-AAAA-LEFT DNS-WRONG-TARGET
key authorization file = ACME-BLOCKED HTTP-404-PROJECT DNS-AAAA-LEFT DNS-WRONG-TARGET
acme:error:incorrectresponse = ACME-BLOCKED DNS-WRONG-TARGET
acme:error:tls = TLS-RESET TLS-VERSION TLS-NOT-TLS
rejectedidentifier | does not end with a valid public suffix = IN-RESERVED IN-UNKNOWN-TLD
acme:error:unsupportedidentifier = IN-IP IN-WILDCARD
# Cloudflare's numbers.
error 1000 | dns points to prohibited ip = PROXY-CLOUDFLARE DNS-PRIVATE
error 1001 | dns resolution error = PROXY-CLOUDFLARE DNS-TARGET-GONE DNS-MISSING
error 1014 | cname cross-user banned = PROXY-CLOUDFLARE
error 1016 | origin dns error = PROXY-CLOUDFLARE DNS-TARGET-GONE
error 520 | unknown error = PROXY-CLOUDFLARE HTTP-5XX
error 521 | web server is down = PROXY-CLOUDFLARE TLS-REFUSED
error 522 | error 524 = PROXY-CLOUDFLARE TLS-TIMEOUT
error 523 | origin is unreachable = PROXY-CLOUDFLARE DNS-TARGET-GONE DNS-PRIVATE
# Forms of DNS providers and dashboards.
not permitted at apex | cname at the root | cname at the apex | cname on the root = APEX-CNAME IN-APEX
in use by another | added to another | assigned to another | domain is already in use | already taken = HTTP-TAKEN
already exists | conflicts with | cname conflict = DNS-CNAME-AND-OTHER DNS-A-BLOCKS DNS-AAAA-LEFT DNS-MULTI-CNAME
conflicting record | duplicate record = DNS-CNAME-AND-OTHER DNS-A-BLOCKS DNS-AAAA-LEFT DNS-MULTI-CNAME
# Certificates, as browsers and tools name what is wrong with them.
certificate_transparency | certificate transparency = TLS-UNLOGGED
weak_key | weak_server_key | weak_signature | inadequate_key_size | sec_error_invalid_key = TLS-WEAK
signature_algorithm_disabled | key too small | key too weak | weak key = TLS-WEAK
err_ech_ | ssl_error_ech | encrypted client hello = DNS-HTTPS-ELSEWHERE
expired_issuer_certificate | not_yet_valid_issuer_certificate = TLS-CHAIN
err_cert_validity_too_long = TLS-LONG
err_ssl_obsolete_version | ssl_error_unsupported_version | tlsv1 alert protocol version = TLS-VERSION
unsupported protocol = TLS-VERSION
mozilla_pkix_error_additional_policy | sec_error_untrusted_issuer | sec_error_ca_cert_invalid = TLS-UNKNOWN-CA
mozilla_pkix_error_empty_issuer_name | err_cert_invalid | sec_error_bad_der = TLS-NOT-TLS TLS-NO-SAN
err_cert_known_interception_blocked = TLS-INTERCEPT
err_ssl_pinned_key_not_in_cert_chain | mozilla_pkix_error_key_pinning_failure = TLS-INTERCEPT
err_cert_common_name_invalid | ssl_error_bad_cert_domain = TLS-PENDING TLS-WRONG-NAME TLS-NO-SAN
no alternative certificate subject name = TLS-PENDING TLS-WRONG-NAME TLS-NO-SAN
mozilla_pkix_error_self_signed_cert = TLS-SELF
self-signed certificate in certificate chain = TLS-INTERCEPT TLS-UNKNOWN-CA
self-signed certificate | self signed certificate = TLS-SELF
err_cert_authority_invalid = TLS-SELF TLS-STAGING TLS-CHAIN TLS-UNKNOWN-CA TLS-INTERCEPT
sec_error_unknown_issuer = TLS-CHAIN TLS-SELF TLS-STAGING TLS-UNKNOWN-CA TLS-INTERCEPT
unable to get local issuer certificate = TLS-CHAIN TLS-UNKNOWN-CA TLS-INTERCEPT
mozilla_pkix_error_mitm_detected = TLS-INTERCEPT
mozilla_pkix_error_not_yet_valid | certificate is not yet valid = TLS-FUTURE
err_cert_date_invalid = TLS-EXPIRED TLS-FUTURE
sec_error_expired | certificate has expired | err_cert_revoked | revoked = TLS-EXPIRED
unrecognized_name | tlsv1 unrecognized name = TLS-ALERT
err_ssl_version_or_cipher_mismatch | ssl_error_no_cypher_overlap = TLS-ALERT TLS-VERSION TLS-NOT-TLS
sslv3 alert handshake failure | handshake_failure = TLS-ALERT TLS-VERSION TLS-NOT-TLS
sec_error_ | mozilla_pkix_error_ = TLS-UNKNOWN-CA TLS-CHAIN TLS-WRONG-NAME
err_ssl_protocol_error = TLS-NOT-TLS TLS-ALERT
ssl_error_rx_record_too_long | wrong version number = TLS-NOT-TLS
pr_connect_reset_error | pr_end_of_file_error | err_connection_reset | err_connection_closed = TLS-RESET
connection reset by peer | err_empty_response | ns_error_net_reset | ssl_error_internal_error_alert = TLS-RESET
empty reply from server | unexpectedly dropped the connection = TLS-RESET
err_connection_refused | connection refused | ns_error_connection_refused = TLS-REFUSED HTTP-PORT-80
can't connect to the server = TLS-REFUSED HTTP-PORT-80
err_connection_timed_out | err_timed_out | connection timed out | ns_error_net_timeout = TLS-TIMEOUT HTTP-PORT-80
isn't responding = TLS-TIMEOUT HTTP-PORT-80
err_address_unreachable | no route to host = DNS-PRIVATE V6-UNTESTED
dns_probe_finished_no_internet | err_internet_disconnected = OFFLINE
dns_probe = DNS-MISSING NEG-WAIT NOT-DELEGATED
err_name_not_resolved | could not resolve host = DNS-MISSING NEG-WAIT NOT-DELEGATED DNSSEC-BOGUS
ns_error_unknown_host | err_icann_name_collision = DNS-MISSING NEG-WAIT NOT-DELEGATED DNSSEC-BOGUS
server not found | server ip address could not be found | can't find the server = DNS-MISSING NEG-WAIT NOT-DELEGATED
nxdomain = DNS-MISSING NEG-WAIT NOT-DELEGATED
servfail = DNSSEC-BOGUS SERVFAIL-ALL LAME-ALL DNS-LOOP
err_too_many_redirects | ns_error_redirect_loop | redirected you too many times = RD-LOOP RD-TOO-MANY
too many redirects occurred | isn't redirecting properly | maximum (50) redirects followed = RD-LOOP RD-TOO-MANY
error 525 = PROXY-CLOUDFLARE TLS-ALERT
error 526 = PROXY-CLOUDFLARE TLS-EXPIRED TLS-WRONG-NAME
dnssec = DNSSEC-BOGUS DS-WAIT
# The words above which browsers put the code.
can't establish a secure connection | secure connection failed = TLS-ALERT TLS-PENDING TLS-VERSION TLS-NOT-TLS
site can't be reached = DNS-MISSING NEG-WAIT TLS-REFUSED TLS-TIMEOUT
hsts = HSTS-NOTE TLS-PENDING
connection is not private | potential security risk = TLS-PENDING TLS-OLD TLS-WRONG-NAME TLS-EXPIRED
not secure = TLS-PENDING HTTP-NO-UPGRADE
404 = HTTP-404-PROJECT
";

/// Each line of the table: its messages, and its codes.
fn messages() -> impl Iterator<Item = (impl Iterator<Item = &'static str>, &'static str)> {
    let lines = MESSAGES.lines().filter_map(|line| line.split_once(" = "));
    lines.map(|(messages, codes)| (messages.split(" | "), codes))
}

/// The possible causes of a code or a message, the likeliest first; empty if unknown.
pub fn causes(text: &str) -> Vec<Code> {
    if let Ok(code) = text.trim().parse() {
        return vec![code];
    }
    // Cloudflare's pages say "Error 520", and without HTML "error code: 520".
    let lower = text.to_lowercase().replace('\u{2019}', "'").replace("error code: ", "error ");
    let known =
        messages().find_map(|(mut messages, codes)| messages.any(|message| lower.contains(message)).then_some(codes));
    known.unwrap_or_default().split_whitespace().filter_map(|code| code.parse().ok()).collect()
}

/// The closest code or message to a misspelled one.
pub fn nearest(text: &str) -> Option<&'static str> {
    let lower = text.trim().to_lowercase();
    let words = Code::ALL.iter().map(|code| code.as_str()).chain(messages().flat_map(|(messages, _)| messages));
    let apart = words.map(|word| (osa_distance(&lower, &word.to_lowercase()), word));
    let near = apart.filter(|(apart, word)| *apart <= word.len() / 4);
    near.min_by_key(|(apart, _)| *apart).map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_the_table_is_one() {
        for code in messages().flat_map(|(_, codes)| codes.split(' ')) {
            assert!(code.parse::<Code>().is_ok(), "{code}");
        }
        let lines = MESSAGES.lines().filter(|line| !line.starts_with('#'));
        assert!(lines.clone().all(|line| line.contains(" = ") && line.len() <= 120), "{MESSAGES}");
    }

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
