//! When an arm is warm. Pure.

use crate::plan::WarmUp;
use crate::recorder::Counts;

/// Throughput has levelled off if none of this many last slices is above the best slice before them by more than
/// [`RISE_PERCENT`].
const LAST_SLICES: usize = 2;
/// Only a rise is looked for: a dip is the machine's fault, and a busy machine is never calm.
const RISE_PERCENT: u64 = 110;

/// What to do after a slice of warm-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Warmth {
    NotYet,
    /// All connections are open and throughput has levelled off.
    Plateau,
    TimeUp,
}

/// Judges a warm-up after a slice.
pub fn judge(rule: WarmUp, elapsed_ns: u64, answered: u64, connected: bool, is_steady: bool) -> Warmth {
    if connected && elapsed_ns >= rule.least_ns && answered >= rule.requests && is_steady {
        Warmth::Plateau
    } else if elapsed_ns >= rule.most_ns {
        Warmth::TimeUp
    } else {
        Warmth::NotYet
    }
}

/// Whether a closed loop is steady, by the answers of its slices: throughput rises no more.
pub fn has_levelled_off(answers: &[u64]) -> bool {
    let (before, last) = answers.split_at(answers.len().saturating_sub(LAST_SLICES));
    match (before.iter().max(), last.iter().max()) {
        (Some(&before), Some(&last)) => last > 0 && last * 100 <= before * RISE_PERCENT,
        _ => false,
    }
}

/// Whether an open loop, whose throughput is given, is steady: its last slice sent all that was due without an error.
pub fn is_carried(last: &Counts) -> bool {
    last.not_sent == 0 && last.errors.total() == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_loop_is_warm_when_it_is_carried() {
        let rule = WarmUp { least_ns: 300, most_ns: 3000, requests: 0 };
        let counts = |not_sent| Counts { sent: 100, not_sent, ..Counts::default() };
        assert_eq!(judge(rule, 299, 0, true, is_carried(&counts(0))), Warmth::NotYet);
        assert_eq!(judge(rule, 300, 0, false, is_carried(&counts(0))), Warmth::NotYet);
        assert_eq!(judge(rule, 300, 0, true, is_carried(&counts(1))), Warmth::NotYet);
        assert_eq!(judge(rule, 300, 0, true, is_carried(&counts(0))), Warmth::Plateau);
        assert_eq!(judge(rule, 3000, 0, true, is_carried(&counts(1))), Warmth::TimeUp);
    }

    #[test]
    fn an_arm_is_not_warm_before_it_has_answered_so_many_requests() {
        let rule = WarmUp { least_ns: 300, most_ns: 3000, requests: 10_000 };
        assert_eq!(judge(rule, 2000, 9_999, true, true), Warmth::NotYet);
        assert_eq!(judge(rule, 299, 10_000, true, true), Warmth::NotYet, "nor before its time");
        assert_eq!(judge(rule, 2000, 10_000, true, true), Warmth::Plateau);
        assert_eq!(judge(rule, 3000, 9_999, true, true), Warmth::TimeUp, "a slow one has no longer than this");
    }

    #[test]
    fn table() {
        let rule = WarmUp { least_ns: 300, most_ns: 3000, requests: 0 };
        let table: [(u64, bool, &[u64], Warmth); 12] = [
            (300, true, &[100, 100, 100], Warmth::Plateau),
            (300, true, &[100, 100, 110], Warmth::Plateau),
            (300, true, &[100, 111, 100], Warmth::NotYet),
            (300, true, &[100, 20, 60], Warmth::Plateau),
            (299, true, &[100, 100, 100], Warmth::NotYet),
            (300, false, &[100, 100, 100], Warmth::NotYet),
            (900, true, &[1, 1, 50, 100, 111], Warmth::NotYet),
            (900, true, &[1, 1, 50, 100, 99, 98], Warmth::Plateau),
            (300, true, &[100, 100], Warmth::NotYet),
            (900, true, &[100, 0, 0], Warmth::NotYet),
            (3000, true, &[0, 0, 0], Warmth::TimeUp),
            (3000, false, &[], Warmth::TimeUp),
        ];
        for (elapsed_ns, connected, answers, warmth) in table {
            assert_eq!(
                judge(rule, elapsed_ns, answers.iter().sum(), connected, has_levelled_off(answers)),
                warmth,
                "{elapsed_ns} {connected} {answers:?}"
            );
        }
    }
}
