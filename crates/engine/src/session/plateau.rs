//! When an arm is warm. Pure.

use crate::plan::WarmUp;

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
