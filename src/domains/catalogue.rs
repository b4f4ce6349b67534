//! The catalogue of findings: each code with its title, cause and cure, in words for operators who have never touched
//! DNS.

use serde::Serialize;

use crate::model::words::capitalized;

/// What a code is about, in the order in which to fix causes: a certificate cannot be right before the record is, nor a
/// record before the servers that serve it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// Delegation, name servers, resolvers, and caching times.
    Servers,
    /// The record at the name.
    Record,
    /// Whether the platform's certificate authority may issue.
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

/// What a row means to those that decide by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A record in the place of the one from the dashboard, or that hides it.
    InTheWay,
    /// A record in the way that is reported with the expected value.
    WithTheValue,
    /// The record leads to the platform.
    Leads,
    /// A part of the record may lead to the platform, although it is wrong.
    PartlyLeads,
    /// The record is not there.
    Missing,
    /// Found only for a record that is right at the name servers.
    RightAtSource,
    /// Not everybody sees the record of the name servers.
    NotEverywhere,
    /// Others see the right record.
    HereOnly,
    /// Does no harm.
    Remark,
    /// There is a certificate that browsers accept.
    GoodCertificate,
    /// There is one that they reject, also if another server shows it.
    BadCertificate,
    /// There is none.
    NoCertificate,
    /// There is none, which ends once the platform has got one.
    NotYetCertificate,
    /// What CAs find when they check the name.
    CaCheck,
    /// The site answers, well or not.
    Answers,
    /// A loop, a detour, or another status.
    Detour,
}

/// A row has a code, its marks, the rows that it explains and so takes out where it fails or is waited for, its title, its
/// cause and its cure; or, in place of the cure, the sentences of a finding, with arguments that a check passes: the first
/// fix is the cure, too. A `fix there` begins with the place of the one who must act. Without any there is nothing to do.
/// What several of them have in common, the check adds.
macro_rules! catalogue {
    ($($topic:ident { $(
        $variant:ident $(= $code:literal)? $([$($mark:ident)+])? $(hides [$($hidden:ident)+])?
        $title:literal, $cause:literal $(, $cure:literal)? $(
            fn $say:ident($($arg:ident),*) $verdict:ident $who:ident $(titled $own_title:literal)?
                $(seen $seen:literal)? $(expected $expected:literal)? $(fix $($there:ident)? $fix:literal)?
        )*;
    )+ })+) => {
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

            const fn marks(self) -> &'static [Mark] {
                match self { $($(Self::$variant => &[$($(Mark::$mark),+)?],)+)+ }
            }

            /// What it explains where it fails or is waited for.
            pub(super) const fn hides(self) -> &'static [Self] {
                match self { $($(Self::$variant => &[$($(Self::$hidden),+)?],)+)+ }
            }

            /// What it is about.
            pub const fn topic(self) -> Topic {
                match self { $($(Self::$variant)|+ => Topic::$topic,)+ }
            }
        }

        /// The findings with the sentences of their rows.
        pub(super) mod say {
            use std::fmt::Display;

            use super::super::finding::{Finding, Verdict, Who};
            use super::Code;

            impl Code {
                /// Where and what to do about it, with `{placeholders}` for what only a check knows.
                pub(super) const fn fix(self) -> (&'static str, &'static str) {
                    match self { $($(Self::$variant => [
                        $(("", $cure),)? $($(([$(Who::$who.$there(),)? ""][0], $fix),)?)* ("", "Nothing to do."),
                    ][0],)+)+ }
                }
            }

            $($($(
                pub fn $say($($arg: impl Display),*) -> Finding {
                    Finding::new(Code::$variant, Verdict::$verdict, Who::$who)
                        $(.title($own_title))?
                        $(.seen(format!($seen)))?
                        $(.expected(format!($expected)))?
                        $(.fix([$(Who::$who.$there(),)? ""][0].to_owned() + &format!($fix)))?
                }
            )*)+)+
        }
    };
}

impl Code {
    /// Whether it has this mark.
    pub fn is(self, mark: Mark) -> bool {
        self.marks().contains(&mark)
    }

    /// What to do about it, for somebody who only has the code: `<placeholders>` for what a check would fill in.
    pub fn cure(self) -> String {
        let (place, mut rest) = self.fix();
        let mut cure = place.to_owned();
        while let Some((before, (name, after))) =
            rest.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
        {
            cure.push_str(before);
            // What is added to a word is not there in every case.
            if cure.is_empty() || cure.ends_with([' ', '/']) {
                cure.extend(["<", name, ">"]);
            }
            rest = after;
        }
        let cure = capitalized(&(cure + rest));
        if cure.ends_with('.') { cure } else { cure + "." }
    }
}

catalogue! {
    Name {
        InOk "The name is well formed",
            "What was typed is a valid domain name.";
        InUrl "The domain was taken from a URL",
            "A whole URL was pasted. Its scheme, path and query are not part of a domain.",
            "Check that the right part was taken.";
        InPort "The port was dropped",
            "A domain has no port; https:// always uses 443.",
            "Enter the domain without the port.";
        InEmail "This is an email address",
            "It contains an @.",
            "Enter the part after the @, if that is your domain.";
        InIdn "The name has letters beyond ASCII",
            "DNS writes such names in a second form that begins with xn--. Both are the same domain.",
            "Enter the xn-- form at providers that reject the other.";
        InIdnBad "The xn-- form is invalid",
            "A label begins with xn--, but the rest is not valid Punycode, or decodes to letters that a domain cannot have.",
            "Type the name in its own script; petstore makes the xn-- form.";
        InMixedScript "The name mixes scripts",
            "One label has letters of several scripts, for example a Cyrillic a among Latin letters. It can look exactly like another name.",
            "Check it letter by letter, or type it again.";
        InEmpty "No name was given",
            "The input is empty, or has only spaces and dots.",
            "Enter a domain such as docs.example.com.";
        InNoDot "The name has only one label",
            "A public domain has at least two labels with a dot between them.",
            "Enter the full name, such as docs.example.com.";
        InEmptyLabel "A label is empty",
            "The name begins with a dot, or has two dots in a row.",
            "Remove the extra dot.";
        InLabelLong "A label is too long",
            "A label has at most 63 bytes; letters beyond ASCII count in their xn-- form.",
            "Choose a shorter label.";
        InNameLong "The name is too long",
            "A name has at most 253 bytes; letters beyond ASCII count in their xn-- form.",
            "Choose a shorter name.";
        InHyphen "A hyphen is in the wrong place",
            "A label cannot begin or end with a hyphen. Hyphens as third and fourth character are reserved for the xn-- form.",
            "Choose another label.";
        InUnderscore "The name has an underscore",
            "DNS records may have underscores; names of hosts and certificates may not.",
            "Choose a label without it, for example with a hyphen.";
        InChar "A character is not allowed in a domain",
            "Domains have letters, digits, hyphens and dots. Copied text often brings invisible characters.",
            "Remove the character shown.";
        InWildcard "A wildcard is not a domain",
            "Each name is added, verified and given a certificate separately.",
            "Add each name on its own.";
        InIp "This is an IP address, not a name",
            "A custom domain needs a name: its certificate is issued for it.",
            "Enter the name that points to this address.";
        InPublicSuffix "This is a public suffix; nobody can register it",
            "Names are registered below it, as below com or co.uk.",
            "Put your own label before it.";
        InApex "A domain without a subdomain",
            "It cannot have a CNAME, because it must have SOA and NS records.",
            "Use an ALIAS or ANAME record, if your DNS provider has them; or publish on a subdomain such as www and redirect the apex to it.";
        InPrivateSuffix "The name belongs to a hosting company",
            "It is below a name that a company shares with its customers, such as github.io.",
            "Use your own domain: you cannot add records to this one.";
        InReserved "The name is reserved",
            "Names under local, invalid, test, example, onion and a few more are not part of the public DNS.",
            "Public CAs issue no certificate for it: use a public name, or trust your own CA.";
        InUnknownTld "The top-level domain is unknown",
            "The Public Suffix List does not have it.",
            "Check the spelling.";
        InPlatform "This is the value, not the domain",
            "The name is the platform's own host, which the record points to.",
            "Enter your own domain; this host is the value of its record.";
        InDuplicate "The domain is already listed",
            "The same name, perhaps spelled differently, is in the list or the source of a redirect.",
            "Use the entry you have.";
    }
    Record {
        DnsOk [Leads] "The CNAME has the right value",
            "Every name server of the zone and every resolver that answered has the value from the dashboard."
            fn dns_ok(name, value, who) Ok Nobody
                seen "{name} has CNAME {value} ({who})"
                expected "CNAME {value}";
        DnsValueUnknown [WithTheValue] "The value to compare with is unknown",
            "Only the dashboard shows the right value, and it was not entered here."
            fn value_unknown(name, target) Unknown Dashboard
                seen "{name} points to {target}"
                expected "the value from the dashboard"
                fix "Copy it from Project settings, Domains. Pass it with --platform-host, or add the domain to the list with it.";
        DnsValueGone hides [DnsWrongTarget DnsNearMiss DnsChain] "The value you entered does not exist",
            "DNS does not know the host entered as the dashboard's value. It was probably mistyped."
            fn value_gone(value, instead) Fail Dashboard
                seen "the value entered here is {value}, but that host does not exist{instead}"
                expected "the value from the dashboard"
                fix "copy the value again from the dashboard under Project settings, Domains, and correct it here; the record may be right as it is";
        DnsMissing [Missing] "No record exists at the name",
            "The zone's name servers report that there is no such name."
            fn dns_missing(name, witness, record, then) You DnsProvider
                seen "nothing exists at {name} ({witness})"
                fix there "add {record}{then}";
        DnsNodata [WithTheValue Missing] "The name has no CNAME and no address",
            "It has only records of other types, or names below it.",
            "A CNAME must be the only record: remove the others, then add the CNAME."
            fn only_below(name, record) You DnsProvider
                seen "{name} has no CNAME and no address; only names below it exist"
                fix there "add {record}"
            fn nothing_useful(name, records, record, mail) You DnsProvider
                seen "{name} has {records}, but no CNAME and no address"
                fix there "delete {records}, since a CNAME must be the only record, then add {record}{mail}";
        DnsWrongTarget "The CNAME has the wrong value",
            "The record points somewhere else than the dashboard says.",
            "Change its value to the one in the dashboard. Resolvers may cache the old one for its TTL.";
        DnsNearMiss "The value of the CNAME has a typo",
            "It differs from the right one by a letter or two, and its host does not exist.",
            "Correct the value.";
        DnsTargetGone [PartlyLeads] "The CNAME points to a host that does not exist",
            "It may be the host of an old project. Anyone who gets that host name next also gets your visitors.",
            "Change the value to the one in the dashboard, or delete the record."
            fn value_denied(name, value, label) Fail DnsProvider
                seen "{name} has the value {value}, but that host does not exist"
                expected "the current value from the dashboard"
                fix "compare the value with the one in the dashboard under Project settings, Domains; then change the CNAME {label}";
        DnsNameDoubled "The record's name has the zone twice",
            "The provider adds the zone to the name automatically, so the full name became name.zone.zone, or a part of it is there twice."
            fn name_doubled(place, zone, label, value, then) Fail DnsProvider
                seen "the record is at {place}"
                fix "your DNS provider adds {zone} automatically: change the record's name to {label}{value}{then}";
        DnsValueDoubled "The zone was added to the value",
            "The value has no final dot, so the provider took it for a name within the zone.",
            "End the value with a dot, or use the provider's option for full names.";
        DnsValueUrl "The value is a URL instead of a host name",
            "A CNAME points to a host name, without https:// and without a path.",
            "Enter only the host name.";
        DnsValueInTxt [InTheWay] "The value is in a TXT record",
            "The value is right, but the record has the wrong type."
            fn value_in_txt(name, text, record) Fail DnsProvider
                seen "{name} has TXT \"{text}\""
                fix there "delete this TXT record, then add {record}";
        DnsABlocks [InTheWay] "An A record blocks the CNAME",
            "A name has either a CNAME or other records. The A record also sends visitors to another server."
            fn a_blocks(name, addresses, witness, label, others, record, ttl) Fail DnsProvider
                seen "{name} has A {addresses} ({witness})"
                fix there "delete the A record {addresses} of {label}{others}, then add {record}: a CNAME must be the only record. Then wait up to {ttl} (the TTL of the old record).";
        DnsADirect [InTheWay Leads] "An A record has the platform's address",
            "It works today, and breaks when the platform changes its addresses. Or your provider turns CNAMEs into addresses (flattening), which is fine."
            fn a_direct(name, addresses, record) Warn DnsProvider
                seen "{name} has the address {addresses}, which is the platform's today"
                fix "replace it by {record}: the address stops working when the platform changes it. If your provider flattens CNAMEs (turns them into addresses), leave it as it is; Verify may not see the CNAME then";
        DnsAaaaLeft [InTheWay PartlyLeads] "An AAAA record points elsewhere",
            "Visitors with IPv6, and certificate authorities, reach the old server: they prefer IPv6."
            fn aaaa_left(name, addresses, witness, label, others, record, ttl) Fail DnsProvider
                seen "{name} has AAAA {addresses} ({witness})"
                fix there "delete the AAAA record {addresses} of {label}{others}, then add {record}: a CNAME must be the only record. Then wait up to {ttl} (the TTL of the old record)";
        DnsCnameAndOther [InTheWay PartlyLeads] "The CNAME is not the only record",
            "A CNAME must be the only record at its name; with others, resolvers answer at random."
            fn not_alone(name, records, label, mail) Fail DnsProvider
                seen "{name} has a CNAME and also {records}"
                fix there "keep the CNAME {label} and delete {records}{mail}";
        DnsMultiCname [InTheWay PartlyLeads] "There are several CNAMEs",
            "A name can have only one CNAME."
            fn several_cnames(name, targets, value) Fail DnsProvider
                seen "{name} has CNAMEs to {targets}"
                fix there "keep the CNAME to {value} and delete the others";
        DnsPrivate [InTheWay] "The address is not public",
            "It is in a private, local or reserved range that nobody outside can reach."
            fn private(name, addresses, record) Fail DnsProvider
                seen "{name} points to {addresses}"
                expected "a public address"
                fix there "replace it by {record}. To test a private address on purpose, use --allow-private";
        DnsChain [Leads] "The CNAME reaches the platform through other names",
            "The dashboard expects its own value; and the chain breaks when a name in the middle goes.",
            "Point the record straight at the value.";
        DnsLoop hides [ServfailAll] "The CNAMEs point at each other",
            "Following them leads back to where they began.",
            "Point the record at the value from the dashboard.";
        DnsDname [InTheWay] "A DNAME redirects everything below a name",
            "It also replaces this name, so the name cannot have its own record."
            fn dname(above, target) Warn DnsProvider
                seen "everything below {above} is redirected to {target}"
                fix "Add the record at the new name, or remove the DNAME.";
        DnsZoneCut [InTheWay] "The name is a separate zone",
            "NS records at the name delegate it to other name servers; nobody asks for a CNAME here."
            fn zone_cut(name, servers, label, record) Fail DnsProvider
                seen "{name} is delegated to {servers}"
                fix there "delete the NS records of {label}, then add {record}; or add an ALIAS to the value in the zone of {servers}"
            fn zone_of_its_own(name, servers, addresses) Warn DnsProvider
                seen "{name} is a separate zone at {servers}, with the platform's addresses {addresses}"
                fix "this works as long as the platform keeps its addresses: use an ALIAS there, or remove the delegation and add the CNAME";
        DnsWildcardOk [Leads] "Only a wildcard record answers",
            "The name itself has no record. The wildcard (*) has the right value, but also answers for every other name."
            fn wildcard_ok(zone, records, name, record) Warn DnsProvider
                seen "every name below {zone} has {records}, also {name}"
                fix there "add {record}, for the name itself, and remove the wildcard unless you need it: with it, others could publish on your names";
        DnsWildcardWrong "A wildcard record answers with the wrong value",
            "The name itself has no record, and the wildcard (*) points elsewhere."
            fn wildcard_wrong(zone, records, name, record) Fail DnsProvider
                seen "every name below {zone} has {records}, also {name}"
                fix there "add {record}: it takes precedence over the wildcard";
        DnsParked [InTheWay] "The domain is parked",
            "The registrar answers for every name with its own page, as it does when the registration has expired."
            fn parked(zone, records, by, record) Fail Registrar
                seen "every name of {zone} has {records}{by}"
                fix there "renew {zone} if its registration has expired; otherwise turn off parking or forwarding, then add {record}";
        DnsRewrite [HereOnly] "A resolver makes up answers",
            "It gave an address for a name that does not exist, as other resolvers confirm."
            fn rewrites(resolver) Warn ThisMachine
                seen "{resolver} returns an address for a name that does not exist"
                fix "your network rewrites DNS; this resolver is not counted";
        DnsHttpsElsewhere [InTheWay PartlyLeads] "An HTTPS record leads browsers elsewhere",
            "Browsers use the addresses, the target, the port and the key (ech) in the HTTPS record (type 65) before the other records of the name."
            fn https_elsewhere(name, record) Fail DnsProvider
                seen "{name} has {record}"
                expected "no HTTPS record, or one of the platform"
                fix there "delete the HTTPS record, or correct its target, hints, port and ech.";
        ApexOk [Leads] "The apex points to the platform",
            "All its addresses are the platform's."
            fn apex_ok(name, addresses) Ok Nobody
                seen "{name} has {addresses}";
        ApexWrong [InTheWay] "The apex points elsewhere",
            "None of its addresses is the platform's."
            fn apex_wrong(name, addresses, record) Fail DnsProvider
                seen "{name} has {addresses}"
                fix there "delete {addresses}, then add {record}; if your provider has neither ALIAS nor ANAME, publish on www and redirect the apex to it";
        ApexNone [Missing] "The apex has no address",
            "The domain exists, but has no A or AAAA record, or an ALIAS to a host that has none."
            fn apex_none(name, record) Fail DnsProvider
                seen "{name} has neither A nor AAAA"
                fix there "add {record}; if it is there, its value leads nowhere: correct it. If your provider has neither ALIAS nor ANAME, publish on www and redirect the apex to it";
        ApexPartial [InTheWay PartlyLeads] "Some addresses of the apex point elsewhere",
            "Visitors reach the platform or another server at random."
            fn apex_partial(name, addresses, foreign) Fail DnsProvider
                seen "{name} has {addresses}"
                fix there "delete {foreign}";
        ApexAaaa [InTheWay PartlyLeads] "IPv6 addresses of the apex point elsewhere",
            "Visitors with IPv6, and certificate authorities, reach the old server."
            fn apex_aaaa(name, addresses) Fail DnsProvider
                seen "{name} has AAAA {addresses}"
                fix there "delete the AAAA records {addresses}";
        ApexCname [InTheWay PartlyLeads] "The apex has a CNAME",
            "It hides the NS, SOA and MX records of the domain."
            fn apex_cname(name, target, record) Fail DnsProvider
                seen "{name} has CNAME {target} next to its SOA and NS records"
                fix there "replace the CNAME by {record}: it hides the domain's NS and MX records. In Route 53, an alias can point only to AWS resources and names in the same zone";
        ProxyCloudflare [WithTheValue PartlyLeads] "The record is behind Cloudflare's proxy",
            "The orange cloud is on: Cloudflare answers with its own addresses and certificate, and hides the CNAME."
            fn cloudflare(name, addresses, answer, label) Warn DnsProvider
                seen "{name} has {addresses}, which Cloudflare answers ({answer}); the CNAME behind it cannot be seen from outside"
                fix "at Cloudflare, set the record {label} to DNS only (the grey cloud), at least until the domain is live";
        TtlLong [Remark] "The TTL is longer than a day",
            "Resolvers may cache the record that long, mistakes included."
            fn ttl_long(kind, seconds, ttl) Warn DnsProvider
                seen "the {kind} has TTL {seconds} ({ttl})"
                expected "TTL 3600"
                fix there "set the TTL to 3600: a mistake would otherwise last as long as the TTL";
    }
    Servers {
        NotDelegated "The domain is not registered",
            "The registry does not know it, or it has expired."
            fn not_registered(domain) Fail Registrar
                seen "the registry does not know {domain}"
                fix there "register or renew {domain}; check the spelling";
        NsMismatch hides [DnsMissing DnsNodata] "The registrar and the zone list different name servers",
            "The zone was edited at one provider, but resolvers ask another."
            fn ns_mismatch(old, new, zone, record) Warn Registrar
                seen "the registrar lists {old}"
                expected "{new}, as the zone itself lists"
                fix "to keep the zone at {new}, set the name servers of {zone} to these at your registrar. To keep it at {old}, add {record} there. Then wait up to 48 h until the delegation is updated everywhere";
        NsSilent hides [ServfailAll] "The DNS provider's name servers do not answer",
            "No name server of the domain answers: an outage at the provider, or a firewall in front of it."
            fn name_servers_silent(servers, zone) Fail DnsProvider
                seen "{servers}; resolvers get no answer from them, either"
                expected "the name servers of {zone} answer"
                fix "ask your DNS provider: this is an outage, or a firewall drops the questions. The record cannot be judged until they answer";
        GlueDiffers "The registrar has another address for a name server",
            "The address (glue) that the registrar lists for a name server within the domain is not the one that the zone has."
            fn glue_differs(listed, host, own) Warn Registrar
                seen "the registrar has {listed} for {host}, the zone itself {own}"
                expected "{own}, if your DNS provider serves the zone there"
                fix there "set the address (glue) of {host} to {own}; {listed} is asked until then"
            fn no_glue(host, zone) Warn Registrar
                titled "The registrar has no address for a name server"
                seen "{host} is within {zone} itself, and the registrar lists no address (glue) for it"
                expected "the address of {host} at the registrar"
                fix there "add the address (glue) of {host}: without it nobody finds this name server";
        LameAll hides [ServfailAll] "No name server serves the domain",
            "The servers listed by the registry refuse the zone, or answer without authority."
            fn lame_all(servers, zone) Fail DnsProvider
                seen "{servers}"
                expected "the name servers of {zone} answer with authority"
                fix there "set up the zone {zone}, or list the servers that have it at the registrar";
        DnssecBogus hides [ServfailAll] "The DNSSEC signatures do not match",
            "Resolvers that validate reject every answer; without validation there is one. Signatures have expired, or a DS record of the old provider is left.",
            "If signatures have expired, ask the DNS provider to sign the zone again. If the DS record is for another key, remove it at the registrar."
            fn other_key(zone_asked, tags, has, zone, then) Fail Registrar
                titled "The DS record at the registrar belongs to another key"
                seen "the DS record of {zone_asked} at the registrar is for key {tags}, but {has}"
                expected "a DS record for a key of the zone, or none"
                fix there "remove the DS record of {zone}, and wait for its TTL. {then}"
            fn unsigned(zone, servers) Fail DnsProvider
                titled "One name server serves the zone without signatures"
                seen "{zone} at {servers} has no signatures; other name servers have them"
                expected "the signed zone at every name server"
                fix there "let {servers} serve the signed zone, or remove it from the name servers: resolvers reject what it answers"
            fn wrong_dates(zone, dates, servers, clock) Warn DnsProvider
                titled "The DNSSEC signatures have expired or are not valid yet"
                seen "the signatures of {zone} {dates} ({servers})"
                fix "ask your DNS provider to sign {zone} again now. Only if that takes long, remove the DS record at your registrar and wait for its TTL{clock}"
            fn wrong_dates_at_one(zone, servers, dates) Warn DnsProvider
                titled "One name server has expired signatures"
                seen "the signatures of {zone} at {servers} {dates}; other name servers have valid ones"
                fix "ask your DNS provider why {servers} does not copy the newly signed zone: resolvers that ask it fail"
            fn platform_rejected(host) Fail Platform
                fix "open a ticket at the platform's support: the signatures of {host} are wrong, not yours"
            fn rejected_without_ds(zone, name) Fail DnsProvider
                fix "the registrar lists no DS record for {zone}, so there is none to remove: open a ticket at your DNS provider, with the output of: petstore domains report {name}"
            fn rejected_dates(zone) Fail DnsProvider
                titled "The DNSSEC signatures have expired or are not valid yet"
                fix "ask your DNS provider to sign {zone} again now; if that takes long, remove the DS record of {zone} at your registrar and wait for its TTL"
            fn rejected_key(zone) Fail Registrar
                fix "remove the DS record of {zone} at your registrar and wait for its TTL: it belongs to an old provider or another key. Then sign the zone again";
        ServfailAll "No resolver can answer",
            "None of them gets an answer from the domain's name servers.",
            "Open a ticket at the DNS provider, or at the platform if it is the platform's zone that fails, with the evidence."
            fn all_fail(servers) Fail DnsProvider
                seen "{servers}; resolvers still answer from their caches"
                fix "open a ticket at your DNS provider, with the evidence: the domain stops working once the caches expire"
            fn platform_silent(name, target) Fail Platform
                titled "The platform's name servers do not answer"
                seen "{name} has CNAME {target}, as it should, but every resolver fails for that host"
                fix "your record is right: open a ticket at the platform's support, with the output of: petstore domains report {name}"
            fn none_succeeds(failing, answered, name) Fail DnsProvider
                seen "{failing} of {answered} resolvers answer SERVFAIL, even without validation"
                fix "open a ticket at your DNS provider, with the output of: petstore domains report {name}";
        Over48h = "OVER-48H" [RightAtSource NotEverywhere] "A resolver still has the old answer after 48 hours",
            "No cache may keep an answer that long: something else is wrong."
            fn over_48h(resolver, records, zone) Fail DnsProvider
                seen "{resolver} still answers {records}, more than 48 h after the record was saved"
                fix "no cache may keep it that long: check the delegation of {zone} and its secondary name servers";
        ViewsDiffer [RightAtSource] "The name servers give others another answer",
            "Resolvers fetched an answer after the change that is not the one petstore gets: an internal view (split horizon), a second provider, or name servers with different contents. One resolver alone may filter the name."
            fn views_differ(answers, record, zone, old) Fail DnsProvider
                seen "{answers}, fetched again and not from a cache"
                fix "add {record} also in the public view of {zone} (split horizon), and at every provider that serves {zone}{old}: waiting changes nothing"
            fn exceptions(answers) Warn DnsProvider
                seen "{answers}, fetched again and not from a cache"
                fix "the others have the right record: it filters names, or gets an answer by its place; ask its operator if your visitors use it";
        LameOne "One name server does not serve the domain",
            "Questions that reach it fail or take longer."
            fn lame_one(servers, zone) Warn DnsProvider
                seen "{servers}"
                expected "every name server of {zone} answers with authority"
                fix there "set up {zone} on that server, or remove the server at the registrar"
            fn unknown_server(host, zone) Warn Registrar
                titled "A name server at the registrar does not exist"
                seen "the registrar lists {host}, which does not exist"
                expected "a name server of {zone}"
                fix there "correct {host}: anyone who gets that name could answer for {zone}"
            fn server_is_cname(host, target, zone) Warn Registrar
                titled "A name server is a CNAME"
                seen "the registrar lists {host}, which has CNAME {target}"
                expected "a name server with an A or AAAA record"
                fix there "list {target} in place of {host} for {zone}, or give {host} an A record: resolvers do not follow a CNAME there";
        SecondaryBehind [NotEverywhere] "A name server has not copied the new zone yet",
            "It still serves an older version of the zone. Copying usually takes minutes."
            fn secondary_behind(longest) Wait Nobody
                fix "wait; this usually takes minutes, and by the SOA record at most {longest}"
            fn secondary_late(servers, longest) Warn DnsProvider
                fix "ask your DNS provider why {servers} is behind: by the SOA record it copies the zone within {longest}"
            fn same_serial(servers, serials) Warn DnsProvider
                titled "The name servers disagree about the same version of the zone"
                seen "{servers} has another record at the same serial ({serials})"
                fix there "enter the record at {servers}, too, or ask why it does not copy the zone";
        TtlWait [RightAtSource NotEverywhere] "A resolver still has the old answer cached",
            "The name servers have the right record; the resolver keeps its old answer until the TTL runs out."
            fn ttl_wait(resolver, records, left) Wait Nobody
                seen "{resolver} still has {records} cached{left}"
                fix "just wait";
        NegWait [RightAtSource NotEverywhere] "A resolver has cached that there was no record",
            "The name servers have the right record; the resolver asked before it existed. Asking again does not shorten the wait."
            fn negative_wait(resolver, left) Wait Nobody
                seen "{resolver} has cached that there was no record{left}"
                fix "just wait; asking again does not shorten it";
        NsWait [RightAtSource NotEverywhere] "A resolver still asks the old name servers",
            "The name servers of the domain were changed. Resolvers cache which ones to ask, often for a day or two."
            fn ns_wait(resolver, hosts, left, servers, record, soon) Wait Nobody
                seen "{resolver} still asks {hosts}, for up to {left}"
                expected "{servers}"
                fix "just wait; or add {record} at {hosts}, too, and it is over{soon}";
        DsWait [RightAtSource NotEverywhere] hides [ServfailAll] "Resolvers still have the old DS record cached",
            "The DS record was changed or removed at the registrar. Until their copy expires, resolvers check signatures against the old one."
            fn old_ds(has, zone, resolvers, left) Wait Nobody
                seen "the registrar {has} for {zone}; {resolvers} still has the old one cached for {left} more"
                expected "the DS record of the registrar, or none"
                fix "just wait"
            fn failure_cached(zone, resolvers, left) Wait Nobody
                titled "Resolvers remember that the signatures failed"
                seen "the DS record of {zone} was changed or removed; {resolvers} may cache the failure for {left} more"
                expected "answers that resolvers accept"
                fix "just wait";
        StaleServed [RightAtSource NotEverywhere] "A resolver serves an expired answer",
            "It cannot reach the domain's name servers, and gives an old answer instead of none."
            fn stale_served(resolver, records) Wait Nobody
                seen "{resolver} answers {records}, which has expired"
                fix "wait; it serves old answers because it cannot reach the domain's name servers";
        ResolverDown [Remark] "A resolver does not answer",
            "It is down, or this network blocks it."
            fn resolver_down(resolver, why) Unknown ThisMachine
                seen "{resolver}: {why}"
                fix "Nothing to do: it is not counted.";
        ResolversDisagree [NotEverywhere] "Resolvers give different answers",
            "None of them matches the name servers: answers may depend on the place or the network."
            fn resolvers_disagree(answers) Warn DnsProvider
                seen "{answers}"
                fix "Check for GeoDNS or split-horizon DNS at the provider. If the record was changed recently, these are old answers: wait until they expire";
        SplitLocal [HereOnly] "Only this machine gets another answer",
            "Its resolver or hosts file has its own answer: a hosts entry, a VPN, a private zone."
            fn split_local(resolver, records) Warn ThisMachine
                seen "{resolver} answers {records}; all others have the right value"
                fix "Check the hosts file, the VPN or the private zone. Everyone else gets the other answer."
            fn hosts_file(address, name) Warn ThisMachine
                seen "the hosts file of this machine has {address} for {name}"
                fix "Check the hosts file, the VPN or the private zone. Everyone else gets the other answer."
            fn own_view(records, left) Warn ThisMachine
                seen "the name servers answer this machine {records}; resolvers have the right record for {left} more"
                fix "nothing for visitors if this network is shown its own view (split horizon): add the record there, too, if people inside should reach the site. If the record was just changed or deleted, enter it again: resolvers only remember it";
        EdnsBroken [Remark] "A server does not understand EDNS",
            "It rejected a question with EDNS, and answered the same one without."
            fn edns_broken(server) Warn DnsProvider
                seen "{server} rejects EDNS, but answers without it"
                fix "Everything works. Tell the DNS provider that its software is old.";
        Offline "Nothing answers",
            "No resolver answered: this machine is offline, or its network blocks port 53."
            fn offline(resolvers) Unknown ThisMachine
                seen "no answer from {resolvers}"
                fix "Check the connection, or name a resolver that this network allows: --resolver tls://1.1.1.1 or https://1.1.1.1/dns-query if it blocks port 53."
            fn no_answer_for_it(resolvers, zone) Unknown ThisMachine
                titled "No resolver answers for this name"
                seen "no answer from {resolvers}"
                fix "they answer for other names: try again in a minute, or with another resolver (--resolver); if that fails, too, check the name servers of {zone}"
            fn unusable_dns(top) Unknown ThisMachine
                titled "The DNS of this network is unusable"
                seen "it reports that even {top} does not exist"
                fix "test from another network, or name a resolver that this one allows, with --resolver"
            fn unreachable_servers(servers) Unknown ThisMachine
                titled "The name servers cannot be reached from here"
                seen "{servers}"
                fix "this network seems to block port 53 to other servers; the domain was judged by the resolvers";
    }
    Caa {
        CaaWait "A resolver still has old CAA records cached",
            "The name servers have CAA records that allow the platform's CA, but caches do not yet. CAs may have such caches, too."
            fn caa_wait(resolver, place, left, allowed) Wait Nobody
                seen "{resolver} still has old CAA records of {place} cached for {left} more"
                expected "{allowed}"
                fix "just wait; the certificate authority may have them cached, too";
        CaaNone "No CAA record restricts CAs",
            "Without a CAA record, every certificate authority (CA) may issue."
            fn no_caa(name) Ok Nobody
                seen "no CAA record from {name} up to its top-level domain";
        CaaOk "CAA allows the platform's CA",
            "The nearest CAA records name it.";
        CaaBlocked "CAA forbids the platform's CA",
            "The nearest CAA records name only other CAs.",
            "Add a CAA record for the platform's CA at that level. Keep the others.";
        CaaEmpty "CAA forbids every CA",
            "The record names no CA at all.",
            "Add a CAA record for the platform's CA at that level.";
        CaaBadSyntax "A CAA value cannot be read",
            "An unreadable value allows no CA.",
            "Correct the value: a CA's domain, perhaps followed by ; and parameters.";
        CaaCritical "An unknown CAA property is marked critical",
            "CAs must not issue when they do not know a critical property.",
            "Remove the record, or set its flag to 0.";
        CaaWildOnly "CAA restricts only wildcards",
            "The records are about wildcard certificates, which this name does not need.";
        CaElsewhere "A CA sees something else from other places",
            "CAs check a name from several places in the world, and most of them must agree. Firewalls, blocks of countries and networks, and name servers that answer by place are not seen from here.",
            "Turn off such blocks at the name servers and the site, also for /.well-known/acme-challenge/ over port 80, then choose Re-verify in the dashboard.";
        CaaMethod "CAA restricts how the domain is validated",
            "The CA is allowed, but only with the methods that the record lists.",
            "Ask the platform's support which method it uses; usually http-01.";
        CaaAccount "CAA allows only one account",
            "The CA is allowed, but only for the account in the record.",
            "Ask the platform's support for its account URI, or remove accounturi.";
        CaaLookupFailed "The CAA lookup fails",
            "CAs treat a failed lookup as forbidden. Some firewalls drop record types that they do not know.",
            "Make the name servers answer questions for CAA, even with an empty answer."
            fn caa_lookup_failed(server, place, why, at) Fail DnsProvider
                seen "{server}, asked for CAA at {place}: {why}; it answers other questions"
                expected "an answer, even an empty one"
                fix "{at} make the name servers of {place} answer questions for CAA, with signatures where the zone is signed: certificate authorities treat a failed lookup as forbidden. A firewall may drop record types it does not know"
            fn caa_unread(place) Unknown ThisMachine
                titled "CAA could not be read from here"
                seen "no server answered for CAA at {place}"
                fix "check again, or with another resolver (--resolver): what certificate authorities find at {place} is not known";
        CaaCaUnknown "The platform's CA is unknown",
            "The platform does not say which CA it uses, so the CAA records cannot be judged.",
            "Pass the CA's CAA domain with --ca.";
    }
    Certificate {
        TlsOk [GoodCertificate] "The certificate is right",
            "Its names, its dates and its chain are right."
            fn tls_ok(certificate) Ok Nobody
                seen "{certificate}";
        TlsWrongName "The certificate is for other names",
            "An old host or another site answers. A wildcard covers only one label."
            fn wrong_name(names, issuer, name) Fail DnsProvider
                seen "the certificate is for {names}, issued by {issuer}"
                fix "check where {name} points, and in the dashboard that the domain is added";
        TlsPending [NoCertificate NotYetCertificate] "The certificate is not there yet",
            "The platform answers with its own certificate until it has one for the domain: usually a couple of minutes after Verify.",
            "Choose Verify in the dashboard. If that was over 30 minutes ago, check DNS and CAA, then choose Re-verify.";
        TlsAlert [NoCertificate NotYetCertificate] "The server has no certificate for the name yet",
            "It ended the TLS handshake with an alert.",
            "Wait up to 30 minutes after Verify. After that, check DNS and CAA, then choose Re-verify.";
        TlsNoSan [BadCertificate] "The certificate has only a common name",
            "Browsers and petstore ignore the common name. That curl may accept it proves nothing."
            fn no_san(common) Fail Platform
                seen "the certificate has no subject alternative names, only the common name {common}"
                fix "Have it issued again, with the name as subject alternative name.";
        TlsUnlogged "The certificate is not in public logs",
            "Browsers accept a certificate of a public CA only with proofs that it was logged (certificate transparency).",
            "Ask the platform's support to issue the certificate again, with these proofs.";
        TlsExpired [BadCertificate] "The certificate is no longer valid",
            "It was not renewed in time, or its CA has revoked it, which only browsers see. The platform gets a new one, and needs DNS and CAA to be right."
            fn expired(end, ago) Fail Platform
                seen "the certificate expired {end}, {ago} ago"
                fix "check the findings on DNS and CAA first, since renewal needs both; then choose Re-verify in the dashboard";
        TlsFuture [BadCertificate] "The certificate is not valid yet",
            "It starts in the future, or this machine's clock is wrong."
            fn not_valid_yet(begin) Fail Platform
                seen "the certificate is valid from {begin}"
                fix "check the clock of this machine; if it is right, wait";
        TlsSelf [BadCertificate] "The certificate is self-signed",
            "It is not the platform's, or comes from a test setup."
            fn self_signed(issuer, names, name) Fail Platform
                seen "the certificate is self-signed, by {issuer}, for {names}"
                fix "check where {name} points: this is not the platform, or a test setup";
        TlsStaging [BadCertificate] "The certificate is from a test CA",
            "No browser trusts the certificates of a staging CA."
            fn staging(issuer) Fail Platform
                seen "the issuer is {issuer}"
                fix "ask the platform's support to issue it from the real CA";
        TlsChain [BadCertificate] "An intermediate certificate is missing",
            "The server does not send the certificate between its own and the root. Some browsers fill the gap, most tools do not."
            fn no_intermediate(issuer) Fail Platform
                seen "the server sends its certificate without the intermediate {issuer}"
                fix "ask the platform's support to send the whole chain. Some browsers fill the gap, most tools do not"
            fn wrong_chain_dates(issuer, why) Fail Platform
                titled "An intermediate certificate is out of date"
                seen "the server's certificate is valid, but one above it {why}; the issuer is {issuer}"
                fix "ask the platform's support to send the present intermediate certificate: browsers reject this chain";
        TlsWeak [BadCertificate] "The certificate's key is too short",
            "Browsers reject RSA keys of fewer than 2048 bits, and signatures with SHA-1."
            fn weak_key(bits) Fail Platform
                seen "the certificate has an RSA key of {bits} bits"
                expected "an RSA key of 2048 bits or more, or an ECDSA key"
                fix "ask the platform's support to issue the certificate again, with a longer key";
        TlsIntercept "This network replaces certificates",
            "The platform's own host shows the same unknown issuer from here: a proxy reads the traffic."
            fn intercepted(issuer) Fail ThisMachine
                seen "the issuer is {issuer}, as it is for the platform's own host"
                fix "Test from another network, or trust the proxy's root with --trust.";
        TlsUnknownCa [BadCertificate] "The issuer is not trusted",
            "Browsers do not know the CA that issued the certificate."
            fn unknown_ca(issuer, name) Fail Platform
                seen "the issuer is {issuer}"
                fix "check where {name} points; browsers do not trust the issuer"
            fn rejected_by_browsers(issuer, why, name) Fail Platform
                seen "the issuer is {issuer}; {why}"
                fix "check where {name} points; browsers reject this certificate"
            fn no_roots() Unknown ThisMachine
                seen "this machine has no CA certificates"
                fix "install the package ca-certificates, or pass a PEM file with --trust";
        TlsLong [GoodCertificate] "The certificate is valid for too long",
            "Browsers limit how long certificates of public CAs are valid in all: 398 days, 200 if they begin after 14 March 2026, 100 after 14 March 2027, 47 after 14 March 2029."
            fn valid_too_long(certificate, days, longest) Warn Platform
                seen "{certificate}; it is valid for {days} days in all"
                expected "at most {longest} days"
                fix "Ask the platform's support to issue a shorter one.";
        TlsOld [GoodCertificate] "The certificate is from before the domain was added",
            "It is valid, but from another CA: an old host or a cache still answers."
            fn old_certificate(certificate, serial, begin) Warn DnsProvider
                seen "{certificate}; serial {serial}, from {begin}"
                fix "an old host or a cache may still answer: compare serial numbers in a private window";
        TlsSoon [GoodCertificate] "The certificate expires soon",
            "Less than a quarter of its lifetime is left; it should have been renewed by now."
            fn expires_soon(certificate) Warn Platform
                seen "{certificate}"
                expected "a renewal before the last quarter of its lifetime"
                fix "it should have been renewed: check the findings on DNS and CAA, then choose Re-verify in the dashboard";
        TlsRefused [NoCertificate NotYetCertificate] "Nothing listens for https",
            "The connection to port 443 was refused.",
            "Wait if Verify was less than 30 minutes ago; otherwise ask the platform's support.";
        TlsVersion [NoCertificate] "The server speaks only old versions of TLS",
            "It has neither TLS 1.2 nor 1.3, and browsers have given up the older ones: this is an old server.",
            "Check where the record points; if that is right, tell the operator of the server.";
        TlsSni "The certificate is shown only without SNI",
            "The server has the certificate, but does not choose it by the name that browsers send (SNI)."
            fn only_without_sni(address, name, issuer) Warn Platform
                seen "{address} has a certificate for {name} from {issuer}, but shows it only without SNI"
                expected "the certificate for callers of {name}"
                fix "Tell the operator of the server to use its certificate for the name.";
        TlsReset [NoCertificate NotYetCertificate] "The TLS handshake was cut off",
            "The server, or something in front of it, closed the connection or ended the handshake with an alert.",
            "Try again. If it stays, ask the platform's support.";
        TlsTimeout [NoCertificate NotYetCertificate] "The server does not respond",
            "It did not answer the connection or the handshake.",
            "Try again. If it stays, a firewall drops the connection.";
        TlsNotTls [NoCertificate] "The server does not speak TLS",
            "Plain HTTP, or something else, answers on port 443.",
            "The port is set up wrong: tell the operator of the server.";
        TlsAddressesDiffer "The addresses have different certificates",
            "Visitors get one or the other."
            fn addresses_differ(certificates) Warn DnsProvider
                seen "{certificates}"
                expected "the same certificate at every address"
                fix "check the address that differs: it may be an old server";
        CaRateLimit "The CA has reached a limit",
            "A CA accepts only so many certificates and failed attempts for a name in a time; Let's Encrypt refills five failures an hour.",
            "Fix the cause first, then wait for the time that the message names before choosing Re-verify.";
        HstsNote "Browsers insist on https",
            "The site asked browsers to use only https for a time, and the certificate is broken: they offer no way past the warning."
            fn strict_transport(field) Fail Platform
                seen "Strict-Transport-Security: {field}"
                fix "fix the certificate first: browsers that visited before offer no way past the warning";
        V6Untested "IPv6 was not tested",
            "This machine has no IPv6."
            fn v6_untested(addresses) Unknown ThisMachine
                seen "{addresses} cannot be reached from here"
                fix "Test from a network that has it.";
    }
    Http {
        HttpOk [Answers] "The platform answers",
            "The site is served under the name."
            fn http_ok(name, status, to) Ok Nobody
                seen "https://{name}/ answers {status}{to}";
        Http404Project = "HTTP-404-PROJECT" "The platform does not know the name",
            "DNS and certificate are right, but no project has this domain."
            fn unknown_project(name, status, label) Fail Dashboard
                seen "https://{name}/ answers {status}: DNS and certificate are right, but the platform does not know the name"
                fix "add {name} in the dashboard under Project settings, Domains; check project and spelling. If you removed it on purpose, delete the CNAME {label} at your DNS provider: others could take over the name"
            fn removed_project(name, status, label) Fail DnsProvider
                seen "https://{name}/ answers {status}: DNS and certificate are right, but the platform does not know the name"
                fix "the domain was removed: delete the CNAME {label} at your DNS provider now; anyone who adds the name to their project gets your visitors";
        HttpTaken "Another project has the domain",
            "The platform gives a domain to one project only, and another one has it: an old one of yours, or that of an earlier owner.",
            "Remove the domain from the other project in the dashboard, then add it again. If it is not yours, ask the platform's support, and show that the zone is.";
        Http5xx = "HTTP-5XX" [Answers] "The server has an error",
            "The domain is fine; what it serves is not."
            fn server_error(name, answer) Warn Platform
                seen "https://{name}/{answer}"
                fix "the domain is fine: check the last deploy in the dashboard";
        HttpRefused [Answers] "The site refuses visitors",
            "DNS and certificate are right, but every visitor gets an error: a login, a block, a limit, a page that is gone, or a name that the server does not accept.",
            "Check the access settings of the project in the dashboard."
            fn refused(name, status, advice) Warn Dashboard
                seen "https://{name}/ answers {status}"
                fix "{advice}";
        HttpPort80 = "HTTP-PORT-80" "Nothing answers on port 80",
            "Visitors who type the name without https:// arrive there, and CAs that check by HTTP-01 only there."
            fn port_80_closed(addresses) Warn Platform
                seen "{addresses}"
                expected "a redirect to https"
                fix "ask the platform's support whether port 80 is open: visitors without https:// and CAs that check by HTTP-01 need it";
        HttpParked "The page looks like a parking page",
            "It looks like a registrar's placeholder."
            fn parking_page(url) Warn DnsProvider
                seen "{url} looks like a parking page"
                fix "Turn off parking, and check where the record points.";
        HttpNoUpgrade "http does not redirect to https",
            "Visitors who type the name without https:// are not sent to the protected address."
            fn no_upgrade(url, status, name) Warn Platform
                seen "{url} answers {status} and does not redirect to https"
                expected "a redirect to https://{name}/"
                fix "Ask the platform's support to redirect http to https.";
        AcmeLeftOver [CaCheck] "An earlier provider's certificate check is left over",
            "CAs that check by DNS read _acme-challenge below the name, which still leads to another provider or has more than a CNAME."
            fn challenge_left_over(place) Warn DnsProvider
                fix there "delete the records at {place}, unless you know what they are for: they are of an earlier provider"
            fn challenge_not_alone(place) Warn DnsProvider
                fix there "delete the TXT records at {place}: a CNAME must be the only record";
        AcmeBlocked [CaCheck] "The path of the certificate check is blocked",
            "CAs fetch a file under /.well-known/acme-challenge/ over port 80; something in front of the platform refuses or redirects it."
            fn challenge_blocked(why) Warn DnsProvider
                seen "/.well-known/acme-challenge/ {why}"
                expected "404, or another answer from the platform itself"
                fix "exempt that path from logins, rules and redirects: certificate authorities fetch a file there over port 80";
    }
    Redirect {
        RdOk "The redirect is as configured",
            "From, to and status are right."
            fn redirect_ok(from, url, status) Ok Nobody
                seen "{from} leads to {url} with {status}";
        RdLoop [Detour] "The redirect loops",
            "Following it leads back to where it began. A proxy in front of the platform causes this when it speaks http to the platform (the mode Flexible)."
            fn redirect_loops(circle, from, to) Fail Dashboard
                seen "{circle}"
                fix there "redirect {from} to {to}, and delete the redirect that leads back; with a proxy in front of the platform, set its SSL mode to Full (strict)"
            fn page_loops(circle, mode) Fail Dashboard
                seen "{circle}"
                fix "in the dashboard, redirect it to its target, and delete the redirect that leads back{mode}";
        RdTooMany [Detour] "There are more than ten redirects",
            "Browsers give up, too."
            fn page_redirects_on(count) Fail Dashboard
                seen "more than {count} redirects"
                fix "Point the first redirect straight at the last target."
            fn too_many_redirects(count, from, to) Fail Dashboard
                seen "more than {count} redirects"
                fix there "redirect {from} straight to {to}";
        RdGone "The redirect leads to a name that does not exist",
            "Visitors are sent on to a host that DNS does not know."
            fn page_gone(name, url) Fail Dashboard
                seen "http://{name}/ leads to {url}, which has no address"
                expected "a target that exists"
                fix "Correct the target of the redirect."
            fn redirect_gone(from, url, to) Fail Dashboard
                seen "{from} leads to {url}, which has no address"
                fix "check the spelling of {to}, or set it up first";
        RdNoLocation "The redirect has no target",
            "The status is a redirect, but there is no usable Location header."
            fn no_location(url, status, to) Fail Dashboard
                seen "{url} answers {status} without a usable Location header"
                fix there "set up the redirect to {to} again";
        RdRelative "The redirect stays on the same name",
            "Its target is a path, not another host."
            fn same_name(status, location, from, to) Fail Dashboard
                seen "{status} leads to {location}, on the same name"
                fix there "set the target of {from} to {to}; if it is right there, the answer comes from a cache";
        RdTarget "The redirect leads to another host",
            "The live site differs from the configuration. It may also be an old redirect from a cache."
            fn other_target(status, url, from, to) Fail Dashboard
                seen "{status} leads to {url}"
                fix there "set the target of {from} to {to}; if it is right there, the answer comes from a cache";
        RdMeta "The redirect is only in the page",
            "Crawlers and tools do not follow a meta or script redirect."
            fn only_in_page(url, status, from, to, wanted) Fail Dashboard
                seen "{url} answers {status}"
                fix there "set up a redirect from {from} to {to} with {wanted}";
        RdNone "There is no redirect",
            "A page is served instead."
            fn no_redirect(url, status, from, to, wanted) Fail Dashboard
                seen "{url} answers {status}"
                fix there "set up a redirect from {from} to {to} with {wanted}"
            fn no_redirect_over_https(from, status) Warn Dashboard
                titled "There is no redirect over https"
                seen "https://{from}/ answers {status}; only http redirects"
                fix "browsers try https first: check the certificate of {from} and its redirect over https"
            fn other_way(from, to, url, wanted) Fail Dashboard
                titled "The redirect goes the other way"
                seen "it goes the other way: {to} leads to {url}"
                fix "in the dashboard under Project settings, Domains, first remove the redirect from {to} to {from}, then set up the one from {from} to {to} with {wanted}: both together would be a loop. If {from} should be served, exchange the two in the configuration"
            fn no_answer(from, why) Fail Dashboard
                seen "{from}: {why}"
                fix "check the domain itself first: petstore domains check {from}";
        RdStatus [Detour] "The redirect has a different status",
            "Browsers and search engines remember 301 and 308, not 302, 303 and 307."
            fn other_status(status, means, wanted, meaning) Warn Dashboard
                seen "status {status}: {means}"
                fix there "set the status to {wanted}: {meaning}";
        RdChain [Detour] "The redirect takes several hops",
            "Each costs visitors time."
            fn several_hops(way, from, to) Warn Dashboard
                seen "{way}"
                fix there "redirect {from} straight to {to}";
        RdDowngrade "The redirect leads to http",
            "One hop is unprotected."
            fn to_http(url, to) Warn Dashboard
                seen "leads to {url}"
                fix "set the target to https://{to}/";
        RdPath "The redirect loses the path",
            "Deep links end on the front page."
            fn path_lost(source, url, expected) Warn Dashboard
                seen "{source} leads to {url}"
                expected "{expected}"
                fix "keep path and query in the target: deep links end on the front page";
        RdCached "An old redirect may be cached",
            "Browsers keep a 301 as long as they like, unless it sets a limit."
            fn redirect_cached(how_long) Fail Nobody
                seen "{how_long}"
                fix "after the change, test in a private window; a header-only request shows what the server sends now";
        RdHead "HEAD was refused, GET was used",
            "The server answers header-only requests with an error that visitors do not get."
            fn head_refused() Ok Nobody
                seen "HEAD gave an error; checked with GET";
    }
    Configuration {
        CfgOk "The configuration is valid",
            "Every name, redirect and status can be used.";
        CfgSyntax "The file cannot be read",
            "It is neither valid JSON nor valid TOML.",
            "Correct the place shown.";
        CfgType "A value has the wrong type",
            "domains.primary is text; domains.redirects is a list of from, to and status.",
            "Correct the value shown.";
        CfgNoPrimary "There is no primary domain",
            "domains.primary is missing or empty."
            fn no_primary() Fail Dashboard
                seen "domains.primary is missing or empty"
                fix "set domains.primary to the main domain of the project";
        CfgName "A name cannot be used",
            "It is not a domain.",
            "Correct the name."
            fn refused_name(place, text, title, code, fix) Fail Dashboard
                seen "{place}: \"{text}\": {title} ({code})"
                fix "{fix}"
            fn doubtful_name(place, name, title, code, fix) Warn Dashboard
                seen "{place}: {name}: {title} ({code})"
                fix "{fix}";
        CfgUrl "A name is written as a URL",
            "Only the domain belongs here, without https:// and path."
            fn name_as_url(place, text, name) Fail Dashboard
                seen "{place}: \"{text}\""
                expected "{name}"
                fix "write {name}, without https:// and path";
        CfgSelf "A domain redirects to itself",
            "from and to are the same name."
            fn leads_to_itself(place, from) Fail Dashboard
                seen "{place}: {from} leads to itself"
                fix "change from or to";
        CfgLoop "The redirects loop",
            "Following them leads back to where they began."
            fn configured_loop(place, way, primary) Fail Dashboard
                seen "{place}: {way}"
                fix "point them at {primary}";
        CfgPrimaryRedirects "The primary domain redirects",
            "The project would never be served under it."
            fn primary_redirects(place, from) Fail Dashboard
                seen "{place}.from: {from} is the primary domain"
                fix "remove this redirect, or choose another primary domain";
        CfgDuplicate "A domain redirects twice",
            "The same name, perhaps spelled differently, is the source of two redirects."
            fn redirects_twice(place, from, first) Fail Dashboard
                seen "{place}.from: {from} is in {first}, too"
                fix "keep one redirect from {from}";
        CfgStatus "The status is not the usual one",
            "301 is usual. 302, 303 and 307 are temporary, 308 is permanent and keeps the method; others are not redirects."
            fn no_redirect_status(place, status) Fail Dashboard
                seen "{place}.status: {status} is not a redirect"
                expected "301"
                fix "use 301; 302, 303, 307 and 308 are redirects, too"
            fn unusual_status(place, status, what) Warn Dashboard
                seen "{place}.status: {status} is {what}"
                expected "301"
                fix "use 301, unless you want this";
        CfgChain "A redirect leads to another redirect",
            "Visitors take two hops."
            fn redirects_on(place, to, last_target) Warn Dashboard
                seen "{place}.to: {to} redirects, too"
                expected "{last_target}"
                fix "set {place}.to to {last_target}";
        CfgToElsewhere "A redirect leads out of the project",
            "Its target is neither the primary domain nor a listed one."
            fn leads_out(place, to) Warn Dashboard
                seen "{place}.to: {to} is neither the primary domain nor a listed one"
                fix "check that this is what you want";
        CfgUnknownKey "A key is unknown",
            "It is ignored, or a typo.",
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
            for text in [code.title(), code.cause(), &code.cure()] {
                assert!(!text.is_empty() && text.is_ascii(), "{code}: {text}");
            }
            assert!(code.cause().ends_with('.') && code.cure().ends_with('.'), "{code}");
        }
        assert!("DNS-NONSENSE".parse::<Code>().is_err());
    }

    #[test]
    fn a_cure_names_what_a_check_would_fill_in() {
        let cure = "At your DNS provider, delete the A record <addresses> of <label>, then add <record>: a CNAME must be \
                    the only record. Then wait up to <ttl> (the TTL of the old record).";
        assert_eq!(Code::DnsABlocks.cure(), cure);
        assert_eq!(Code::RdDowngrade.cure(), "Set the target to https://<to>/.");
    }
}
