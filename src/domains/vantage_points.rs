//! What each server sees at a domain's name: the name servers of its zone, which decide, and the resolvers, which show
//! how long it takes.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::RecordType::{A, AAAA, CNAME};
use super::diagnosis::authoritative::{answer, invents, is_right};
use super::diagnosis::propagation::{Cause, are_exceptions, cause, not_right, split_local};
use super::diagnosis::{nameservers, record};
use super::{Facts, Lookup, Reply, Server, Verdict};

/// What one server sees at the domain's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    pub server: Arc<Server>,
    /// What it sees, in short; safe to show.
    pub sees: String,
    /// The remaining TTL when it answered, in seconds.
    pub ttl: Option<u32>,
    /// How long the answer took.
    pub took: Duration,
    /// How that is judged.
    pub verdict: ViewVerdict,
}

/// How the view of a server is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewVerdict {
    /// It sees what it should.
    Right,
    /// It has an old answer cached; the name servers are right.
    Old {
        /// When that expires, if known.
        until: Option<Timestamp>,
    },
    /// It sees something else, and the name servers are not right either.
    Wrong,
    /// The same, and the domain works all the same.
    Other,
    /// No answer, or not a credible one.
    NotCounted,
    /// Nothing can be compared: the value is not known, or a proxy hides the record.
    Unjudged,
}

impl ViewVerdict {
    /// The same as a verdict.
    pub const fn verdict(self) -> Verdict {
        match self {
            Self::Right => Verdict::Ok,
            Self::Old { .. } => Verdict::Wait,
            Self::Wrong => Verdict::Fail,
            Self::Other => Verdict::Warn,
            Self::NotCounted | Self::Unjudged => Verdict::Unknown,
        }
    }

    /// The word for a column of verdicts.
    pub fn word(self) -> String {
        match self {
            Self::NotCounted => "not counted".to_owned(),
            Self::Unjudged => "-".to_owned(),
            judged => judged.verdict().as_str().to_uppercase(),
        }
    }
}

/// The views of the name servers, then those of the resolvers.
pub fn views(facts: &Facts<'_>) -> Vec<View> {
    let name = facts.name();
    let kind = if facts.domain.is_apex() { A } else { CNAME };
    let sources = facts.seen.source(name, kind).map(|asked| {
        // A server without a CNAME may have addresses, which say more.
        let empty = asked.reply().is_some_and(|reply| reply.answers.is_empty());
        let addresses = facts.seen.source(name, A).find(|it| it.server == asked.server);
        let shown = addresses.filter(|_| empty).unwrap_or(asked);
        view(facts, shown, of_source(facts, shown))
    });
    let resolvers = facts.resolvers(A).map(|it| view(facts, it, of_resolver(facts, it)));
    let mut views: Vec<View> = sources.chain(resolvers).collect();
    // In the same order at each check, whichever server was faster.
    views.sort_by_cached_key(|view| (view.server.role.is_resolver(), view.server.name.clone()));
    views
}

fn view(facts: &Facts<'_>, lookup: &Lookup, verdict: ViewVerdict) -> View {
    let name = facts.name();
    // What is wrong may be the address for IPv6 alone.
    let ipv6 = facts.seen.asked(name, AAAA).filter(|other| other.server == lookup.server);
    let ipv6 = ipv6.filter(|_| verdict != ViewVerdict::Right).flat_map(|it| it.at(name));
    let ipv6 = ipv6.filter(|it| it.data.kind() == AAAA);
    let (sees, ttl) = match &lookup.outcome {
        Err(why) => (why.to_string(), None),
        Ok(reply) => {
            let own: Vec<String> = reply.at(name).chain(ipv6).map(|it| it.data.words()).collect();
            let sees = if own.is_empty() { reply.words() } else { own.join(", ") };
            let longest = reply.at(name).map(|it| it.ttl).max();
            (sees, longest.or_else(|| reply.negative().map(|(_, ttl)| ttl)))
        }
    };
    View { server: Arc::clone(&lookup.server), sees, ttl, took: lookup.took, verdict }
}

fn of_source(facts: &Facts<'_>, lookup: &Lookup) -> ViewVerdict {
    if !lookup.reply().is_some_and(Reply::speaks) || facts.source().only_here.is_some() {
        return ViewVerdict::NotCounted;
    }
    let right = is_right(facts, &answer(facts, &lookup.server.name));
    other_than(facts, right, None)
}

fn of_resolver(facts: &Facts<'_>, lookup: &Lookup) -> ViewVerdict {
    let others = not_right(facts, lookup);
    if lookup.answer().is_none() && others.is_empty() {
        let fails = lookup.reply().is_some_and(Reply::is_servfail) && nameservers::domain_fails(facts);
        return if fails { ViewVerdict::Wrong } else { ViewVerdict::NotCounted };
    }
    let source_is_right = facts.source().is_right(facts);
    let is_local = || split_local(facts).is_some_and(|(local, _)| local == lookup.server.name);
    if invents(facts, lookup) || source_is_right && is_local() {
        return ViewVerdict::NotCounted;
    }
    let causes: Vec<Cause> = others.iter().map(|other| cause(facts, other)).collect();
    if source_is_right && causes.contains(&Cause::Unexplained) {
        let exceptions = are_exceptions(facts, facts.resolvers(A).count() / 2);
        return if exceptions { ViewVerdict::NotCounted } else { ViewVerdict::Wrong };
    }
    let until = causes.iter().filter_map(|cause| cause.until()).max();
    other_than(facts, others.is_empty(), until)
}

fn other_than(facts: &Facts<'_>, right: bool, until: Option<Timestamp>) -> ViewVerdict {
    match right {
        _ if facts.value().is_none() => ViewVerdict::Unjudged,
        true => ViewVerdict::Right,
        false if facts.source().is_right(facts) => ViewVerdict::Old { until },
        // A proxy hides the record, and reaches the platform.
        false if record::cloudflare(facts).is_some_and(|it| !it.fails()) => ViewVerdict::Unjudged,
        false => ViewVerdict::Wrong,
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::ViewVerdict::{NotCounted, Old, Right, Unjudged, Wrong};
    use super::*;
    use crate::domains::diagnosis::tests::{
        HOST, NAME, PLATFORM, Seen, address, answer, at, cname, expectation, ns, nxdomain, record, reported, resolver,
        server,
    };
    use crate::domains::{Data, DnsName, Expectation, NoReply, Record, ResponseCode, Role, parse_name};

    const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 10));

    fn seen_with(seen: &Seen, expectation: &Expectation) -> Vec<View> {
        seen_at(NAME, seen, expectation)
    }

    fn seen_at(name: &str, seen: &Seen, expectation: &Expectation) -> Vec<View> {
        let (domain, reported) = (parse_name::domain(name).unwrap(), reported());
        views(&Facts::new(&domain, expectation, &reported, &seen.0, None, at(0)))
    }

    fn verdicts(seen: &Seen) -> Vec<ViewVerdict> {
        seen_with(seen, &expectation()).iter().map(|view| view.verdict).collect()
    }

    fn right() -> Reply {
        answer(vec![cname(NAME, HOST), address(HOST, PLATFORM)])
    }

    fn elsewhere() -> Reply {
        answer(vec![record(NAME, 1260, Data::Cname(DnsName::new("old.host.net")))])
    }

    fn code(code: ResponseCode) -> Reply {
        Reply { code, ..Reply::default() }
    }

    /// The zone has an A record instead, and so have two resolvers.
    fn blocked() -> Seen {
        let other = || answer(vec![address(NAME, ELSEWHERE)]);
        Seen::new().source(CNAME, answer(vec![])).source(A, other()).resolved(1, other()).resolved(2, other()).with(
            &resolver(1),
            HOST,
            A,
            Ok(answer(vec![address(HOST, PLATFORM)])),
        )
    }

    #[test]
    fn a_resolver_is_judged_by_what_the_source_has() {
        let old = |minutes| Old { until: Some(at(minutes)) };
        for (third, expected) in [
            (Ok(right()), Right),
            (Ok(elsewhere()), old(21)),
            (Ok(nxdomain("acme.com", 840)), old(14)),
            (Ok(answer(vec![cname(NAME, HOST), cname(NAME, "old.host.net")])), old(60)),
            // No TTL explains it, and most see the record.
            (Ok(answer(vec![])), NotCounted),
            (Ok(code(ResponseCode::ServFail)), NotCounted),
            (Ok(code(ResponseCode::Refused)), NotCounted),
            (Err(NoReply::Timeout), NotCounted),
        ] {
            let seen = Seen::right().with(&resolver(3), NAME, A, third.clone());
            assert_eq!(verdicts(&seen), [Right, Right, Right, expected], "{third:?}");
        }
        assert_eq!(verdicts(&blocked().resolved(3, right())), [Wrong, Wrong, Wrong, Right]);
        assert_eq!(verdicts(&blocked().resolved(3, elsewhere())), [Wrong, Wrong, Wrong, Wrong]);
    }

    #[test]
    fn an_old_address_for_ipv6_alone_is_old_too() {
        let v6 = answer(vec![record(NAME, 4020, Data::Aaaa("2001:db8::9".parse().unwrap()))]);
        let seen = Seen::right().with(&resolver(2), NAME, AAAA, Ok(v6));
        assert_eq!(verdicts(&seen), [Right, Right, Old { until: Some(at(67)) }]);
    }

    #[test]
    fn an_address_for_ipv6_that_is_judged_is_shown_too() {
        let v6 = || answer(vec![record(NAME, 4020, Data::Aaaa("2001:db8::9".parse().unwrap()))]);
        let direct = || answer(vec![address(NAME, PLATFORM)]);
        let seen = blocked()
            .with(&ns(2), NAME, CNAME, Ok(answer(vec![])))
            .with(&ns(2), NAME, A, Ok(direct()))
            .with(&ns(2), NAME, AAAA, Ok(v6()))
            .resolved(3, direct())
            .with(&resolver(3), NAME, AAAA, Ok(v6()));
        let seen = seen_with(&seen, &expectation());
        let shown = |name: &str| seen.iter().find(|view| view.server.name == name).map(|view| view.sees.as_str());
        for name in ["ns2.acme.com", "resolver3"] {
            assert_eq!(shown(name), Some("A 198.51.100.7, AAAA 2001:db8::9"), "{name}");
        }
    }

    #[test]
    fn a_name_server_is_wrong_or_behind_the_others_or_does_not_count() {
        let lame = Reply { authoritative: false, ..right() };
        for (second, expected) in [
            (Ok(right()), Right),
            (Ok(elsewhere()), Old { until: None }),
            (Ok(lame), NotCounted),
            (Ok(code(ResponseCode::Refused)), NotCounted),
            (Err(NoReply::NoAddress), NotCounted),
        ] {
            let seen = Seen::right().with(&ns(2), NAME, CNAME, second.clone());
            assert_eq!(verdicts(&seen), [Right, expected, Right, Right], "{second:?}");
        }
        let two = answer(vec![cname(NAME, HOST), cname(NAME, "old.host.net")]);
        assert_eq!(verdicts(&Seen::new().source(CNAME, two)), [Wrong]);
        assert_eq!(verdicts(&Seen::new().source(CNAME, nxdomain("acme.com", 900))), [Wrong]);
    }

    #[test]
    fn an_apex_needs_the_addresses_of_the_platform_and_no_cname() {
        let apex = "acme.com";
        let verdict = |own: Record| {
            let seen = Seen::new().with(&ns(1), apex, A, Ok(answer(vec![own]))).with(
                &resolver(1),
                HOST,
                A,
                Ok(answer(vec![address(HOST, PLATFORM)])),
            );
            seen_at(apex, &seen, &expectation())[0].verdict
        };
        assert_eq!(verdict(address(apex, PLATFORM)), Right);
        assert_eq!(verdict(address(apex, ELSEWHERE)), Wrong);
        assert_eq!(verdict(cname(apex, HOST)), Wrong);
    }

    #[test]
    fn what_is_not_to_be_believed_does_not_count() {
        let nobody = "nobody.com";
        let made_up = answer(vec![address(nobody, ELSEWHERE)]);
        let seen = Seen::right()
            .resolved(3, answer(vec![address(NAME, ELSEWHERE)]))
            .with(&resolver(2), nobody, A, Ok(nxdomain("com", 900)))
            .with(&resolver(3), nobody, A, Ok(made_up));
        assert_eq!(verdicts(&seen), [Right, Right, Right, NotCounted], "it invents");
        let local: Arc<Server> = server(Role::Resolver { system: true }, "this machine's");
        let private = answer(vec![address(NAME, IpAddr::V4(Ipv4Addr::new(10, 0, 0, 5)))]);
        let seen = Seen::right().with(&local, NAME, A, Ok(private));
        assert_eq!(verdicts(&seen), [Right, Right, Right, NotCounted], "its own zone");
    }

    #[test]
    fn resolvers_that_all_fail_tell_of_the_domain() {
        let seen = Seen::new()
            .source(CNAME, answer(vec![cname(NAME, HOST)]))
            .resolved(1, code(ResponseCode::ServFail))
            .with(&resolver(2), NAME, A, Err(NoReply::Timeout));
        assert_eq!(verdicts(&seen), [Right, Wrong, NotCounted]);
    }

    #[test]
    fn without_the_value_or_behind_a_proxy_nothing_is_compared() {
        let unknown = Expectation { platform_host: None, ..expectation() };
        let seen = Seen::right().with(&resolver(3), NAME, A, Err(NoReply::Timeout));
        let seen: Vec<ViewVerdict> = seen_with(&seen, &unknown).iter().map(|view| view.verdict).collect();
        assert_eq!(seen, [Unjudged, Unjudged, Unjudged, NotCounted]);
        let proxy = || answer(vec![address(NAME, "104.16.1.1".parse().unwrap())]);
        let hidden = || Seen::new().source(CNAME, answer(vec![])).source(A, proxy()).resolved(1, proxy());
        assert_eq!(verdicts(&hidden()), [Wrong, Wrong], "the platform is not reached");
        let reached = hidden().shows(Err(crate::domains::observation::ConnectionFailure::Timeout), None);
        assert_eq!(verdicts(&reached), [Unjudged, Unjudged]);
    }

    #[test]
    fn a_view_says_what_is_seen_in_few_words_and_who_sees_it() {
        let seen = seen_with(&blocked().resolved(3, nxdomain("acme.com", 840)), &expectation());
        let labels: Vec<String> = seen.iter().map(|view| view.server.label()).collect();
        let shown: Vec<_> =
            seen.iter().zip(&labels).map(|(view, label)| (label.as_str(), view.sees.as_str(), view.ttl)).collect();
        assert_eq!(
            shown,
            [
                ("ns1.acme.com (192.0.2.53)", "A 192.0.2.10", Some(3600)),
                ("resolver1 (192.0.2.53)", "A 192.0.2.10", Some(3600)),
                ("resolver2 (192.0.2.53)", "A 192.0.2.10", Some(3600)),
                ("resolver3 (192.0.2.53)", "NXDOMAIN", Some(840)),
            ]
        );
        assert_eq!((seen[0].server.role, seen[0].took), (Role::Authoritative, Duration::from_millis(5)));
    }
}
