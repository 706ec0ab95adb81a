//! Two machines' clocks, by what both read when a message went to and fro. Pure.

use crate::lines::ClockReading;

/// The four readings of `CLOCK_MONOTONIC` around a question and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exchange {
    /// This machine, when the question left.
    pub(super) asked_ns: u64,
    /// The other one, when it was there.
    pub(super) received_ns: u64,
    /// The other one, when the answer left.
    pub(super) sent_ns: u64,
    /// This machine, when the answer was there.
    pub(super) answered_ns: u64,
}

impl Exchange {
    pub(super) fn reading(self) -> ClockReading {
        let [asked, received, sent, answered] =
            [self.asked_ns, self.received_ns, self.sent_ns, self.answered_ns].map(i128::from);
        let round_trip = ((answered - asked) - (sent - received)).max(0);
        let within = |ns: i128| i64::try_from(ns).unwrap_or(if ns < 0 { i64::MIN } else { i64::MAX });
        let round_trip_ns = u64::try_from(round_trip).unwrap_or(u64::MAX);
        ClockReading {
            offset_ns: within(((received - asked) + (sent - answered)) / 2),
            bound_ns: round_trip_ns.div_ceil(2),
            round_trip_ns,
        }
    }
}

impl ClockReading {
    /// That of the exchange which took the least time.
    pub(super) fn best(exchanges: &[Exchange]) -> Option<Self> {
        exchanges.iter().map(|exchange| exchange.reading()).min_by_key(|reading| reading.round_trip_ns)
    }

    /// A time of the other machine on this one's clock.
    pub(super) fn here_ns(self, there_ns: u64) -> u64 {
        let here = i128::from(there_ns) - i128::from(self.offset_ns);
        u64::try_from(here.max(0)).unwrap_or(u64::MAX)
    }

    /// Whether both clocks have gone alike from here to `later`, by 0.1 % of the time between, as far as can be known.
    pub(in crate::session) fn is_steady_until(self, later: Self, elapsed_ns: u64) -> bool {
        let moved_ns = self.offset_ns.abs_diff(later.offset_ns);
        moved_ns <= elapsed_ns / 1000 + self.bound_ns + later.bound_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn exchange(asked_ns: u64, received_ns: u64, sent_ns: u64, answered_ns: u64) -> Exchange {
        Exchange { asked_ns, received_ns, sent_ns, answered_ns }
    }

    #[test]
    fn worked_by_hand() {
        // The other clock is 1,000,000 ahead; 50 there, 10 to answer, 70 back.
        let reading = exchange(2000, 1_002_050, 1_002_060, 2130).reading();
        assert_eq!(reading, ClockReading { offset_ns: 999_990, bound_ns: 60, round_trip_ns: 120 });
        assert_eq!(reading.here_ns(1_002_050), 2060);
        // The other machine was started later, so its clock is behind.
        let behind = exchange(5_000_000, 100, 110, 5_000_110).reading();
        assert_eq!(behind, ClockReading { offset_ns: -4_999_950, bound_ns: 50, round_trip_ns: 100 });
        assert_eq!(behind.here_ns(105), 5_000_055);
        assert_eq!(behind.here_ns(0), 4_999_950);
    }

    #[test]
    fn the_quickest_exchange_says_most() {
        let slow = exchange(0, 900, 900, 1000);
        let quick = exchange(2000, 2060, 2060, 2100);
        assert_eq!(ClockReading::best(&[slow, quick, slow]), Some(quick.reading()));
        assert_eq!(ClockReading::best(&[]), None);
    }

    #[test]
    fn a_clock_that_is_set_or_drifts_is_noticed() {
        let at = |offset_ns| ClockReading { offset_ns, bound_ns: 30, round_trip_ns: 60 };
        // A slice of 1 ms may be off by 1000 ns, and each reading by 30.
        for (later_ns, expected) in [(0, true), (1060, true), (1061, false), (-1060, true), (-1061, false)] {
            assert_eq!(at(0).is_steady_until(at(later_ns), 1_000_000), expected, "{later_ns}");
        }
        assert!(!at(i64::MIN).is_steady_until(at(i64::MAX), 1));
    }

    proptest! {
        #[test]
        fn the_true_offset_is_within_the_bound(
            asked_ns in 0_u64..1 << 60, offset_ns in -(1_i64 << 59)..1_i64 << 59,
            there_ns in 0_u64..1 << 40, busy_ns in 0_u64..1 << 40, back_ns in 0_u64..1 << 40,
        ) {
            let asked_ns = asked_ns + (1 << 60);
            let received_ns = (asked_ns + there_ns).checked_add_signed(offset_ns).expect("after both machines' start");
            let sent_ns = received_ns + busy_ns;
            let reading = exchange(asked_ns, received_ns, sent_ns, asked_ns + there_ns + busy_ns + back_ns).reading();
            prop_assert_eq!(reading.round_trip_ns, there_ns + back_ns);
            prop_assert!(reading.offset_ns.abs_diff(offset_ns) <= reading.bound_ns);
        }
    }
}
