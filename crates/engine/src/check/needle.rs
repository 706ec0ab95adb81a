//! A search in a body that comes in pieces. Only the last bytes of a piece are kept, for a match across the cut.

use memchr::memmem::Finder;

/// The bytes to find.
#[derive(Debug)]
pub struct Needle {
    finder: Finder<'static>,
}

/// The state of one search.
#[derive(Debug, Default)]
pub(super) struct Searched {
    /// The last bytes of the body so far, one fewer than the needle has.
    tail: Vec<u8>,
    found: bool,
}

impl Searched {
    /// Begins anew and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.tail.clear();
        self.found = false;
    }

    pub(super) const fn is_found(&self) -> bool {
        self.found
    }
}

impl Needle {
    /// Prepares the search. The needle must not be empty.
    pub fn new(bytes: &[u8]) -> Self {
        assert!(!bytes.is_empty(), "an empty needle is in every body");
        Self { finder: Finder::new(bytes).into_owned() }
    }

    pub(super) fn search(&self, searched: &mut Searched, bytes: &[u8]) {
        if searched.found {
            return;
        }
        let (tail, overlap) = (&mut searched.tail, self.finder.needle().len() - 1);
        tail.extend_from_slice(&bytes[..bytes.len().min(overlap)]);
        searched.found = self.finder.find(tail).is_some() || self.finder.find(bytes).is_some();
        if bytes.len() > overlap {
            tail.clear();
            tail.extend_from_slice(&bytes[bytes.len() - overlap..]);
        } else {
            tail.drain(..tail.len().saturating_sub(overlap));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_found(needle: &[u8], pieces: &[&[u8]]) -> bool {
        let (needle, mut searched) = (Needle::new(needle), Searched::default());
        pieces.iter().for_each(|piece| needle.search(&mut searched, piece));
        searched.is_found()
    }

    fn naive(needle: &[u8], body: &[u8]) -> bool {
        body.windows(needle.len()).any(|window| window == needle)
    }

    proptest! {
        #[test]
        fn as_a_plain_search_finds_it(
            needle in prop::collection::vec(0_u8..3, 1..5),
            body in prop::collection::vec(0_u8..3, 0..60),
            piece_bytes in 1..9_usize,
        ) {
            let pieces: Vec<&[u8]> = body.chunks(piece_bytes).collect();
            prop_assert_eq!(is_found(&needle, &pieces), naive(&needle, &body));
        }

        #[test]
        fn in_any_three_pieces(
            needle in prop::collection::vec(0_u8..2, 1..9),
            body in prop::collection::vec(0_u8..2, 0..24),
        ) {
            let expected = naive(&needle, &body);
            for second in 0..=body.len() {
                for third in second..=body.len() {
                    let pieces = [&body[..second], &body[second..third], &body[third..]];
                    prop_assert_eq!(is_found(&needle, &pieces), expected, "{:?}", pieces);
                }
            }
        }
    }

    #[test]
    fn a_cleared_search_has_forgotten_the_last_body() {
        let (needle, mut searched) = (Needle::new(b"ab"), Searched::default());
        needle.search(&mut searched, b"a");
        searched.clear();
        needle.search(&mut searched, b"b");
        assert!(!searched.is_found());
    }
}
