//! A clock that is wrong after a restart.

use crate::prelude::*;

use jiff::fmt::rfc2822;

use super::fixture::{Service, Shop, Told};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/durability/clock.c");

/// More than an Idempotency-Key is kept for.
const AHEAD: i64 = 25 * 60 * 60;

#[test]
#[cfg_attr(not(target_env = "gnu"), ignore = "the clock stands before glibc")]
fn a_clock_that_is_a_day_ahead_after_a_restart_doubles_nothing() {
    let mut shop = Shop::new();
    let service = shop.serve();
    let add = |service: &Service, key: &str| -> Told {
        service.client().add_with(&format!("Idempotency-Key: {key}\r\n"), key).unwrap()
    };
    let first = add(&service, "mine").added();
    service.stop();

    // Twice, since what is stored by a wrong clock must not be taken for the truth either.
    for ahead in [AHEAD, 2 * AHEAD] {
        shop.set_clock_ahead(SOURCE, ahead);
        let service = shop.serve();
        let head = service.client().get("/healthz").head;
        let date = head.lines().find_map(|line| line.strip_prefix("date: ")).unwrap();
        let date = rfc2822::parse(date).unwrap().timestamp();
        assert!(date.as_second() > clock::now().wall.as_second() + ahead - 60, "the clock is right: {date}");
        // So many that old keys are looked for.
        for number in 0..65 {
            add(&service, &format!("{ahead}-{number}")).added();
        }
        let repeated = add(&service, "mine");
        assert!(repeated.answer.head.contains("idempotency-replayed: true"), "{repeated:?}");
        assert_eq!(repeated.added().id, first.id);
        service.stop();
    }
    assert_eq!(shop.pets().len(), 1 + 2 * 65);
}
