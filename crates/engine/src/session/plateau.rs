//! When an arm is warm. Pure.

use crate::plan::WarmUp;
use crate::recorder::Counts;

/// The last slices, which must not be above the best one before them ...
const LAST_SLICES: usize = 2;
/// ... by more than this. Only a rise is looked for: a dip is the machine's, and waiting for calm would take for ever on a
/// busy one.
const RISE_PERCENT: u64 = 110;

/// What to do after a slice of warm-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Warmth {
    /// Go on.
    NotYet,
    /// All connections are open and throughput rises no more.
    Plateau,
    /// Time is up without that.
    TimeUp,
}

/// Judges a warm-up by its slices so far.
pub fn judge(rule: WarmUp, elapsed_ns: u64, connected: bool, answers: &[u64]) -> Warmth {
    if connected && elapsed_ns >= rule.least_ns && has_risen(answers) {
        Warmth::Plateau
    } else if elapsed_ns >= rule.most_ns {
        Warmth::TimeUp
    } else {
        Warmth::NotYet
    }
}

/// The same in an open loop, whose throughput is given: by whether its last slice was carried, every request sent and
/// none in error.
pub fn judge_open(rule: WarmUp, elapsed_ns: u64, connected: bool, last: &Counts) -> Warmth {
    let is_carried = last.not_sent == 0 && last.errors.total() == 0;
    if connected && elapsed_ns >= rule.least_ns && is_carried {
        Warmth::Plateau
    } else if elapsed_ns >= rule.most_ns {
        Warmth::TimeUp
    } else {
        Warmth::NotYet
    }
}

fn has_risen(answers: &[u64]) -> bool {
    let (before, last) = answers.split_at(answers.len().saturating_sub(LAST_SLICES));
    match (before.iter().max(), last.iter().max()) {
        (Some(&before), Some(&last)) => last > 0 && last * 100 <= before * RISE_PERCENT,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_loop_is_warm_when_it_is_carried() {
        let rule = WarmUp { least_ns: 300, most_ns: 3000 };
        let counts = |not_sent| Counts { sent: 100, not_sent, ..Counts::default() };
        assert_eq!(judge_open(rule, 299, true, &counts(0)), Warmth::NotYet);
        assert_eq!(judge_open(rule, 300, false, &counts(0)), Warmth::NotYet);
        assert_eq!(judge_open(rule, 300, true, &counts(1)), Warmth::NotYet);
        assert_eq!(judge_open(rule, 300, true, &counts(0)), Warmth::Plateau);
        assert_eq!(judge_open(rule, 3000, true, &counts(1)), Warmth::TimeUp);
    }

    #[test]
    fn table() {
        let rule = WarmUp { least_ns: 300, most_ns: 3000 };
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
            assert_eq!(judge(rule, elapsed_ns, connected, answers), warmth, "{elapsed_ns} {connected} {answers:?}");
        }
    }
}
