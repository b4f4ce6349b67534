//! The catalogue of diagnoses: each code with its title, its cause and its cure, in words for somebody who has never
//! touched DNS.

use serde::Serialize;

/// What a code is about, in the order in which causes are to be mended: a certificate cannot be right before the
/// record is, nor a record before the servers that serve it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// Delegation, name servers, resolvers, and the time that answers live.
    Servers,
    /// The record at the name.
    Record,
    /// Which certificate authorities may issue.
    Caa,
    Certificate,
    /// What the platform answers.
    Http,
    /// A configured redirect.
    Redirect,
    /// The `domains` configuration.
    Configuration,
    /// The name as it was typed.
    Name,
}

macro_rules! catalogue {
    ($($topic:ident { $($variant:ident $(= $code:literal)? $title:literal, $cause:literal, $cure:literal;)+ })+) => {
        /// A row of the catalogue.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize,
            strum::Display, strum::EnumString, strum::IntoStaticStr, strum::VariantArray
        )]
        #[serde(into = "&'static str")]
        #[strum(ascii_case_insensitive, serialize_all = "SCREAMING-KEBAB-CASE")]
        pub enum Code {
            $($(#[doc = $title] $(#[strum(serialize = $code)])? $variant,)+)+
        }

        impl Code {
            /// Every code, in the order of the catalogue.
            pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

            /// The code as it is written, for example `DNS-A-BLOCKS`.
            pub fn as_str(self) -> &'static str {
                self.into()
            }

            /// The cause in a few words.
            pub const fn title(self) -> &'static str {
                match self { $($(Self::$variant => $title,)+)+ }
            }

            /// The cause in a sentence or two.
            pub const fn cause(self) -> &'static str {
                match self { $($(Self::$variant => $cause,)+)+ }
            }

            /// What to do about it.
            pub const fn cure(self) -> &'static str {
                match self { $($(Self::$variant => $cure,)+)+ }
            }

            /// What it is about.
            pub const fn topic(self) -> Topic {
                match self { $($(Self::$variant)|+ => Topic::$topic,)+ }
            }
        }
    };
}

catalogue! {
    Name {
        InOk "The name is well formed",
            "What was typed is a domain name.",
            "Nothing is to do.";
        InUrl "The domain was taken out of an address",
            "A whole address was pasted. Its scheme, path and query are not part of a domain.",
            "Nothing is to do; check that the right part was taken.";
        InPort "The port was dropped",
            "Domains have no port; https:// always means 443.",
            "Enter the domain without the port.";
        InEmail "This is a mail address",
            "There is an @ in it.",
            "Enter the part after the @, if that is the domain meant.";
        InIdn "The name has letters beyond ASCII",
            "DNS carries such names in a second form that begins with xn--. Both mean the same.",
            "Enter the xn-- form at providers that refuse the other.";
        InIdnBad "The xn-- form does not decode",
            "A label begins with xn-- but what follows is not valid Punycode, or means letters that a domain cannot have.",
            "Type the name in its own script, and let the program make the xn-- form.";
        InMixedScript "The name mixes scripts",
            "Letters of several scripts stand in one label, for example a Cyrillic a among Latin letters. It can look exactly like another name.",
            "Check it letter by letter, or type it anew.";
        InEmpty "No name was given",
            "There is nothing, or only blanks and dots.",
            "Enter a domain such as docs.example.com.";
        InNoDot "The name has one label only",
            "A public domain has at least two labels with a dot between them.",
            "Enter the whole name, such as docs.example.com.";
        InEmptyLabel "Two dots stand together",
            "Between two dots, or before the first, there must be a label.",
            "Remove the dot that is too many.";
        InLabelLong "A label is too long",
            "A label has at most 63 octets; letters beyond ASCII count in their xn-- form.",
            "Choose a shorter label.";
        InNameLong "The name is too long",
            "A name has at most 253 octets; letters beyond ASCII count in their xn-- form.",
            "Choose a shorter name.";
        InHyphen "A hyphen stands where it must not",
            "A label neither begins nor ends with a hyphen, and two hyphens at its third and fourth place are kept for the xn-- form.",
            "Choose another label.";
        InUnderscore "An underscore is in the name",
            "DNS records may have underscores, names of hosts and certificates may not.",
            "Choose a label without it, for example with a hyphen.";
        InChar "A character cannot be in a domain",
            "Domains have letters, digits, hyphens and dots. Invisible characters come along with copied text.",
            "Remove the character that is named.";
        InWildcard "A wildcard is not a domain",
            "Each name is added, verified and given a certificate singly.",
            "Add each name by itself.";
        InIp "This is an address, not a name",
            "A custom domain needs a name: the certificate is for it.",
            "Enter the name that leads to this address.";
        InPublicSuffix "Nobody can own this name",
            "It is a suffix under which names are registered, such as com or co.uk.",
            "Put your own label before it.";
        InApex "A domain without a subdomain",
            "Such a name cannot have a CNAME: it must keep its SOA and NS records beside it.",
            "Use an ALIAS or ANAME record, which not every DNS provider has; or publish on a subdomain such as www and redirect the apex to it.";
        InPrivateSuffix "The name belongs to another host",
            "It stands below a name under which a company gives names to its customers, such as github.io.",
            "Use a name of your own: the records of this one are not yours to add.";
        InReserved "The name is reserved",
            "Names under local, invalid, test, example, onion and a few more are not part of the public DNS.",
            "Public authorities issue no certificate for it: use a public name, or trust an authority of your own.";
        InUnknownTld "The last label is no known top-level domain",
            "The Public Suffix List does not have it.",
            "Check the spelling.";
        InPlatform "This is the value, not the domain",
            "The name is the platform's own host, which the record points to.",
            "Enter your own domain; the host is the value of its record.";
        InDuplicate "The domain is already there",
            "The same name, perhaps typed otherwise, stands in the list or is the source of a redirect.",
            "Go on with the entry that is there.";
    }
    Record {
        DnsOk "The CNAME has the right value",
            "Every name server of the zone and every resolver that answered gives the value of the dashboard.",
            "Nothing is to do.";
        DnsValueUnknown "The value to compare with is not known",
            "Only the dashboard shows the right value, and none was given here.",
            "Copy the value from Project settings, Domains, and give it with --platform-host, or keep the domain in the list with it.";
        DnsValueGone "The value does not exist",
            "The host that was given as the value of the dashboard is not known to DNS: probably it was mistyped.",
            "Copy the value anew from the dashboard, and correct it here; the record may be right as it is.";
        DnsMissing "No record exists at the name",
            "The name servers of the zone say that there is no such name.",
            "At your DNS provider add the CNAME record that the dashboard shows.";
        DnsNodata "The name exists, but has no CNAME and no address",
            "Records of other types stand at the name, or names below it.",
            "A CNAME stands alone: remove what stands at the name, then add the CNAME.";
        DnsWrongTarget "The CNAME has another value",
            "The record leads somewhere else than the dashboard says.",
            "Change its value to the one that the dashboard shows. The old one may be remembered for its TTL.";
        DnsNearMiss "The value of the CNAME has a typing mistake",
            "It differs from the right one by a letter or two, and the host that it names does not exist.",
            "Correct the value.";
        DnsTargetGone "The CNAME leads to a host that does not exist",
            "Perhaps the host of an old project. Whoever is given that host name next, is given your visitors.",
            "Replace the value by the one that the dashboard shows, or delete the record.";
        DnsNameDoubled "The record stands at a doubled name",
            "The provider adds the zone to the name by itself, so that the full name became name.zone.zone.",
            "Enter only the label, without the zone, as the record's name.";
        DnsValueDoubled "The zone was added to the value",
            "The value has no final dot, so that the provider took it for a name within the zone.",
            "Write the value with a dot at its end, or use the provider's switch for full names.";
        DnsValueUrl "The value is an address instead of a host name",
            "A CNAME leads to a host name, without https:// and without a path.",
            "Enter only the host name.";
        DnsValueInTxt "The value stands in a TXT record",
            "The value is right, the type is not.",
            "Delete the TXT record, and add the value as a CNAME.";
        DnsABlocks "An A record blocks the CNAME",
            "A name has either a CNAME or other records. The A record also sends visitors to another server.",
            "At your DNS provider delete the A record, then add the CNAME.";
        DnsADirect "An A record holds the platform's address",
            "It works today, and breaks when the platform changes its addresses. Or your provider turns CNAMEs into addresses, and then nothing is to do.",
            "Replace the A record by the CNAME, unless your provider flattens CNAMEs. Verify may not see the CNAME.";
        DnsAaaaLeft "An AAAA record leads elsewhere",
            "Visitors with IPv6, and certificate authorities, go to the old server: they prefer IPv6.",
            "At your DNS provider delete the AAAA record.";
        DnsCnameAndOther "Other records stand beside the CNAME",
            "A CNAME must be alone at its name; with others beside it, resolvers answer at random.",
            "Keep the CNAME and delete the others. Deleting an MX stops mail for that name: move mail first.";
        DnsMultiCname "There are several CNAMEs",
            "A name can have one CNAME only.",
            "Keep the one with the right value.";
        DnsPrivate "The address cannot be reached from outside",
            "It belongs to a private, local or reserved range.",
            "Use a public address; for the platform, its CNAME.";
        DnsChain "The CNAME reaches the platform over other names",
            "The dashboard wants its value itself; and the chain breaks when a name in its middle goes.",
            "Point the record straight at the value.";
        DnsLoop "The names point at each other",
            "Following the CNAMEs leads back to where it began.",
            "Point the record at the value of the dashboard.";
        DnsDname "A whole subtree is redirected",
            "A DNAME above the name replaces everything below it, so that the name cannot have a record of its own.",
            "Add the record at the new name, or remove the DNAME.";
        DnsZoneCut "The name is a zone of its own",
            "NS records at the name hand it to other name servers; a CNAME here is never asked for.",
            "Remove the NS records, or add an ALIAS in the other zone.";
        DnsWildcardOk "Only a wildcard record answers",
            "The name has no record of its own; the one for * has the right value, also for every other name.",
            "Add a record for the name itself: with the wildcard, others could publish on names of yours.";
        DnsWildcardWrong "A wildcard record answers, with another value",
            "The name has no record of its own, and the one for * leads elsewhere.",
            "Add the CNAME for the name itself: it wins over the wildcard.";
        DnsParked "The domain is parked",
            "The registrar answers for every name with a page of its own.",
            "Switch parking or forwarding off, then add the record.";
        DnsRewrite "A resolver invents answers",
            "It gave an address for a name that does not exist, where others said so.",
            "Judge by the other resolvers; the network of this one rewrites DNS.";
        ApexOk "The apex leads to the platform",
            "All its addresses are the platform's.",
            "Nothing is to do.";
        ApexWrong "The apex leads elsewhere",
            "None of its addresses is the platform's.",
            "Replace its A and AAAA records by an ALIAS or ANAME with the value; if the provider has neither, publish on www and redirect the apex.";
        ApexNone "The apex has no address",
            "The domain exists, but without A and AAAA records.",
            "Add an ALIAS or ANAME with the value; if the provider has neither, publish on www and redirect the apex.";
        ApexPartial "Some addresses of the apex lead elsewhere",
            "Visitors reach the platform or another server at random.",
            "Delete the addresses that are not the platform's.";
        ApexAaaa "IPv6 addresses of the apex lead elsewhere",
            "Visitors with IPv6, and certificate authorities, go to the old server.",
            "Delete the AAAA records that are not the platform's.";
        ApexCname "A CNAME stands at the apex",
            "It hides the NS, SOA and MX records of the domain.",
            "Use ALIAS, ANAME or flattening instead.";
        ProxyCloudflare "Cloudflare's proxy stands before the record",
            "The orange cloud is on: Cloudflare answers with its own addresses and certificate, and hides the CNAME.",
            "Set the record to DNS only, at least until the domain is live.";
        TtlLong "The TTL is longer than a day",
            "Resolvers may remember the record that long, mistakes included.",
            "Set the TTL to 3600.";
    }
    Servers {
        NotDelegated "The domain is not registered",
            "The registry does not know it, or it has expired.",
            "Register or renew it at the registrar; check the spelling.";
        NsMismatch "The registrar names other servers than the zone does",
            "The zone was edited at one provider, and the world asks another.",
            "Change the name servers at the registrar, or add the record at the provider that is asked. Delegations live up to 48 hours.";
        LameAll "No name server of the domain serves it",
            "The servers that the registry names refuse the zone, or answer without authority.",
            "Set the zone up at the provider, or name the right servers at the registrar.";
        DnssecBogus "The DNSSEC signatures do not match",
            "Resolvers that validate refuse every answer; without validation it would be there. Signatures have ended, or a DS record was left from the old provider.",
            "Remove the DS record at the registrar, then sign anew.";
        ServfailAll "Every resolver fails",
            "No resolver could find an answer at the domain's name servers.",
            "Open a ticket at the DNS provider with the evidence.";
        Over48h = "OVER-48H" "Still old after 48 hours",
            "No cache may keep an answer that long: something else is wrong.",
            "Look at the delegation and at the secondary name servers.";
        LameOne "One name server does not serve the domain",
            "Some questions go there, and fail or take longer.",
            "Set the zone up on it, or remove it at the registrar.";
        SecondaryBehind "A name server is behind the others",
            "It still serves an older version of the zone. That takes minutes, usually.",
            "Wait; if it lasts for more than an hour, ask the DNS provider.";
        TtlWait "A resolver remembers the old answer",
            "The record is right at its source; the resolver keeps what it learnt before for the rest of its TTL.",
            "Nothing but wait.";
        NegWait "A resolver remembers that there was no record",
            "The record is right at its source; the resolver was asked before it existed. Asking again does not shorten the wait.",
            "Nothing but wait. Next time add the record before testing it.";
        StaleServed "A resolver serves an answer that has expired",
            "It cannot reach the domain's name servers, and gives an old answer rather than none.",
            "Wait, and look at the name servers.";
        ResolverDown "A resolver does not answer",
            "It is down, or this network does not let questions to it pass.",
            "It is left out of the count.";
        ResolversDisagree "Resolvers give different answers",
            "None of them is what the name servers say: perhaps answers depend on the place, or on the network.",
            "Look for GeoDNS or split-horizon DNS at the provider.";
        SplitLocal "Only this machine sees something else",
            "The system's resolver or hosts file has an answer of its own: a hosts entry, a VPN, a private zone.",
            "The world sees the other answer; look at the hosts file, the VPN, or the private zone.";
        TcpOnly "The answer came over TCP",
            "It did not fit into a datagram, or only TCP was answered.",
            "Nothing is to do.";
        Slow "A server is slow",
            "It took more than a second to answer.",
            "Nothing is to do, unless it stays so.";
        EdnsBroken "A server does not understand EDNS",
            "It refused a question with EDNS, and answered the same one without.",
            "Tell the DNS provider; everything works, with old software.";
        Offline "Nothing answers",
            "No resolver answered any question: this machine is offline, or its network blocks port 53.",
            "Check the connection, or name a resolver that this network lets through with --resolver.";
    }
    Caa {
        CaaNone "No CAA record restricts authorities",
            "Without a CAA record every authority may issue.",
            "Nothing is to do.";
        CaaOk "CAA allows the authority",
            "The nearest CAA records name it.",
            "Nothing is to do.";
        CaaBlocked "CAA forbids the authority",
            "The nearest CAA records name other authorities only.",
            "Add a CAA record for the authority at that level, beside the others; do not delete theirs.";
        CaaEmpty "CAA forbids everybody",
            "The record names no authority at all.",
            "Add a CAA record for the authority at that level.";
        CaaBadSyntax "A CAA value cannot be read",
            "An unreadable value counts as one that names nobody.",
            "Correct the value: an authority's domain, perhaps followed by ; and parameters.";
        CaaCritical "An unknown CAA property is marked critical",
            "Authorities must stop at a critical property that they do not know.",
            "Remove the record, or set its flag to 0.";
        CaaWildOnly "CAA speaks of wildcards only",
            "The records restrict certificates for wildcards, which a plain name does not need.",
            "Nothing is to do.";
        CaaMethod "CAA restricts how the domain is validated",
            "The authority is allowed, but only with the methods that the record names.",
            "Ask the platform's support which method it uses; usually http-01.";
        CaaAccount "CAA allows one account only",
            "The authority is allowed, but only for the account that the record names.",
            "Ask the platform's support for the address of its account, or remove accounturi.";
        CaaLookupFailed "CAA cannot be looked up",
            "Authorities treat a failed look-up as forbidden. Some firewalls drop types that they do not know.",
            "Make the name servers answer questions for CAA, also with nothing.";
        CaaCaUnknown "Which authority is needed is not known",
            "The platform does not say which certificate authority it uses, so that the CAA records cannot be judged.",
            "Give its CAA identity with --ca.";
    }
    Certificate {
        TlsOk "The certificate is right",
            "Its names, its dates and its chain are right.",
            "Nothing is to do.";
        TlsWrongName "The certificate is for other names",
            "An old host, or another site, answers. A wildcard covers one label only.",
            "Look where the record leads; in the dashboard check that the domain is added.";
        TlsPending "The certificate is not there yet",
            "The platform answers with its own certificate until it has one for the domain: usually for a couple of minutes after Verify.",
            "If Verify was not chosen yet, choose it in the dashboard. Then wait, 30 minutes at most; after that check that the domain still verifies, that CAA does not forbid, and choose Re-verify.";
        TlsAlert "The server has no certificate for the name yet",
            "It ended the handshake with an alert that says so.",
            "Wait until 30 minutes after Verify. Then check that the domain still verifies, that CAA does not forbid, and choose Re-verify.";
        TlsNoSan "The certificate has only a common name",
            "Browsers and this program ignore the common name; curl may accept it, which proves nothing.",
            "The certificate must be issued anew, with the name as subject alternative name.";
        TlsExpired "The certificate has expired",
            "It was not renewed in time. Renewal is the platform's, and needs DNS and CAA to be right.",
            "Check DNS and CAA first, then choose Re-verify.";
        TlsFuture "The certificate is not valid yet",
            "Its time begins later than now, or this machine's clock is wrong.",
            "Check the clock; otherwise wait.";
        TlsSelf "The certificate is signed by itself",
            "It is not the platform's, or comes from a test set-up.",
            "Look where the record leads.";
        TlsStaging "The certificate is from a test authority",
            "Staging authorities issue certificates that no browser trusts.",
            "The platform must issue it anew from the real authority.";
        TlsChain "An intermediate certificate is missing",
            "The server sends the certificate without the one between it and the root. Some browsers fill the gap, most tools do not.",
            "The platform must send the whole chain.";
        TlsIntercept "Something in this network signs every certificate",
            "The platform's own host shows the same unknown issuer from here: a proxy reads the traffic.",
            "Test from another network, or trust the proxy's root with --trust.";
        TlsUnknownCa "The issuer is not trusted",
            "The certificate comes from an authority that browsers do not know.",
            "Look where the record leads.";
        TlsOld "The certificate is older than the domain here",
            "It is valid, but from another authority and from before the domain was added: an old host still answers, or a cache.",
            "Open a fresh window and compare serial numbers; wait for the old answer to go.";
        TlsSoon "The certificate ends soon",
            "Less than a quarter of its lifetime is left; its renewal should have happened.",
            "Check DNS and CAA, then choose Re-verify.";
        TlsRefused "Nothing listens for https",
            "The connection to port 443 was refused.",
            "Wait if Verify was less than 30 minutes ago; otherwise ask the platform.";
        TlsReset "The connection was cut in the handshake",
            "The server, or something before it, closed the connection.",
            "Try again; if it stays so, ask the platform.";
        TlsTimeout "The server is silent",
            "No answer came to the connection or to the handshake.",
            "Try again; if it stays so, a firewall drops the connection.";
        TlsNotTls "The server does not speak TLS",
            "Plain HTTP, or something else, answers on port 443.",
            "The port is set up wrongly; tell whoever runs the server.";
        TlsAddressesDiffer "The addresses have different certificates",
            "Visitors get the one or the other.",
            "Look at the address that differs.";
        TlsRevoked "Revocation is not checked",
            "Revocation lists are not read by this program.",
            "Nothing is to do.";
        HstsNote "Browsers insist on https",
            "The site asked browsers to use nothing but https for a time, and the certificate is broken: they offer no way round.",
            "Mend the certificate; until then nobody who visited before gets in.";
        V6Untested "IPv6 was not tested",
            "This machine has no IPv6.",
            "Test from a network that has it.";
    }
    Http {
        HttpOk "The platform answers",
            "The site is served under the name.",
            "Nothing is to do.";
        Http404Project = "HTTP-404-PROJECT" "The platform does not know the name",
            "DNS and certificate are right, but no project has this domain.",
            "In the dashboard under Project settings, Domains, add it; check project and spelling. After a removal delete the CNAME: others could take the name over.";
        Http5xx = "HTTP-5XX" "The server has an error",
            "The domain is fine; what it serves is not.",
            "Check the last deploy.";
        HttpParked "The page looks like a parking page",
            "It has the marks of a registrar's placeholder.",
            "Switch parking off, and look where the record leads.";
        HttpNoUpgrade "http stays http",
            "Visitors who type the name without https:// are not led to the protected address.",
            "The platform should redirect http to https; ask it.";
        AcmeBlocked "The path of the certificate check is blocked",
            "Authorities fetch a file under /.well-known/acme-challenge/ over port 80; something before the platform refuses or diverts it.",
            "Exempt that path from log-ins, rules and redirects.";
    }
    Redirect {
        RdOk "The redirect is as configured",
            "From, to and status are right.",
            "Nothing is to do.";
        RdLoop "The redirect goes in a circle",
            "Following it leads back to where it began. With a proxy before the platform, it speaks http to it: the mode called Flexible.",
            "Lead the domain straight to its target, and remove what leads back; with a proxy set its mode to Full (strict).";
        RdTooMany "There are more than ten hops",
            "Browsers give up, too.",
            "Point the first redirect straight at the last.";
        RdNoLocation "The redirect has no target",
            "The status says redirect, but there is no usable Location field.",
            "Set it up anew, with a target.";
        RdRelative "The redirect stays on the same name",
            "Its target names a path, not another host.",
            "Enter the target with its domain.";
        RdTarget "The redirect leads to another host",
            "What is served differs from the configuration. It may also be an old one, from a cache.",
            "Correct the target; look at the answer with a header-only request.";
        RdMeta "The redirect is only in the page",
            "A meta or script redirect is not followed by crawlers and tools.",
            "Set up a redirect with a status.";
        RdNone "There is no redirect",
            "A page is served instead.",
            "Set it up in the dashboard under domains.redirects.";
        RdStatus "The redirect has another status",
            "301 and 308 are remembered by browsers and search engines; 302, 303 and 307 are not.",
            "Set the status that was meant.";
        RdChain "The redirect takes several hops",
            "Each costs visitors time.",
            "Point the first straight at the last.";
        RdDowngrade "The redirect leads to http",
            "One hop is unprotected.",
            "Use https:// in the target.";
        RdPath "The redirect loses the path",
            "Deep links end on the front page.",
            "Keep the path and the query in the target.";
        RdCached "An old redirect may be remembered",
            "Browsers keep a 301 as long as they like, unless it names a limit.",
            "Test in a fresh window; the header-only request tells what the server says now.";
        RdHead "HEAD was refused, GET was used",
            "The server does not support header-only requests.",
            "Nothing is to do.";
    }
    Configuration {
        CfgOk "The configuration is right",
            "Every name, redirect and status can be used.",
            "Nothing is to do.";
        CfgSyntax "The file cannot be read",
            "It is neither valid JSON nor valid TOML.",
            "Correct the place that is named.";
        CfgType "A value has the wrong type",
            "domains.primary is text; domains.redirects is a list of from, to and status.",
            "Correct the value that is named.";
        CfgNoPrimary "There is no primary domain",
            "domains.primary is missing or empty.",
            "Set it to the domain under which the project is mainly served.";
        CfgName "A name cannot be used",
            "It is not a domain.",
            "Correct the name that is given.";
        CfgUrl "A name is written as an address",
            "Only the domain belongs here, without https:// and path.",
            "Write the domain only.";
        CfgSelf "A domain redirects to itself",
            "from and to are the same name.",
            "Change one of them.";
        CfgLoop "Redirects go in a circle",
            "Following them leads back to where it began.",
            "Point all of them at the primary domain.";
        CfgPrimaryRedirects "The primary domain redirects",
            "The project would never be served under it.",
            "Remove the redirect, or choose another primary domain.";
        CfgDuplicate "A domain redirects twice",
            "The same name, perhaps written otherwise, is the source of two redirects.",
            "Keep one.";
        CfgStatus "The status is not the usual one",
            "301 is in use. 302, 303 and 307 are temporary, 308 is permanent and keeps the method; others are no redirects.",
            "Use 301.";
        CfgChain "A redirect leads to another redirect",
            "Visitors take two hops.",
            "Point it straight at the last.";
        CfgToElsewhere "A redirect leads out of the project",
            "Its target is neither the primary domain nor a listed one.",
            "Check that this is meant.";
        CfgUnknownKey "A key is not known",
            "It is ignored, or a typing mistake.",
            "Correct or remove it.";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_code_is_unique_and_reads_back() {
        let codes: HashSet<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(codes.len(), Code::ALL.len());
        for code in Code::ALL {
            assert_eq!(code.as_str().to_lowercase().parse(), Ok(*code));
            for text in [code.title(), code.cause(), code.cure()] {
                assert!(!text.is_empty() && text.is_ascii(), "{code}: {text}");
            }
            assert!(code.cause().ends_with('.') && code.cure().ends_with('.'), "{code}");
        }
        assert!("DNS-NONSENSE".parse::<Code>().is_err());
    }
}
