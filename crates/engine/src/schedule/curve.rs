//! How the offered rate goes over time. Pure.
//!
//! Request `n` is due when the rate, added up from time 0 on, has come to `n`: the inverse of the cumulative rate. At a
//! constant rate that is a quotient, along a ramp a square root, along steps a prefix sum.

use super::Due;
use std::sync::Arc;

/// When requests are due that a curve does not come to: later than any slice ends. So a slice is as long as its shape,
/// also if nothing is due towards the end.
pub const AFTER_ITS_END: Due = Due::At(u64::MAX / 4);

/// The offered rate over time.
#[derive(Debug, Clone, PartialEq)]
pub enum RateCurve {
    /// The same for ever.
    Constant(f64),
    /// Straight from one rate to another. Nothing is due after it.
    Ramp(Ramp),
    /// One rate after the other. Nothing is due after the last.
    Steps(Arc<[Step]>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ramp {
    from_per_s: f64,
    to_per_s: f64,
    length_s: f64,
}

/// A stretch at one rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    pub rate_per_s: f64,
    pub length_ns: u64,
    /// What lies before it.
    start_ns: u64,
    start_requests: f64,
}

impl Step {
    fn end_requests(&self) -> f64 {
        self.start_requests + self.rate_per_s * (self.length_ns as f64 / 1e9)
    }
}

impl Ramp {
    fn slope(&self) -> f64 {
        (self.to_per_s - self.from_per_s) / self.length_s
    }

    fn requests(&self) -> f64 {
        (self.from_per_s + self.to_per_s) / 2.0 * self.length_s
    }
}

impl RateCurve {
    /// Both rates must be 0 at least and one of them above; the length must be above 0.
    pub fn ramp(from_per_s: f64, to_per_s: f64, length_ns: u64) -> Self {
        Self::Ramp(Ramp { from_per_s, to_per_s, length_s: length_ns as f64 / 1e9 })
    }

    /// Rates and lengths. A rate of 0 is a pause; one must be above 0. The lengths must be above 0.
    pub fn steps(steps: impl IntoIterator<Item = (f64, u64)>) -> Self {
        let (mut start_ns, mut start_requests) = (0_u64, 0.0);
        let step = |(rate_per_s, length_ns)| {
            let step = Step { rate_per_s, length_ns, start_ns, start_requests };
            start_ns = start_ns.saturating_add(length_ns);
            start_requests = step.end_requests();
            step
        };
        Self::Steps(steps.into_iter().map(step).collect())
    }

    /// When the cumulative rate comes to this many requests; `None` if the curve ends before.
    #[inline]
    pub fn due_ns(&self, requests: f64) -> Option<f64> {
        match self {
            Self::Constant(rate_per_s) => Some(requests * (1e9 / rate_per_s)),
            Self::Ramp(_) | Self::Steps(_) => self.due_ns_along(requests),
        }
    }

    /// Not inlined, so that [`RateCurve::due_ns`] is: at a constant rate it is one quotient.
    #[inline(never)]
    fn due_ns_along(&self, requests: f64) -> Option<f64> {
        match self {
            Self::Constant(rate_per_s) => Some(requests * (1e9 / rate_per_s)),
            Self::Ramp(ramp) => {
                let within = requests < ramp.requests();
                // Of the solutions of from·t + slope·t²/2 = requests, in the form that loses no digits.
                let root = (ramp.from_per_s.powi(2) + 2.0 * ramp.slope() * requests).max(0.0).sqrt();
                within.then(|| if requests > 0.0 { 2e9 * requests / (ramp.from_per_s + root) } else { 0.0 })
            }
            Self::Steps(steps) => {
                let step = steps.get(steps.partition_point(|step| step.end_requests() <= requests))?;
                Some(step.start_ns as f64 + (requests - step.start_requests) * (1e9 / step.rate_per_s))
            }
        }
    }

    /// The cumulative rate: how many requests are due before this time.
    pub fn requests_before(&self, ns: u64) -> f64 {
        let time_s = ns as f64 / 1e9;
        match self {
            Self::Constant(rate_per_s) => rate_per_s * time_s,
            Self::Ramp(ramp) => {
                let time_s = time_s.min(ramp.length_s);
                ramp.from_per_s * time_s + ramp.slope() * time_s * time_s / 2.0
            }
            Self::Steps(steps) => {
                let begun = steps.partition_point(|step| step.start_ns <= ns);
                let Some(step) = steps[..begun].last() else { return 0.0 };
                let within_ns = (ns - step.start_ns).min(step.length_ns);
                step.start_requests + step.rate_per_s * (within_ns as f64 / 1e9)
            }
        }
    }

    /// Until when requests are due; `None` is for ever.
    pub fn length_ns(&self) -> Option<u64> {
        match self {
            Self::Constant(_) => None,
            Self::Ramp(ramp) => Some((ramp.length_s * 1e9).round() as u64),
            Self::Steps(steps) => Some(steps.iter().map(|step| step.length_ns).sum()),
        }
    }

    /// The rate at which it begins, for load that goes before it: the first that is above 0; of a ramp from 0, a tenth of
    /// its end.
    pub fn first_per_s(&self) -> f64 {
        match self {
            Self::Constant(rate_per_s) => *rate_per_s,
            Self::Ramp(ramp) => {
                if ramp.from_per_s > 0.0 {
                    ramp.from_per_s
                } else {
                    ramp.to_per_s / 10.0
                }
            }
            Self::Steps(steps) => steps.iter().map(|step| step.rate_per_s).find(|&rate| rate > 0.0).unwrap_or(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const S: u64 = 1_000_000_000;

    fn due_ms(curve: &RateCurve, requests: u64) -> Option<f64> {
        curve.due_ns(requests as f64).map(|ns| (ns / 1e3).round() / 1e3)
    }

    #[test]
    fn a_ramp_by_hand() {
        // From 0 to 200/s in 2 s: the number of requests is 50 t².
        let up = RateCurve::ramp(0.0, 200.0, 2 * S);
        for (requests, ms) in [(0, 0.0), (2, 200.0), (50, 1000.0), (128, 1600.0), (199, 1994.994)] {
            assert_eq!(due_ms(&up, requests), Some(ms), "{requests}");
        }
        assert_eq!(up.due_ns(200.0), None, "it has ended");
        // From 200/s to 0 in 2 s: 200 t - 50 t².
        let down = RateCurve::ramp(200.0, 0.0, 2 * S);
        for (requests, ms) in [(0, 0.0), (150, 1000.0), (192, 1600.0)] {
            assert_eq!(due_ms(&down, requests), Some(ms), "{requests}");
        }
        // From 100/s to 300/s in 10 s: 100 t + 10 t².
        let between = RateCurve::ramp(100.0, 300.0, 10 * S);
        for (requests, ms) in [(110, 1000.0), (750, 5000.0), (1999, 9996.666)] {
            assert_eq!(due_ms(&between, requests), Some(ms), "{requests}");
        }
        assert_eq!((between.due_ns(2000.0), between.length_ns()), (None, Some(10 * S)));
    }

    #[test]
    fn a_ramp_that_rises_by_nothing_is_a_constant_rate() {
        let (flat, constant) = (RateCurve::ramp(250.0, 250.0, 4 * S), RateCurve::Constant(250.0));
        for requests in [0, 1, 7, 999] {
            assert_eq!(due_ms(&flat, requests), due_ms(&constant, requests));
        }
        assert_eq!((flat.due_ns(1000.0), constant.length_ns()), (None, None));
    }

    #[test]
    fn steps_by_hand() {
        let steps = RateCurve::steps([(10.0, S), (0.0, 2 * S), (100.0, S / 2)]);
        for (requests, ms) in [(0, 0.0), (9, 900.0), (10, 3000.0), (11, 3010.0), (59, 3490.0)] {
            assert_eq!(due_ms(&steps, requests), Some(ms), "{requests}");
        }
        assert_eq!((steps.due_ns(60.0), steps.length_ns()), (None, Some(3_500_000_000)));
        for (ms, requests) in [(0, 0.0), (500, 5.0), (1000, 10.0), (2000, 10.0), (3250, 35.0), (9000, 60.0)] {
            assert_eq!(steps.requests_before(ms * 1_000_000), requests, "{ms} ms");
        }
    }

    #[test]
    fn the_rate_at_which_it_begins() {
        for (curve, rate_per_s) in [
            (RateCurve::Constant(5.0), 5.0),
            (RateCurve::ramp(7.0, 70.0, S), 7.0),
            (RateCurve::ramp(0.0, 70.0, S), 7.0),
            (RateCurve::steps([(0.0, S), (3.0, S)]), 3.0),
        ] {
            assert_eq!(curve.first_per_s(), rate_per_s);
        }
    }

    fn curves() -> impl Strategy<Value = RateCurve> {
        prop_oneof![
            (1.0..1e5_f64).prop_map(RateCurve::Constant),
            (0.0..1e5_f64, 1.0..1e5_f64, 1_u64..100).prop_map(|(a, b, s)| RateCurve::ramp(a, b, s * S)),
            (1.0..1e5_f64, 0.0..1e5_f64, 1_u64..100).prop_map(|(a, b, s)| RateCurve::ramp(a, b, s * S)),
            prop::collection::vec((1.0..1e4_f64, 1_u64..20), 1..6)
                .prop_map(|steps| RateCurve::steps(steps.into_iter().map(|(rate, s)| (rate, s * S)))),
        ]
    }

    proptest! {
        #[test]
        fn due_is_the_inverse_of_the_cumulative_rate(curve in curves(), share in 0.0..1.0_f64) {
            let length_ns = curve.length_ns().unwrap_or(100 * S);
            let requests = curve.requests_before((length_ns as f64 * share) as u64);
            prop_assume!(curve.due_ns(requests).is_some());
            let due_ns = curve.due_ns(requests).expect("assumed");
            // Flat at the end of a ramp to 0: there the number of requests is what must agree.
            let back = curve.requests_before(due_ns as u64);
            prop_assert!((back - requests).abs() <= 1e-6 * requests.max(1.0) + 1e-3, "{} {}", back, requests);
            prop_assert!(due_ns <= length_ns as f64 * (1.0 + 1e-9));
        }

        #[test]
        fn requests_come_in_order(curve in curves(), first in 0_u32..100_000, gap in 0_u32..1000) {
            let (earlier, later) = (f64::from(first), f64::from(first) + f64::from(gap));
            if let (Some(earlier_ns), Some(later_ns)) = (curve.due_ns(earlier), curve.due_ns(later)) {
                prop_assert!(earlier_ns <= later_ns * (1.0 + 1e-12));
            }
        }
    }
}
