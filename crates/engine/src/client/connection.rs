//! What is known of one connection.

use super::asked::Upload;
use crate::check::Progress;
use crate::io::{MessageId, Next};
use crate::wire::{Reader, Wire};

/// Where so much of a body is still to come and only its length matters, it need not be received.
const MIN_SKIPPED_BYTES: u64 = 16_384;

/// What a connection is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Closed,
    Connecting,
    /// The socket is open; TLS is not yet.
    Handshaking,
    Idle,
    InFlight,
}

/// One connection.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) response: Reader,
    pub(super) progress: Progress,
    pub(super) state: State,
    /// When its state began: for a request in flight, when it was sent.
    pub(super) since_ns: u64,
    /// When the request in flight was meant to be sent.
    pub(super) intended_ns: u64,
    pub(super) failures: u32,
    pub(super) was_open: bool,
    pub(super) status_is_right: bool,
    pub(super) closes: bool,
    /// Which request is in flight.
    pub(super) request: u16,
    pub(super) upload: Upload,
    /// What is to be sent.
    pub(super) message: MessageId,
    /// How many requests this connection may still send.
    pub(super) requests_left: u32,
}

impl Connection {
    /// A connection that is yet to be opened.
    pub(super) fn closed(wire: Wire) -> Self {
        Self {
            response: Reader::new(wire),
            progress: Progress::default(),
            state: State::Closed,
            since_ns: 0,
            intended_ns: 0,
            failures: 0,
            was_open: false,
            status_is_right: false,
            closes: false,
            request: 0,
            upload: Upload::Done,
            message: 0,
            requests_left: 0,
        }
    }

    /// What is left of an answer need not be kept if only its length matters, or its status was wrong.
    pub(super) fn skippable(&self) -> Next {
        match self.response.rest() {
            Some(rest) if rest >= MIN_SKIPPED_BYTES && (!self.status_is_right || self.progress.reads_length_only()) => {
                Next::Skip(rest)
            }
            _ => Next::Nothing,
        }
    }
}
