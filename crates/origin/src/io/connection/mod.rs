//! One connection: reads, waits, answers, ends. All of it happens in [`Connection::drive`].

mod answering;
mod receiving;

use super::context::Context;
use super::output::{Output, Sent};
use crate::answer::{Ending, Fault, Request};
use crate::link::Protocol;
use crate::log::Outcome;
use crate::wire::Codec;
use hopcost_common::clock;
use rustix::fd::{AsFd, OwnedFd};
use rustix::net::{Shutdown, shutdown};
use std::time::Duration;

/// No more requests are read while this much waits to be sent: a client that does not read gets no more answers.
const MAX_QUEUED_BYTES: usize = 64 << 10;
/// How many system calls a connection makes before the others have their turn.
const STEPS_PER_LOOK: u32 = 64;
/// How long a connection that ends too early for its client is kept, so that the client can read why.
const LINGER_NS: u64 = 1_000_000_000;
/// How much memory an idle connection may keep.
const KEPT_CAPACITY: usize = 4096;

/// What the loop does with a connection after a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It waits for an event or a timer.
    Waits,
    /// It waits, and its socket was full: it also wants to know when there is room.
    WaitsForRoom,
    Again,
    /// It is over, and is to be dropped.
    Over,
}

/// Where a connection came from, for rows and counts.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub listener: u16,
    pub number: u32,
    pub tcp: bool,
}

#[derive(Debug)]
enum Stage {
    Reading,
    /// A request waits for the virtual servers or until its scripted delay has passed.
    Delayed {
        until_ns: u64,
        arrival_ns: u64,
        request: Box<Request>,
    },
    /// It ends like this once everything is sent.
    Ending(Ending),
    /// It shuts down its sending side once everything is sent.
    HalfClosing,
    Silent,
    /// It sends nothing any more, and ends at this time at the latest.
    Lingering {
        until_ns: u64,
    },
}

#[derive(Debug)]
pub struct Connection {
    socket: OwnedFd,
    origin: Origin,
    token: u64,
    codec: Codec,
    /// Bytes that were read and not used up yet.
    held: Vec<u8>,
    /// Whether `held` means nothing without more bytes.
    hungry: bool,
    output: Output,
    paused_until_ns: Option<u64>,
    stage: Stage,
    readable: bool,
    /// Whether the end of the stream comes behind the bytes that are still to be read.
    end_ahead: bool,
    ended: bool,
    /// Whether both directions are closed, or the connection is broken.
    hung_up: bool,
    requests: u64,
}

impl Connection {
    /// A connection that has just been accepted.
    pub fn new(socket: OwnedFd, origin: Origin, token: u64, protocol: Protocol) -> Self {
        Self {
            socket,
            origin,
            token,
            codec: Codec::new(protocol),
            held: Vec::new(),
            hungry: true,
            output: Output::default(),
            paused_until_ns: None,
            stage: Stage::Reading,
            readable: false,
            end_ahead: false,
            ended: false,
            hung_up: false,
            requests: 0,
        }
    }

    pub fn socket(&self) -> &OwnedFd {
        &self.socket
    }

    /// The token by which the loop knows it.
    pub fn token(&self) -> u64 {
        self.token
    }

    /// Sends an answer before any request.
    pub fn greet(&mut self, context: &mut Context) {
        // The answer belongs to no request: that is the fault. The body of /hello never becomes a stream.
        let _ = self.codec.encode(crate::answer::Route::Hello.answer(0), &context.date, &mut self.output.queue.bytes);
        self.counts(context).faults.count(Fault::Greet);
    }

    /// Takes in what the loop learned about the socket: there is something to read, the peer sends no more, it is over.
    pub fn notice(&mut self, readable: bool, ending: bool, hung_up: bool) {
        self.readable |= readable;
        self.end_ahead |= ending;
        self.hung_up |= hung_up;
    }

    pub fn drive(&mut self, context: &mut Context) -> Fate {
        let lent = self.output.queue.bytes.capacity() == 0;
        if lent {
            std::mem::swap(&mut self.output.queue, &mut context.queue);
        }
        let fate = self.go_on(context);
        if self.output.queue.is_out() && self.output.queue.marks.is_empty() {
            self.output.queue.reset();
            if lent {
                std::mem::swap(&mut self.output.queue, &mut context.queue);
            } else {
                self.output.queue = Default::default();
            }
        }
        fate
    }

    fn go_on(&mut self, context: &mut Context) -> Fate {
        for _ in 0..STEPS_PER_LOOK {
            if let Some(fate) = self.send(context).or_else(|| self.act(context)) {
                return fate;
            }
        }
        Fate::Again
    }

    /// Sends once. `None` if there is nothing to send, or after progress.
    fn send(&mut self, context: &mut Context) -> Option<Fate> {
        if self.output.is_empty() {
            return None;
        }
        if let Some(until_ns) = self.paused_until_ns
            && self.output.queue.is_out()
        {
            if clock::monotonic_ns() < until_ns {
                return if self.hung_up { Some(self.lose(context)) } else { Some(Fate::Waits) };
            }
            self.paused_until_ns = None;
        }
        match self.output.step(self.socket.as_fd()) {
            Sent::Some(bytes) => {
                self.counts(context).sent_bytes += bytes as u64;
                self.settle(context);
                None
            }
            Sent::All => None,
            Sent::Pause(time_ns) => {
                let until_ns = clock::monotonic_ns() + time_ns;
                self.paused_until_ns = Some(until_ns);
                context.timers.push(until_ns, self.token);
                None
            }
            Sent::Blocked => Some(if self.hung_up { self.lose(context) } else { Fate::WaitsForRoom }),
            Sent::Broken => Some(self.lose(context)),
        }
    }

    /// Does what comes once everything is sent. `None` after progress.
    fn act(&mut self, context: &mut Context) -> Option<Fate> {
        if !self.output.is_empty() {
            return None;
        }
        match &self.stage {
            Stage::Reading => self.read(context),
            Stage::Delayed { until_ns, .. } => {
                if clock::monotonic_ns() < *until_ns {
                    return self.wait(context);
                }
                if let Stage::Delayed { arrival_ns, request, .. } = std::mem::replace(&mut self.stage, Stage::Reading) {
                    self.answer(context, *request, arrival_ns);
                }
                None
            }
            Stage::Ending(ending) => self.end(*ending, context),
            Stage::HalfClosing => {
                // The connection may be gone already; then there is nothing to shut down.
                let _ = shutdown(&self.socket, Shutdown::Write);
                self.stage = Stage::Silent;
                None
            }
            Stage::Silent => self.wait(context),
            Stage::Lingering { until_ns } if clock::monotonic_ns() >= *until_ns => Some(Fate::Over),
            Stage::Lingering { .. } => self.discard(context),
        }
    }

    fn end(&mut self, ending: Ending, context: &mut Context) -> Option<Fate> {
        if ending == Ending::Reset {
            if self.origin.tcp {
                // Without it the connection would end in order, which is another fault: a short body.
                let _ = rustix::net::sockopt::set_socket_linger(&self.socket, Some(Duration::ZERO));
            }
            return Some(Fate::Over);
        }
        if self.hung_up || self.ended || (!self.readable && self.held.is_empty()) {
            return Some(Fate::Over);
        }
        // Closing with unread bytes would reset the connection, and the answer would be lost.
        let _ = shutdown(&self.socket, Shutdown::Write);
        let until_ns = clock::monotonic_ns() + LINGER_NS;
        self.stage = Stage::Lingering { until_ns };
        context.timers.push(until_ns, self.token);
        None
    }

    fn lose(&mut self, context: &mut Context) -> Fate {
        self.give_up(context, Outcome::Lost);
        Fate::Over
    }
}
