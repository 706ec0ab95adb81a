//! Requests: heads by httparse, bodies counted and thrown away.

use super::chunked::Chunked;
use super::encode;
use crate::answer::{Answer, Body, Method, Persistence, Request, Script, Status, decimal};
use crate::wire::{MAX_HEAD_BYTES, Step};

const MAX_FIELDS: usize = 100;

/// The receiving side of one connection.
#[derive(Debug, Default)]
pub(crate) struct Http {
    state: State,
    /// How many bytes of an unfinished head are known not to hold its end, so that a head that comes byte by byte is
    /// not read from its start each time.
    scanned: usize,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Head,
    Length {
        request: Box<Request>,
        left: u64,
    },
    Chunked {
        request: Box<Request>,
        decoder: Chunked,
    },
}

/// A body as its head announces it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Announced {
    Length(u64),
    Chunked,
}

struct Head {
    request: Request,
    announced: Announced,
    continue_wanted: bool,
    bytes: usize,
}

const BAD_REQUEST: Status = Status(400, "Bad Request");
const TOO_LARGE: Status = Status(431, "Request Header Fields Too Large");

impl Http {
    /// See [`crate::wire::Codec::advance`].
    pub fn advance(&mut self, input: &[u8], date: &str, out: &mut Vec<u8>) -> (usize, Step) {
        match &mut self.state {
            State::Head => self.head(input, date, out),
            State::Length { left, .. } => {
                let step = (*left).min(input.len() as u64);
                *left -= step;
                let done = *left == 0;
                (step as usize, if done { self.complete() } else { Step::NeedMore })
            }
            State::Chunked { request, decoder } => match decoder.advance(input) {
                Ok((used, done)) => {
                    request.body_bytes = decoder.body_bytes();
                    (used, if done { self.complete() } else { Step::NeedMore })
                }
                Err(_) => (input.len(), refuse(BAD_REQUEST, date, out)),
            },
        }
    }

    fn complete(&mut self) -> Step {
        match std::mem::take(&mut self.state) {
            State::Length { request, .. } | State::Chunked { request, .. } => Step::Request(*request),
            State::Head => Step::NeedMore,
        }
    }

    fn head(&mut self, input: &[u8], date: &str, out: &mut Vec<u8>) -> (usize, Step) {
        // The first look parses everything; later looks do so only once the new bytes hold the end of a head.
        if self.scanned > 0 && !has_head_end(&input[self.scanned.saturating_sub(3)..]) {
            return self.wait_for_more(input, date, out);
        }
        let head = match parse(input) {
            Ok(Some(head)) => head,
            Ok(None) => return self.wait_for_more(input, date, out),
            Err(status) => return (input.len(), refuse(status, date, out)),
        };
        self.scanned = 0;
        match head.announced {
            Announced::Length(0) => return (head.bytes, Step::Request(head.request)),
            Announced::Length(left) => {
                // A request is complete only once its whole body has come.
                let request = Box::new(Request { body_bytes: left, ..head.request });
                self.state = State::Length { request, left };
            }
            Announced::Chunked => {
                self.state = State::Chunked { request: Box::new(head.request), decoder: Chunked::default() };
            }
        }
        // A client that has already begun its body need not be told to go on (RFC 9110, 10.1.1).
        if head.continue_wanted && input.len() == head.bytes {
            out.extend_from_slice(b"HTTP/1.1 100 Continue\r\n\r\n");
        }
        let (used, step) = self.advance(&input[head.bytes..], date, out);
        (head.bytes + used, step)
    }

    fn wait_for_more(&mut self, input: &[u8], date: &str, out: &mut Vec<u8>) -> (usize, Step) {
        if input.len() >= MAX_HEAD_BYTES {
            return (input.len(), refuse(TOO_LARGE, date, out));
        }
        self.scanned = input.len();
        (0, Step::NeedMore)
    }
}

fn has_head_end(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| pair == b"\n\n") || bytes.windows(3).any(|triple| triple == b"\n\r\n")
}

fn refuse(status: Status, date: &str, out: &mut Vec<u8>) -> Step {
    let mut answer = Answer::plain(status, "text/plain", Body::Fixed(b"not a request that is served here\n"));
    answer.close_announced();
    // A body this small never becomes a stream.
    let _ = encode(answer, date, out);
    Step::Broken
}

/// Reads a head. `None` if it has not come completely; an error is the status of the refusal.
fn parse(input: &[u8]) -> Result<Option<Head>, Status> {
    let mut fields = [const { std::mem::MaybeUninit::uninit() }; MAX_FIELDS];
    let mut parsed = httparse::Request::new(&mut []);
    let bytes = match parsed.parse_with_uninit_headers(input, &mut fields) {
        Ok(httparse::Status::Complete(bytes)) if bytes <= MAX_HEAD_BYTES => bytes,
        Ok(httparse::Status::Partial) => return Ok(None),
        Ok(_) | Err(httparse::Error::TooManyHeaders) => return Err(TOO_LARGE),
        Err(httparse::Error::Version) => return Err(Status(505, "HTTP Version Not Supported")),
        Err(_) => return Err(BAD_REQUEST),
    };
    // A complete head has all three.
    let (Some(method), Some(target), Some(minor)) = (parsed.method, parsed.path, parsed.version) else {
        return Err(BAD_REQUEST);
    };
    let Fields { persistence, announced, continue_wanted } = read_fields(parsed.headers, minor == 0)?;
    let (method, script) = (Method::named(method.as_bytes()), Script::of(target.as_bytes()));
    let request = Request { method, script, head_bytes: bytes as u64, body_bytes: 0, persistence };
    Ok(Some(Head { request, announced, continue_wanted, bytes }))
}

struct Fields {
    persistence: Persistence,
    announced: Announced,
    continue_wanted: bool,
}

fn read_fields(fields: &[httparse::Header<'_>], version_1_0: bool) -> Result<Fields, Status> {
    let mut length = None;
    let mut chunked = false;
    let mut host = false;
    let mut continue_wanted = false;
    let mut persistence = if version_1_0 { Persistence::Close } else { Persistence::KeepAlive };
    for field in fields {
        let is = |name: &str| field.name.eq_ignore_ascii_case(name);
        // By length first: most fields of a request are none of these.
        match field.name.len() {
            4 if is("host") => host = true,
            6 if is("expect") => continue_wanted = !version_1_0 && field.value.eq_ignore_ascii_case(b"100-continue"),
            10 if is("connection") => {
                for option in field.value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
                    if option.eq_ignore_ascii_case(b"close") {
                        persistence = Persistence::Close;
                    } else if version_1_0 && option.eq_ignore_ascii_case(b"keep-alive") {
                        persistence = Persistence::KeepAlive;
                    }
                }
            }
            14 if is("content-length") => {
                let value = decimal(field.value).ok_or(BAD_REQUEST)?;
                if length.is_some_and(|length| length != value) {
                    return Err(BAD_REQUEST);
                }
                length = Some(value);
            }
            17 if is("transfer-encoding") => {
                if chunked || !field.value.eq_ignore_ascii_case(b"chunked") {
                    return Err(Status(501, "Not Implemented"));
                }
                chunked = true;
            }
            _ => {}
        }
    }
    // Two lengths are how requests are smuggled (RFC 9112, 6.1); 1.1 requires Host (3.2).
    if (chunked && (length.is_some() || version_1_0)) || !(host || version_1_0) {
        return Err(BAD_REQUEST);
    }
    let announced = if chunked { Announced::Chunked } else { Announced::Length(length.unwrap_or(0)) };
    Ok(Fields { persistence, announced, continue_wanted })
}

#[cfg(test)]
mod tests;
