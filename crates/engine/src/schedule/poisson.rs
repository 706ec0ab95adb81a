//! Poisson arrivals: as from many users who know nothing of each other. Gaps are independent and exponential.
//!
//! Along a rate that changes: arrivals of rate 1, each put where the cumulative rate comes to it (Çinlar, Introduction to
//! Stochastic Processes, 1975: time change).

use super::{AFTER_ITS_END, Due, RateCurve, Schedule};
use hopcost_common::seeds;

/// Random arrivals around a rate, the same for the same seed, up to an optional number of them.
#[derive(Debug, Clone)]
pub struct Poisson {
    pub curve: RateCurve,
    seed: u64,
    /// `None` is all.
    pub requests: Option<u64>,
    share: Share,
    /// The last request looked at, and the sum of the gaps of rate 1 up to it. The next one is one gap further.
    last: (u64, f64),
    /// The number of that request among those of the share, if that is not all.
    last_own: u64,
}

/// Which requests are this generator's. Each goes to one of several at random, so that what each of them sends is Poisson
/// too: were they dealt in turns, a generator that is late would make the sum of all more even than it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The number of this generator, from 0.
    pub own: u64,
    /// How many there are.
    pub of: u64,
}

impl Share {
    /// A generator alone has them all.
    pub const ALL: Self = Self { own: 0, of: 1 };
}

impl Poisson {
    /// Arrivals at a constant mean rate, which must be above 0.
    pub fn new(rate_per_s: f64, seed: u64, requests: Option<u64>) -> Self {
        Self::along(RateCurve::Constant(rate_per_s), seed, requests)
    }

    pub fn along(curve: RateCurve, seed: u64, requests: Option<u64>) -> Self {
        // Seeds that lie near each other would otherwise share their numbers, shifted.
        let seed = seeds::number(seed, 0);
        let mut schedule = Self { curve, seed, requests, share: Share::ALL, last: (0, 0.0), last_own: 0 };
        schedule.last.1 = schedule.gap(0);
        schedule
    }

    /// Those of these requests that are a generator's share.
    #[must_use]
    pub fn shared(&self, share: Share) -> Self {
        let mut schedule = Self { share, ..self.clone() };
        schedule.begin_share();
        schedule
    }

    fn begin_share(&mut self) {
        (self.last, self.last_own) = ((0, self.gap(0)), 0);
        if !self.is_own(0) {
            self.next_own();
        }
    }

    /// Goes on to the next request of the share.
    fn next_own(&mut self) {
        let (mut number, mut sum) = self.last;
        loop {
            number += 1;
            sum += self.gap(number);
            if self.is_own(number) {
                break;
            }
        }
        self.last = (number, sum);
    }

    fn is_own(&self, number: u64) -> bool {
        // Other numbers than those of the gaps: whose a request is must not depend on when it is due.
        self.share.of == 1 || seeds::number(!self.seed, number) % self.share.of == self.share.own
    }

    /// The sum of the gaps up to a request of the share. Apart, so that a generator alone has no more to do per request.
    #[cold]
    fn sum_to_own(&mut self, count: u64) -> f64 {
        if count < self.last_own {
            self.begin_share();
        }
        while self.last_own < count {
            self.last_own += 1;
            self.next_own();
        }
        self.last.1
    }

    /// Arrivals along another curve that are independent of these, and the same for the same number.
    #[must_use]
    pub fn another(&self, number: u64, curve: RateCurve) -> Self {
        Self::along(curve, self.seed ^ number, self.requests).shared(self.share)
    }

    /// The gap before a request, at rate 1.
    #[inline]
    fn gap(&self, count: u64) -> f64 {
        -seeds::fraction(self.seed, count).ln()
    }
}

impl Schedule for Poisson {
    #[inline]
    fn due(&mut self, count: u64) -> Due {
        if self.requests.is_some_and(|requests| count >= requests) {
            return Due::Never;
        }
        let sum = if self.share.of > 1 {
            self.sum_to_own(count)
        } else {
            let (mut at, mut sum) = self.last;
            if count < at {
                (at, sum) = (0, self.gap(0));
            }
            while at < count {
                at += 1;
                sum += self.gap(at);
            }
            self.last = (at, sum);
            sum
        };
        self.curve.due_ns(sum).map_or(AFTER_ITS_END, |ns| Due::At(ns as u64))
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

    #[test]
    fn shares_together_are_the_whole_and_each_is_poisson() {
        const OF: u64 = 4;
        let whole = Poisson::new(1000.0, 3, None);
        let mut together = Vec::new();
        for own in 0..OF {
            let times = times(whole.shared(Share { own, of: OF }), 10_000);
            let gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e6).collect();
            let count = gaps.len() as f64;
            let mean = gaps.iter().sum::<f64>() / count;
            let deviation = (gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / count).sqrt();
            // Of 10,000 exponentials with a mean of 4: six standard errors. Dealt in turns the deviation would be 2.
            assert!((mean - 4.0).abs() < 0.24 && (deviation - 4.0).abs() < 0.35, "{mean} {deviation}");
            together.extend(times);
        }
        together.sort_unstable();
        // The shares end at different times.
        assert_eq!(together[..30_000], times(whole, 30_000));
    }

    #[test]
    fn along_a_ramp_there_are_as_many_as_its_rate_says() {
        // From 0 to 2000/s in 10 s: 10,000, a quarter of them in the first half.
        let ramp = RateCurve::ramp(0.0, 2000.0, 10_000_000_000);
        let mut schedule = Poisson::along(ramp, 5, None);
        let due = (0..20_000).map(|count| schedule.due(count)).take_while(|due| *due != AFTER_ITS_END);
        let times: Vec<u64> =
            due.map(|due| if let Due::At(ns) = due { ns } else { panic!("it has no limit") }).collect();
        let first_half = times.iter().filter(|&&ns| ns < 5_000_000_000).count();
        // Six standard deviations of Poisson counts of 10,000 and 2,500.
        assert!(times.len().abs_diff(10_000) < 600 && first_half.abs_diff(2_500) < 300, "{} {first_half}", times.len());
        assert!(times.is_sorted());
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
