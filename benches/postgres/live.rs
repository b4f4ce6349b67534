//! Streams of added pets at three instances: how soon a pet that one has added comes to who follows another.

use super::common::Served;
use super::listeners::{report_adds, report_latencies};
use super::server::Server;

pub fn measure(server: &mut Server) {
    let database = server.new_database();
    let url = server.url(&database);
    let instances = [Served::on(&url, 1000), Served::on(&url, 0), Served::on(&url, 0)];
    let (addresses, key) = (instances.each_ref().map(Served::address), &instances[0].key);
    report_latencies("a listener of another", 500.0, &addresses, key);
    report_adds(33, &addresses, key);
}
