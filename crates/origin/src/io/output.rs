//! What a connection still has to send, and which answers that completes.

use crate::answer::Fault;
use crate::wire::{BodyStream, Next};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;
use rustix::net::{SendFlags, send};
use std::io::IoSlice;

/// An answer that is on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    /// How many bytes of the queue have to be out before the answer is.
    pub end: usize,
    /// When its request arrived, if delays or rows need it.
    pub arrival_ns: u64,
    pub fault: Option<Fault>,
    pub body_bytes: u64,
    /// Whether a fault cuts it off.
    pub cut: bool,
}

/// Encoded bytes, and the answers that end among them.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    pub bytes: Vec<u8>,
    pub marks: Vec<Mark>,
    /// How many of the bytes are out.
    at: usize,
}

impl Queue {
    pub fn is_out(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// Forgets the bytes that are out.
    pub fn reset(&mut self) {
        self.bytes.clear();
        self.at = 0;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// Some bytes are out; there may be more.
    Some(usize),
    All,
    /// The socket takes no more now.
    Blocked,
    /// The body pauses for this many ns.
    Pause(u64),
    Broken,
}

/// The sending side of a connection.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub queue: Queue,
    /// The body that goes on after the queue, and the mark of its answer.
    pub stream: Option<Box<(BodyStream, Mark)>>,
}

impl Output {
    /// Sends once, or moves the body on.
    pub fn step(&mut self, socket: BorrowedFd<'_>) -> Sent {
        let rest = &self.queue.bytes[self.queue.at..];
        let piece = self.stream.as_ref().map_or(&[][..], |stream| stream.0.piece());
        if rest.is_empty() && piece.is_empty() {
            return self.next();
        }
        let taken = if piece.is_empty() {
            send(socket, rest, SendFlags::NOSIGNAL)
        } else {
            // Rust programs ignore SIGPIPE, so a broken connection is an error here too.
            rustix::io::writev(socket.as_fd(), &[IoSlice::new(rest), IoSlice::new(piece)])
        };
        match taken {
            Ok(bytes) => {
                let of_rest = bytes.min(rest.len());
                self.queue.at += of_rest;
                if let Some(stream) = &mut self.stream {
                    stream.0.took(bytes - of_rest);
                }
                Sent::Some(bytes)
            }
            Err(Errno::AGAIN) => Sent::Blocked,
            Err(Errno::INTR) => Sent::Some(0),
            Err(_) => Sent::Broken,
        }
    }

    fn next(&mut self) -> Sent {
        self.queue.reset();
        let Some(stream) = &mut self.stream else {
            return Sent::All;
        };
        match stream.0.next(&mut self.queue.bytes) {
            Next::Piece => Sent::Some(0),
            Next::Pause(time_ns) => Sent::Pause(time_ns),
            Next::Finished => {
                let mark = Mark { end: self.queue.bytes.len(), ..stream.1 };
                self.queue.marks.push(mark);
                self.stream = None;
                Sent::Some(0)
            }
        }
    }

    /// Takes out an answer that is out completely.
    pub fn completed(&mut self) -> Option<Mark> {
        let first = self.queue.marks.first()?;
        (first.end <= self.queue.at).then(|| self.queue.marks.remove(0))
    }

    /// Takes out the answers that are not out completely.
    pub fn unsent(&mut self) -> Vec<Mark> {
        let mut marks = std::mem::take(&mut self.queue.marks);
        marks.extend(self.stream.take().map(|stream| stream.1));
        marks
    }

    pub fn is_empty(&self) -> bool {
        self.stream.is_none() && self.queue.is_out()
    }
}
