//! The arguments of `load` that say when requests are sent, and for how long.

use crate::plan::{MAX_RATE_PER_S, WarmUp, is_rate};
use crate::schedule::{Arrivals, ClosedLoop, Constant, Due, Poisson, Schedule as _};
use clap::{Args, ValueEnum};
use hopcost_common::durations::{self, NotATime};
use hopcost_common::failure::Failure;
use std::time::Duration;

/// A run with a number of requests and no duration ends after this time at the latest.
const MAX_DURATION: Duration = Duration::from_secs(24 * 3600);
const DEFAULT_DURATION: Duration = Duration::from_secs(10);

/// Up to this many Poisson arrivals are drawn to know the last one: some 10 ms.
const MOST_DRAWN: u64 = 1_000_000;

/// When the last of so many Poisson arrivals has come for certain: ten standard deviations late.
fn latest_ns(requests: u64, rate: f64) -> u64 {
    let requests = requests as f64;
    ((requests + 10.0 * requests.sqrt()) / rate * 1e9) as u64
}

/// The shape of a load.
#[derive(Debug, Args)]
pub(in crate::load) struct Shape {
    /// How long, like 500ms, 2s, 1m (default: 10s, or until all of -n are done)
    #[arg(short, long, value_parser = duration)]
    duration: Option<Duration>,
    /// How many requests at most; those of the warm-up are not among them
    #[arg(short = 'n', long, value_name = "REQUESTS")]
    number: Option<u64>,
    /// Requests per second over all connections, sent when they are due and not when the server is ready for them
    /// (an open loop; default: a closed loop, in which every connection sends as soon as it has its answer)
    #[arg(short, long, value_name = "PER_SECOND")]
    pub(in crate::load) rate: Option<f64>,
    /// With -r: at equal distances, or at random as from many users
    #[arg(long, value_enum, default_value = "constant", requires = "rate")]
    pub(in crate::load) arrivals: ArrivalsChoice,
    /// With --arrivals poisson: another seed gives other arrivals, the same seed the same
    #[arg(long, default_value_t = 0)]
    pub(super) seed: u64,
    /// Load before anything counts: until throughput is steady, up to ten times this long
    #[arg(long, value_parser = duration)]
    warm_up: Option<Duration>,
}

/// When the requests of an open loop are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::load) enum ArrivalsChoice {
    /// At equal distances.
    Constant,
    /// Independent of each other.
    Poisson,
}

#[derive(Debug)]
pub(super) struct Shaped {
    pub(super) arrivals: Arrivals,
    /// For how long requests are sent.
    pub(super) length_ns: u64,
}

impl Shape {
    pub(super) fn resolve(&self, timeout: Duration, threads: usize) -> Result<Shaped, Failure> {
        if self.duration.is_some_and(|duration| duration.is_zero()) || self.number == Some(0) {
            return Err(Failure::usage("-d or -n of 0: there would be nothing to do"));
        }
        let mut arrivals = match (self.rate, self.arrivals) {
            (None, _) => Arrivals::Closed(ClosedLoop { requests: self.number }),
            (Some(rate), _) if !is_rate(rate, threads) => {
                let bounds = format!("a rate is above 0 and up to {MAX_RATE_PER_S:e} per thread");
                return Err(Failure::usage(format!("-r {rate}: {bounds}")));
            }
            (Some(rate), ArrivalsChoice::Constant) => Arrivals::Constant(Constant::new(rate, self.number)),
            (Some(rate), ArrivalsChoice::Poisson) => Arrivals::Poisson(Poisson::new(rate, self.seed, self.number)),
        };
        let length_ns = match (self.duration, self.number) {
            (Some(duration), _) => nanoseconds(duration),
            (None, None) => nanoseconds(DEFAULT_DURATION),
            // A request that waits for a connection may be sent until the last request would have timed out.
            (None, Some(requests)) => match (self.rate, self.arrivals) {
                (Some(rate), ArrivalsChoice::Poisson) if requests > MOST_DRAWN => {
                    latest_ns(requests, rate).saturating_add(nanoseconds(timeout))
                }
                _ => match arrivals.due(requests - 1) {
                    Due::At(last_ns) => last_ns.saturating_add(nanoseconds(timeout)),
                    Due::WhenFree | Due::Never => nanoseconds(MAX_DURATION),
                },
            },
        };
        Ok(Shaped { arrivals, length_ns })
    }

    pub(super) fn warm_up(&self) -> Option<WarmUp> {
        self.warm_up.map(|least| WarmUp {
            least_ns: nanoseconds(least),
            most_ns: nanoseconds(least.saturating_mul(10)),
            requests: 0,
        })
    }
}

pub(super) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// A number with a unit. A number alone is in seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let units = [("us", 1e3), ("ms", 1e6), ("", 1e9), ("s", 1e9), ("m", 60e9), ("h", 3600e9)];
    let length_ns = durations::parse_ns(text, &units).map_err(|error| match error {
        NotATime::Unit(unit) => format!("`{unit}` is not a unit of time: us, ms, s, m, h"),
        NotATime::Number => "not a time, like 500ms, 2s, 1m".to_owned(),
    })?;
    Duration::try_from_secs_f64(length_ns / 1e9).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(duration_s: Option<u64>, number: Option<u64>, rate: Option<f64>) -> Shape {
        Shape {
            duration: duration_s.map(Duration::from_secs),
            number,
            rate,
            arrivals: ArrivalsChoice::Constant,
            seed: 0,
            warm_up: None,
        }
    }

    #[test]
    fn lengths_and_limits() {
        let length_s = |duration_s, requests, rate| {
            let shaped = shape(duration_s, requests, rate).resolve(Duration::from_secs(10), 1).expect("valid");
            (shaped.length_ns as f64 / 1e9, shaped.arrivals.is_limited(), shaped.arrivals.is_open())
        };
        assert_eq!(length_s(None, None, None), (10.0, false, false));
        assert_eq!(length_s(Some(3), None, Some(5.0)), (3.0, false, true));
        assert_eq!(length_s(Some(3), Some(7), None), (3.0, true, false));
        assert_eq!(length_s(None, Some(7), None), (86_400.0, true, false));
        assert_eq!(
            length_s(None, Some(6), Some(5.0)),
            (11.0, true, true),
            "the last one is due after 1 s, and may time out"
        );
        for (duration_s, requests, rate) in [
            (Some(0), None, None),
            (None, Some(0), None),
            (None, None, Some(0.0)),
            (None, None, Some(f64::NAN)),
            (None, None, Some(1.1e7)),
        ] {
            let refused = shape(duration_s, requests, rate).resolve(Duration::from_secs(10), 1).expect_err("must be");
            assert_eq!(refused.exit_code(), 2);
        }
    }

    #[test]
    fn more_than_a_thread_can_send_takes_several() {
        let rate = shape(None, None, Some(1.5e7));
        assert!(rate.resolve(Duration::from_secs(10), 1).is_err());
        assert!(rate.resolve(Duration::from_secs(10), 2).is_ok());
    }

    #[test]
    fn very_many_poisson_arrivals_are_not_drawn_beforehand() {
        let many = Shape { arrivals: ArrivalsChoice::Poisson, ..shape(None, Some(u64::MAX / 2), Some(1e6)) };
        // Drawn one by one it would take thousands of years.
        assert!(many.resolve(Duration::from_secs(10), 1).is_ok());
        let latest_s = latest_ns(100_000_000, 1e6) as f64 / 1e9;
        assert!((100.1 - latest_s).abs() < 1e-9, "100 s and ten standard deviations of 10 ms: {latest_s}");
        let drawn = Poisson::new(1e6, 7, None).due(MOST_DRAWN - 1);
        assert!(matches!(drawn, Due::At(ns) if ns < latest_ns(MOST_DRAWN, 1e6)));
    }

    #[test]
    fn durations() {
        for (text, milliseconds) in [("2s", 2000), ("500ms", 500), ("1.5", 1500), ("2m", 120_000), ("1h", 3_600_000)] {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "s", "2x", "-1s", "1.2.3s"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
