//! Reading, waiting, understanding.

use super::{Connection, Fate, KEPT_CAPACITY, MAX_QUEUED_BYTES, Stage};
use crate::answer::Ending;
use crate::io::context::Context;
use crate::link::Protocol;
use crate::log::Outcome;
use crate::wire::Step;
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

#[derive(Clone, Copy)]
enum Received {
    Bytes(usize),
    Nothing,
    End,
}

impl Received {
    /// `None` after progress.
    fn fate(self) -> Option<Fate> {
        match self {
            Self::Bytes(_) => None,
            Self::Nothing => Some(Fate::Waits),
            Self::End => Some(Fate::Over),
        }
    }
}

impl Connection {
    /// Uses up the bytes that are held, or reads more. `None` after progress.
    pub(super) fn read(&mut self, context: &mut Context) -> Option<Fate> {
        if !self.hungry && !self.held.is_empty() {
            let held = std::mem::take(&mut self.held);
            let used = self.understand(context, &held);
            self.held = held;
            self.keep_from(used);
            return None;
        }
        let received = self.receive(context);
        match received {
            Received::Bytes(count) if self.held.is_empty() => {
                let input = std::mem::take(&mut context.input);
                let used = self.understand(context, &input[..count]);
                self.held.extend_from_slice(&input[used..count]);
                context.input = input;
            }
            Received::Bytes(count) => {
                self.held.extend_from_slice(&context.input[..count]);
                self.hungry = false;
            }
            Received::Nothing | Received::End => {}
        }
        received.fate()
    }

    fn keep_from(&mut self, used: usize) {
        self.held.drain(..used);
        if self.held.is_empty() && self.held.capacity() > KEPT_CAPACITY {
            self.held = Vec::new();
        }
    }

    /// Reads into the thread's buffer.
    fn receive(&mut self, context: &mut Context) -> Received {
        if self.ended {
            return Received::End;
        }
        if !self.readable {
            return Received::Nothing;
        }
        loop {
            match recv(&self.socket, &mut context.input[..], RecvFlags::empty()) {
                Ok((0, _)) => {
                    self.ended = true;
                    return Received::End;
                }
                Ok((count, _)) => {
                    // A short read has emptied the socket (epoll(7)). Only the end of the stream may follow.
                    self.readable = count == context.input.len() || self.end_ahead;
                    self.counts(context).received_bytes += count as u64;
                    return Received::Bytes(count);
                }
                Err(Errno::AGAIN) => {
                    self.readable = false;
                    return Received::Nothing;
                }
                Err(Errno::INTR) => {}
                Err(_) => {
                    self.hung_up = true;
                    self.ended = true;
                    return Received::End;
                }
            }
        }
    }

    /// Waits, and notices if the connection ends or the client aborts its request.
    pub(super) fn wait(&mut self, context: &mut Context) -> Option<Fate> {
        if self.hung_up {
            return Some(self.lose(context));
        }
        if matches!(self.stage, Stage::Silent) && self.codec.protocol() == Protocol::Http {
            return self.discard(context);
        }
        if self.codec.protocol() == Protocol::Http || self.held.len() > MAX_QUEUED_BYTES {
            return Some(Fate::Waits);
        }
        let received = self.receive(context);
        if let Received::Bytes(count) = received {
            self.held.extend_from_slice(&context.input[..count]);
        }
        if let Some(used) = self.codec.read_abort(&self.held) {
            self.keep_from(used);
            self.hungry = false;
            if let Stage::Delayed { arrival_ns, .. } = std::mem::replace(&mut self.stage, Stage::Reading) {
                self.lost(context, arrival_ns, None, Outcome::Lost);
            }
            self.codec.encode_abandoned(&mut self.output.queue.bytes);
            return None;
        }
        match received {
            // A client may close its sending side and still want its answer.
            Received::End if !matches!(self.stage, Stage::Silent) => Some(Fate::Waits),
            _ => received.fate(),
        }
    }

    /// Reads up to the end, and drops what it reads.
    pub(super) fn discard(&mut self, context: &mut Context) -> Option<Fate> {
        self.held = Vec::new();
        self.receive(context).fate()
    }

    /// Takes requests out of `bytes` until one of them has to wait. Returns how many bytes are used up.
    fn understand(&mut self, context: &mut Context, bytes: &[u8]) -> usize {
        let mut at = 0;
        self.hungry = false;
        while matches!(self.stage, Stage::Reading)
            && self.output.stream.is_none()
            && self.output.queue.bytes.len() < MAX_QUEUED_BYTES
        {
            let (used, step) = self.codec.advance(&bytes[at..], &context.date, &mut self.output.queue.bytes);
            at += used;
            match step {
                Step::NeedMore => {
                    self.hungry = true;
                    break;
                }
                Step::Request(request) => self.arrived(context, request),
                Step::Aborted => self.counts(context).requests_aborted += 1,
                Step::Refused => self.counts(context).requests_refused += 1,
                Step::Broken => {
                    self.counts(context).requests_refused += 1;
                    // All that comes after it stays unread on purpose.
                    self.readable = true;
                    self.stage = Stage::Ending(Ending::Close);
                }
            }
        }
        at
    }
}
