//! Which resolvers learn the name of a domain.

use crate::prelude::*;
use petstore::config::File;

use crate::simulator::{LoggedServer, Plan, ServerFault, Simulator, ZoneData};
use petstore::domains::RegistryFile;
use petstore::domains::check_options::named_resolver;

use super::fixture::{check, now, reported, settings, with_system_resolver};
use super::worlds::faults::FaultyServer as _;
use super::worlds::servers::both;

/// The resolvers that were asked anything.
fn asked(world: &Simulator) -> Vec<usize> {
    let resolver = |server: LoggedServer| match server {
        LoggedServer::Resolver(number) => Some(number),
        LoggedServer::NameServer(_) => None,
    };
    let mut asked: Vec<usize> =
        world.questions().into_iter().filter_map(|question| resolver(question.server)).collect();
    asked.sort_unstable();
    asked.dedup();
    asked
}

/// The first resolver of the world as the one of this machine, and nothing else, as `--only-system-resolver` has it.
fn only_system(world: &Simulator) -> CheckOptions {
    let mut options = with_system_resolver(settings(world));
    options.resolvers.retain(|server| server.role == Role::Resolver { system: true });
    options
}

#[tokio::test]
async fn with_only_the_system_resolver_no_packet_goes_to_another_one() {
    // Also where a check looks for causes.
    let broken = |plan: &mut Plan| {
        plan.zone(Plan::ZONE).set(Plan::DOMAIN, Plan::TTL, ZoneData::cname("gone.oldhost.net"));
    };
    for plan in [Plan::healthy(now()), Plan::healthy(now()).with(broken)] {
        let world = Simulator::start(plan).await.unwrap();
        check(&only_system(&world), Plan::DOMAIN, &reported()).await;
        assert_eq!(asked(&world), [0]);
    }
}

/// The clock stands still while anything is under way.
#[tokio::test(start_paused = true)]
async fn servers_that_answer_after_two_and_a_half_seconds_are_not_silent() {
    let slow = || ServerFault::Slow(Duration::from_millis(2500));
    let world = Simulator::start(Plan::healthy(now()).with(|plan| {
        plan.resolver(1).fault(slow());
        both(plan, slow());
    }));
    let outcome = check(&settings(&world.await.unwrap()), Plan::DOMAIN, &reported()).await;
    assert_eq!(outcome.verdict(), Verdict::Ok, "{}", outcome.lines());
    assert!(outcome.seen.lookups.iter().all(|lookup| lookup.outcome.is_ok()), "{}", outcome.lines());
}

#[tokio::test]
async fn two_checks_of_the_same_world_say_the_same() {
    let world = Simulator::start(Plan::healthy(now()).with(|plan| {
        for number in 1..plan.resolvers.len() {
            let late = Duration::from_millis(if number % 2 == 0 { 40 } else { 0 });
            plan.resolver(number)
                .remembers_nothing(Plan::DOMAIN, RecordType::CNAME, 840, true)
                .fault(ServerFault::Slow(late));
        }
    }));
    let world = world.await.unwrap();
    let said = async |world: &Simulator| {
        let outcome = check(&settings(world), Plan::DOMAIN, &reported()).await;
        let questions = outcome.seen.lookups.iter().map(|lookup| format!("{:?} {:?}", lookup.server, lookup.question));
        let findings = outcome.findings.iter().map(|finding| format!("{} {}", finding.code, finding.seen));
        findings.chain(questions).collect::<Vec<_>>()
    };
    let first = said(&world).await;
    for number in 1..world.resolvers().len() {
        let late = Duration::from_millis(if number % 2 == 1 { 40 } else { 0 });
        world.change(|plan| plan.resolver(number).faults = vec![ServerFault::Slow(late)]);
    }
    let random = |text: &str| text.split("petstore-check-").next().map(str::to_owned);
    let second = said(&world).await;
    assert!(first.iter().map(|text| random(text)).eq(second.iter().map(|text| random(text))), "{first:#?}{second:#?}");
}

#[test]
fn the_choice_of_public_resolvers_is_asked_for_once_and_saved_where_commands_read_it() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("config.toml");
    let service = |resolvers: &[String]| {
        let mut options = CheckOptions::new(Default::default(), Vec::new());
        options.resolvers = resolvers.iter().map(|text| named_resolver(text).unwrap()).collect();
        // As if the first were the one of this machine.
        let service = DomainService::new(
            RegistryFile::new(home.path().join("domains.json")),
            config.clone(),
            with_system_resolver(options),
        );
        (service.resolvers(), service)
    };
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let saved = || File::parse(&fs::read_to_string(&config).unwrap(), &config).unwrap().domains.resolvers;

    let (none, _) = service(&texts(&["127.0.0.1:5353"]));
    assert_eq!((none.public, none.ask_first), (vec![], false));
    let public = texts(&["1.1.1.1", "8.8.8.8", "9.9.9.9"]);
    let all = [texts(&["127.0.0.1:5353", "10.0.0.53"]), public.clone()].concat();
    let (first, asks) = service(&all);
    assert_eq!((first.public, first.ask_first), (public.clone(), true));

    let (choice, not_saved) = asks.choose_resolvers(false);
    assert_eq!((choice.public, choice.ask_first, not_saved), (vec![], false, None));
    assert_eq!(saved(), ["system", "10.0.0.53"]);
    let (choice, not_saved) = asks.choose_resolvers(true);
    assert_eq!((choice.public, choice.ask_first, not_saved), (public, false, None));
    assert_eq!(saved(), ["system", "10.0.0.53", "1.1.1.1", "8.8.8.8", "9.9.9.9"]);
    assert!(!service(&all).0.ask_first, "answered for good");

    // Resolvers of the operator's own choice are not lost.
    let own = texts(&["1.1.1.1", "tls://9.9.9.9"]);
    let (_, asks) = service(&[texts(&["127.0.0.1:5353"]), own.clone()].concat());
    let (choice, not_saved) = asks.choose_resolvers(false);
    assert_eq!(choice.public, Vec::<String>::new());
    assert!(not_saved.unwrap().contains("domains.resolvers"));
    assert_eq!(asks.choose_resolvers(true).0.public, own);
    assert_eq!(saved().len(), 5, "left as it was");
}
