//! One line of an access log in nginx's or Apache's combined or common format. Pure.

use super::time::parse_seconds;
use std::borrow::Cow;
use std::str;

/// What a load needs of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub(super) method: Cow<'a, str>,
    /// Path and query.
    pub(super) target: Cow<'a, str>,
    pub(super) status: u16,
    /// Since 1970.
    pub(super) time_s: u32,
}

/// Why a line is no request that could be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NoRequest {
    /// Another format, or cut off.
    NotALine,
    TooLong,
    /// The client sent none before it left or its time was up.
    Nothing,
    /// A TLS handshake on a plain port and the like.
    Binary,
    /// No `METHOD TARGET HTTP/x`.
    Malformed,
    Connect,
    /// A request to a proxy: its target is a whole URL.
    Proxy,
}

impl NoRequest {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::NotALine => "not in the combined format",
            Self::TooLong => "longer than 64 KiB",
            Self::Nothing => "without a request",
            Self::Binary => "binary",
            Self::Malformed => "malformed requests",
            Self::Connect => "CONNECT",
            Self::Proxy => "to a proxy",
        }
    }
}

/// Reads a line, without its end.
pub(super) fn parse(line: &[u8]) -> Result<Entry<'_>, NoRequest> {
    let (time_s, rest) = after_time(line).ok_or(NoRequest::NotALine)?;
    let quoted = rest.strip_prefix(b" \"").ok_or(NoRequest::NotALine)?;
    let end = end_of_quoted(quoted).ok_or(NoRequest::NotALine)?;
    let status = quoted[end..].strip_prefix(b"\" ").and_then(status).ok_or(NoRequest::NotALine)?;
    let (method, target) = request(&quoted[..end])?;
    Ok(Entry { method, target, status, time_s })
}

/// The time in brackets, and what comes behind it. A user's name before it may have brackets too.
fn after_time(line: &[u8]) -> Option<(u32, &[u8])> {
    memchr::memchr_iter(b'[', line).find_map(|bracket| {
        let (text, rest) = line[bracket + 1..].split_at_checked(super::time::LENGTH)?;
        Some((parse_seconds(text)?, rest.strip_prefix(b"]")?))
    })
}

/// Where the quotation ends. A quotation mark within it has a backslash before it.
fn end_of_quoted(text: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + memchr::memchr2(b'"', b'\\', text.get(from..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        from = at + 2;
    }
}

fn status(text: &[u8]) -> Option<u16> {
    let digits = text.get(..3).filter(|digits| text.get(3).is_none_or(|&next| next == b' ') && digits.is_ascii())?;
    str::from_utf8(digits).ok()?.parse().ok().filter(|status| (100..600).contains(status))
}

/// The method and the target of a request line as logged.
fn request(logged: &[u8]) -> Result<(Cow<'_, str>, Cow<'_, str>), NoRequest> {
    if logged.is_empty() || logged == b"-" {
        return Err(NoRequest::Nothing);
    }
    let line = unescaped(logged);
    let is_control = |byte: &u8| *byte < b' ' || *byte == 0x7f;
    let malformed = if line.iter().any(is_control) { NoRequest::Binary } else { NoRequest::Malformed };
    let mut words = line.split(|&byte| byte == b' ');
    let (Some(method), Some(target), Some(version), None) = (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(malformed);
    };
    let is_method = !method.is_empty() && method.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'-');
    if !is_method || !version.starts_with(b"HTTP/") || malformed == NoRequest::Binary {
        return Err(malformed);
    }
    match target {
        _ if method == b"CONNECT" => return Err(NoRequest::Connect),
        [b'/', ..] => {}
        b"*" if method == b"OPTIONS" => {}
        _ if memchr::memmem::find(target, b"://").is_some() => return Err(NoRequest::Proxy),
        _ => return Err(NoRequest::Malformed),
    }
    // Nearly all lines need no copy.
    if let Cow::Borrowed(line) = line
        && let Some((method, rest)) =
            str::from_utf8(line).ok().filter(|line| line.is_ascii()).and_then(|l| l.split_once(' '))
        && let Some((target, _)) = rest.split_once(' ')
    {
        return Ok((Cow::Borrowed(method), Cow::Borrowed(target)));
    }
    // ASCII letters.
    Ok((Cow::Owned(String::from_utf8_lossy(method).into_owned()), Cow::Owned(percent_encoded(target))))
}

/// The bytes that were logged: nginx writes `\xHH`, Apache `\xhh` and the escapes of C.
fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, others)) = rest.split_first() {
        let (byte, behind) = match (first, others) {
            (b'\\', [b'x', high, low, behind @ ..]) => match (hexadecimal(*high), hexadecimal(*low)) {
                (Some(high), Some(low)) => (high << 4 | low, behind),
                _ => (first, others),
            },
            (b'\\', [b'n', behind @ ..]) => (b'\n', behind),
            (b'\\', [b'r', behind @ ..]) => (b'\r', behind),
            (b'\\', [b't', behind @ ..]) => (b'\t', behind),
            (b'\\', [b'b' | b'v' | b'f' | b'a', behind @ ..]) => (0, behind),
            (b'\\', [quoted @ (b'"' | b'\\'), behind @ ..]) => (*quoted, behind),
            _ => (first, others),
        };
        bytes.push(byte);
        rest = behind;
    }
    Cow::Owned(bytes)
}

fn hexadecimal(digit: u8) -> Option<u8> {
    // A digit is below 16.
    char::from(digit).to_digit(16).map(|value| value as u8)
}

/// The target as a client may send it: bytes beyond ASCII are percent-encoded.
fn percent_encoded(target: &[u8]) -> String {
    let mut text = String::with_capacity(target.len());
    for &byte in target {
        match byte {
            0..0x80 => text.push(char::from(byte)),
            _ => text += &format!("%{byte:02X}"),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(request: &str) -> String {
        format!(
            r#"203.0.113.9 - frank [10/Oct/2000:13:55:36 -0700] "{request}" 200 2326 "http://a/" "Mozilla/4.08 [en]""#
        )
    }

    fn parsed(request: &str) -> Result<(String, String), NoRequest> {
        let line = line(request);
        parse(line.as_bytes()).map(|entry| (entry.method.into_owned(), entry.target.into_owned()))
    }

    #[test]
    fn the_line_of_apaches_manual() {
        let line = line("GET /apache_pb.gif HTTP/1.0");
        let entry = parse(line.as_bytes()).expect("combined");
        assert_eq!(
            entry,
            Entry { method: "GET".into(), target: "/apache_pb.gif".into(), status: 200, time_s: 971_211_336 }
        );
        let common = line.split(" \"http://a/").next().expect("a part");
        assert_eq!(parse(common.as_bytes()), Ok(entry), "the common format ends there");
    }

    #[test]
    fn requests_that_can_be_sent() {
        for (logged, method, target) in [
            ("GET / HTTP/1.1", "GET", "/"),
            ("POST /a?b=c%20d&e=[f] HTTP/2.0", "POST", "/a?b=c%20d&e=[f]"),
            ("OPTIONS * HTTP/1.1", "OPTIONS", "*"),
            (r#"GET /\x22quoted\x22 HTTP/1.1"#, "GET", "/\"quoted\""),
            (r#"GET /\"quoted\" HTTP/1.1"#, "GET", "/\"quoted\""),
            (r"GET /caf\xC3\xA9 HTTP/1.1", "GET", "/caf%C3%A9"),
            (r"GET /a\\b HTTP/1.1", "GET", r"/a\b"),
            ("M-SEARCH /x HTTP/1.1", "M-SEARCH", "/x"),
        ] {
            assert_eq!(parsed(logged), Ok((method.to_owned(), target.to_owned())), "{logged}");
        }
    }

    #[test]
    fn requests_that_cannot() {
        for (logged, kind) in [
            ("", NoRequest::Nothing),
            ("-", NoRequest::Nothing),
            (r"\x16\x03\x01\x02\x00\x01\x00\x01\xFC", NoRequest::Binary),
            (r"GET /\x00 HTTP/1.1", NoRequest::Binary),
            (r"GET /a\nb HTTP/1.1", NoRequest::Binary),
            ("CONNECT example.com:443 HTTP/1.1", NoRequest::Connect),
            ("GET http://example.com/ HTTP/1.1", NoRequest::Proxy),
            ("GET example.com HTTP/1.1", NoRequest::Malformed),
            ("* HTTP/1.1", NoRequest::Malformed),
            ("GET * HTTP/1.1", NoRequest::Malformed),
            ("GET /", NoRequest::Malformed),
            ("GET /a b HTTP/1.1", NoRequest::Malformed),
            ("GET  / HTTP/1.1", NoRequest::Malformed),
            ("get / HTTP/1.1", NoRequest::Malformed),
            ("SSH-2.0-Go", NoRequest::Malformed),
        ] {
            assert_eq!(parsed(logged), Err(kind), "{logged}");
        }
    }

    #[test]
    fn lines_of_another_format_or_cut_off() {
        for text in [
            "",
            "GET / HTTP/1.1",
            r#"{"time": 1, "request": "GET / HTTP/1.1"}"#,
            r#"1.2.3.4 - - [10/Oct/2000:13:55:36] "GET / HTTP/1.1" 200 1"#,
            r#"1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1"#,
            r#"1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" "#,
            r#"1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 2x0 1"#,
            r#"1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 2000 1"#,
            r#"1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET /\"#,
            "[",
        ] {
            assert_eq!(parse(text.as_bytes()), Err(NoRequest::NotALine), "{text}");
        }
        assert_eq!(parse(b"\x1f\x8b\x08\x00\xff[\xff"), Err(NoRequest::NotALine));
    }

    #[test]
    fn a_name_with_brackets_does_not_hide_the_time() {
        let text = r#"shop:443 1.2.3.4 - [x] [10/Oct/2000:13:55:36 -0700] "GET /y HTTP/1.1" 404 1"#;
        let entry = parse(text.as_bytes()).expect("combined, with a virtual host");
        assert_eq!((&*entry.target, entry.status), ("/y", 404));
    }
}
