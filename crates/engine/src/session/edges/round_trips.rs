//! How long messages took lately. Pure.

use std::collections::VecDeque;

/// So many of the last ones count.
const REMEMBERED: usize = 64;
/// A longer one was a machine that had no time, and no network.
const MOST_NS: u64 = 10_000_000;

#[derive(Debug, Default)]
pub(super) struct RoundTrips(VecDeque<u64>);

impl RoundTrips {
    pub(super) fn note(&mut self, round_trip_ns: u64) {
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(round_trip_ns.min(MOST_NS));
    }

    /// The longest one of late; 0 before the first.
    pub(super) fn most_ns(&self) -> u64 {
        self.0.iter().copied().max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_ones_and_a_machine_without_time_do_not_count() {
        let mut round_trips = RoundTrips::default();
        assert_eq!(round_trips.most_ns(), 0);
        round_trips.note(u64::MAX);
        assert_eq!(round_trips.most_ns(), MOST_NS);
        (0..REMEMBERED - 1).for_each(|_| round_trips.note(7));
        assert_eq!(round_trips.most_ns(), MOST_NS);
        round_trips.note(8);
        assert_eq!(round_trips.most_ns(), 8);
    }
}
