//! How long before a moment a lane has to stop sleeping so that it is awake when the moment comes. Pure.

/// Waking takes 5 to 50 us on a core that is not asleep for long.
const LEAST_NS: u64 = 50_000;
/// More is not polled away: it would cost the core more than it brings.
const MOST_NS: u64 = 150_000;
/// Later than this it was not the waking that took long: something else had the core, and an earlier moment would have
/// met it as well.
const WAKING_NS_MOST: u64 = 300_000;
/// Where one waking in 200 is later than the margin, the margin stays where it is: so it follows the 99.5 % quantile,
/// and how late the latest ones are makes no difference.
const RISE_NS: u64 = 19_900;
const FALL_NS: u64 = 100;

/// Learns from how late it was woken.
#[derive(Debug, Clone, Copy)]
pub struct Waking {
    margin_ns: u64,
}

impl Default for Waking {
    fn default() -> Self {
        Self { margin_ns: LEAST_NS }
    }
}

impl Waking {
    /// So long before the moment.
    #[inline]
    pub fn margin_ns(&self) -> u64 {
        self.margin_ns
    }

    /// It wanted to be awake at `asked_ns`, and looked at the clock at `now_ns`. Earlier ones say nothing: an event woke
    /// it.
    #[inline]
    pub fn woke(&mut self, asked_ns: u64, now_ns: u64) {
        let Some(late_ns) = now_ns.checked_sub(asked_ns) else { return };
        if late_ns > WAKING_NS_MOST {
            return;
        }
        let moved = if late_ns > self.margin_ns { self.margin_ns + RISE_NS } else { self.margin_ns - FALL_NS };
        self.margin_ns = moved.clamp(LEAST_NS, MOST_NS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(lates_ns: impl IntoIterator<Item = u64>) -> u64 {
        let mut waking = Waking::default();
        lates_ns.into_iter().for_each(|late_ns| waking.woke(1_000_000, 1_000_000 + late_ns));
        waking.margin_ns()
    }

    #[test]
    fn it_follows_the_late_ones_within_its_bounds() {
        assert_eq!(after([]), LEAST_NS);
        assert_eq!(after([10_000; 100]), LEAST_NS);
        assert_eq!(after([60_000]), LEAST_NS + RISE_NS);
        assert_eq!(after([200_000; 100]), MOST_NS);
        // One in 100 takes 110 us: more often than one in 200, so the margin comes to hold it; one in 1000 does not.
        let every = |n: u64| (0..100_000).map(move |number| if number % n == 0 { 110_000 } else { 20_000 });
        assert!(after(every(100)) >= 110_000 - RISE_NS, "{}", after(every(100)));
        assert!(after(every(1000)) < LEAST_NS + RISE_NS);
    }

    #[test]
    fn events_and_stalls_teach_nothing() {
        let mut waking = Waking::default();
        waking.woke(1_000_000, 999_999);
        waking.woke(1_000_000, 1_000_001 + WAKING_NS_MOST);
        assert_eq!(waking.margin_ns(), LEAST_NS);
    }
}
