//! The order of the arms within each round, and how long its slices are: shuffled, and the same for the same seed.

use crate::random;

/// The orders that belong to a seed.
#[derive(Debug, Clone)]
pub struct Order {
    seed: u64,
    drawn: u64,
}

impl Order {
    /// From the first round on.
    pub const fn new(seed: u64) -> Self {
        Self { seed, drawn: 0 }
    }

    fn next(&mut self) -> u64 {
        self.drawn += 1;
        random::number(self.seed, self.drawn - 1)
    }

    /// The next round's order of `arms` arms (Fisher and Yates).
    pub fn round(&mut self, arms: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..arms).collect();
        for last in (1..arms).rev() {
            // The bias of the remainder is below 2^-58 for any number of arms that fits on a machine.
            let chosen = (self.next() % (last as u64 + 1)) as usize;
            order.swap(last, chosen);
        }
        order
    }
}

/// Each round's slices as multiples of their length: spread evenly over 1 ± `jitter`, in shuffled order, so that together
/// they take as long as without. Visits of one length fall into step with what comes and goes inside an arm as often.
pub fn lengths(seed: u64, rounds: u32, jitter: f64) -> Vec<f64> {
    let length = |place| 1.0 - jitter + 2.0 * jitter * (place as f64 + 0.5) / f64::from(rounds);
    Order::new(!seed).round(rounds as usize).into_iter().map(length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_spread_evenly_and_take_as_long_together() {
        let mut found = lengths(7, 5, 0.5);
        assert_eq!(found, lengths(7, 5, 0.5), "the same for the same seed");
        assert_ne!(found, lengths(8, 5, 0.5));
        found.sort_by(f64::total_cmp);
        for (length, expected) in found.iter().zip([0.6, 0.8, 1.0, 1.2, 1.4]) {
            assert!((length - expected).abs() < 1e-9, "{found:?}");
        }
        assert_eq!(lengths(7, 1, 0.5), [1.0], "one alone is as long as it says");
        assert_eq!(lengths(7, 3, 0.0), [1.0; 3]);
    }

    #[test]
    fn the_same_seed_gives_the_same_rounds() {
        let rounds = |seed| {
            let mut order = Order::new(seed);
            (0..10).map(|_| order.round(5)).collect::<Vec<_>>()
        };
        assert_eq!(rounds(7), rounds(7));
        assert_ne!(rounds(7), rounds(8));
    }

    #[test]
    fn every_order_comes_equally_often() {
        let mut order = Order::new(1);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            *counts.entry(order.round(3)).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        // Six standard deviations of a binomial of 6000 and 1/6 are 173.
        assert!(counts.values().all(|&count: &i32| (827..=1173).contains(&count)), "{counts:?}");
    }
}
