//! Even arrivals: the first request at 0, and one more each time that the rate adds up to it. At a constant rate they lie
//! at equal distances.

use super::{AFTER_ITS_END, Due, RateCurve, Schedule};

/// Requests as even as their rate allows, up to an optional number of them.
#[derive(Debug, Clone)]
pub struct Constant {
    pub curve: RateCurve,
    /// `None` is all.
    pub requests: Option<u64>,
}

impl Constant {
    /// One request every `1 / rate` seconds. The rate must be above 0.
    pub fn new(rate_per_s: f64, requests: Option<u64>) -> Self {
        Self { curve: RateCurve::Constant(rate_per_s), requests }
    }
}

impl Schedule for Constant {
    #[inline]
    fn due(&mut self, count: u64) -> Due {
        match self.requests {
            Some(requests) if count >= requests => Due::Never,
            // Computed from the count, so that no rounding adds up; off by 1 ns after some 100 days. `round` would cost
            // thirty instructions.
            _ => self.curve.due_ns(count as f64).map_or(AFTER_ITS_END, |ns| Due::At((ns + 0.5) as u64)),
        }
    }

    fn is_open(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn table() {
        let table: [(f64, u64, u64); 7] = [
            (2000.0, 0, 0),
            (2000.0, 1, 500_000),
            (2000.0, 12_000, 6_000_000_000),
            (3.0, 1, 333_333_333),
            (3.0, 2, 666_666_667),
            (3.0, 3_000_000, 1_000_000_000_000_000),
            (0.5, 3, 6_000_000_000),
        ];
        for (rate_per_s, count, due_ns) in table {
            assert_eq!(Constant::new(rate_per_s, None).due(count), Due::At(due_ns), "{rate_per_s}/s, {count}");
        }
    }

    #[test]
    fn it_ends_after_the_requests_asked_for() {
        let mut schedule = Constant::new(10.0, Some(2));
        assert_eq!((schedule.due(1), schedule.due(2)), (Due::At(100_000_000), Due::Never));
    }

    #[test]
    fn a_ramp_ends_with_its_last_request() {
        let mut ramp = Constant { curve: RateCurve::ramp(0.0, 4.0, 2_000_000_000), requests: None };
        let due: Vec<Due> = (0..5).map(|count| ramp.due(count)).collect();
        // The square roots of the counts.
        let at = |ns| Due::At(ns);
        assert_eq!(due, [at(0), at(1_000_000_000), at(1_414_213_562), at(1_732_050_808), AFTER_ITS_END]);
    }

    proptest! {
        #[test]
        fn as_many_in_a_second_as_the_rate_says(rate in 1_u32..2_000_000, second in 0_u64..100_000) {
            let mut schedule = Constant::new(f64::from(rate), None);
            let first = second * u64::from(rate);
            prop_assert_eq!(schedule.due(first), Due::At(second * 1_000_000_000));
            let Due::At(last) = schedule.due(first + u64::from(rate) - 1) else { panic!("it has no end") };
            prop_assert!(last < (second + 1) * 1_000_000_000);
        }
    }
}
