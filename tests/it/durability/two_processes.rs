//! Two services on one file: each waits for the other's commits, and both keep what they acknowledge.

use super::fixture::{Shop, Told, faults, writers};

#[test]
fn two_services_on_one_file_both_take_pets_and_keep_each_of_them_once() {
    let shop = Shop::new();
    let services = [shop.serve(), shop.serve()];
    let told = [writers(8, &services[0], "one"), writers(8, &services[1], "other")];
    let mut all: Vec<Told> = told.iter().flat_map(|told| told.iter().take(300)).collect();
    for service in services {
        service.stop();
    }
    all.extend(told.into_iter().flatten());
    let added: Vec<_> = all.into_iter().map(Told::added).collect();
    assert_eq!(faults(&added, &shop.pets()), Vec::<String>::new());
}
