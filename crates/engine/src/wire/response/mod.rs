//! One connection's answers: bytes in, events out.

use super::Violation;
use super::chunked::{Chunked, Piece};
use super::head::{self, Framing, Head, MAX_HEAD_BYTES};

#[derive(Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// An interim answer: its status, from 100 to 199.
    Interim(u16),
    /// The head of the final answer.
    Head(Head),
    Body(&'a [u8]),
    /// The answer is complete. The rest of the input does not belong to it.
    End,
    More,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Head,
    Length(u64),
    Chunked(Chunked),
    UntilClose,
    End,
}

/// The reader of one answer. [`Response::begin`] makes it ready for the next.
#[derive(Debug)]
pub struct Response {
    state: State,
    to_head_request: bool,
    /// A head that came in pieces; empty as long as heads come whole.
    held: Vec<u8>,
}

impl Response {
    pub(super) const fn new() -> Self {
        Self { state: State::Head, to_head_request: false, held: Vec::new() }
    }

    /// Forgets the last answer; the next byte is the first of the head of the answer to such a request.
    #[inline]
    pub fn begin(&mut self, to_head_request: bool) {
        self.state = State::Head;
        self.to_head_request = to_head_request;
        if !self.held.is_empty() {
            self.held = Vec::new();
        }
    }

    /// Whether no byte of the answer has come.
    #[inline]
    pub fn is_at_start(&self) -> bool {
        matches!(self.state, State::Head) && self.held.is_empty()
    }

    /// How much of the body is still to come, if the head said how long it is.
    pub const fn rest(&self) -> Option<u64> {
        match self.state {
            State::Length(rest) => Some(rest),
            _ => None,
        }
    }

    /// This many bytes of the body came and were not kept, at most [`Response::rest`]. Returns whether the answer is
    /// complete.
    pub fn skipped(&mut self, bytes: u64) -> bool {
        if let State::Length(rest) = &mut self.state {
            *rest = rest.saturating_sub(bytes);
            if *rest == 0 {
                self.state = State::End;
            }
        }
        matches!(self.state, State::End)
    }

    /// Takes from the front of `input` what the next event needs.
    pub fn next<'a>(&mut self, input: &mut &'a [u8]) -> Result<Event<'a>, Violation> {
        match &mut self.state {
            State::Head => self.head(input),
            State::End => Ok(Event::End),
            _ if input.is_empty() => Ok(Event::More),
            State::Length(remaining) => {
                let taken = usize::try_from(*remaining).unwrap_or(usize::MAX).min(input.len());
                let (body, rest) = input.split_at(taken);
                *input = rest;
                *remaining -= taken as u64;
                if *remaining == 0 {
                    self.state = State::End;
                }
                Ok(Event::Body(body))
            }
            State::Chunked(chunked) => match chunked.next(input)? {
                Piece::Data(data) => Ok(Event::Body(data)),
                Piece::More => Ok(Event::More),
                Piece::End => {
                    self.state = State::End;
                    Ok(Event::End)
                }
            },
            State::UntilClose => Ok(Event::Body(std::mem::take(input))),
        }
    }

    /// The connection has ended. `Ok` if that completes the answer.
    pub fn end_of_stream(&mut self) -> Result<(), Violation> {
        match self.state {
            State::UntilClose => {
                self.state = State::End;
                Ok(())
            }
            _ => Err(Violation::Truncated),
        }
    }

    fn head<'a>(&mut self, input: &mut &'a [u8]) -> Result<Event<'a>, Violation> {
        if input.is_empty() {
            return Ok(Event::More);
        }
        let parsed = if self.held.is_empty() {
            // httparse passes over empty lines before the status line; here they are bytes nobody asked for.
            if matches!(input[0], b'\r' | b'\n') {
                return Err(Violation::Head);
            }
            let parsed = head::parse(input, self.to_head_request)?;
            match parsed {
                Some((_, length)) => *input = &input[length..],
                None => {
                    self.held.extend_from_slice(input);
                    *input = &[];
                }
            }
            parsed
        } else {
            self.head_in_pieces(input)?
        };
        let Some((head, length)) = parsed else {
            return if self.held.len() > MAX_HEAD_BYTES { Err(Violation::HeadTooLong) } else { Ok(Event::More) };
        };
        if length > MAX_HEAD_BYTES {
            return Err(Violation::HeadTooLong);
        }
        match head.status {
            101 => return Err(Violation::Upgrade),
            interim @ 100..=199 => return Ok(Event::Interim(interim)),
            _ => {}
        }
        self.state = match head.framing {
            Framing::None | Framing::Records | Framing::Length(0) => State::End,
            Framing::Length(length) => State::Length(length),
            Framing::Chunked => State::Chunked(Chunked::new()),
            Framing::UntilClose => State::UntilClose,
        };
        Ok(Event::Head(head))
    }

    /// Adds to a head that came in pieces. It is parsed once, when its end is there: a server that sends
    /// single bytes must not cost a parse each.
    fn head_in_pieces(&mut self, input: &mut &[u8]) -> Result<Option<(Head, usize)>, Violation> {
        let before = self.held.len();
        let room = (MAX_HEAD_BYTES + 1).saturating_sub(before);
        self.held.extend_from_slice(&input[..input.len().min(room)]);
        // The end may have begun with the last two bytes held.
        let Some(end) = head::end_of_head(&self.held, before.saturating_sub(2)) else {
            *input = &[];
            return Ok(None);
        };
        self.held.truncate(end);
        *input = &input[end - before..];
        let held = std::mem::take(&mut self.held);
        match head::parse(&held, self.to_head_request)? {
            Some((head, _)) => Ok(Some((head, held.len()))),
            // An empty line where httparse sees none: the start of the head is not one.
            None => Err(Violation::Head),
        }
    }
}

#[cfg(test)]
mod tests;
