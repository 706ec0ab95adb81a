//! The head of an answer: status, how the body is framed, whether the connection stays open (RFC 9112, section 6).

use super::Violation;
use httparse::{Header, ParserConfig};
use std::mem::MaybeUninit;

/// Longer heads are refused: a server must not make the engine grow without bound.
pub const MAX_HEAD_BYTES: usize = 100_000;

/// Enough for any sane head; a head with more headers is parsed again with [`MAX_HEADERS`].
const USUAL_HEADERS: usize = 64;
/// A header takes at least four bytes, so no head within the limit has more.
const MAX_HEADERS: usize = MAX_HEAD_BYTES / 4;

/// Where the body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// There is none: HEAD, 1xx, 204, 304.
    None,
    Length(u64),
    /// After the last chunk and its trailers.
    Chunked,
    UntilClose,
    Records,
}

/// What the head of an answer says that matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub status: u16,
    /// Where the body ends.
    pub framing: Framing,
    /// Whether the server closes the connection after this answer.
    pub closes: bool,
}

/// Parses a head. `Ok(None)` if it is not complete; otherwise the head and its length in bytes.
pub(super) fn parse(bytes: &[u8], to_head_request: bool) -> Result<Option<(Head, usize)>, Violation> {
    let mut usual = [const { MaybeUninit::<Header>::uninit() }; USUAL_HEADERS];
    let mut most = Vec::new();
    let config = ParserConfig::default();
    let mut response = httparse::Response::new(&mut []);
    let mut parsed = config.parse_response_with_uninit_headers(&mut response, bytes, &mut usual);
    if parsed == Err(httparse::Error::TooManyHeaders) {
        most.resize_with(MAX_HEADERS, MaybeUninit::uninit);
        response = httparse::Response::new(&mut []);
        parsed = config.parse_response_with_uninit_headers(&mut response, bytes, &mut most);
    }
    match (parsed, response.code, response.version) {
        (Ok(httparse::Status::Partial), ..) => Ok(None),
        (Ok(httparse::Status::Complete(length)), Some(status), Some(minor)) => {
            Ok(Some((interpret(status, minor, response.headers, to_head_request)?, length)))
        }
        _ => Err(Violation::Head),
    }
}

fn interpret(status: u16, minor: u8, headers: &[Header], to_head_request: bool) -> Result<Head, Violation> {
    let mut length = None;
    let mut coding = None;
    let mut connection = Connection::Unsaid;
    for header in headers {
        // Most headers are told apart by their length alone.
        match header.name.len() {
            14 if header.name.eq_ignore_ascii_case("content-length") => length = Some(length_of(header.value, length)?),
            17 if header.name.eq_ignore_ascii_case("transfer-encoding") => {
                // A list over several lines counts as one list; only its last coding frames the body.
                coding = Some(last_is_chunked(header.value));
            }
            10 if header.name.eq_ignore_ascii_case("connection") => connection = connection.with(header.value),
            _ => {}
        }
    }
    let framing = match (coding, length) {
        _ if to_head_request || status < 200 || status == 204 || status == 304 => Framing::None,
        // Both is how requests are smuggled; RFC 9112 6.3 says to treat it as an error.
        (Some(_), Some(_)) => return Err(Violation::Length),
        (Some(true), None) => Framing::Chunked,
        (Some(false), None) | (None, None) => Framing::UntilClose,
        (None, Some(length)) => Framing::Length(length),
    };
    let closes = match connection {
        Connection::Close => true,
        Connection::KeepAlive => false,
        Connection::Unsaid => minor == 0,
    } || framing == Framing::UntilClose;
    Ok(Head { status, framing, closes })
}

#[derive(Clone, Copy, PartialEq)]
enum Connection {
    Unsaid,
    KeepAlive,
    Close,
}

impl Connection {
    fn with(self, value: &[u8]) -> Self {
        value.split(|&b| b == b',').fold(self, |said, option| {
            let option = option.trim_ascii();
            if option.eq_ignore_ascii_case(b"close") {
                Self::Close
            } else if option.eq_ignore_ascii_case(b"keep-alive") && said == Self::Unsaid {
                Self::KeepAlive
            } else {
                said
            }
        })
    }
}

/// The value of Content-Length, which may be repeated but not contradicted.
pub(super) fn length_of(value: &[u8], earlier: Option<u64>) -> Result<u64, Violation> {
    let mut length = earlier;
    for item in value.split(|&b| b == b',') {
        let item = item.trim_ascii();
        if item.is_empty() || !item.iter().all(u8::is_ascii_digit) {
            return Err(Violation::Length);
        }
        let mut number = 0_u64;
        for digit in item {
            number =
                number.checked_mul(10).and_then(|n| n.checked_add(u64::from(digit - b'0'))).ok_or(Violation::Length)?;
        }
        if length.is_some_and(|length| length != number) {
            return Err(Violation::Length);
        }
        length = Some(number);
    }
    length.ok_or(Violation::Length)
}

fn last_is_chunked(value: &[u8]) -> bool {
    value.rsplit(|&b| b == b',').next().is_some_and(|last| last.trim_ascii().eq_ignore_ascii_case(b"chunked"))
}

/// Where a head ends in `bytes`: after the first empty line from `from` on.
pub(super) fn end_of_head(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(line_end) = bytes.get(at..)?.iter().position(|&b| b == b'\n') {
        let next = at + line_end + 1;
        match bytes.get(next..) {
            Some([b'\n', ..]) => return Some(next + 1),
            Some([b'\r', b'\n', ..]) => return Some(next + 2),
            _ => at = next,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Result<Head, Violation> {
        parse(text.as_bytes(), false).map(|parsed| parsed.expect("a complete head").0)
    }

    #[test]
    fn framing_and_persistence() {
        use Framing::{Chunked, Length, None, UntilClose};
        let table = [
            ("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n", Length(12), false),
            ("HTTP/1.1 200 OK\r\ncontent-length: 12, 12\r\nContent-Length: 12\r\n\r\n", Length(12), false),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", Chunked, false),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\nConnection: close\r\n\r\n", Chunked, true),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", UntilClose, true),
            ("HTTP/1.1 200 OK\r\n\r\n", UntilClose, true),
            ("HTTP/1.1 204 No Content\r\n\r\n", None, false),
            ("HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n", None, false),
            ("HTTP/1.1 100 Continue\r\n\r\n", None, false),
            ("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n", Length(1), true),
            ("HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\n", Length(1), false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive, close\r\n\r\n", Length(1), true),
        ];
        for (text, framing, closes) in table {
            let head = head(text).unwrap_or_else(|violation| panic!("{violation:?}: {text}"));
            assert_eq!((head.framing, head.closes), (framing, closes), "{text}");
        }
    }

    #[test]
    fn lengths_that_cannot_be_trusted() {
        for value in [
            "",
            "-1",
            "+1",
            "1x",
            "1,2",
            "99999999999999999999",
            "1\r\nContent-Length: 2",
            "1\r\nTransfer-Encoding: chunked",
        ] {
            assert_eq!(
                head(&format!("HTTP/1.1 200 OK\r\nContent-Length: {value}\r\n\r\n")),
                Err(Violation::Length),
                "{value}"
            );
        }
    }

    #[test]
    fn a_head_with_very_many_headers() {
        let text = format!("HTTP/1.1 200 OK\r\n{}Content-Length: 3\r\n\r\n", "a: b\r\n".repeat(1000));
        assert_eq!(head(&text).expect("within the limit").framing, Framing::Length(3));
    }

    #[test]
    fn the_answer_to_head_has_no_body() {
        let parsed = parse(b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n", true);
        assert_eq!(parsed.expect("valid").expect("complete").0.framing, Framing::None);
    }

    #[test]
    fn heads_end_at_the_first_empty_line() {
        assert_eq!(end_of_head(b"a\r\nb\r\n\r\nbody", 0), Some(8));
        assert_eq!(end_of_head(b"a\nb\n\nbody", 0), Some(5));
        assert_eq!(end_of_head(b"a\r\nb\r\n\r", 0), None);
        assert_eq!(end_of_head(b"a\r\nb", 9), None);
    }
}
