//! How fast bytes move, and when the next ones may. Pure.

/// A connection moves this many pieces in a second. More would look more like a slow line, and cost more CPU.
const PIECES_PER_S: u64 = 10;
const MAX_PIECE_BYTES: u64 = 65_536;
/// A piece that is late by less than this is no reason for the next one to be late too.
const SLACK_NS: u64 = 10_000_000;
/// How much of a second's bytes the receive buffer holds.
const BUFFERS_PER_S: u64 = 4;
/// The kernel has a minimum of its own, about as small.
const MIN_BUFFER_BYTES: u64 = 4096;
const MAX_BUFFER_BYTES: u64 = 65_536;

/// How fast bytes move.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rate {
    pub(super) bytes_per_s: u64,
}

impl Rate {
    /// As much as is moved at once.
    pub(super) fn piece_bytes(self) -> usize {
        (self.bytes_per_s / PIECES_PER_S).clamp(1, MAX_PIECE_BYTES) as usize
    }

    pub(super) fn buffer_bytes(self) -> usize {
        (self.bytes_per_s / BUFFERS_PER_S).clamp(MIN_BUFFER_BYTES, MAX_BUFFER_BYTES) as usize
    }

    pub(super) fn time_ns(self, bytes: usize) -> u64 {
        // A piece of one byte takes a second at most.
        (bytes as u64).saturating_mul(1_000_000_000) / self.bytes_per_s
    }
}

/// One direction of a connection.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Line {
    /// Taken by earlier bytes until then.
    pub(super) taken_until_ns: u64,
}

impl Line {
    pub(super) fn is_free(self, now_ns: u64) -> bool {
        now_ns >= self.taken_until_ns
    }

    pub(super) fn take(&mut self, bytes: usize, rate: Rate, now_ns: u64) {
        let from_ns = self.taken_until_ns.max(now_ns.saturating_sub(SLACK_NS));
        self.taken_until_ns = from_ns + rate.time_ns(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pieces_and_buffers() {
        for (bytes_per_s, piece_bytes, buffer_bytes) in [
            (1, 1, 4096),
            (999, 99, 4096),
            (30_000, 3000, 7500),
            (200_000, 20_000, 50_000),
            (10_000_000, 65_536, 65_536),
            (u64::MAX, 65_536, 65_536),
        ] {
            let rate = Rate { bytes_per_s };
            assert_eq!((rate.piece_bytes(), rate.buffer_bytes()), (piece_bytes, buffer_bytes), "{bytes_per_s}");
        }
    }

    #[test]
    fn a_line_is_taken_for_as_long_as_its_bytes_take() {
        const MS: u64 = 1_000_000;
        let rate = Rate { bytes_per_s: 10_000 };
        let mut line = Line::default();
        line.take(1000, rate, 500 * MS);
        assert_eq!(line.taken_until_ns, 590 * MS, "a line that was free for long is ahead by the slack, and no more");
        assert!(!line.is_free(590 * MS - 1) && line.is_free(590 * MS));
        line.take(1000, rate, 594 * MS);
        assert_eq!(line.taken_until_ns, 690 * MS, "a piece that is a little late delays no other");
        line.take(1000, rate, 790 * MS);
        assert_eq!(line.taken_until_ns, 880 * MS, "time that was not used is lost");
    }

    proptest! {
        #[test]
        fn it_is_never_faster_than_its_rate(
            bytes_per_s in 1_u64..1_000_000, gaps_ms in prop::collection::vec(0_u64..300, 1..100)
        ) {
            let rate = Rate { bytes_per_s };
            let (mut line, mut now_ns, mut bytes) = (Line::default(), 1_000_000_000_000, 0);
            let begin_ns = now_ns;
            for gap_ms in gaps_ms {
                now_ns += gap_ms * 1_000_000;
                if line.is_free(now_ns) {
                    line.take(rate.piece_bytes(), rate, now_ns);
                    bytes += rate.piece_bytes();
                }
            }
            let allowed = (now_ns - begin_ns + SLACK_NS) as f64 / 1e9 * bytes_per_s as f64;
            prop_assert!(bytes as f64 <= allowed + rate.piece_bytes() as f64 + 1.0);
        }
    }
}
