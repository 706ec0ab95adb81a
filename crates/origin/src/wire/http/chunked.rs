//! The chunked coding of request bodies: read and thrown away, byte for byte accounted (RFC 9112, 7.1).

use crate::wire::MAX_HEAD_BYTES;

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Size { digits: u8 },
    Extension,
    SizeEnd,
    Data,
    DataEnd,
    DataLineFeed,
    TrailerStart,
    Trailer,
    TrailerEnd,
    LastLineFeed,
}

/// A decoder in the middle of a body.
#[derive(Clone, Debug)]
pub(crate) struct Chunked {
    state: State,
    left: u64,
    body_bytes: u64,
    /// Bytes of sizes, extensions and trailers since the last data. Limited, because a peer may send nothing else.
    framing_bytes: usize,
}

/// The bytes are not a chunked body, or their framing has no end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

impl Default for Chunked {
    fn default() -> Self {
        Self { state: State::Size { digits: 0 }, left: 0, body_bytes: 0, framing_bytes: 0 }
    }
}

impl Chunked {
    pub fn body_bytes(&self) -> u64 {
        self.body_bytes
    }

    /// Reads on. Returns how many bytes were used up, and whether the body has ended.
    pub fn advance(&mut self, input: &[u8]) -> Result<(usize, bool), Malformed> {
        let mut at = 0;
        while at < input.len() {
            if self.state == State::Data {
                let step = self.left.min((input.len() - at) as u64);
                at += step as usize;
                self.left -= step;
                self.body_bytes += step;
                if self.left == 0 {
                    self.state = State::DataEnd;
                }
                continue;
            }
            self.framing_bytes += 1;
            if self.framing_bytes > MAX_HEAD_BYTES {
                return Err(Malformed);
            }
            let byte = input[at];
            at += 1;
            if self.framing(byte)? {
                return Ok((at, true));
            }
        }
        Ok((at, false))
    }

    /// Reads a byte that is not data. Returns true at the end of the body.
    fn framing(&mut self, byte: u8) -> Result<bool, Malformed> {
        self.state = match (self.state, byte) {
            (State::Size { digits }, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                // Fifteen digits are an exabyte: larger than any real size, and too small to overflow.
                if digits == 15 {
                    return Err(Malformed);
                }
                // The pattern lets only hexadecimal digits in.
                let digit = (byte as char).to_digit(16).unwrap_or(0);
                self.left = self.left << 4 | u64::from(digit);
                State::Size { digits: digits + 1 }
            }
            (State::Size { digits: 1.. }, b';' | b' ' | b'\t') => State::Extension,
            (State::Size { digits: 1.. } | State::Extension, b'\r') => State::SizeEnd,
            (State::Extension, byte) if byte != b'\n' => State::Extension,
            (State::SizeEnd, b'\n') if self.left == 0 => State::TrailerStart,
            (State::SizeEnd, b'\n') => {
                self.framing_bytes = 0;
                State::Data
            }
            (State::DataEnd, b'\r') => State::DataLineFeed,
            (State::DataLineFeed, b'\n') => State::Size { digits: 0 },
            (State::TrailerStart, b'\r') => State::LastLineFeed,
            (State::LastLineFeed, b'\n') => return Ok(true),
            (State::Trailer | State::TrailerStart, byte) if byte != b'\r' && byte != b'\n' => State::Trailer,
            (State::Trailer, b'\r') => State::TrailerEnd,
            (State::TrailerEnd, b'\n') => State::TrailerStart,
            _ => return Err(Malformed),
        };
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(input: &[u8], step: usize) -> Result<(usize, bool, u64), Malformed> {
        let mut decoder = Chunked::default();
        let mut used = 0;
        for part in input.chunks(step) {
            let (bytes, done) = decoder.advance(part)?;
            used += bytes;
            if done {
                return Ok((used, true, decoder.body_bytes()));
            }
        }
        Ok((used, false, decoder.body_bytes()))
    }

    #[test]
    fn bodies() {
        for (input, expected) in [
            ("0\r\n\r\n", Ok((5, true, 0))),
            ("5\r\nhello\r\n0\r\n\r\nGET", Ok((15, true, 5))),
            ("000A;x=\"y\"\r\n0123456789\r\n0;last\r\nA: b\r\nC: d\r\n\r\n", Ok((46, true, 10))),
            ("5\r\nhel", Ok((6, false, 3))),
            ("", Ok((0, false, 0))),
            ("\r\n", Err(Malformed)),
            (";x\r\n", Err(Malformed)),
            ("5\nhello", Err(Malformed)),
            ("5\r\nhelloX", Err(Malformed)),
            ("g\r\n", Err(Malformed)),
            ("-1\r\n", Err(Malformed)),
            ("1234567890123456\r\n", Err(Malformed)),
            ("0\r\nA: b\n", Err(Malformed)),
        ] {
            for step in [1, 2, 3, 100] {
                assert_eq!(read(input.as_bytes(), step), expected, "{input:?} in steps of {step}");
            }
        }
    }

    #[test]
    fn framing_without_end_is_refused() {
        let endless = [b"1;".as_slice(), &[b'x'; MAX_HEAD_BYTES + 1]].concat();
        assert_eq!(read(&endless, 1000), Err(Malformed));
        let trailers = [b"0\r\n".as_slice(), &b"A: b\r\n".repeat(MAX_HEAD_BYTES / 6 + 1)].concat();
        assert_eq!(read(&trailers, 1000), Err(Malformed));
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_counted(
            parts in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..300), 0..20),
            step in 1usize..200,
        ) {
            let mut bytes = Vec::new();
            for part in &parts {
                bytes.extend_from_slice(format!("{:x}\r\n", part.len()).as_bytes());
                bytes.extend_from_slice(part);
                bytes.extend_from_slice(b"\r\n");
            }
            bytes.extend_from_slice(b"0\r\n\r\n");
            let sum = parts.iter().map(|part| part.len() as u64).sum::<u64>();
            prop_assert_eq!(read(&bytes, step), Ok((bytes.len(), true, sum)));
        }

        #[test]
        fn any_bytes_end_in_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..500), step in 1usize..100) {
            let _ = read(&bytes, step);
        }
    }
}
