//! When an arm is warm. Pure.

use crate::plan::WarmUp;

/// Slices that have to agree.
const SLICES: usize = 3;
/// By how much they may differ: the least is above this share of the most.
const AGREEMENT_PERCENT: u64 = 90;

/// What to do after a slice of warm-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Warmth {
    /// Go on.
    NotYet,
    /// All connections are open and the last slices agree.
    Plateau,
    /// Time is up without that.
    TimeUp,
}

/// Judges a warm-up by its slices so far.
pub fn judge(rule: WarmUp, elapsed_ns: u64, connected: bool, answers: &[u64]) -> Warmth {
    if connected && elapsed_ns >= rule.least_ns && agree(answers) {
        Warmth::Plateau
    } else if elapsed_ns >= rule.most_ns {
        Warmth::TimeUp
    } else {
        Warmth::NotYet
    }
}

fn agree(answers: &[u64]) -> bool {
    let Some(last) = answers.len().checked_sub(SLICES).map(|from| &answers[from..]) else { return false };
    match (last.iter().min(), last.iter().max()) {
        (Some(&least), Some(&most)) => least > 0 && least * 100 > most * AGREEMENT_PERCENT,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        let rule = WarmUp { least_ns: 300, most_ns: 3000 };
        let table: [(u64, bool, &[u64], Warmth); 9] = [
            (300, true, &[100, 100, 91], Warmth::Plateau),
            (300, true, &[100, 100, 90], Warmth::NotYet),
            (299, true, &[100, 100, 100], Warmth::NotYet),
            (300, false, &[100, 100, 100], Warmth::NotYet),
            (900, true, &[1, 1, 1, 50, 100, 99, 98], Warmth::Plateau),
            (300, true, &[100, 100], Warmth::NotYet),
            (900, true, &[0, 0, 0], Warmth::NotYet),
            (3000, true, &[0, 0, 0], Warmth::TimeUp),
            (3000, false, &[], Warmth::TimeUp),
        ];
        for (elapsed_ns, connected, answers, warmth) in table {
            assert_eq!(judge(rule, elapsed_ns, connected, answers), warmth, "{elapsed_ns} {connected} {answers:?}");
        }
    }
}
