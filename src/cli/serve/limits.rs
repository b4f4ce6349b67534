//! The flags for rate limits.

use std::num::NonZeroU32;

use clap::{Args, value_parser};

use crate::server::RateLimit;

// The rate limits.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct LimitArgs {
    /// Maximum requests per second with one API key. Each instance counts separately.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=RateLimit::MAX.get().into()))]
    rate_limit: Option<u32>,
    /// How many requests may come at once after a pause. [default: twice the rate limit]
    #[arg(long, value_name = "N", requires = "rate_limit", value_parser = value_parser!(u32).range(1..))]
    rate_burst: Option<u32>,
    /// Maximum requests per second without a valid API key from one address: these get a 401, further ones a 429. 0 means
    /// no limit. Each instance counts separately.
    #[arg(long, value_name = "N", default_value_t = 10)]
    failed_auth_limit: u32,
}

impl LimitArgs {
    pub(super) fn failed_authentications(self) -> Option<NonZeroU32> {
        NonZeroU32::new(self.failed_auth_limit)
    }

    pub(super) fn rate_limit(self) -> Option<RateLimit> {
        let each_second = NonZeroU32::new(self.rate_limit?)?;
        let twice = each_second.saturating_add(each_second.get());
        let burst = self.rate_burst.and_then(NonZeroU32::new).unwrap_or(twice);
        Some(RateLimit { each_second, burst })
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::server::Config;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        limits: LimitArgs,
    }

    fn parse(flags: &[&str]) -> Option<LimitArgs> {
        Line::try_parse_from(["serve"].iter().chain(flags)).ok().map(|line| line.limits)
    }

    #[test]
    fn the_default_burst_is_twice_the_rate_limit() {
        let limit = |flags: &[&str]| {
            parse(flags).map(|limits| limits.rate_limit().map(|limit| (limit.each_second.get(), limit.burst.get())))
        };
        assert_eq!(limit(&["--rate-limit", "50"]), Some(Some((50, 100))));
        assert_eq!(limit(&["--rate-limit", "50", "--rate-burst", "7"]), Some(Some((50, 7))));
        for wrong in [&["--rate-limit", "0"][..], &["--rate-limit", "1000001"], &["--rate-burst", "7"]] {
            assert_eq!(limit(wrong), None, "{wrong:?}");
        }
        assert_eq!(limit(&["--rate-limit", "50", "--rate-burst", "0"]), None);
    }

    #[test]
    fn the_defaults_are_those_of_the_service_and_0_removes_the_limit_for_failures() {
        let (limits, default) = (parse(&[]).unwrap(), Config::default());
        assert_eq!(limits.rate_limit(), default.rate_limit);
        assert_eq!(limits.failed_authentications(), default.failed_authentications);
        let lifted = parse(&["--failed-auth-limit", "0"]).unwrap();
        assert_eq!(lifted.failed_authentications(), None);
    }
}
