//! Orders and lengths that look random and are the same for the same seed.

use hopcost_common::seeds;

/// Shuffled orders, the same ones for the same seed.
#[derive(Debug, Clone)]
pub struct Shuffle {
    seed: u64,
    drawn: u64,
}

impl Shuffle {
    pub const fn new(seed: u64) -> Self {
        Self { seed, drawn: 0 }
    }

    fn next(&mut self) -> u64 {
        self.drawn += 1;
        seeds::number(self.seed, self.drawn - 1)
    }

    /// The numbers below `count` in the next order (Fisher and Yates).
    pub fn order_of(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            // The remainder favours small numbers, but by less than 2^-40 for any count that fits into memory.
            let chosen = (self.next() % (last as u64 + 1)) as usize;
            order.swap(last, chosen);
        }
        order
    }
}

/// Factors that are spread evenly over 1 ± `jitter`, in shuffled order. Their mean is 1.
pub fn spread(seed: u64, count: u32, jitter: f64) -> Vec<f64> {
    let factor = |place| 1.0 - jitter + 2.0 * jitter * (place as f64 + 0.5) / f64::from(count);
    Shuffle::new(!seed).order_of(count as usize).into_iter().map(factor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_spread_evenly_and_their_mean_is_1() {
        let mut found = spread(7, 5, 0.5);
        assert_eq!(found, spread(7, 5, 0.5), "the same for the same seed");
        assert_ne!(found, spread(8, 5, 0.5));
        found.sort_by(f64::total_cmp);
        for (length, expected) in found.iter().zip([0.6, 0.8, 1.0, 1.2, 1.4]) {
            assert!((length - expected).abs() < 1e-9, "{found:?}");
        }
        assert_eq!(spread(7, 1, 0.5), [1.0], "one alone is as long as it says");
        assert_eq!(spread(7, 3, 0.0), [1.0; 3]);
    }

    #[test]
    fn the_same_seed_gives_the_same_rounds() {
        let rounds = |seed| {
            let mut shuffle = Shuffle::new(seed);
            (0..10).map(|_| shuffle.order_of(5)).collect::<Vec<_>>()
        };
        assert_eq!(rounds(7), rounds(7));
        assert_ne!(rounds(7), rounds(8));
    }

    #[test]
    fn every_order_comes_equally_often() {
        let mut shuffle = Shuffle::new(1);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            *counts.entry(shuffle.order_of(3)).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        // Six standard deviations of a binomial of 6000 and 1/6 are 173.
        assert!(counts.values().all(|&count: &i32| (827..=1173).contains(&count)), "{counts:?}");
    }
}
