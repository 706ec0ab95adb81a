//! One connection's FastCGI answers: bytes in, events out.

use super::{END_REQUEST, HEADER_BYTES, REQUEST_ID, STDERR, STDOUT, VERSION};
use crate::wire::head::{self, Framing, Head, MAX_HEAD_BYTES};
use crate::wire::{Event, Violation};

/// Where in the stream of records the next byte is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Header,
    Output,
    Errors,
    Padding,
    End,
    EndPadding,
    Done,
}

/// What of the answer's head is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    BehindTheHead,
    /// With the length that the head says, if it does.
    Begun(Option<u64>),
    /// STDOUT has been closed.
    Ended(Option<u64>),
}

/// The reader of one answer. [`Response::begin`] makes it ready for the next.
#[derive(Debug)]
pub struct Response {
    place: Place,
    body: Body,
    to_head_request: bool,
    /// A record's header, or the content of END_REQUEST, that came in pieces.
    fixed: [u8; HEADER_BYTES],
    fixed_bytes: u8,
    /// What is left of the current record.
    content_bytes: u16,
    padding_bytes: u8,
    body_bytes: u64,
    /// A head that came in pieces; empty as long as heads come whole.
    held: Vec<u8>,
}

impl Response {
    pub(in crate::wire) const fn new() -> Self {
        Self {
            place: Place::Header,
            body: Body::BehindTheHead,
            to_head_request: false,
            fixed: [0; HEADER_BYTES],
            fixed_bytes: 0,
            content_bytes: 0,
            padding_bytes: 0,
            body_bytes: 0,
            held: Vec::new(),
        }
    }

    /// Forgets the last answer; the next byte is the first of a record.
    #[inline]
    pub fn begin(&mut self, to_head_request: bool) {
        self.place = Place::Header;
        self.body = Body::BehindTheHead;
        self.to_head_request = to_head_request;
        self.fixed_bytes = 0;
        self.body_bytes = 0;
        if !self.held.is_empty() {
            self.held = Vec::new();
        }
    }

    /// Whether no byte of the answer has come.
    #[inline]
    pub fn is_at_start(&self) -> bool {
        self.place == Place::Header && self.fixed_bytes == 0 && self.body == Body::BehindTheHead && self.held.is_empty()
    }

    /// The connection has ended. Only END_REQUEST completes an answer.
    pub fn end_of_stream(&self) -> Result<(), Violation> {
        Err(Violation::Truncated)
    }

    /// Takes from the front of `input` what the next event needs.
    pub fn next<'a>(&mut self, input: &mut &'a [u8]) -> Result<Event<'a>, Violation> {
        loop {
            match self.place {
                Place::Done => return Ok(Event::End),
                Place::Header => match self.take_fixed(input) {
                    Some(header) => self.record(header)?,
                    None => return Ok(Event::More),
                },
                Place::End => match self.take_fixed(input) {
                    Some(content) => self.ended(content)?,
                    None => return Ok(Event::More),
                },
                Place::Padding | Place::EndPadding => {
                    let taken = usize::from(self.padding_bytes).min(input.len());
                    *input = &input[taken..];
                    // At most what there was.
                    self.padding_bytes -= taken as u8;
                    if self.padding_bytes > 0 {
                        return Ok(Event::More);
                    }
                    self.place = if self.place == Place::Padding { Place::Header } else { Place::Done };
                }
                Place::Output | Place::Errors if self.content_bytes == 0 => self.place = Place::Padding,
                Place::Output | Place::Errors if input.is_empty() => return Ok(Event::More),
                Place::Errors => {
                    self.take_content(input);
                }
                Place::Output => {
                    if self.body == Body::BehindTheHead {
                        if let Some(head) = self.head(input)? {
                            return Ok(Event::Head(head));
                        }
                    } else {
                        return self.body(input);
                    }
                }
            }
        }
    }

    /// The eight bytes of a header or of END_REQUEST, once they are all there.
    fn take_fixed(&mut self, input: &mut &[u8]) -> Option<[u8; HEADER_BYTES]> {
        let have = usize::from(self.fixed_bytes);
        let taken = (HEADER_BYTES - have).min(input.len());
        self.fixed[have..have + taken].copy_from_slice(&input[..taken]);
        *input = &input[taken..];
        if have + taken < HEADER_BYTES {
            self.fixed_bytes += taken as u8;
            return None;
        }
        self.fixed_bytes = 0;
        Some(self.fixed)
    }

    fn take_content<'a>(&mut self, input: &mut &'a [u8]) -> &'a [u8] {
        let (content, rest) = input.split_at(usize::from(self.content_bytes).min(input.len()));
        *input = rest;
        // At most what there was.
        self.content_bytes -= content.len() as u16;
        content
    }

    fn record(&mut self, header: [u8; HEADER_BYTES]) -> Result<(), Violation> {
        let [version, kind, id_high, id_low, length_high, length_low, padding, _] = header;
        if version != VERSION || u16::from_be_bytes([id_high, id_low]) != REQUEST_ID {
            return Err(Violation::Record);
        }
        self.content_bytes = u16::from_be_bytes([length_high, length_low]);
        self.padding_bytes = padding;
        self.place = match (kind, self.content_bytes, self.body) {
            (STDERR, ..) => Place::Errors,
            (END_REQUEST, 8, _) => Place::End,
            (STDOUT, 0, Body::Begun(said)) => {
                self.body = Body::Ended(said);
                Place::Padding
            }
            (STDOUT, 1.., Body::BehindTheHead | Body::Begun(_)) => Place::Output,
            _ => return Err(Violation::Record),
        };
        Ok(())
    }

    /// Content of STDOUT that belongs to the head. An incomplete head is held.
    fn head(&mut self, input: &mut &[u8]) -> Result<Option<Head>, Violation> {
        let content = &input[..usize::from(self.content_bytes).min(input.len())];
        let before = self.held.len();
        let in_place = before == 0;
        if in_place && matches!(content[0], b'\r' | b'\n') {
            return Err(Violation::Head);
        }
        let found = if in_place {
            head::end_of_head(content, 0)
        } else {
            self.held.extend_from_slice(content);
            // The end may have begun with the last two bytes held.
            head::end_of_head(&self.held, before.saturating_sub(2))
        };
        let Some(end) = found else {
            if in_place {
                self.held.extend_from_slice(content);
            }
            if self.held.len() > MAX_HEAD_BYTES {
                return Err(Violation::HeadTooLong);
            }
            self.take_content(input);
            return Ok(None);
        };
        if end > MAX_HEAD_BYTES {
            return Err(Violation::HeadTooLong);
        }
        let (status, said) = interpret(if in_place { &content[..end] } else { &self.held[..end] })?;
        let used = end - before;
        *input = &input[used..];
        // At most the content.
        self.content_bytes -= used as u16;
        self.held = Vec::new();
        let has_body = !self.to_head_request && status != 204 && status != 304;
        self.body = Body::Begun(said.filter(|_| has_body));
        let framing = if has_body { Framing::Records } else { Framing::None };
        Ok(Some(Head { status, framing, closes: false }))
    }

    fn body<'a>(&mut self, input: &mut &'a [u8]) -> Result<Event<'a>, Violation> {
        let content = self.take_content(input);
        self.body_bytes += content.len() as u64;
        match self.body {
            Body::Begun(Some(said)) if self.body_bytes > said => Err(Violation::Length),
            _ => Ok(Event::Body(content)),
        }
    }

    fn ended(&mut self, content: [u8; HEADER_BYTES]) -> Result<(), Violation> {
        let [_, _, _, _, protocol_status, ..] = content;
        // 1 to 3: no multiplexing, overloaded, unknown role. The application's own status says nothing (as in nginx).
        if protocol_status != 0 {
            return Err(Violation::Refused);
        }
        match self.body {
            Body::BehindTheHead => Err(Violation::Head),
            Body::Begun(said) | Body::Ended(said) if said.is_some_and(|said| said != self.body_bytes) => {
                Err(Violation::Length)
            }
            Body::Begun(_) | Body::Ended(_) => {
                self.place = Place::EndPadding;
                Ok(())
            }
        }
    }
}

/// Status and length by a CGI head (RFC 3875, section 6.3).
fn interpret(bytes: &[u8]) -> Result<(u16, Option<u64>), Violation> {
    let mut usual = [httparse::EMPTY_HEADER; 64];
    let mut most;
    let headers = match httparse::parse_headers(bytes, &mut usual) {
        Ok(httparse::Status::Complete((_, headers))) => headers,
        Err(httparse::Error::TooManyHeaders) => {
            most = vec![httparse::EMPTY_HEADER; MAX_HEAD_BYTES / 4];
            match httparse::parse_headers(bytes, &mut most) {
                Ok(httparse::Status::Complete((_, headers))) => headers,
                _ => return Err(Violation::Head),
            }
        }
        _ => return Err(Violation::Head),
    };
    let mut status = None;
    let mut redirects = false;
    let mut length = None;
    for header in headers {
        match header.name.len() {
            6 if header.name.eq_ignore_ascii_case("status") => status = Some(status_of(header.value)?),
            8 if header.name.eq_ignore_ascii_case("location") => redirects = true,
            14 if header.name.eq_ignore_ascii_case("content-length") => {
                length = Some(head::length_of(header.value, length)?);
            }
            _ => {}
        }
    }
    Ok((status.unwrap_or(if redirects { 302 } else { 200 }), length))
}

/// The number at the start of `Status: 404 Not Found`.
fn status_of(value: &[u8]) -> Result<u16, Violation> {
    match value {
        [a @ b'1'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9']
        | [a @ b'1'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9', b' ', ..] => {
            Ok([a, b, c].into_iter().fold(0, |number, digit| number * 10 + u16::from(digit - b'0')))
        }
        _ => Err(Violation::Head),
    }
}

#[cfg(test)]
mod tests;
