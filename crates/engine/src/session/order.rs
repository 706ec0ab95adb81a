//! The order of the arms within each round: shuffled, and the same for the same seed.

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

#[cfg(test)]
mod tests {
    use super::*;

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
