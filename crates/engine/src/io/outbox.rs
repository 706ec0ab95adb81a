//! What a connection sends piece by piece.

use super::{MessageId, Messages, Outgoing, REPORTED_BYTES};
use rustix::io::Errno;

/// Bytes on their way. The kernel may read them where they are, so what it was given never moves: bytes that are added
/// wait beside it.
#[derive(Debug)]
pub(super) struct Outbox {
    source: Source,
    sent: usize,
    waiting: Vec<u8>,
}

#[derive(Debug)]
enum Source {
    Message(MessageId),
    Bytes(Vec<u8>),
}

impl Outbox {
    /// Nothing is sent yet.
    pub(super) fn new(outgoing: Outgoing) -> Self {
        let source = match outgoing {
            Outgoing::Message(id) => Source::Message(id),
            Outgoing::Bytes(bytes) => Source::Bytes(bytes),
        };
        Self { source, sent: 0, waiting: Vec::new() }
    }

    /// Adds bytes to bytes that are under way. A message is never added, nor anything to a message: the server may
    /// answer before it has read a whole request, and two requests must not get mixed up.
    pub(super) fn add(&mut self, outgoing: Outgoing) -> Result<(), Errno> {
        match (&self.source, outgoing) {
            (Source::Bytes(_), Outgoing::Bytes(bytes)) => {
                self.waiting.extend_from_slice(&bytes);
                Ok(())
            }
            _ => Err(Errno::BUSY),
        }
    }

    /// Whether a part of these bytes, and not all, has left.
    pub(super) fn has_begun(&self) -> bool {
        self.sent > 0
    }

    /// What is to be sent now.
    pub(super) fn rest<'a>(&'a self, messages: &'a Messages) -> &'a [u8] {
        match &self.source {
            Source::Message(id) => &messages[*id as usize][self.sent..],
            Source::Bytes(bytes) => &bytes[self.sent..],
        }
    }

    /// Counts bytes that were sent, and that the kernel no longer reads. Returns whether that was all; if not,
    /// [`Outbox::rest`] is next.
    pub(super) fn advance(&mut self, bytes: usize, messages: &Messages) -> bool {
        self.sent += bytes;
        if !self.rest(messages).is_empty() {
            return false;
        }
        if self.waiting.is_empty() {
            return true;
        }
        self.source = Source::Bytes(std::mem::take(&mut self.waiting));
        self.sent = 0;
        false
    }

    /// Whether the handler wants to know that all has left.
    pub(super) fn is_reported(&self, messages: &Messages) -> bool {
        match &self.source {
            Source::Message(id) => messages[*id as usize].len() > REPORTED_BYTES,
            Source::Bytes(_) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_and_what_waits_behind() {
        let messages: Messages = [b"message".as_slice().into()].into();
        let mut outbox = Outbox::new(Outgoing::Message(0));
        assert!(!outbox.is_reported(&messages));
        assert!(!outbox.has_begun());
        assert!(!outbox.advance(3, &messages));
        assert_eq!((outbox.rest(&messages), outbox.has_begun()), (b"sage".as_slice(), true));
        assert!(outbox.add(Outgoing::Bytes(b"x".to_vec())).is_err());
        assert!(outbox.advance(4, &messages));

        let mut outbox = Outbox::new(Outgoing::Bytes(b"abc".to_vec()));
        assert!(outbox.is_reported(&messages));
        for bytes in [b"de".as_slice(), b"f"] {
            outbox.add(Outgoing::Bytes(bytes.to_vec())).expect("bytes may be added to");
        }
        assert!(outbox.add(Outgoing::Message(0)).is_err());
        assert!(!outbox.advance(2, &messages));
        assert_eq!(outbox.rest(&messages), b"c");
        assert!(!outbox.advance(1, &messages));
        assert_eq!((outbox.rest(&messages), outbox.has_begun()), (b"def".as_slice(), false));
        assert!(outbox.advance(3, &messages));
    }
}
