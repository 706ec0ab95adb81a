//! Rates that change over time, as people write them: `100..1000`, `100,200,400`, `100@10s,200@30s`.

use super::shape::{duration, nanoseconds};
use crate::plan::{MAX_RATE_PER_S, is_rate};
use crate::schedule::RateCurve;
use hopcost_common::failure::Failure;
use std::time::Duration;

/// `FROM..TO`, per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::load) struct RampArgument {
    from_per_s: f64,
    to_per_s: f64,
}

/// `RATE` or `RATE@TIME`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::load) struct StepArgument {
    rate_per_s: f64,
    length: Option<Duration>,
}

impl RampArgument {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let rates = text.split_once("..").and_then(|(from, to)| Some((rate(from)?, rate(to)?)));
        let (from_per_s, to_per_s) = rates.ok_or("not FROM..TO in requests per second, like 100..1000")?;
        Ok(Self { from_per_s, to_per_s })
    }

    /// The curve of a ramp that takes this long.
    pub(super) fn curve(self, length: Duration, threads: usize) -> Result<RateCurve, Failure> {
        let Self { from_per_s, to_per_s } = self;
        check("--ramp", &[from_per_s, to_per_s], threads)?;
        Ok(RateCurve::ramp(from_per_s, to_per_s, nanoseconds(length)))
    }

    pub(super) fn text(self) -> String {
        format!("{} to {} /s", self.from_per_s, self.to_per_s)
    }
}

impl StepArgument {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (rate_text, length) = match text.split_once('@') {
            Some((rate, length)) => (rate, Some(duration(length)?)),
            None => (text, None),
        };
        let rate_per_s = rate(rate_text).ok_or("not RATE or RATE@TIME, like 200 or 200@30s")?;
        Ok(Self { rate_per_s, length })
    }

    /// The curve of steps that say how long they are, or else share this time evenly.
    pub(super) fn curve(steps: &[Self], whole: Option<Duration>, threads: usize) -> Result<RateCurve, Failure> {
        const HINT: &str = "-d 30s shares the time evenly; or each with its own, like --steps 100@10s,200@20s";
        let refused = |what: &str| Err(Failure::usage(format!("--steps: {what}")).hint(HINT));
        let rates: Vec<f64> = steps.iter().map(|step| step.rate_per_s).collect();
        check("--steps", &rates, threads)?;
        let own: Option<Vec<Duration>> = steps.iter().map(|step| step.length).collect();
        let lengths = match (own, whole) {
            (Some(_), Some(_)) => return refused("the steps say how long they are, and -d does too"),
            (Some(lengths), None) => lengths,
            (None, _) if steps.iter().any(|step| step.length.is_some()) => {
                return refused("some steps have a length and others have none");
            }
            (None, None) => return refused("steps without a length"),
            // The number of steps on a command line fits.
            (None, Some(whole)) => vec![whole / steps.len() as u32; steps.len()],
        };
        if lengths.iter().any(Duration::is_zero) {
            return refused("a step of no length");
        }
        Ok(RateCurve::steps(rates.into_iter().zip(lengths.into_iter().map(nanoseconds))))
    }

    pub(super) fn text(steps: &[Self]) -> String {
        let rates: Vec<String> = steps.iter().map(|step| step.rate_per_s.to_string()).collect();
        format!("steps of {} /s", rates.join(", "))
    }
}

fn rate(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|rate: &f64| rate.is_finite() && *rate >= 0.0)
}

/// A rate may be 0 for a while, but not all the time.
pub(super) fn check(option: &str, rates: &[f64], threads: usize) -> Result<(), Failure> {
    let is_possible = |rate: &&f64| is_rate(**rate, threads);
    let wrong = rates.iter().find(|rate| **rate != 0.0 && !is_possible(rate));
    if let Some(rate) = wrong.or_else(|| rates.first().filter(|_| !rates.iter().any(|rate| is_possible(&rate)))) {
        let bounds = format!("a rate is above 0 and up to {MAX_RATE_PER_S:e} per thread");
        return Err(Failure::usage(format!("{option} {rate}: {bounds}")).hint(
            "without -r, --ramp and --steps every connection sends as soon as it has its answer: the most there is",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn steps(text: &str, whole_s: Option<u64>) -> Result<RateCurve, Failure> {
        let steps: Vec<StepArgument> = text.split(',').map(|step| StepArgument::parse(step).expect(step)).collect();
        StepArgument::curve(&steps, whole_s.map(Duration::from_secs), 1)
    }

    #[test]
    fn ramps() {
        let ramp = RampArgument::parse("100..1e3").expect("valid");
        assert_eq!(ramp.curve(Duration::from_secs(9), 1).expect("valid"), RateCurve::ramp(100.0, 1000.0, 9 * S));
        assert_eq!(ramp.text(), "100 to 1000 /s");
        assert!(RampArgument::parse("1000..0").expect("valid").curve(Duration::from_secs(1), 1).is_ok(), "downwards");
        for text in ["", "100", "100..", "..100", "-1..5", "1..x", "1..inf"] {
            assert!(RampArgument::parse(text).is_err(), "{text}");
        }
        for text in ["0..0", "1..1e9", "1e9..1"] {
            let ramp = RampArgument::parse(text).expect("a ramp");
            let failure = ramp.curve(Duration::from_secs(1), 1).expect_err("refused");
            assert!(failure.message.contains("--ramp") && failure.hint.is_some(), "{failure}");
        }
    }

    #[test]
    fn steps_share_the_time_or_have_their_own() {
        assert_eq!(steps("100,400", Some(20)).expect("valid"), RateCurve::steps([(100.0, 10 * S), (400.0, 10 * S)]));
        assert_eq!(steps("100@2s,0@1m", None).expect("valid"), RateCurve::steps([(100.0, 2 * S), (0.0, 60 * S)]));
        for (text, whole_s, message) in [
            ("100,400", None, "steps without a length"),
            ("100@2s,400", None, "others have none"),
            ("100@2s,400", Some(9), "others have none"),
            ("100@2s,400@2s", Some(9), "-d does too"),
            ("100@0s", None, "no length"),
            ("0@1s,0@2s", None, "--steps 0: a rate is above 0"),
            ("100@1s,1e9@2s", None, "--steps 1000000000: a rate"),
        ] {
            let failure = steps(text, whole_s).expect_err(text);
            assert!(failure.message.contains(message) && failure.hint.is_some(), "{failure}");
        }
        for text in ["", "x", "1@", "1@2x", "-1@1s", "@1s"] {
            assert!(StepArgument::parse(text).is_err(), "{text}");
        }
    }
}
