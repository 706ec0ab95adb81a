//! How many completions to wait for.
//!
//! Waiting for several saves calls and wake-ups, but delays those that have come. So a batch is no larger than what
//! came lately within [`FILL_NS`], and a timer in the ring ends a wait after [`GUARD_NS`] at the latest. The timer is
//! set again only after it went off: a timer for each wait (the kernel's minimum-wait time), or one every 100 µs, costs
//! more than batching saves.

/// A batch should be full within this time.
const FILL_NS: u64 = 100_000;
/// The longest wait for a batch that does not fill.
const GUARD_NS: u64 = 1_000_000;
/// Over about how many batches the mean time between completions is smoothed.
const SMOOTHING: u64 = 8;

#[derive(Debug)]
pub(super) struct Batching {
    max: u32,
    wait_for: u32,
    /// The mean time between completions, lately.
    gap_ns: u64,
    now_ns: u64,
}

impl Batching {
    /// Waits for `max` completions at most; 1 is no batching.
    pub(super) fn new(max: u32) -> Self {
        Self { max, wait_for: 1, gap_ns: FILL_NS, now_ns: 0 }
    }

    #[inline]
    pub(super) fn wait_for(&self) -> u32 {
        self.wait_for
    }

    /// When to stop waiting if they do not come.
    #[inline]
    pub(super) fn guard_ns(&self) -> u64 {
        if self.wait_for > 1 { self.now_ns + GUARD_NS } else { u64::MAX }
    }

    /// Takes in how many completions were there at this time.
    #[inline]
    pub(super) fn learn(&mut self, completions: u32, now_ns: u64) {
        if self.max == 1 || completions == 0 {
            return;
        }
        let gap_ns = (now_ns.saturating_sub(self.now_ns) / u64::from(completions)).min(FILL_NS);
        self.now_ns = now_ns;
        self.gap_ns = (self.gap_ns * (SMOOTHING - 1) + gap_ns) / SMOOTHING;
        // At most FILL_NS, so it fits.
        self.wait_for = ((FILL_NS / self.gap_ns.max(1)) as u32).clamp(1, self.max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(max: u32, completions: u32, gap_ns: u64) -> Batching {
        let mut batching = Batching::new(max);
        for batch in 1..=100 {
            batching.learn(completions, batch * gap_ns * u64::from(completions));
        }
        batching
    }

    #[test]
    fn no_more_are_waited_for_than_come_in_time() {
        for (gap_ns, wait_for) in [(1_000, 8), (12_000, 8), (30_000, 3), (60_000, 1), (10_000_000, 1)] {
            assert_eq!(after(8, 1, gap_ns).wait_for(), wait_for, "{gap_ns}");
            assert_eq!(after(8, 5, gap_ns).wait_for(), wait_for, "{gap_ns}, five at a time");
            assert_eq!(after(1, 1, gap_ns).wait_for(), 1);
        }
    }

    #[test]
    fn a_pause_is_soon_forgotten_and_nothing_waits_without_a_guard() {
        let mut batching = after(8, 8, 1_000);
        let pause_ns = 10_000_000_000;
        assert_eq!(batching.guard_ns(), 800_000 + GUARD_NS);
        batching.learn(1, pause_ns);
        for batch in 1..=32 {
            batching.learn(8, pause_ns + batch * 8_000);
        }
        assert_eq!(batching.wait_for(), 8);
        assert_eq!(Batching::new(8).guard_ns(), u64::MAX, "one completion is waited for without a limit");
    }
}
