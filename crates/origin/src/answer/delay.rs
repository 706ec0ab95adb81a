//! Scripted delays: the distributions, and a generator that draws the same ones from the same seed.

use hopcost_common::durations;
use hopcost_common::seeds::{self, Sequence};

/// A distribution of delays, in ns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Delay {
    Constant(u64),
    /// Any value between the two, all equally likely.
    Uniform(u64, u64),
    Exponential(u64),
    /// Lognormal with this median, and this standard deviation of the logarithm.
    Lognormal(u64, f64),
}

/// The longest time that a request may ask for, and the longest delay that is drawn: an hour.
pub(crate) const MAX_NS: u64 = 3_600_000_000_000;

impl Delay {
    /// Reads `constant:1ms`, `uniform:1ms:2ms`, `exponential:2ms`, `lognormal:1ms:0.5`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let kind = parts.next()?;
        let first = duration_ns(parts.next()?)?;
        let second = parts.next();
        if parts.next().is_some() {
            return None;
        }
        match (kind, second) {
            ("constant", None) => Some(Self::Constant(first)),
            ("exponential", None) => Some(Self::Exponential(first)),
            ("uniform", Some(high)) => {
                duration_ns(high).filter(|high| *high >= first).map(|high| Self::Uniform(first, high))
            }
            ("lognormal", Some(sigma)) => {
                let sigma: f64 = sigma.parse().ok()?;
                (0.0..=10.0).contains(&sigma).then_some(Self::Lognormal(first, sigma))
            }
            _ => None,
        }
    }

    pub fn draw(self, random: &mut Sequence) -> u64 {
        match self {
            Self::Constant(delay) => delay,
            Self::Uniform(low, high) => low + ((high - low) as f64 * random.fraction()) as u64,
            // Inverse transform; a fraction is never 0, so the logarithm is finite.
            Self::Exponential(mean) => ((mean as f64 * -random.fraction().ln()) as u64).min(MAX_NS),
            Self::Lognormal(median, sigma) => ((median as f64 * (sigma * normal(random)).exp()) as u64).min(MAX_NS),
        }
    }
}

/// Reads `50us`, `1.5ms`, `2s`, `300ns`: a number with a unit, up to an hour.
pub(crate) fn duration_ns(text: &str) -> Option<u64> {
    let units = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)];
    let nanoseconds = durations::parse_ns(text, &units).ok()?.round();
    (nanoseconds <= MAX_NS as f64).then_some(nanoseconds as u64)
}

/// The random numbers of one thread of a server.
pub(crate) fn random(seed: u64, thread: u64) -> Sequence {
    Sequence::new((0..=thread).fold(seed, |seed, _| seeds::number(seed, 0)))
}

/// Standard normal (Box and Muller 1958; the second value is not kept).
fn normal(random: &mut Sequence) -> f64 {
    (-2.0 * random.fraction().ln()).sqrt() * (std::f64::consts::TAU * random.fraction()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, expected) in [
            ("50us", Some(50_000)),
            ("1.5ms", Some(1_500_000)),
            ("2s", Some(2_000_000_000)),
            ("300ns", Some(300)),
            ("0ms", Some(0)),
            ("3600s", Some(MAX_NS)),
            ("3601s", None),
            ("5", None),
            ("ms", None),
            ("1.2.3ms", None),
            ("-1ms", None),
            ("1 ms", None),
            ("", None),
        ] {
            assert_eq!(duration_ns(text), expected, "{text}");
        }
    }

    #[test]
    fn distributions() {
        for (text, expected) in [
            ("constant:1ms", Some(Delay::Constant(1_000_000))),
            ("uniform:1ms:2ms", Some(Delay::Uniform(1_000_000, 2_000_000))),
            ("exponential:2ms", Some(Delay::Exponential(2_000_000))),
            ("lognormal:1ms:0.5", Some(Delay::Lognormal(1_000_000, 0.5))),
            ("uniform:2ms:1ms", None),
            ("lognormal:1ms:-1", None),
            ("lognormal:1ms:nan", None),
            ("constant", None),
            ("constant:1ms:2ms", None),
            ("gamma:1ms", None),
        ] {
            assert_eq!(Delay::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_delays_and_threads_differ() {
        let draws = |seed, thread| {
            let mut random = super::random(seed, thread);
            (0..50).map(|_| Delay::Exponential(1_000_000).draw(&mut random)).collect::<Vec<_>>()
        };
        assert_eq!(draws(7, 0), draws(7, 0));
        assert_ne!(draws(7, 0), draws(8, 0));
        assert_ne!(draws(7, 0), draws(7, 1));
    }

    #[test]
    fn quantiles_are_those_of_the_distribution() {
        let quantile = |delay: Delay, at: f64| {
            let mut random = super::random(1, 0);
            let mut draws: Vec<u64> = (0..200_000).map(|_| delay.draw(&mut random)).collect();
            draws.sort_unstable();
            draws[(draws.len() as f64 * at) as usize] as f64
        };
        // Of the exponential: -ln(1 - q) × mean; of the lognormal: median × exp(sigma × z), z(0.9) = 1.28155.
        for (delay, at, expected) in [
            (Delay::Exponential(1_000_000), 0.5, 693_147.0),
            (Delay::Exponential(1_000_000), 0.99, 4_605_170.0),
            (Delay::Lognormal(1_000_000, 0.5), 0.5, 1_000_000.0),
            (Delay::Lognormal(1_000_000, 0.5), 0.9, 1_897_900.0),
            (Delay::Uniform(1_000_000, 2_000_000), 0.25, 1_250_000.0),
        ] {
            let found = quantile(delay, at);
            assert!((found / expected - 1.0).abs() < 0.02, "{delay:?} at {at}: {found}, expected {expected}");
        }
    }
}
