//! The requests of a client, and how much of one is still to leave.

use crate::check::Check;
use crate::io::{MessageId, REPORTED_BYTES};
use crate::requests::{PreparedRequest, RequestMessages};

/// How much of a request is still to leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Upload {
    /// Nothing, or so little that it leaves at once.
    Done,
    /// The body, once the server says 100 Continue.
    Waits(MessageId),
    /// Something long, whose end is reported.
    UnderWay,
}

/// One of the requests that are asked here.
#[derive(Debug)]
pub(super) struct LaneRequest {
    pub(super) to_head: bool,
    pub(super) kept: RequestMessages,
    pub(super) last: RequestMessages,
    pub(super) check: Check,
    /// The last answer that was parsed and found correct. An answer of the same bytes, all of them, head included, is
    /// correct too; it need not be parsed again. A new `Date` costs one parse.
    pub(super) last_correct: Vec<u8>,
}

impl Upload {
    /// What there is to do when this is sent.
    #[inline]
    pub(super) const fn of(messages: RequestMessages) -> Self {
        match messages.continued {
            Some(body) => Self::Waits(body),
            None if messages.is_long => Self::UnderWay,
            None => Self::Done,
        }
    }

    /// What there is to do when this body is sent.
    pub(super) const fn of_body(body: &[u8]) -> Self {
        if body.len() > REPORTED_BYTES { Self::UnderWay } else { Self::Done }
    }
}

impl LaneRequest {
    pub(super) fn new(request: &PreparedRequest) -> Self {
        let &PreparedRequest { to_head, kept, last, .. } = request;
        Self { to_head, kept, last, check: request.check(), last_correct: Vec::with_capacity(4096) }
    }
}
