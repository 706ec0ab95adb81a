//! Bytes looked for in a body that comes in pieces, none of which is kept (Knuth, Morris, Pratt 1977).

/// What is looked for.
#[derive(Debug)]
pub struct Needle {
    bytes: Box<[u8]>,
    /// For every place: how much of the needle still matches when the byte there does not.
    fallback: Box<[usize]>,
}

/// How much of the needle the last bytes match; all of it where it was found.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Searched {
    matched: usize,
    found: bool,
}

impl Searched {
    pub(super) const fn is_found(self) -> bool {
        self.found
    }
}

impl Needle {
    /// Prepares the search. It must not be empty: nothing cannot be looked for.
    pub fn new(bytes: &[u8]) -> Self {
        let mut fallback = vec![0; bytes.len()];
        let mut matched = 0;
        for place in 1..bytes.len() {
            while matched > 0 && bytes[matched] != bytes[place] {
                matched = fallback[matched - 1];
            }
            matched += usize::from(bytes[matched] == bytes[place]);
            fallback[place] = matched;
        }
        Self { bytes: bytes.into(), fallback: fallback.into() }
    }

    pub(super) fn search(&self, searched: &mut Searched, bytes: &[u8]) {
        for byte in bytes {
            if searched.found {
                return;
            }
            while searched.matched > 0 && self.bytes.get(searched.matched) != Some(byte) {
                searched.matched = self.fallback[searched.matched - 1];
            }
            searched.matched += usize::from(self.bytes.get(searched.matched) == Some(byte));
            searched.found = searched.matched == self.bytes.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_a_plain_search_finds_it(
            needle in prop::collection::vec(0_u8..3, 1..5),
            body in prop::collection::vec(0_u8..3, 0..60),
            piece_bytes in 1..9_usize,
        ) {
            let mut searched = Searched::default();
            let prepared = Needle::new(&needle);
            body.chunks(piece_bytes).for_each(|piece| prepared.search(&mut searched, piece));
            prop_assert_eq!(searched.is_found(), body.windows(needle.len()).any(|window| window == needle));
        }
    }
}
