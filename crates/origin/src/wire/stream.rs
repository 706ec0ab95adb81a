//! A body on its way out: framing and pieces in turn, so that a body of any length needs little memory.

use super::fastcgi::record;
use crate::answer::Payload;

/// How pieces are wrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrap {
    Bare,
    /// As chunks, each with an extension.
    Chunked,
    /// As STDOUT records of this request, with this much padding; `None` pads to a multiple of 8.
    Records {
        id: u16,
        padding: Option<u8>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// `piece()` holds bytes of the body, to be sent after what was appended.
    Piece,
    /// The script wants a pause of this many ns here; `next` goes on after it.
    Pause(u64),
    /// The body ends with the bytes that were appended.
    Finished,
}

/// The rest of an answer whose head has been encoded.
#[derive(Debug)]
pub(crate) struct BodyStream {
    payload: Payload,
    wrap: Wrap,
    at: u64,
    end: u64,
    piece_end: u64,
    most: usize,
    pause_ns: u64,
    tail: Vec<u8>,
    suffix: Suffix,
    paused: bool,
}

#[derive(Debug)]
enum Suffix {
    Nothing,
    LineEnd,
    Zeros(usize),
}

impl BodyStream {
    /// Sends the first `end` bytes of `payload` in pieces of at most `most` bytes, then `tail`.
    pub fn new(payload: Payload, end: u64, wrap: Wrap, most: usize, pause_ns: u64, tail: Vec<u8>) -> Self {
        Self { payload, wrap, at: 0, end, piece_end: 0, most, pause_ns, tail, suffix: Suffix::Nothing, paused: true }
    }

    /// What is left of the current piece.
    pub fn piece(&self) -> &[u8] {
        if self.at == self.piece_end {
            return &[];
        }
        // `piece` gives one run of bytes from any place, so it also gives the rest of a piece.
        self.payload.piece(self.at, (self.piece_end - self.at) as usize)
    }

    /// Counts bytes of the piece that were sent.
    pub fn took(&mut self, bytes: usize) {
        self.at += bytes as u64;
    }

    /// Called when all of the piece was sent. Appends the framing before the next piece.
    pub fn next(&mut self, out: &mut Vec<u8>) -> Next {
        debug_assert_eq!(self.at, self.piece_end, "the piece has been sent");
        match std::mem::replace(&mut self.suffix, Suffix::Nothing) {
            Suffix::Nothing => {}
            Suffix::LineEnd => out.extend_from_slice(b"\r\n"),
            Suffix::Zeros(count) => out.resize(out.len() + count, 0),
        }
        if self.at == self.end {
            out.append(&mut self.tail);
            return Next::Finished;
        }
        if self.pause_ns > 0 && !self.paused {
            self.paused = true;
            return Next::Pause(self.pause_ns);
        }
        self.paused = false;
        let most = (self.end - self.at).min(self.most as u64) as usize;
        let length = self.payload.piece(self.at, most).len();
        self.piece_end = self.at + length as u64;
        match self.wrap {
            Wrap::Bare => {}
            Wrap::Chunked => {
                // Leading zeros and upper case are as legal as any other spelling of a size.
                out.extend_from_slice(format!("{length:04X};at={};note=\"a \\\"b\\\"; c\"\r\n", self.at).as_bytes());
                self.suffix = Suffix::LineEnd;
            }
            Wrap::Records { id, padding } => {
                // `most` is at most 65,535 here.
                let padding = padding.unwrap_or((length.wrapping_neg() & 7) as u8);
                record::header(out, record::STDOUT, id, length as u16, padding);
                self.suffix = Suffix::Zeros(usize::from(padding));
            }
        }
        Next::Piece
    }

    /// Appends the whole body. For small bodies without a pause.
    pub fn append_whole(mut self, out: &mut Vec<u8>) {
        while self.next(out) == Next::Piece {
            let piece = self.piece();
            let length = piece.len();
            out.extend_from_slice(piece);
            self.took(length);
        }
    }
}
