//! Requests in flight at the edge of a slice, so that accounts are complete there.

use std::ops::AddAssign;

/// The requests in flight on some connections, and sums of their times on the arm's clock.
///
/// Sums of 2^20 connections over months do not fit into 64 bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pending {
    pub in_flight: u128,
    /// When each request was sent, summed up.
    pub since_ns: u128,
    /// Up to when each request is counted in [`crate::recorder::Counts::in_flight_ns`], summed up.
    pub counted_ns: u128,
}

impl Pending {
    /// What [`crate::recorder::Counts::in_flight_ns`] lacks at this time of the arm's clock.
    pub fn uncounted_ns(&self, now_ns: u64) -> u128 {
        self.until(now_ns, self.counted_ns)
    }

    /// The sum of the ages at this time of the arm's clock.
    pub fn ages_ns(&self, now_ns: u64) -> u64 {
        u64::try_from(self.until(now_ns, self.since_ns)).unwrap_or(u64::MAX)
    }

    fn until(&self, now_ns: u64, sum_ns: u128) -> u128 {
        (self.in_flight * u128::from(now_ns)).saturating_sub(sum_ns)
    }
}

impl AddAssign for Pending {
    fn add_assign(&mut self, other: Self) {
        self.in_flight += other.in_flight;
        self.since_ns += other.since_ns;
        self.counted_ns += other.counted_ns;
    }
}

#[cfg(test)]
mod tests {
    use super::Pending;

    #[test]
    fn ages_and_what_is_not_counted_yet() {
        // Sent at 10 and 20, counted until 30; and one sent at 25, counted until 40.
        let mut pending = Pending { in_flight: 2, since_ns: 30, counted_ns: 60 };
        pending += Pending { in_flight: 1, since_ns: 25, counted_ns: 40 };
        assert_eq!((pending.ages_ns(50), pending.uncounted_ns(50)), (40 + 30 + 25, 20 + 20 + 10));
        assert_eq!(pending.uncounted_ns(0), 0, "a thread has read a later clock than the arm's");
    }
}
