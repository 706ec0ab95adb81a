//! The order of the arms within each round: shuffled, and the same for the same seed.

/// `SplitMix64` (Steele, Lea, Flood 2014): small, and good enough to shuffle a handful of arms.
#[derive(Debug, Clone)]
pub struct Order(u64);

impl Order {
    /// The orders that belong to a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
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
