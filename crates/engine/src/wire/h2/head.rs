//! What the fields of an answer say, and whether they may (RFC 9113, sections 8.1 to 8.3).

use super::Violation;
use super::hpack::{Decoder, FIELD_OVERHEAD_BYTES};
use crate::wire::head::{MAX_HEAD_BYTES, length_of};

/// How many heads are known by their bytes. Those of a mix differ, and the date changes once a second.
const MAX_KNOWN: usize = 8;

/// What the head of an answer says that matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub status: u16,
    pub content_length: Option<u64>,
}

/// Reads heads and trailers. A head whose bytes are those of an earlier one is not read again: it has no other meaning,
/// on whatever connection it comes.
#[derive(Debug, Default)]
pub struct Heads {
    decoder: Decoder,
    known: Vec<(Vec<u8>, Head)>,
    /// Which of the known is forgotten next.
    oldest: usize,
}

impl Heads {
    /// The head in this header block.
    pub fn head(&mut self, block: &[u8]) -> Result<Head, Violation> {
        if let Some((_, head)) = self.known.iter().find(|(known, _)| known == block) {
            return Ok(*head);
        }
        let mut fields = Fields::default();
        self.decoder.decode(block, |name, value| fields.add(name, value))?;
        let head = Head { status: fields.status.ok_or(Violation::Status)?, content_length: fields.content_length };
        self.remember(block, head);
        Ok(head)
    }

    /// Checks the trailers in this header block.
    pub fn trailers(&mut self, block: &[u8]) -> Result<(), Violation> {
        let mut fields = Fields { is_behind_pseudo: true, ..Fields::default() };
        self.decoder.decode(block, |name, value| fields.add(name, value))
    }

    fn remember(&mut self, block: &[u8], head: Head) {
        if self.known.len() < MAX_KNOWN {
            self.known.push((block.to_vec(), head));
            return;
        }
        let (known, meaning) = &mut self.known[self.oldest];
        known.clear();
        known.extend_from_slice(block);
        *meaning = head;
        self.oldest = (self.oldest + 1) % MAX_KNOWN;
    }
}

/// The fields of one block so far.
#[derive(Debug, Default)]
struct Fields {
    bytes: usize,
    /// Whether pseudo-fields are over.
    is_behind_pseudo: bool,
    status: Option<u16>,
    content_length: Option<u64>,
}

impl Fields {
    fn add(&mut self, name: &[u8], value: &[u8]) -> Result<(), Violation> {
        self.bytes += name.len() + value.len() + FIELD_OVERHEAD_BYTES;
        if self.bytes > MAX_HEAD_BYTES {
            return Err(Violation::HeadTooLong);
        }
        if !is_value(value) {
            return Err(Violation::FieldValue);
        }
        if name.first() == Some(&b':') {
            if name != b":status" || self.is_behind_pseudo || self.status.is_some() {
                return Err(Violation::PseudoField);
            }
            self.status = Some(status_of(value)?);
            return Ok(());
        }
        self.is_behind_pseudo = true;
        if !is_name(name) {
            return Err(Violation::FieldName);
        }
        match name {
            b"connection" | b"proxy-connection" | b"keep-alive" | b"transfer-encoding" | b"upgrade" => {
                return Err(Violation::ConnectionField);
            }
            b"content-length" => {
                let length = length_of(value, self.content_length).map_err(|_| Violation::ContentLength)?;
                self.content_length = Some(length);
            }
            _ => {}
        }
        Ok(())
    }
}

/// Section 8.2.1. A name is not empty, either.
fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(|byte| !matches!(byte, 0..=0x20 | b'A'..=b'Z' | b':' | 0x7f..))
}

/// Section 8.2.1.
fn is_value(value: &[u8]) -> bool {
    let is_blank = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    !is_blank(value.first()) && !is_blank(value.last()) && !value.iter().any(|byte| matches!(byte, 0 | b'\n' | b'\r'))
}

fn status_of(value: &[u8]) -> Result<u16, Violation> {
    match value {
        [a @ b'1'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9'] => {
            Ok([a, b, c].iter().fold(0, |sum, &&digit| sum * 10 + u16::from(digit - b'0')))
        }
        _ => Err(Violation::Status),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of literals. The lengths are below 127.
    fn block(fields: &[(&str, &[u8])]) -> Vec<u8> {
        let literal = |(name, value): &(&str, &[u8])| {
            [&[0, name.len() as u8][..], name.as_bytes(), &[value.len() as u8], value].concat()
        };
        fields.iter().flat_map(literal).collect()
    }

    fn head(fields: &[(&str, &[u8])]) -> Result<(u16, Option<u64>), Violation> {
        Heads::default().head(&block(fields)).map(|head| (head.status, head.content_length))
    }

    #[test]
    fn heads() {
        type Row<'a> = (&'a [(&'a str, &'a [u8])], Result<(u16, Option<u64>), Violation>);
        let ok: (&str, &[u8]) = (":status", b"200");
        let table: [Row; 27] = [
            (&[ok], Ok((200, None))),
            (&[(":status", b"999"), ("content-length", b"12")], Ok((999, Some(12)))),
            (&[ok, ("content-length", b"12"), ("content-length", b"12")], Ok((200, Some(12)))),
            (&[ok, ("x", b""), ("y!#$%&'*+.^_`|~-", b"a\tb\x80\xff")], Ok((200, None))),
            (&[], Err(Violation::Status)),
            (&[("x", b"y")], Err(Violation::Status)),
            (&[(":status", b"20")], Err(Violation::Status)),
            (&[(":status", b"2000")], Err(Violation::Status)),
            (&[(":status", b"020")], Err(Violation::Status)),
            (&[(":status", b"2x0")], Err(Violation::Status)),
            (&[ok, ok], Err(Violation::PseudoField)),
            (&[("x", b"y"), ok], Err(Violation::PseudoField)),
            (&[ok, (":path", b"/")], Err(Violation::PseudoField)),
            (&[ok, (":x", b"")], Err(Violation::PseudoField)),
            (&[ok, ("", b"")], Err(Violation::FieldName)),
            (&[ok, ("Server", b"x")], Err(Violation::FieldName)),
            (&[ok, ("a b", b"x")], Err(Violation::FieldName)),
            (&[ok, ("a:", b"x")], Err(Violation::FieldName)),
            (&[ok, ("a\x7f", b"x")], Err(Violation::FieldName)),
            (&[ok, ("x", b" y")], Err(Violation::FieldValue)),
            (&[ok, ("x", b"y\t")], Err(Violation::FieldValue)),
            (&[ok, ("x", b"y\r\nz: a")], Err(Violation::FieldValue)),
            (&[ok, ("x", b"\0")], Err(Violation::FieldValue)),
            (&[ok, ("connection", b"close")], Err(Violation::ConnectionField)),
            (&[ok, ("transfer-encoding", b"chunked")], Err(Violation::ConnectionField)),
            (&[ok, ("content-length", b"-1")], Err(Violation::ContentLength)),
            (&[ok, ("content-length", b"1"), ("content-length", b"2")], Err(Violation::ContentLength)),
        ];
        for (fields, expected) in table {
            assert_eq!(head(fields), expected, "{fields:?}");
        }
    }

    #[test]
    fn trailers_have_no_pseudo_fields() {
        let trailers = |fields: &[(&str, &[u8])]| Heads::default().trailers(&block(fields));
        assert_eq!(trailers(&[("grpc-status", b"0")]), Ok(()));
        assert_eq!(trailers(&[]), Ok(()));
        assert_eq!(trailers(&[(":status", b"200")]), Err(Violation::PseudoField));
        assert_eq!(trailers(&[("Bad", b"")]), Err(Violation::FieldName));
    }

    /// One byte of a block stands for a field of 60 bytes: the fields are counted, not the bytes.
    #[test]
    fn a_short_block_can_be_too_long() {
        let bomb = [vec![0x88], vec![0x90; MAX_HEAD_BYTES / 40]].concat();
        assert_eq!(Heads::default().head(&bomb), Err(Violation::HeadTooLong));
    }

    #[test]
    fn the_same_bytes_mean_the_same_and_few_are_kept() {
        let mut heads = Heads::default();
        let of = |status: u16| block(&[(":status", status.to_string().as_bytes())]);
        for round in 0..3 {
            for status in 200..220 {
                assert_eq!(heads.head(&of(status)).map(|head| head.status), Ok(status), "{round}");
            }
        }
        assert_eq!(heads.known.len(), MAX_KNOWN);
        assert_eq!(heads.head(b"\x88").map(|head| head.status), Ok(200));
        assert!(heads.known.iter().any(|(known, _)| known == b"\x88"));
    }
}
