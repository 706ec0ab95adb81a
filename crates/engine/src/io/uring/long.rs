//! What is sent by an operation that reports when it is through.

use crate::io::{MessageId, Messages};
use std::io;

/// Bytes on their way. The kernel reads them where they are, so what it was given never moves: bytes that are added wait
/// beside it.
#[derive(Debug)]
pub(super) struct Long {
    source: Source,
    sent: usize,
    waiting: Vec<u8>,
}

#[derive(Debug)]
enum Source {
    Message(MessageId),
    Bytes(Vec<u8>),
}

impl Long {
    pub(super) const fn message(id: MessageId) -> Self {
        Self { source: Source::Message(id), sent: 0, waiting: Vec::new() }
    }

    pub(super) const fn bytes(bytes: Vec<u8>) -> Self {
        Self { source: Source::Bytes(bytes), sent: 0, waiting: Vec::new() }
    }

    /// Bytes to be sent after those under way.
    pub(super) fn add(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        if matches!(self.source, Source::Message(_)) {
            return Err(io::ErrorKind::ResourceBusy.into());
        }
        self.waiting.extend_from_slice(&bytes);
        Ok(())
    }

    /// What is to be sent now.
    pub(super) fn rest<'a>(&'a self, messages: &'a Messages) -> &'a [u8] {
        match &self.source {
            Source::Message(id) => &messages[*id as usize][self.sent..],
            Source::Bytes(bytes) => &bytes[self.sent..],
        }
    }

    /// So much more was sent, and the kernel has let go: whether that was all. If not, [`Long::rest`] is next.
    pub(super) fn sent(&mut self, bytes: usize, messages: &Messages) -> bool {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_and_what_waits_behind() {
        let messages: Messages = [b"message".as_slice().into()].into();
        let mut long = Long::message(0);
        assert!(!long.sent(3, &messages));
        assert_eq!(long.rest(&messages), b"sage");
        assert!(long.add(b"x".to_vec()).is_err());
        assert!(long.sent(4, &messages));

        let mut long = Long::bytes(b"abc".to_vec());
        long.add(b"de".to_vec()).expect("bytes may be added to");
        long.add(b"f".to_vec()).expect("bytes may be added to");
        assert!(!long.sent(2, &messages));
        assert_eq!(long.rest(&messages), b"c");
        assert!(!long.sent(1, &messages));
        assert_eq!(long.rest(&messages), b"def");
        assert!(long.sent(3, &messages));
    }
}
