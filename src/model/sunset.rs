//! The deprecation of `GET /pets/{petId}` (sections 4.3 and 9): removed on 5 December 2030.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The day on which the operation is removed.
const GET_PET_REMOVED_ON: Date = jiff::civil::date(2030, 12, 5);

/// The same day for people.
pub const GET_PET_REMOVED_ON_WORDS: &str = "5 December 2030";

/// The `Sunset` header of every answer of that operation (RFC 8594).
pub const GET_PET_SUNSET_HEADER: &str = "Thu, 05 Dec 2030 00:00:00 GMT";

/// The `Deprecation` header (RFC 9745 needs a date): when this service adopted version 1.0.0 of the description, which
/// deprecates the operation: 2026-11-20T00:00:00Z.
pub const GET_PET_DEPRECATION_HEADER: &str = "@1795132800";

/// Whether the operation is removed at `at`, by its date. A wrong clock must not block an explicit request for it.
pub fn is_over(at: Timestamp) -> bool {
    days_until_get_pet_is_removed(at.to_zoned(TimeZone::UTC).date()) <= 0
}

/// Whole days from `today` until the operation is removed; negative afterwards.
pub fn days_until_get_pet_is_removed(today: Date) -> i32 {
    (GET_PET_REMOVED_ON - today).get_days()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn the_headers_name_the_day_of_the_description_and_the_sunset_is_later() {
        let sunset = GET_PET_REMOVED_ON.to_zoned(TimeZone::UTC).unwrap().timestamp();
        assert_eq!(sunset, Timestamp::from_second(1_922_659_200).unwrap());
        assert_eq!(jiff::fmt::strtime::format("%a, %d %b %Y %H:%M:%S GMT", sunset).unwrap(), GET_PET_SUNSET_HEADER);
        let deprecated: i64 = GET_PET_DEPRECATION_HEADER[1..].parse().unwrap();
        assert_eq!(Timestamp::from_second(deprecated).unwrap().to_string(), "2026-11-20T00:00:00Z");
        assert!(deprecated < sunset.as_second());
    }

    #[test]
    fn days_are_counted_to_the_day_itself() {
        assert_eq!(days_until_get_pet_is_removed(date(2030, 12, 4)), 1);
        assert_eq!(days_until_get_pet_is_removed(date(2030, 12, 6)), -1);
        assert_eq!(days_until_get_pet_is_removed(date(2026, 11, 20)), 1476);
        let over = |at: &str| is_over(at.parse().unwrap());
        assert!(!over("2030-12-04T23:59:59Z") && over("2030-12-05T00:00:00Z"));
    }
}
