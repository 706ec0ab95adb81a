//! One connection: reads, waits, answers, ends. Everything that happens to it is a call of [`Connection::drive`], which goes on as far as it can.

use super::context::Context;
use super::output::{Mark, Output, Sent};
use crate::answer::{Answer, Ending, Extent, Fault, Request, fault};
use crate::clock;
use crate::link::Protocol;
use crate::log::{Counts, Outcome, Row, requests::NEVER};
use crate::wire::{Step, Wire};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{RecvFlags, Shutdown, recv, shutdown};
use std::time::Duration;

/// No more requests are understood while so much waits to be sent: a client that does not read gets no more.
const MOST_QUEUED: usize = 64 << 10;
/// System calls of one look; then the others have their turn.
const STEPS_PER_LOOK: u32 = 64;
/// How long a connection that ends too early for its client is kept, so that the client gets to read why.
const LINGER_NS: u64 = 1_000_000_000;
/// Capacity that an idle connection may keep.
const KEPT_CAPACITY: usize = 4096;

/// What the loop does with a connection after a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Waits for an event or a moment.
    Waits,
    /// As `Waits`, and its socket was full: it also wants to know when there is room.
    WaitsForRoom,
    /// Has more to do at once.
    Again,
    /// Over: to be dropped.
    Over,
}

/// How it came to a connection, as far as rows and counts ask.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// Index of its listener.
    pub listener: u16,
    /// Number of the connection.
    pub number: u32,
    /// Whether it is TCP.
    pub tcp: bool,
}

#[derive(Debug)]
enum Stage {
    Reading,
    /// A request waits for its scripted delay to pass.
    Delayed {
        until_ns: u64,
        arrival_ns: u64,
        request: Box<Request>,
    },
    /// Ends like this once everything is sent.
    Ending(Ending),
    /// Shuts down its sending side once everything is sent.
    HalfClosing,
    /// Says nothing any more.
    Silent,
    /// Says nothing any more, and ends at this moment at the latest.
    Lingering {
        until_ns: u64,
    },
}

/// See the module.
#[derive(Debug)]
pub struct Connection {
    socket: OwnedFd,
    origin: Origin,
    token: u64,
    wire: Wire,
    /// Read, and not yet understood.
    held: Vec<u8>,
    /// `held` means nothing without more bytes.
    hungry: bool,
    output: Output,
    paused_until_ns: Option<u64>,
    stage: Stage,
    readable: bool,
    ended: bool,
    /// Both directions are closed, or the connection is broken.
    hung_up: bool,
    requests: u64,
}

impl Connection {
    /// A connection that has just been accepted.
    pub fn new(socket: OwnedFd, origin: Origin, token: u64, protocol: Protocol) -> Self {
        Connection {
            socket,
            origin,
            token,
            wire: Wire::new(protocol),
            held: Vec::new(),
            hungry: true,
            output: Output::default(),
            paused_until_ns: None,
            stage: Stage::Reading,
            readable: false,
            ended: false,
            hung_up: false,
            requests: 0,
        }
    }

    /// Its socket.
    pub fn socket(&self) -> &OwnedFd {
        &self.socket
    }

    /// The name by which the loop knows it.
    pub fn token(&self) -> u64 {
        self.token
    }

    /// Says hello before anything was asked.
    pub fn greet(&mut self, context: &mut Context) {
        // Encoded as an answer to request 0, or to one that never was: that is the fault. The body of /hello never becomes a stream.
        let _ = self.wire.encode(
            crate::answer::Route::Hello.answer(0),
            &context.date,
            &mut self.output.queue.bytes,
        );
        self.counts(context).faults.count(Fault::Greet);
    }

    /// What the loop was told about the socket.
    pub fn notice(&mut self, readable: bool, hung_up: bool) {
        self.readable |= readable;
        self.hung_up |= hung_up;
    }

    /// Goes on as far as it can.
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

    /// One step of sending; `None` once there is nothing to send, or after progress.
    fn send(&mut self, context: &mut Context) -> Option<Fate> {
        if self.output.is_empty() {
            return None;
        }
        if let Some(until_ns) = self.paused_until_ns
            && self.output.queue.is_out()
        {
            if clock::monotonic_ns() < until_ns {
                return if self.hung_up {
                    Some(self.lose(context))
                } else {
                    Some(Fate::Waits)
                };
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
            Sent::Blocked => Some(if self.hung_up {
                self.lose(context)
            } else {
                Fate::WaitsForRoom
            }),
            Sent::Broken => Some(self.lose(context)),
        }
    }

    /// What comes once everything is sent; `None` after progress.
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
                if let Stage::Delayed {
                    arrival_ns,
                    request,
                    ..
                } = std::mem::replace(&mut self.stage, Stage::Reading)
                {
                    self.answer(context, *request, arrival_ns);
                }
                None
            }
            Stage::Ending(ending) => self.end(*ending, context),
            Stage::HalfClosing => {
                // It may be gone already; then there is nothing to shut down.
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
                // Without it the end is in order, which a client takes for a short body as well.
                let _ = rustix::net::sockopt::set_socket_linger(&self.socket, Some(Duration::ZERO));
            }
            return Some(Fate::Over);
        }
        if self.hung_up || self.ended || (!self.readable && self.held.is_empty()) {
            return Some(Fate::Over);
        }
        // Closing with bytes unread would reset the connection and take the answer with it.
        let _ = shutdown(&self.socket, Shutdown::Write);
        let until_ns = clock::monotonic_ns() + LINGER_NS;
        self.stage = Stage::Lingering { until_ns };
        context.timers.push(until_ns, self.token);
        None
    }

    /// Understands what is held, or reads; `None` after progress.
    fn read(&mut self, context: &mut Context) -> Option<Fate> {
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
                    // A short read has emptied the socket (epoll(7)); after a hang-up the end is still to be read.
                    self.readable = count == input.len() || self.hung_up;
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
    fn wait(&mut self, context: &mut Context) -> Option<Fate> {
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
            if let Stage::Delayed { arrival_ns, .. } =
                std::mem::replace(&mut self.stage, Stage::Reading)
            {
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
    fn discard(&mut self, context: &mut Context) -> Option<Fate> {
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
            let (used, step) =
                self.wire
                    .advance(&bytes[at..], &context.date, &mut self.output.queue.bytes);
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

    fn arrived(&mut self, context: &mut Context, request: Request) {
        let counts = self.counts(context);
        counts.requests_received += 1;
        counts.body_bytes_in += request.body_bytes;
        self.requests += 1;
        let delay = request.script.delay;
        let arrival_ns = if delay.is_some() || context.requests.is_some() {
            clock::monotonic_ns()
        } else {
            0
        };
        match delay.map(|delay| delay.draw(&mut context.random)) {
            Some(delay_ns) => {
                let until_ns = arrival_ns + delay_ns;
                context.timers.push(until_ns, self.token);
                self.stage = Stage::Delayed {
                    until_ns,
                    arrival_ns,
                    request: Box::new(request),
                };
            }
            None => self.answer(context, request, arrival_ns),
        }
    }

    fn answer(&mut self, context: &mut Context, request: Request, arrival_ns: u64) {
        let script = request.script;
        context.settings.work.burn_ns(script.work_ns);
        context.owed_ns += script.work_after_ns;
        let mut answer = Answer::to(&request);
        if context
            .settings
            .requests_per_connection
            .is_some_and(|most| self.requests >= most)
        {
            answer.close_announced();
        }
        let mut fault = script
            .fault
            .filter(|fault| context.fault_hits(*fault, script.every));
        let outcome = match fault {
            None => fault::Outcome::Answer(answer),
            Some(kind) => {
                let (outcome, done) = kind.apply(answer, self.wire.protocol(), script.pause_ns);
                fault = fault.filter(|_| done);
                outcome
            }
        };
        let answer = match outcome {
            fault::Outcome::Answer(answer) => answer,
            withheld => {
                self.stage = if withheld == fault::Outcome::Hang {
                    Stage::Silent
                } else {
                    Stage::HalfClosing
                };
                if let Some(kind) = fault {
                    self.counts(context).faults.count(kind);
                }
                return self.lost(context, arrival_ns, fault, Outcome::Withheld);
            }
        };
        if answer.ending != Ending::KeepAlive {
            self.stage = Stage::Ending(answer.ending);
        }
        let cut = matches!(answer.extent, Extent::Half | Extent::HalfHead)
            && (self.wire.protocol() == Protocol::Http || answer.ending == Ending::Reset);
        let mut mark = Mark {
            end: 0,
            arrival_ns,
            fault,
            body_bytes: answer.body_bytes(),
            cut,
        };
        match self
            .wire
            .encode(answer, &context.date, &mut self.output.queue.bytes)
        {
            Some(stream) => self.output.stream = Some(Box::new((stream, mark))),
            None => {
                mark.end = self.output.queue.bytes.len();
                self.output.queue.marks.push(mark);
            }
        }
    }

    /// Counts the answers that are out.
    fn settle(&mut self, context: &mut Context) {
        let mut now_ns = None;
        while let Some(mark) = self.output.completed() {
            let counts = self.counts(context);
            if mark.cut {
                counts.answers_cut += 1;
            } else {
                counts.answers_sent += 1;
            }
            counts.body_bytes_out += mark.body_bytes;
            if let Some(fault) = mark.fault {
                counts.faults.count(fault);
            }
            let outcome = if mark.cut {
                Outcome::Cut
            } else {
                Outcome::Sent
            };
            if context.requests.is_some() {
                let sent_ns = *now_ns.get_or_insert_with(clock::monotonic_ns);
                self.row(context, mark.arrival_ns, sent_ns, mark.fault, outcome);
            }
        }
    }

    fn lose(&mut self, context: &mut Context) -> Fate {
        self.give_up(context, Outcome::Lost);
        Fate::Over
    }

    /// Accounts for the requests that will have no answer.
    pub fn give_up(&mut self, context: &mut Context, outcome: Outcome) {
        for mark in self.output.unsent() {
            self.lost(context, mark.arrival_ns, mark.fault, outcome);
        }
        if let Stage::Delayed { arrival_ns, .. } = std::mem::replace(&mut self.stage, Stage::Silent)
        {
            self.lost(context, arrival_ns, None, outcome);
        }
    }

    fn lost(&self, context: &mut Context, arrival_ns: u64, fault: Option<Fault>, outcome: Outcome) {
        let counts = self.counts(context);
        match outcome {
            Outcome::Withheld => counts.answers_withheld += 1,
            Outcome::InFlight => counts.answers_in_flight += 1,
            _ => counts.answers_lost += 1,
        }
        self.row(context, arrival_ns, NEVER, fault, outcome);
    }

    fn row(
        &self,
        context: &mut Context,
        arrival_ns: u64,
        sent_ns: u64,
        fault: Option<Fault>,
        outcome: Outcome,
    ) {
        if let Some(requests) = &mut context.requests {
            let Origin {
                listener, number, ..
            } = self.origin;
            requests.push(Row {
                arrival_ns,
                sent_ns,
                connection: number,
                listener,
                outcome,
                fault,
            });
        }
    }

    fn counts<'a>(&self, context: &'a mut Context) -> &'a mut Counts {
        &mut context.counts[usize::from(self.origin.listener)]
    }
}

enum Received {
    Bytes(usize),
    Nothing,
    End,
}
