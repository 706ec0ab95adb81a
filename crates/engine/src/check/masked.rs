//! A body of which some bytes may be any: what lies between the masks is compared, stretch by stretch.

use std::ops::Range;

/// A body to compare with, and its stretches that count.
#[derive(Debug)]
pub struct MaskedBody {
    bytes: Box<[u8]>,
    /// In order, apart from each other, none empty.
    stretches: Box<[Range<usize>]>,
}

impl MaskedBody {
    /// Masks are `(from, to)`, without the byte at `to`, in any order. What is wrong with them is said in words.
    pub fn new(bytes: &[u8], masks: &[(usize, usize)]) -> Result<Self, String> {
        if let Some((from, to)) = masks.iter().find(|(from, to)| from >= to || *to > bytes.len()) {
            return Err(format!("[{from}, {to}] is no range of a body of {} bytes", bytes.len()));
        }
        let mut sorted = masks.to_vec();
        sorted.sort_unstable();
        let mut stretches = Vec::with_capacity(sorted.len() + 1);
        let mut at = 0;
        for (from, to) in sorted {
            stretches.push(at..from);
            at = at.max(to);
        }
        stretches.push(at..bytes.len());
        stretches.retain(|stretch| !stretch.is_empty());
        Ok(Self { bytes: bytes.into(), stretches: stretches.into() })
    }

    pub(super) const fn length(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Whether these bytes may stand in the body from `at` on. No if they go beyond its end.
    pub(super) fn has(&self, at: u64, piece: &[u8]) -> bool {
        let Ok(at) = usize::try_from(at) else { return false };
        let Some(end) = at.checked_add(piece.len()).filter(|end| *end <= self.bytes.len()) else { return false };
        let first = self.stretches.partition_point(|stretch| stretch.end <= at);
        self.stretches[first..].iter().take_while(|stretch| stretch.start < end).all(|stretch| {
            let (from, to) = (stretch.start.max(at), stretch.end.min(end));
            self.bytes[from..to] == piece[from - at..to - at]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A body, masks in it, and the lengths of the pieces that it comes in.
    fn bodies() -> impl Strategy<Value = (Vec<u8>, Vec<(usize, usize)>, usize)> {
        prop::collection::vec(any::<u8>(), 1..80).prop_flat_map(|body| {
            let length = body.len();
            let mask = (0..length).prop_flat_map(move |from| (Just(from), from + 1..=length));
            (Just(body), prop::collection::vec(mask, 0..6), 1..20_usize)
        })
    }

    fn in_pieces(body: &MaskedBody, answer: &[u8], piece_bytes: usize) -> bool {
        let offsets = (0_u64..).step_by(piece_bytes);
        answer.chunks(piece_bytes).zip(offsets).all(|(piece, at)| body.has(at, piece))
    }

    proptest! {
        #[test]
        fn a_byte_that_differs_is_wrong_unless_it_is_masked((bytes, masks, piece_bytes) in bodies(), flip in 1..=255_u8) {
            let body = MaskedBody::new(&bytes, &masks).expect("ranges of the body");
            prop_assert!(in_pieces(&body, &bytes, piece_bytes));
            for place in 0..bytes.len() {
                let mut answer = bytes.clone();
                answer[place] ^= flip;
                let is_masked = masks.iter().any(|(from, to)| (*from..*to).contains(&place));
                prop_assert_eq!(in_pieces(&body, &answer, piece_bytes), is_masked, "byte {} of {:?}", place, masks);
            }
        }

        #[test]
        fn any_bytes_may_stand_under_all_masks_at_once((bytes, masks, piece_bytes) in bodies(), flip in 1..=255_u8) {
            let body = MaskedBody::new(&bytes, &masks).expect("ranges of the body");
            let mut answer = bytes;
            for (from, to) in masks {
                answer[from..to].iter_mut().for_each(|byte| *byte ^= flip);
            }
            // A byte under two masks is as it was.
            prop_assert!(in_pieces(&body, &answer, piece_bytes));
        }
    }

    #[test]
    fn what_goes_beyond_the_end_is_wrong() {
        let body = MaskedBody::new(b"abc", &[(0, 3)]).expect("all of it");
        assert!(body.has(0, b"xyz") && body.has(3, b""));
        assert!(!body.has(0, b"xyz!") && !body.has(3, b"!") && !body.has(u64::MAX, b"!"));
    }

    #[test]
    fn masks_that_are_no_ranges_of_the_body() {
        for mask in [(1, 1), (2, 1), (0, 4)] {
            let words = MaskedBody::new(b"abc", &[(0, 1), mask]).expect_err("refused");
            assert!(words.contains("no range of a body of 3 bytes"), "{words}");
        }
    }
}
