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
}
