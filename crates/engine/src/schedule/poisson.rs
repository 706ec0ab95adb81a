//! Poisson arrivals: as from many users who know nothing of each other. Gaps are independent and exponential.

use super::{Due, Schedule};
use hopcost_common::seeds;

/// Random arrivals at a mean rate, the same for the same seed, up to an optional number of them.
#[derive(Debug, Clone, Copy)]
pub struct Poisson {
    gap_mean_ns: f64,
    seed: u64,
    /// `None` is without end.
    pub requests: Option<u64>,
    /// The last request looked at, and when it is due. The next one is one gap further.
    last: (u64, f64),
}

impl Poisson {
    /// The rate must be above 0.
    pub fn new(rate_per_s: f64, seed: u64, requests: Option<u64>) -> Self {
        // Seeds that lie near each other would otherwise share their numbers, shifted.
        let seed = seeds::number(seed, 0);
        let mut schedule = Self { gap_mean_ns: 1e9 / rate_per_s, seed, requests, last: (0, 0.0) };
        schedule.last.1 = schedule.gap_ns(0);
        schedule
    }

    /// The gap before a request.
    #[inline]
    fn gap_ns(&self, count: u64) -> f64 {
        -seeds::fraction(self.seed, count).ln() * self.gap_mean_ns
    }
}

impl Schedule for Poisson {
    #[inline]
    fn due(&mut self, count: u64) -> Due {
        if self.requests.is_some_and(|requests| count >= requests) {
            return Due::Never;
        }
        let (mut at, mut due_ns) = self.last;
        if count < at {
            (at, due_ns) = (0, self.gap_ns(0));
        }
        while at < count {
            at += 1;
            due_ns += self.gap_ns(at);
        }
        self.last = (at, due_ns);
        Due::At(due_ns as u64)
    }

    fn is_open(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn times(mut schedule: Poisson, count: u64) -> Vec<u64> {
        let at = |due| if let Due::At(ns) = due { ns } else { panic!("it has no end") };
        (0..count).map(|number| at(schedule.due(number))).collect()
    }

    #[test]
    fn it_ends_after_the_requests_asked_for() {
        let mut schedule = Poisson::new(10.0, 1, Some(2));
        assert!(matches!(schedule.due(1), Due::At(_)));
        assert_eq!(schedule.due(2), Due::Never);
    }

    #[test]
    fn gaps_are_exponential_and_independent() {
        let times = times(Poisson::new(1000.0, 3, None), 100_001);
        let gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e6).collect();
        let count = gaps.len() as f64;
        let mean = gaps.iter().sum::<f64>() / count;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / count;
        let beside = gaps.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum::<f64>() / count / variance;
        // Of 100,000 unit exponentials: six standard errors of the mean, the deviation and the correlation.
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
        assert!((variance.sqrt() - 1.0).abs() < 0.03, "{variance}");
        assert!(beside.abs() < 0.02, "{beside}");
        let longer = gaps.iter().filter(|&&gap| gap > 2.0).count() as f64 / count;
        assert!((longer - (-2.0_f64).exp()).abs() < 0.0065, "{longer}");
    }

    proptest! {
        #[test]
        fn the_same_seed_gives_the_same_times_in_whatever_order_they_are_asked(
            seed: u64, rate in 1.0..1e6_f64, asked in prop::collection::vec(0_u64..300, 1..50)
        ) {
            let all = times(Poisson::new(rate, seed, None), 300);
            prop_assert!(all.is_sorted());
            let mut schedule = Poisson::new(rate, seed, None);
            for count in asked {
                prop_assert_eq!(schedule.due(count), Due::At(all[count as usize]));
            }
            prop_assert_ne!(times(Poisson::new(rate, seed.wrapping_add(1), None), 300), all);
        }

        #[test]
        fn the_rate_is_the_one_asked_for(seed: u64, rate in 1.0..1e6_f64) {
            let last = *times(Poisson::new(rate, seed, None), 10_000).last().expect("not empty");
            // Seven standard errors of the mean of 10,000 gaps.
            prop_assert!((last as f64 * rate / 1e13 - 1.0).abs() < 0.07, "{}", last);
        }
    }
}
