//! The chunked coding (RFC 9112, section 7.1), with extensions and trailers, in pieces of any size.

use super::{MAX_HEAD_BYTES, Violation};

/// Where in a chunked body the next byte is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Size { digits: u8 },
    Extension,
    SizeEnd,
    Data,
    DataReturn,
    DataEnd,
    TrailerStart,
    Trailer,
    LastEnd,
    Done,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Chunked {
    place: Place,
    remaining: u64,
    /// Bytes of extensions and trailers so far. They are skipped, but not without bound.
    overhead: u32,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Data(&'a [u8]),
    More,
    End,
}

impl Chunked {
    pub(super) const fn new() -> Self {
        Self { place: Place::Size { digits: 0 }, remaining: 0, overhead: 0 }
    }

    /// Takes from the front of `input` what the next piece needs.
    pub(super) fn next<'a>(&mut self, input: &mut &'a [u8]) -> Result<Piece<'a>, Violation> {
        loop {
            if self.place == Place::Done {
                return Ok(Piece::End);
            }
            if self.place == Place::Data {
                if input.is_empty() {
                    return Ok(Piece::More);
                }
                let taken = usize::try_from(self.remaining).unwrap_or(usize::MAX).min(input.len());
                let (data, rest) = input.split_at(taken);
                *input = rest;
                self.remaining -= taken as u64;
                if self.remaining == 0 {
                    self.place = Place::DataReturn;
                }
                return Ok(Piece::Data(data));
            }
            let Some((&byte, rest)) = input.split_first() else { return Ok(Piece::More) };
            *input = rest;
            self.place = self.step(byte)?;
        }
    }

    fn step(&mut self, byte: u8) -> Result<Place, Violation> {
        match (self.place, byte) {
            (Place::Size { digits }, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                // Sixteen hexadecimal digits fill a u64.
                if digits == 16 {
                    return Err(Violation::Chunk);
                }
                let digit = char::from(byte).to_digit(16).ok_or(Violation::Chunk)?;
                self.remaining = self.remaining << 4 | u64::from(digit);
                Ok(Place::Size { digits: digits + 1 })
            }
            (Place::Size { digits: 1.. }, b'\r') => Ok(Place::SizeEnd),
            (Place::Size { digits: 1.. }, b';' | b' ' | b'\t') => Ok(Place::Extension),
            (Place::Extension, b'\r') => Ok(Place::SizeEnd),
            (Place::Extension, byte) if byte != b'\n' => self.pass_over(Place::Extension),
            (Place::SizeEnd, b'\n') if self.remaining == 0 => Ok(Place::TrailerStart),
            (Place::SizeEnd, b'\n') => Ok(Place::Data),
            (Place::DataReturn, b'\r') => Ok(Place::DataEnd),
            (Place::DataEnd, b'\n') => Ok(Place::Size { digits: 0 }),
            (Place::TrailerStart, b'\r') => Ok(Place::LastEnd),
            (Place::TrailerStart | Place::Trailer, b'\n') if self.place == Place::Trailer => Ok(Place::TrailerStart),
            (Place::TrailerStart | Place::Trailer, byte) if byte != b'\n' => self.pass_over(Place::Trailer),
            (Place::LastEnd, b'\n') => Ok(Place::Done),
            _ => Err(Violation::Chunk),
        }
    }

    fn pass_over(&mut self, place: Place) -> Result<Place, Violation> {
        self.overhead += 1;
        if self.overhead as usize > MAX_HEAD_BYTES { Err(Violation::HeadTooLong) } else { Ok(place) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8], piece_bytes: usize) -> Result<(Vec<u8>, usize), Violation> {
        let mut decoder = Chunked::new();
        let mut data = Vec::new();
        for (index, mut input) in bytes.chunks(piece_bytes).enumerate() {
            loop {
                match decoder.next(&mut input)? {
                    Piece::Data(piece) => data.extend_from_slice(piece),
                    Piece::More => break,
                    Piece::End => {
                        let used = (index * piece_bytes + piece_bytes).min(bytes.len()) - input.len();
                        return Ok((data, used));
                    }
                }
            }
        }
        Err(Violation::Truncated)
    }

    #[test]
    fn bodies() {
        type Row = (&'static [u8], Result<&'static [u8], Violation>);
        let table: [Row; 13] = [
            (b"0\r\n\r\n", Ok(b"")),
            (b"3\r\nabc\r\n0\r\n\r\n", Ok(b"abc")),
            (b"3\r\nabc\r\n00A\r\n0123456789\r\n0\r\n\r\n", Ok(b"abc0123456789")),
            (b"3;name=value\r\nabc\r\n0;last\r\n\r\n", Ok(b"abc")),
            (b"3 \r\nabc\r\n0\r\nTrailer: 1\r\nOther: 2\r\n\r\n", Ok(b"abc")),
            (b"\r\n", Err(Violation::Chunk)),
            (b"g\r\n", Err(Violation::Chunk)),
            (b"-1\r\n", Err(Violation::Chunk)),
            (b"3\nabc", Err(Violation::Chunk)),
            (b"3\r\nabcd\r\n", Err(Violation::Chunk)),
            (b"3;a\nb\r\n", Err(Violation::Chunk)),
            (b"00000000000000001\r\n", Err(Violation::Chunk)),
            (b"3\r\nab", Err(Violation::Truncated)),
        ];
        for (bytes, expected) in table {
            for piece_bytes in 1..=bytes.len() {
                let got = decode(bytes, piece_bytes).map(|(data, _)| data);
                assert_eq!(got.as_deref().map_err(|v| *v), expected, "{bytes:?} in pieces of {piece_bytes}");
            }
        }
    }

    #[test]
    fn what_follows_is_left() {
        assert_eq!(decode(b"1\r\na\r\n0\r\n\r\nHTTP", 100), Ok((b"a".to_vec(), 11)));
    }

    #[test]
    fn endless_extensions_and_trailers_are_refused() {
        let extension = [b"1;".to_vec(), vec![b'x'; MAX_HEAD_BYTES + 1]].concat();
        assert_eq!(decode(&extension, 1000), Err(Violation::HeadTooLong));
        let trailers = [b"0\r\n".to_vec(), b"a: b\r\n".repeat(MAX_HEAD_BYTES)].concat();
        assert_eq!(decode(&trailers, 1000), Err(Violation::HeadTooLong));
    }
}
