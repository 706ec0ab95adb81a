//! What bytes mean. Bytes in, requests out; answers in, bytes out. No sockets, no clocks.
//!
//! The codecs share no code with the engine's, on purpose: two independent readings of RFC 9112 and of the FastCGI
//! specification make "counts equal to the origin's own" a proof.

pub mod fastcgi;
mod http;
mod stream;

use crate::answer::{Answer, Request};
use crate::link::Protocol;
pub(crate) use stream::{BodyStream, Next};

/// The longest head of an HTTP request, and the longest FastCGI parameters.
pub(crate) const MAX_HEAD_BYTES: usize = 64 << 10;
/// Bodies up to this size are encoded with their head; longer ones are streamed.
const SMALL_BODY_BYTES: u64 = 16 << 10;

/// What became of the bytes that were read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// Nothing more until more bytes come.
    NeedMore,
    /// A request has arrived completely. Nothing more is read until it has been answered.
    Request(Request),
    /// The peer aborted a request that had not arrived completely.
    Aborted,
    /// A request that is not served, on a connection that goes on.
    Refused,
    /// The peer broke the protocol or a limit. The connection ends once the refusal has been sent.
    Broken,
}

/// One connection's end of a protocol.
#[derive(Debug)]
pub(crate) enum Codec {
    Http(http::Http),
    /// FastCGI. Boxed, because its state is much larger.
    FastCgi(Box<fastcgi::FastCgi>),
}

impl Codec {
    /// The codec of a new connection.
    pub fn new(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Http => Self::Http(http::Http::default()),
            Protocol::FastCgi => Self::FastCgi(Box::default()),
        }
    }

    pub fn protocol(&self) -> Protocol {
        match self {
            Self::Http(_) => Protocol::Http,
            Self::FastCgi(_) => Protocol::FastCgi,
        }
    }

    /// Reads on. Returns how many bytes were used up. Appends to `out` what must be sent at once (100 Continue,
    /// refusals). The caller passes the unused bytes again, with more behind them.
    pub fn advance(&mut self, input: &[u8], date: &str, out: &mut Vec<u8>) -> (usize, Step) {
        match self {
            Self::Http(http) => http.advance(input, date, out),
            Self::FastCgi(fastcgi) => fastcgi.advance(input, date, out),
        }
    }

    /// Appends the answer to the last request. A body that is too long to be held comes back as a stream.
    pub fn encode(&mut self, answer: Answer, date: &str, out: &mut Vec<u8>) -> Option<BodyStream> {
        match self {
            Self::Http(_) => http::encode(answer, date, out),
            Self::FastCgi(fastcgi) => fastcgi::encode(answer, fastcgi.answering(), date, out),
        }
    }

    /// Whether the client aborts the request that waits for its answer. Returns the length of the record that says so.
    pub fn read_abort(&mut self, input: &[u8]) -> Option<usize> {
        match self {
            Self::Http(_) => None,
            Self::FastCgi(fastcgi) => fastcgi.read_abort(input),
        }
    }

    /// Appends the end of a request that was aborted while it waited for its answer.
    pub fn encode_abandoned(&mut self, out: &mut Vec<u8>) {
        if let Self::FastCgi(fastcgi) = self {
            fastcgi::record::end_request(out, fastcgi.answering(), fastcgi::record::REQUEST_COMPLETE);
        }
    }
}

fn push_decimal(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends what both wires send: the status, the header fields and the empty line.
fn push_head(answer: &Answer, date: &str, chunked: bool, out: &mut Vec<u8>) {
    use crate::answer::{Framing, Persistence};
    push_decimal(out, u64::from(answer.status.0));
    out.push(b' ');
    out.extend_from_slice(answer.status.1.as_bytes());
    out.extend_from_slice(b"\r\nContent-Type: ");
    out.extend_from_slice(answer.content_type.as_bytes());
    match answer.framing {
        Framing::Length => {
            out.extend_from_slice(b"\r\nContent-Length: ");
            push_decimal(out, answer.payload.length());
        }
        Framing::Pieces if chunked => out.extend_from_slice(b"\r\nTransfer-Encoding: chunked\r\nTrailer: X-Parts"),
        Framing::Pieces | Framing::UntilClose => {}
    }
    out.extend_from_slice(match answer.announced {
        Persistence::KeepAlive => b"\r\nConnection: keep-alive\r\nDate: ".as_slice(),
        Persistence::Close => b"\r\nConnection: close\r\nDate: ".as_slice(),
    });
    out.extend_from_slice(date.as_bytes());
    if answer.huge_head {
        for field in 0..11u8 {
            out.extend_from_slice(b"\r\nX-Filler-");
            out.push(b'a' + field);
            out.extend_from_slice(b": ");
            out.resize(out.len() + 10_000, b'x');
        }
    }
    out.extend_from_slice(b"\r\nServer: gophr\r\n\r\n");
}

#[cfg(test)]
mod tests {
    use super::push_decimal;

    #[test]
    fn decimals() {
        for number in [0, 9, 10, 12, 65_535, u64::MAX] {
            let mut out = Vec::new();
            push_decimal(&mut out, number);
            assert_eq!(out, number.to_string().as_bytes());
        }
    }
}
