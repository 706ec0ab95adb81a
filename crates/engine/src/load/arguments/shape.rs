//! The arguments of `load` that say when requests are sent, and for how long.

use super::rates::{self, RampArgument, StepArgument};
use crate::plan::WarmUp;
use crate::schedule::{Arrivals, ClosedLoop, Constant, Due, Poisson, RateCurve, Schedule as _, Trace};
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
    #[arg(short, long, value_name = "PER_SECOND", group = "offered")]
    rate: Option<f64>,
    /// The same at a rate that goes straight from one to another, like 100..1000
    #[arg(long, value_name = "FROM..TO", group = "offered", value_parser = RampArgument::parse)]
    ramp: Option<RampArgument>,
    /// The same at one rate after the other, like 100,200,400 or 100@10s,200@30s
    #[arg(long, value_name = "RATES", group = "offered", value_delimiter = ',', value_parser = StepArgument::parse)]
    steps: Option<Vec<StepArgument>>,
    /// With -r, --ramp or --steps: as even as the rate allows, or at random as from many users
    #[arg(long, value_enum, default_value = "constant", requires = "offered")]
    pub(in crate::load) arrivals: ArrivalsChoice,
    /// Of --arrivals poisson and --order shuffled: another seed gives another order, the same seed the same
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

/// What a log has to say about the shape of its load.
#[derive(Debug)]
pub(super) struct LogTiming {
    pub(super) lines: u64,
    /// When each line is due, and how long the log is; `None` if its times are not wanted.
    pub(super) times_ns: Option<(Vec<u64>, u64)>,
}

impl Shape {
    pub(super) fn resolve(&self, timeout: Duration, threads: usize, log: Option<LogTiming>) -> Result<Shaped, Failure> {
        if self.duration.is_some_and(|duration| duration.is_zero()) || self.number == Some(0) {
            return Err(Failure::usage("-d or -n of 0: there would be nothing to do").hint("-d 10s, -n 1000"));
        }
        let curve = self.curve(threads)?;
        let shape_ns = curve.as_ref().and_then(RateCurve::length_ns);
        // A log is sent once unless something else says how long.
        let lines = log.as_ref().filter(|_| self.duration.is_none() && shape_ns.is_none()).map(|log| log.lines);
        let requests = self.number.or(lines);
        let times_ns = log.and_then(|log| log.times_ns);
        let mut arrivals = match (curve, times_ns, self.arrivals) {
            (_, Some((times_ns, length_ns)), _) => Arrivals::Trace(Trace::new(times_ns.into(), length_ns, self.number)),
            (None, None, _) => Arrivals::Closed(ClosedLoop { requests }),
            (Some(curve), None, ArrivalsChoice::Constant) => Arrivals::Constant(Constant { curve, requests }),
            (Some(curve), None, ArrivalsChoice::Poisson) => {
                Arrivals::Poisson(Poisson::along(curve, self.seed, requests))
            }
        };
        // A request that waits for a connection may be sent until the last request would have timed out.
        let with_time_out = |last_ns: u64| last_ns.saturating_add(nanoseconds(timeout));
        let length_ns = match (shape_ns.or(self.duration.map(nanoseconds)), requests) {
            (Some(length_ns), _) => length_ns,
            (None, None) => arrivals.length_ns().map_or(nanoseconds(DEFAULT_DURATION), with_time_out),
            (None, Some(requests)) => match (self.rate, self.arrivals) {
                (Some(rate), ArrivalsChoice::Poisson) if requests > MOST_DRAWN => {
                    with_time_out(latest_ns(requests, rate))
                }
                _ => match (arrivals.due(requests - 1), arrivals.length_ns()) {
                    (Due::At(last_ns), _) | (Due::Never, Some(last_ns)) => with_time_out(last_ns),
                    (Due::WhenFree | Due::Never, _) => nanoseconds(MAX_DURATION),
                },
            },
        };
        Ok(Shaped { arrivals, length_ns })
    }

    /// The offered rate over time; `None` in the closed loop.
    fn curve(&self, threads: usize) -> Result<Option<RateCurve>, Failure> {
        if let Some(ramp) = self.ramp {
            return ramp.curve(self.duration.unwrap_or(DEFAULT_DURATION), threads).map(Some);
        }
        if let Some(steps) = &self.steps {
            return StepArgument::curve(steps, self.duration, threads).map(Some);
        }
        let Some(rate) = self.rate else { return Ok(None) };
        rates::check("-r", &[rate], threads)?;
        Ok(Some(RateCurve::Constant(rate)))
    }

    /// The shape in words.
    pub(in crate::load) fn text(&self, is_timed: bool) -> String {
        let rates = match (&self.rate, &self.ramp, &self.steps) {
            (Some(rate), _, _) => format!("{rate} /s"),
            (_, Some(ramp), _) => ramp.text(),
            (_, _, Some(steps)) => StepArgument::text(steps),
            _ if is_timed => return "at the log's times".to_owned(),
            _ => return "closed loop".to_owned(),
        };
        let arrivals = if self.arrivals == ArrivalsChoice::Poisson { ", Poisson" } else { "" };
        rates + arrivals
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
            ramp: None,
            steps: None,
            arrivals: ArrivalsChoice::Constant,
            seed: 0,
            warm_up: None,
        }
    }

    #[test]
    fn lengths_and_limits() {
        let length_s = |duration_s, requests, rate| {
            let shaped = shape(duration_s, requests, rate).resolve(Duration::from_secs(10), 1, None).expect("valid");
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
            (None, None, Some(1e9)),
        ] {
            let refused =
                shape(duration_s, requests, rate).resolve(Duration::from_secs(10), 1, None).expect_err("must be");
            assert!(refused.exit_code() == 2 && refused.hint.is_some(), "{refused}");
        }
    }

    #[test]
    fn a_shape_says_how_long() {
        let resolved = |shape: Shape| {
            let shaped = shape.resolve(Duration::from_secs(10), 1, None).expect("valid");
            (shaped.length_ns / 1_000_000, shaped.arrivals.mean_per_s(0, shaped.length_ns), shape.text(false))
        };
        let ramp = |duration_s| Shape {
            ramp: Some(RampArgument::parse("100..300").expect("valid")),
            ..shape(duration_s, None, None)
        };
        assert_eq!(resolved(ramp(Some(4))), (4000, Some(200.0), "100 to 300 /s".into()));
        assert_eq!(resolved(ramp(None)).0, 10_000);
        let steps = vec![StepArgument::parse("10@1s").expect("valid"), StepArgument::parse("30@1s").expect("valid")];
        let steps = Shape { steps: Some(steps), arrivals: ArrivalsChoice::Poisson, ..shape(None, None, None) };
        assert_eq!(resolved(steps), (2000, Some(20.0), "steps of 10, 30 /s, Poisson".into()));
    }

    #[test]
    fn a_log_is_sent_once_unless_something_else_says_how_long() {
        let resolved = |shape: Shape, times_ns| {
            let log = LogTiming { lines: 3, times_ns };
            let mut shaped = shape.resolve(Duration::from_secs(10), 1, Some(log)).expect("valid");
            let requests = (0..9).take_while(|&count| shaped.arrivals.due(count) != Due::Never).count();
            (shaped.length_ns / 1_000_000_000, requests)
        };
        let times = || Some((vec![0, 1, 2_000_000_000], 3_000_000_000));
        assert_eq!(resolved(shape(None, None, None), None), (86_400, 3));
        assert_eq!(resolved(shape(Some(5), None, None), None), (5, 9), "over and over");
        assert_eq!(resolved(shape(None, Some(2), None), None), (86_400, 2));
        assert_eq!(resolved(shape(None, None, Some(1.0)), None), (12, 3));
        assert_eq!(resolved(shape(None, None, None), times()), (12, 3), "the last may wait for a connection");
        assert_eq!(resolved(shape(Some(1), None, None), times()), (1, 3));
        assert_eq!(resolved(shape(None, Some(2), None), times()), (10, 2));
        assert_eq!(resolved(shape(None, Some(7), None), times()), (13, 3));
    }

    #[test]
    fn more_than_a_thread_can_send_takes_several() {
        let rate = shape(None, None, Some(1.5e7));
        assert!(rate.resolve(Duration::from_secs(10), 1, None).is_err());
        assert!(rate.resolve(Duration::from_secs(10), 2, None).is_ok());
    }

    #[test]
    fn very_many_poisson_arrivals_are_not_drawn_beforehand() {
        let many = Shape { arrivals: ArrivalsChoice::Poisson, ..shape(None, Some(u64::MAX / 2), Some(1e6)) };
        // Drawn one by one it would take thousands of years.
        assert!(many.resolve(Duration::from_secs(10), 1, None).is_ok());
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
