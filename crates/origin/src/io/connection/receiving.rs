//! Reading, waiting, understanding.

use super::{Connection, Fate, KEPT_CAPACITY, MOST_QUEUED, Stage};
use crate::answer::Ending;
use crate::io::context::Context;
use crate::link::Protocol;
use crate::log::Outcome;
use crate::wire::Step;
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

enum Received {
    Bytes(usize),
    Nothing,
    End,
}

impl Connection {
    /// Understands what is held, or reads; `None` after progress.
    pub(super) fn read(&mut self, context: &mut Context) -> Option<Fate> {
        if !self.hungry && !self.held.is_empty() {
            let held = std::mem::take(&mut self.held);
            let used = self.understand(context, &held);
            self.held = held;
            self.keep_from(used);
            return None;
        }
        let mut input = std::mem::take(&mut context.input);
        let fate = match self.receive(context, &mut input) {
            Received::Bytes(count) if self.held.is_empty() => {
                let used = self.understand(context, &input[..count]);
                self.held.extend_from_slice(&input[used..count]);
                None
            }
            Received::Bytes(count) => {
                self.held.extend_from_slice(&input[..count]);
                self.hungry = false;
                None
            }
            Received::Nothing => Some(Fate::Waits),
            Received::End => Some(Fate::Over),
        };
        context.input = input;
        fate
    }

    fn keep_from(&mut self, used: usize) {
        self.held.drain(..used);
        if self.held.is_empty() && self.held.capacity() > KEPT_CAPACITY {
            self.held = Vec::new();
        }
    }

    fn receive(&mut self, context: &mut Context, input: &mut [u8]) -> Received {
        if self.ended {
            return Received::End;
        }
        if !self.readable {
            return Received::Nothing;
        }
        loop {
            match recv(&self.socket, &mut *input, RecvFlags::empty()) {
                Ok((0, _)) => {
                    self.ended = true;
                    return Received::End;
                }
                Ok((count, _)) => {
                    // A short read has emptied the socket (epoll(7)); but for the end of the stream.
                    self.readable = count == input.len() || self.end_ahead;
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

    /// Waits for a moment or for nothing; sees to it that the end of the connection, or an abort, is not overlooked.
    pub(super) fn wait(&mut self, context: &mut Context) -> Option<Fate> {
        if self.hung_up {
            return Some(self.lose(context));
        }
        if matches!(self.stage, Stage::Silent) && self.wire.protocol() == Protocol::Http {
            return self.discard(context);
        }
        if self.wire.protocol() == Protocol::Http || self.held.len() > MOST_QUEUED {
            return Some(Fate::Waits);
        }
        let mut input = std::mem::take(&mut context.input);
        let received = self.receive(context, &mut input);
        if let Received::Bytes(count) = received {
            self.held.extend_from_slice(&input[..count]);
        }
        context.input = input;
        if let Some(used) = self.wire.taken_back(&self.held) {
            self.keep_from(used);
            self.hungry = false;
            if let Stage::Delayed { arrival_ns, .. } = std::mem::replace(&mut self.stage, Stage::Reading) {
                self.lost(context, arrival_ns, None, Outcome::Lost);
            }
            self.wire.encode_abandoned(&mut self.output.queue.bytes);
            return None;
        }
        match received {
            Received::Bytes(_) => None,
            Received::Nothing => Some(Fate::Waits),
            // A client may close its sending side and still want its answer.
            Received::End if matches!(self.stage, Stage::Silent) => Some(Fate::Over),
            Received::End => Some(Fate::Waits),
        }
    }

    /// Reads and forgets, up to the end.
    pub(super) fn discard(&mut self, context: &mut Context) -> Option<Fate> {
        self.held = Vec::new();
        let mut input = std::mem::take(&mut context.input);
        let received = self.receive(context, &mut input);
        context.input = input;
        match received {
            Received::Bytes(_) => None,
            Received::Nothing => Some(Fate::Waits),
            Received::End => Some(Fate::Over),
        }
    }

    /// Takes requests out of `bytes` until one has to wait; returns how many bytes are used up.
    fn understand(&mut self, context: &mut Context, bytes: &[u8]) -> usize {
        let mut at = 0;
        self.hungry = false;
        while matches!(self.stage, Stage::Reading)
            && self.output.stream.is_none()
            && self.output.queue.bytes.len() < MOST_QUEUED
        {
            let (used, step) = self.wire.advance(&bytes[at..], &context.date, &mut self.output.queue.bytes);
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
                    // Whatever else comes is unread on purpose.
                    self.readable = true;
                    self.stage = Stage::Ending(Ending::Close);
                }
            }
        }
        at
    }
}
