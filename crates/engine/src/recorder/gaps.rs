//! How even the distances between sends are.

/// Gaps between the sends of one lane, summed up.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gaps {
    last_ns: Option<u64>,
    count: u64,
    sum_us: f64,
    squares_us2: f64,
}

impl Gaps {
    #[inline]
    pub fn sent(&mut self, now_ns: u64) {
        if let Some(last_ns) = self.last_ns.replace(now_ns) {
            let gap_us = now_ns.saturating_sub(last_ns) as f64 / 1e3;
            self.count += 1;
            self.sum_us += gap_us;
            self.squares_us2 += gap_us * gap_us;
        }
    }

    /// Adds the gaps of another period of the same lane.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum_us += other.sum_us;
        self.squares_us2 += other.squares_us2;
    }

    /// The coefficient of variation: 0 at equal distances, 1 for Poisson arrivals. `None` of fewer than two gaps.
    pub fn variation(&self) -> Option<f64> {
        let count = self.count as f64;
        let mean_us = self.sum_us / count;
        let variance = self.squares_us2 / count - mean_us * mean_us;
        (self.count >= 2 && mean_us > 0.0).then(|| variance.max(0.0).sqrt() / mean_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let of = |times: &[u64]| {
            let mut gaps = Gaps::default();
            times.iter().for_each(|&ns| gaps.sent(ns));
            gaps
        };
        assert_eq!(of(&[5, 1005]).variation(), None);
        assert_eq!(of(&[5, 1005, 2005, 3005]).variation(), Some(0.0));
        // Gaps of 1 and 3 us: mean 2, deviation 1.
        let mut gaps = of(&[0, 1000, 4000]);
        assert_eq!(gaps.variation(), Some(0.5));
        gaps.merge(&of(&[9000, 11_000, 13_000]));
        assert!(gaps.variation() < Some(0.5));
    }
}
