//! The routes: the same in all origins of the project.

use super::body::{self, Body};
use super::{Answer, Status};

/// The largest N of `/bytes/N` and `/text/N`.
const MAX_BODY_BYTES: u64 = 64 << 20;

const OK: Status = Status(200, "OK");
const PLAIN: &str = "text/plain";

/// What a path asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// 12 bytes.
    Hello,
    /// So many bytes of a pattern.
    Bytes(u64),
    /// So many bytes of words.
    Words(u64),
    /// 512 bytes.
    Text512,
    /// 1,024 bytes.
    Json,
    /// 1,024 bytes.
    Text,
    /// The length of the request's body.
    EchoLength,
    /// The length of the request's head; over FastCGI that of its parameters.
    EchoHeadLength,
    /// No such route: 404.
    Unknown,
    /// The query asks for something that does not exist: 400, with the reason.
    Refused(&'static str),
}

impl Route {
    /// The route of a path without its query.
    pub fn of(path: &[u8]) -> Self {
        match path {
            b"/" | b"/hello" => Self::Hello,
            b"/512" => Self::Text512,
            b"/json" => Self::Json,
            b"/static.txt" | b"/text" => Self::Text,
            b"/echo-length" => Self::EchoLength,
            b"/echo-head-length" => Self::EchoHeadLength,
            _ => Self::of_length(path, b"/bytes/", Route::Bytes)
                .or_else(|| Self::of_length(path, b"/text/", Route::Words))
                .unwrap_or(Self::Unknown),
        }
    }

    fn of_length(path: &[u8], before: &[u8], route: fn(u64) -> Self) -> Option<Self> {
        path.strip_prefix(before).and_then(bytes_wanted).map(route)
    }

    /// The right answer. `echoed` is the length that the routes which echo one tell.
    pub(crate) fn answer(self, echoed: u64) -> Answer {
        match self {
            Self::Hello => Answer::plain(OK, PLAIN, Body::Fixed(body::HELLO)),
            Self::Bytes(length) => Answer::plain(OK, "application/octet-stream", Body::Pattern(length)),
            Self::Words(length) => Answer::plain(OK, PLAIN, Body::Words(length)),
            Self::Text512 => Answer::plain(OK, PLAIN, Body::Fixed(body::TEXT_512)),
            Self::Json => Answer::plain(OK, "application/json", Body::Fixed(body::JSON)),
            Self::Text => Answer::plain(OK, PLAIN, Body::Fixed(body::TEXT)),
            Self::EchoLength | Self::EchoHeadLength => Answer::plain(OK, PLAIN, Body::Text(format!("{echoed}\n"))),
            Self::Unknown => Answer::plain(Status(404, "Not Found"), PLAIN, Body::Fixed(b"no such route\n")),
            Self::Refused(why) => Answer::plain(Status(400, "Bad Request"), PLAIN, Body::Text(format!("{why}\n"))),
        }
    }
}

fn bytes_wanted(digits: &[u8]) -> Option<u64> {
    decimal(digits).filter(|length| *length <= MAX_BODY_BYTES)
}

/// Reads digits and nothing else: `parse` alone would take "+5".
pub(crate) fn decimal(digits: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(digits).ok()?;
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_their_routes() {
        for (path, route) in [
            ("/", Route::Hello),
            ("/hello", Route::Hello),
            ("/512", Route::Text512),
            ("/json", Route::Json),
            ("/static.txt", Route::Text),
            ("/text", Route::Text),
            ("/echo-length", Route::EchoLength),
            ("/echo-head-length", Route::EchoHeadLength),
            ("/text/0", Route::Words(0)),
            ("/text/67108864", Route::Words(64 << 20)),
            ("/text/67108865", Route::Unknown),
            ("/text/", Route::Unknown),
            ("/bytes/0", Route::Bytes(0)),
            ("/bytes/67108864", Route::Bytes(64 << 20)),
            ("/bytes/67108865", Route::Unknown),
            ("/bytes/", Route::Unknown),
            ("/bytes/+5", Route::Unknown),
            ("/bytes/99999999999999999999999", Route::Unknown),
            ("/hello/", Route::Unknown),
            ("", Route::Unknown),
        ] {
            assert_eq!(Route::of(path.as_bytes()), route, "{path}");
        }
    }
}
