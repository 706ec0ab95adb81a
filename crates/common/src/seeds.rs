//! Numbers that look random and are the same for the same seed.

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The number with this index (from 0) in the sequence of a seed: `SplitMix64` (Steele, Lea, Flood 2014), any of whose
/// numbers can be had without those before it.
#[inline]
pub const fn number(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(STEP.wrapping_mul(index.wrapping_add(1)));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The same between 0, exclusive, and 1, inclusive.
#[inline]
pub fn fraction(seed: u64, index: u64) -> f64 {
    ((number(seed, index) >> 11) + 1) as f64 / (1_u64 << 53) as f64
}

/// The numbers of a seed, one after the other.
#[derive(Debug, Clone)]
pub struct Sequence {
    seed: u64,
    drawn: u64,
}

impl Sequence {
    /// From its first number on.
    pub const fn new(seed: u64) -> Self {
        Self { seed, drawn: 0 }
    }

    fn next_index(&mut self) -> u64 {
        self.drawn += 1;
        self.drawn - 1
    }

    /// The next number as a [`fraction`].
    pub fn fraction(&mut self) -> f64 {
        fraction(self.seed, self.next_index())
    }

    /// The numbers below `count` in the next order (Fisher and Yates).
    pub fn order_of(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            // The remainder favours small numbers, but by less than 2^-40 for any count that fits into memory.
            let chosen = (number(self.seed, self.next_index()) % (last as u64 + 1)) as usize;
            order.swap(last, chosen);
        }
        order
    }
}

/// Factors that are spread evenly over 1 ± `jitter`, in shuffled order. Their mean is 1.
pub fn spread(seed: u64, count: u32, jitter: f64) -> Vec<f64> {
    let factor = |place| 1.0 - jitter + 2.0 * jitter * (place as f64 + 0.5) / f64::from(count);
    Sequence::new(!seed).order_of(count as usize).into_iter().map(factor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_of_the_reference_implementation() {
        // Of splitmix64.c by Vigna, seed 1234567.
        let first = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        for (index, expected) in (0..).zip(first) {
            assert_eq!(number(1_234_567, index), expected);
        }
    }

    #[test]
    fn fractions_are_even_and_never_zero() {
        let mean = (0..10_000).map(|index| fraction(7, index)).sum::<f64>() / 1e4;
        // Six standard errors of the mean of 10,000.
        assert!((mean - 0.5).abs() < 6.0 * (1.0 / 12.0_f64 / 1e4).sqrt(), "{mean}");
        assert!((0..10_000).all(|index| fraction(7, index) > 0.0));
    }

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
            let mut shuffle = Sequence::new(seed);
            (0..10).map(|_| shuffle.order_of(5)).collect::<Vec<_>>()
        };
        assert_eq!(rounds(7), rounds(7));
        assert_ne!(rounds(7), rounds(8));
    }

    #[test]
    fn every_order_comes_equally_often() {
        let mut shuffle = Sequence::new(1);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            *counts.entry(shuffle.order_of(3)).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        // Six standard deviations of a binomial of 6000 and 1/6 are 173.
        assert!(counts.values().all(|&count: &i32| (827..=1173).contains(&count)), "{counts:?}");
    }
}
