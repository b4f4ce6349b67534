//! Which resolvers learn the name of a domain.

use petstore::app::domain_service::{CheckRequest, DomainService};
use petstore::domains::check_options::CheckOptions;
use petstore::domains::observation::Role;
use petstore::domains::registry::{Entry, RegistryFile};
use petstore::domains::simulator::{LoggedServer, Plan, Simulator, ZoneData};
use petstore::domains::{DnsName, Verdict};

use super::fixture::{check, now, reported, settings, with_system_resolver};

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

#[tokio::test]
async fn an_operator_who_wants_no_public_resolvers_gets_none_until_the_end() {
    let home = tempfile::tempdir().unwrap();
    let world = Simulator::start(Plan::healthy(now())).await.unwrap();
    let list = || RegistryFile::new(home.path().join("domains.json"));
    let service = DomainService::new(list(), home.path().join("config.toml"), with_system_resolver(settings(&world)));
    let entry = Entry { name: DnsName::new(Plan::DOMAIN), events: Vec::new(), measurements: Vec::new() };
    let request = || CheckRequest { entry: entry.clone(), reported: reported(), detail: true, sandbox: None };

    service.choose_resolvers(false);
    let checked = service.check(request(), |_, _| {}).await.unwrap();
    assert_eq!((asked(&world), checked.measurement.verdict), (vec![0], Verdict::Ok));
    service.choose_resolvers(true);
    service.check(request(), |_, _| {}).await.unwrap();
    assert_eq!(asked(&world), [0, 1, 2, 3]);
}

#[test]
fn public_resolvers_are_announced_until_the_operator_agrees() {
    let home = tempfile::tempdir().unwrap();
    let service = |resolvers: &[&str]| {
        let mut options = CheckOptions::new(Default::default(), Vec::new());
        options.resolvers.retain(|server| server.role == Role::Resolver { system: true });
        let has_system = !options.resolvers.is_empty();
        let named = resolvers.iter().map(|text| petstore::domains::check_options::named_resolver(text).unwrap());
        options.resolvers.extend(named);
        let list = RegistryFile::new(home.path().join("domains.json"));
        (DomainService::new(list, home.path().join("config.toml"), options), has_system)
    };
    assert_eq!(service(&["127.0.0.1:5353"]).0.new_resolvers(), [""; 0]);
    let (first, has_system) = service(&["1.1.1.1", "9.9.9.9"]);
    if has_system {
        assert_eq!(first.new_resolvers(), ["1.1.1.1", "9.9.9.9"]);
    }
    first.choose_resolvers(false);
    assert_eq!(first.new_resolvers(), [""; 0], "answered for this run");
    first.choose_resolvers(true);
    assert_eq!(service(&["1.1.1.1"]).0.new_resolvers(), [""; 0], "answered for good");
}
