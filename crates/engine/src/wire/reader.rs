//! The reader of one connection's answers, whatever wire they come over.

use super::{Event, Response, Violation, Wire, fastcgi};

/// Reads one answer after another; [`Reader::begin`] makes it ready for the next.
#[derive(Debug)]
pub enum Reader {
    Http(Response),
    FastCgi(fastcgi::Response),
}

impl Reader {
    pub const fn new(wire: Wire) -> Self {
        match wire {
            // HTTP/2 has a reader of its own, for many answers at a time; this one is never used.
            Wire::Http | Wire::Http2 => Self::Http(Response::new()),
            Wire::FastCgi => Self::FastCgi(fastcgi::Response::new()),
        }
    }

    /// Forgets the last answer. The next byte is the first of the answer to such a request.
    #[inline]
    pub fn begin(&mut self, to_head_request: bool) {
        match self {
            Self::Http(response) => response.begin(to_head_request),
            Self::FastCgi(response) => response.begin(to_head_request),
        }
    }

    /// Whether no byte of the answer has come.
    #[inline]
    pub fn is_at_start(&self) -> bool {
        match self {
            Self::Http(response) => response.is_at_start(),
            Self::FastCgi(response) => response.is_at_start(),
        }
    }

    /// Takes from the front of `input` what the next event needs.
    #[inline]
    pub fn next<'a>(&mut self, input: &mut &'a [u8]) -> Result<Event<'a>, Violation> {
        match self {
            Self::Http(response) => response.next(input),
            Self::FastCgi(response) => response.next(input),
        }
    }

    /// How much of the body is still to come, if that is known.
    pub const fn rest(&self) -> Option<u64> {
        match self {
            Self::Http(response) => response.rest(),
            Self::FastCgi(_) => None,
        }
    }

    /// This much of the rest was skipped. Returns whether that completes the answer.
    pub fn skipped(&mut self, bytes: u64) -> bool {
        match self {
            Self::Http(response) => response.skipped(bytes),
            // It never knows how much is to come.
            Self::FastCgi(_) => false,
        }
    }

    /// The connection has ended. `Ok` if that completes the answer.
    pub fn end_of_stream(&mut self) -> Result<(), Violation> {
        match self {
            Self::Http(response) => response.end_of_stream(),
            Self::FastCgi(response) => response.end_of_stream(),
        }
    }
}
