//! Several instances on one database behind HAProxy: as fast as one.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::common::Limit::{AtLeast, AtMost, MoreIsBetter};
use super::common::{Served, directory, report};
use super::load::{Load, Request};
use super::server::Server;

const ROUNDS: usize = 7;
const TIME: Duration = Duration::from_secs(1);

/// How many there may be behind a balancer, and what part of the adds of one they have at least.
const COUNTS: [(usize, f64); 2] = [(3, 0.95), (12, 0.8)];

pub fn measure(server: &mut Server) {
    let database = server.new_database();
    let url = server.url(&database);
    let instances: Vec<_> = (0..12).map(|_| Served::on(&url, 0)).collect();
    let directory = directory();
    let addresses: Vec<_> = instances.iter().map(Served::address).collect();
    let behind = |count: usize| Balancer::start(directory.path(), &addresses[..count]);
    if let (Some(one), requests) = (behind(1), [Request::add("", "Biscuit", &instances[0].key)].into()) {
        let load = Load { requests, connections: 64, time: TIME, every: None };
        let (mut ones, mut errors) = (Vec::new(), 0);
        for (count, limit) in COUNTS {
            let many = behind(count).expect("it has started before");
            let ratios = [(); ROUNDS].map(|()| {
                let (alone, together) = (load.run(&one.address), load.run(&many.address));
                ones.push(alone.per_second());
                errors += alone.errors + together.errors;
                together.per_second() / alone.per_second()
            });
            report(&format!("adds, 64 connections: {count} instances / one"), AtLeast(limit), "ratio", ratios.into());
        }
        report("adds, 64 connections: one instance", MoreIsBetter, "requests/s", ones);
        report("errors", AtMost(0.0), "times", vec![errors as f64]);
    } else {
        println!("skipped: there is no HAProxy (Debian: apt-get install haproxy)");
    }
}

/// HAProxy with the configuration of `assets/`, but for the instances behind it.
struct Balancer {
    address: String,
    child: Child,
}

impl Balancer {
    /// Nothing where it is not installed.
    fn start(directory: &Path, instances: &[&str]) -> Option<Self> {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let configuration = include_str!("../../assets/haproxy.cfg");
        let mut text = String::new();
        for line in configuration.lines() {
            if line.contains("server one") {
                for (number, instance) in instances.iter().enumerate() {
                    let line = line.replace("one", &format!("s{number}")).replace("127.0.0.1:8081", instance);
                    text.extend([&line, "\n"]);
                }
            } else if !line.contains("server t") {
                text.extend([&line.replace("127.0.0.1:8080", &address), "\n"]);
            }
        }
        let file = directory.join(format!("{}.cfg", instances.len()));
        fs::write(&file, text).unwrap();
        let child = Command::new("haproxy").args(["-db", "-f"]).arg(&file).stderr(Stdio::null()).spawn().ok()?;
        while TcpStream::connect(&address).is_err() {}
        Some(Self { address, child })
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
