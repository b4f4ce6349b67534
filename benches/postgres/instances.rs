//! Two instances on one database: as fast as one, and one of them killed again and again.

use std::net::TcpListener;
use std::process::Command;
use std::time::Duration;

use tokio::runtime;
use tokio::time::sleep;

use super::common::Limit::{AtLeast, AtMost, MoreIsBetter};
use super::common::{PETSTORE, Served, report};
use super::load::{Load, Request};
use super::server::Server;
use super::writers::{Writers, faults};

const ROUNDS: usize = 7;
const TIME: Duration = Duration::from_secs(1);

/// How often one of the two is killed, and how many times.
const KILLED_EVERY: Duration = Duration::from_secs(10);
const KILLS: usize = 12;

pub fn measure(server: &mut Server) {
    let database = server.new_database();
    let url = server.url(&database);
    let (one, two) = (Served::on(&url, 1000), Served::on(&url, 0));
    let requests = [Request::add("", "Biscuit", &one.key)].into();
    let load = Load { requests, connections: 64, time: TIME, every: None };
    let (mut ones, mut twos, mut ratios, mut errors) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for _ in 0..ROUNDS {
        let (alone, both) = (load.run(one.address()), load.run_on(&[one.address(), two.address()]));
        ones.push(alone.per_second());
        twos.push(both.per_second());
        ratios.push(both.per_second() / alone.per_second());
        errors += alone.errors + both.errors;
    }
    report("adds, 64 connections: one instance", MoreIsBetter, "requests/s", ones);
    report("adds, 64 connections: two instances", MoreIsBetter, "requests/s", twos);
    report("adds, 64 connections: two / one", AtLeast(1.0), "ratio", ratios);
    report("errors", AtMost(0.0), "times", vec![errors as f64]);
    drop((one, two));
    killed(server);
}

fn killed(server: &mut Server) {
    let database = server.new_database();
    let url = server.url(&database);
    let key = Served::on(&url, 0).key.clone();
    let addresses = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string());
    let start = |address: &String| {
        Served::spawn(Command::new(PETSTORE).args(["serve", "--listen", address, "--database", &url]))
    };
    let mut instances = addresses.each_ref().map(|address| Some(start(address)));
    runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap().block_on(async {
        let writers = Writers::start(&addresses, &key, 32, 0);
        for kill in 0..KILLS {
            sleep(KILLED_EVERY / 2).await;
            let place = kill % 2;
            drop(instances[place].take());
            sleep(KILLED_EVERY / 2).await;
            instances[place] = Some(start(&addresses[place]));
        }
        let outcomes = writers.stop().await;
        let statuses = || outcomes.iter().flat_map(|outcomes| outcomes.answers.iter().map(|answer| answer.status));
        let added = statuses().filter(|status| *status == 201).count();
        let broken: usize = outcomes.iter().map(|outcomes| outcomes.broken).sum();
        let unanswered: usize = outcomes.iter().map(|outcomes| outcomes.unanswered).sum();
        let others = statuses().filter(|status| *status != 201).count() + unanswered;
        let (lost, doubled) = faults(&outcomes, &url).await;
        report("one of two killed every 10 s: added", MoreIsBetter, "pets", vec![added as f64]);
        report("connections refused or broken", MoreIsBetter, "times", vec![broken as f64]);
        report("other errors", AtMost(0.0), "times", vec![others as f64]);
        report("lost", AtMost(0.0), "pets", vec![lost as f64]);
        report("doubled", AtMost(0.0), "pets", vec![doubled as f64]);
    });
}
