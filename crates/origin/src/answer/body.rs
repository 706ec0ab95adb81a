//! Bodies of answers, given out piece by piece, so that no large body is held whole.

use super::words;

/// The pattern of `/bytes/N`: byte i is `i mod 251`. A prime, so that no shift by a buffer's size goes unseen.
const PERIOD: usize = 251;
/// Whole periods, a little below the largest content of a FastCGI record.
static PATTERN: [u8; PERIOD * 260] = pattern();
static EVERY_BYTE: [u8; 256] = every_byte();

const fn pattern() -> [u8; PERIOD * 260] {
    let mut bytes = [0; PERIOD * 260];
    let mut index = 0;
    while index < bytes.len() {
        bytes[index] = (index % PERIOD) as u8;
        index += 1;
    }
    bytes
}

const fn every_byte() -> [u8; 256] {
    let mut bytes = [0; 256];
    let mut index = 0;
    while index < 256 {
        bytes[index] = index as u8;
        index += 1;
    }
    bytes
}

/// A file of the content that all origins of hopcost serve.
macro_rules! content {
    ($name:literal) => {
        include_bytes!(concat!("../../../../src/hopcost/programs/served/", $name))
    };
}

pub(crate) const HELLO: &[u8] = content!("hello.txt");

pub(crate) const TEXT_512: &[u8] = content!("512.txt");

pub(crate) const JSON: &[u8] = content!("1k.json");

pub(crate) const TEXT: &[u8] = content!("static.txt");

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    /// Bytes that live as long as the program.
    Fixed(&'static [u8]),
    Pattern(u64),
    /// So many bytes of words.
    Words(u64),
    Text(String),
}

impl Body {
    fn length(&self) -> u64 {
        match self {
            Self::Fixed(bytes) => bytes.len() as u64,
            Self::Pattern(length) | Self::Words(length) => *length,
            Self::Text(text) => text.len() as u64,
        }
    }

    /// Some bytes from `at` on, which lies inside the body: at least one, at most `most`.
    fn piece(&self, at: u64, most: usize) -> &[u8] {
        let bytes = match self {
            Self::Fixed(bytes) => &bytes[at as usize..],
            Self::Text(text) => &text.as_bytes()[at as usize..],
            Self::Pattern(length) => part(&PATTERN, (at % PERIOD as u64) as usize, length - at),
            Self::Words(length) => part(words::text(), (at % words::LENGTH as u64) as usize, length - at),
        };
        &bytes[..bytes.len().min(most)]
    }
}

/// From `start` on what there is, at most `left` bytes.
fn part(bytes: &[u8], start: usize, left: u64) -> &[u8] {
    &bytes[start..start + left.min((bytes.len() - start) as u64) as usize]
}

/// A body with what is wrong with it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Payload {
    body: Body,
    /// Which byte is turned into its complement.
    wrong_at: Option<u64>,
    /// Whether it has one byte more than the route's body.
    one_more: bool,
}

impl Payload {
    pub fn of(body: Body) -> Self {
        Self { body, wrong_at: None, one_more: false }
    }

    pub fn length(&self) -> u64 {
        self.body.length() + u64::from(self.one_more)
    }

    /// Turns the middle byte into its complement. False if there is none.
    pub fn spoil_byte(&mut self) -> bool {
        self.wrong_at = (self.length() > 0).then_some(self.length() / 2);
        self.wrong_at.is_some()
    }

    /// Appends a `+`.
    pub fn lengthen(&mut self) {
        self.one_more = true;
    }

    /// Some bytes from `at` on, which lies inside the payload: at least one, at most `most` (1 or more).
    pub fn piece(&self, at: u64, most: usize) -> &[u8] {
        if at == self.body.length() {
            return b"+";
        }
        match self.wrong_at {
            Some(wrong) if wrong == at => {
                let right = self.body.piece(at, 1)[0];
                std::slice::from_ref(&EVERY_BYTE[usize::from(!right)])
            }
            Some(wrong) if wrong > at => self.body.piece(at, most.min((wrong - at).min(1 << 30) as usize)),
            _ => self.body.piece(at, most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(payload: &Payload, most: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < payload.length() {
            bytes.extend_from_slice(payload.piece(bytes.len() as u64, most));
        }
        bytes
    }

    #[test]
    fn json_and_text_are_one_kilobyte() {
        assert_eq!(JSON.len(), 1024);
        serde_json::from_slice::<serde_json::Value>(JSON).expect("the body of /json is JSON");
        assert_eq!(TEXT.len(), 1024);
        assert!(TEXT.is_ascii());
    }

    proptest! {
        #[test]
        fn pieces_of_any_size_make_the_pattern(length in 0u64..200_000, most in 1usize..70_000) {
            let bytes = whole(&Payload::of(Body::Pattern(length)), most.max(100));
            prop_assert_eq!(bytes.len() as u64, length);
            prop_assert!(bytes.iter().enumerate().all(|(index, byte)| usize::from(*byte) == index % 251));
        }

        #[test]
        fn pieces_of_any_size_make_the_words(length in 0u64..700_000, most in 1usize..70_000) {
            let bytes = whole(&Payload::of(Body::Words(length)), most.max(100));
            prop_assert_eq!(bytes.len() as u64, length);
            let text = words::text();
            prop_assert!(bytes.iter().enumerate().all(|(index, byte)| *byte == text[index % text.len()]));
        }

        #[test]
        fn a_wrong_byte_is_the_only_difference(length in 1u64..3000, most in 1usize..600) {
            let right = whole(&Payload::of(Body::Pattern(length)), most);
            let mut payload = Payload::of(Body::Pattern(length));
            prop_assert!(payload.spoil_byte());
            let wrong = whole(&payload, most);
            prop_assert_eq!(wrong.len(), right.len());
            prop_assert_eq!(wrong.iter().zip(&right).filter(|(a, b)| a != b).count(), 1);
        }

        #[test]
        fn one_more_is_one_more(length in 0u64..3000, most in 1usize..600) {
            let mut payload = Payload::of(Body::Pattern(length));
            payload.lengthen();
            let bytes = whole(&payload, most);
            prop_assert_eq!(bytes.len() as u64, length + 1);
            prop_assert_eq!(bytes.last(), Some(&b'+'));
        }
    }
}
