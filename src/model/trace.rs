//! Which requests belong together, across programs: the `traceparent` header of W3C Trace Context.

use std::fmt;

use uuid::Uuid;

/// A trace: never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceId(u128);

impl TraceId {
    /// A new trace.
    pub fn random() -> Self {
        Self(Uuid::new_v4().as_u128())
    }

    /// The trace of a `traceparent`, if that is exactly as the standard has it. A later version may have more parts.
    pub fn of_parent(text: &str) -> Option<Self> {
        let mut parts = text.splitn(5, '-');
        let (version, trace) = (hex(parts.next()?, 2)?, hex(parts.next()?, 32)?);
        let (parent, _flags, more) = (hex(parts.next()?, 16)?, hex(parts.next()?, 2)?, parts.next());
        let is_known = version != 0xff && (version != 0 || more.is_none());
        (is_known && trace != 0 && parent != 0).then_some(Self(trace))
    }

    /// The `traceparent` of one request in it, as a new span. It is not recorded here.
    pub fn new_parent(self) -> String {
        let (_, span) = Uuid::new_v4().as_u64_pair();
        format!("00-{self}-{span:016x}-00")
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Exactly `digits` of them, in small letters.
fn hex(text: &str, digits: usize) -> Option<u128> {
    let is_hex = text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    u128::from_str_radix(text, 16).ok().filter(|_| is_hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    #[test]
    fn a_traceparent_is_taken_only_as_the_standard_has_it() {
        let of = |parent: &str| TraceId::of_parent(parent).map(|trace| trace.to_string());
        let span = "00f067aa0ba902b7";
        for good in
            [format!("00-{TRACE}-{span}-01"), format!("00-{TRACE}-{span}-ff"), format!("cc-{TRACE}-{span}-01-x-y")]
        {
            assert_eq!(of(&good).as_deref(), Some(TRACE), "{good}");
        }
        let (zeros, short) = ("0".repeat(32), &TRACE[1..]);
        for bad in [
            String::new(),
            TRACE.to_owned(),
            format!("00-{TRACE}-{span}"),
            format!("00-{TRACE}-{span}-01-"),
            format!("00-{TRACE}-{span}-01-x"),
            format!("ff-{TRACE}-{span}-01"),
            format!("0-{TRACE}-{span}-01"),
            format!("00-{zeros}-{span}-01"),
            format!("00-{TRACE}-0000000000000000-01"),
            format!("00-{short}-{span}-01"),
            format!("00-{TRACE}0-{span}-01"),
            format!("00-+{short}-{span}-01"),
            format!("00-{}-{span}-01", TRACE.to_uppercase()),
            format!("00-{TRACE}-{span}-1"),
            format!(" 00-{TRACE}-{span}-01"),
            format!("cc-{TRACE}-{span}-01x"),
        ] {
            assert_eq!(of(&bad), None, "{bad}");
        }
    }

    #[test]
    fn each_request_of_a_trace_is_a_span_of_its_own() {
        let trace = TraceId::random();
        let [one, other] = [trace.new_parent(), trace.new_parent()];
        assert_ne!(one, other);
        assert_eq!([one, other].map(|parent| TraceId::of_parent(&parent)), [Some(trace); 2]);
        assert_ne!(TraceId::random(), trace);
    }
}
