//! The connections of one arm on one thread: what to do when something happened on one of them.
//!
//! No sockets here. The backend tells what came, and does what [`Next`] says; all times are the arm's own clock.

mod agenda;
mod asked;
mod idle;

use self::agenda::{Agenda, Mode};
use self::asked::{Asked, Upload};
use self::idle::Idle;
use crate::asks::Asks;
use crate::check::{Correct, Progress};
use crate::io::{Handler, IoFailure, MessageId, Next, Outgoing, Slot};
use crate::recorder::{ErrorKind, LATE_NS, Recorder};
use crate::schedule::Schedule;
use crate::wire::{Event, Reader};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// So many connections are being opened at once at most: listen queues are as short as 128 places.
const CONNECTING_MOST: u32 = 64;
/// How long a connection waits before it is opened again after its first error; doubled with each further one.
const BACKOFF_LEAST_NS: u64 = 1_000_000;
/// The longest such wait.
const BACKOFF_MOST_NS: u64 = 1_000_000_000;
/// Where a listen queue is full (Unix sockets say so), the connection is tried again after this.
const QUEUE_FULL_NS: u64 = 1_000_000;
/// Where so much of a body is still to come and only its length matters, it need not be received.
const SKIPPED_BYTES_LEAST: u64 = 16_384;
/// Time-outs are looked for this often, or less often where they are long.
const TICK_LEAST_NS: u64 = 1_000_000;
const TICK_MOST_NS: u64 = 100_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Closed,
    Connecting,
    /// The socket is open; TLS is not yet.
    Handshaking,
    Idle,
    InFlight,
}

/// Servers that know nothing of `Expect: 100-continue` say nothing: then the body is sent all the same.
const CONTINUE_NS: u64 = 1_000_000_000;

#[derive(Debug)]
struct Connection {
    response: Reader,
    progress: Progress,
    state: State,
    /// When its state began: for a request in flight, when it was sent.
    since_ns: u64,
    /// When the request in flight was meant to be sent.
    intended_ns: u64,
    failures: u32,
    was_open: bool,
    status_is_right: bool,
    closes: bool,
    /// Which request is in flight.
    asked: u16,
    upload: Upload,
    /// What is to be sent.
    message: MessageId,
    /// How many requests this connection may still send.
    requests_left: u32,
}

impl Connection {
    /// What is left of an answer need not be kept if only its length matters, or its status was wrong.
    fn skippable(&self) -> Next {
        match self.response.rest() {
            Some(rest)
                if rest >= SKIPPED_BYTES_LEAST && (!self.status_is_right || self.progress.reads_length_only()) =>
            {
                Next::Skip(rest)
            }
            _ => Next::Nothing,
        }
    }
}

/// The connections of one arm on one thread, and their accounts.
#[derive(Debug)]
pub struct Client<S> {
    agenda: Agenda<S>,
    /// Whether requests are due at times of their own. Then a connection that is free waits for [`Client::send_due`].
    is_open_loop: bool,
    idle: Idle,
    asks: Asks,
    asked: Box<[Asked]>,
    /// How many requests were sent: says which one of `asks` is next.
    count: u64,
    /// The accounts.
    pub recorder: Recorder,
    connections: Vec<Connection>,
    /// Connections whose server has not said 100 Continue in time.
    to_continue: Vec<Slot>,
    /// Connections to open, by when.
    closed: BinaryHeap<Reverse<(u64, Slot)>>,
    connecting: u32,
    established: u32,
    were_open: u32,
    in_flight: u32,
    timeout_ns: u64,
    now_ns: u64,
    monotonic_ns: u64,
    /// What CLOCK_MONOTONIC is ahead of the arm's clock.
    offset_ns: u64,
    next_tick_ns: u64,
    /// Bytes on connections without a request in flight.
    unasked_bytes: u64,
}

impl<S: Schedule> Client<S> {
    /// A client whose connections are all closed, and due to be opened.
    pub fn new(schedule: S, asks: Asks, connections: u32, timeout_ns: u64) -> Self {
        let connection = || Connection {
            response: Reader::new(asks.wire),
            progress: Progress::default(),
            state: State::Closed,
            since_ns: 0,
            intended_ns: 0,
            failures: 0,
            was_open: false,
            status_is_right: false,
            closes: false,
            asked: 0,
            upload: Upload::Done,
            message: 0,
            requests_left: 0,
        };
        let asked = asks.list().iter().map(Asked::new).collect();
        let mut closed = BinaryHeap::with_capacity(connections as usize);
        closed.extend((0..connections).map(|slot| Reverse((0, slot))));
        let is_open_loop = schedule.is_open();
        Self {
            agenda: Agenda::new(schedule),
            is_open_loop,
            idle: Idle::new(connections),
            asked,
            count: 0,
            recorder: Recorder::new(is_open_loop),
            connections: (0..connections).map(|_| connection()).collect(),
            asks,
            to_continue: Vec::new(),
            closed,
            connecting: 0,
            established: 0,
            were_open: 0,
            in_flight: 0,
            timeout_ns,
            now_ns: 0,
            monotonic_ns: 0,
            offset_ns: 0,
            next_tick_ns: 0,
            unasked_bytes: 0,
        }
    }

    /// Sets how far CLOCK_MONOTONIC is ahead of the arm's clock, which stood still since the last call.
    pub fn set_offset(&mut self, offset_ns: u64) {
        self.offset_ns = offset_ns;
    }

    /// Sends what is due before `end_ns` from now on. The schedule began at `zero_ns`; both times are the arm's.
    pub fn load(&mut self, zero_ns: u64, end_ns: u64) {
        self.agenda.load(zero_ns, end_ns);
    }

    /// Begins another schedule, at this time of the arm's clock.
    pub fn restart(&mut self, schedule: S, zero_ns: u64) {
        self.agenda = Agenda::new(schedule);
        self.count = 0;
        self.agenda.load(zero_ns, u64::MAX);
    }

    /// Only opens connections for the time being.
    pub fn open_only(&mut self) {
        self.agenda.pause(Mode::Opening);
    }

    /// Sends nothing more: what is in flight may still be answered, what was due in an open loop never will be.
    pub fn drain(&mut self) {
        if self.agenda.mode() == Mode::Loading {
            let recorder = &mut self.recorder;
            self.agenda.close(self.now_ns, |age_ns| recorder.not_sent(age_ns));
        }
        self.agenda.pause(Mode::Draining);
    }

    /// Whether requests are due at times of their own.
    #[inline]
    pub fn is_open_loop(&self) -> bool {
        self.is_open_loop
    }

    /// When [`Client::send_due`] has something to send next, CLOCK_MONOTONIC; `u64::MAX` while no connection is free.
    #[inline]
    pub fn next_send_ns(&self) -> u64 {
        match self.idle.first() {
            Some(_) => self.agenda.next_ns().saturating_add(self.offset_ns),
            None => u64::MAX,
        }
    }

    /// The connection for the next request of an open loop, if one is due and a connection is free.
    #[inline]
    pub fn send_due(&mut self) -> Option<Slot> {
        let slot = self.idle.first()?;
        let intended_ns = self.agenda.take(self.now_ns)?;
        let free_since_ns = self.connections[slot as usize].since_ns;
        let is_late = self.now_ns - intended_ns.max(free_since_ns).min(self.now_ns) > LATE_NS;
        self.idle.remove(slot);
        self.begin(slot, intended_ns, is_late);
        Some(slot)
    }

    /// Requests that are due and wait for a free connection.
    pub fn waiting(&mut self) -> u64 {
        if self.is_open_loop { self.agenda.waiting(self.now_ns) } else { 0 }
    }

    /// The clock reading of the last batch, CLOCK_MONOTONIC.
    #[inline]
    pub fn monotonic_ns(&self) -> u64 {
        self.monotonic_ns
    }

    /// When [`Client::tick`] or [`Client::to_open`] have something to do next, CLOCK_MONOTONIC.
    #[inline]
    pub fn next_duty_ns(&self) -> u64 {
        let open = match self.closed.peek() {
            Some(Reverse((due, _))) if self.connecting < CONNECTING_MOST && !self.has_ended() => *due,
            _ => u64::MAX,
        };
        self.next_tick_ns.min(open).saturating_add(self.offset_ns)
    }

    /// Whether every connection that the schedule could use has been open.
    pub fn is_connected(&self) -> bool {
        self.were_open as usize == self.connections.len() || self.has_ended()
    }

    /// Connections that are open.
    pub fn established(&self) -> u32 {
        self.established
    }

    /// Requests that are in flight.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Bytes that came where no request was in flight.
    pub fn unasked_bytes(&self) -> u64 {
        self.unasked_bytes
    }

    /// Whether all that was to be done is: every connection open, or every request sent and its result known.
    #[inline]
    pub fn is_finished(&self) -> bool {
        match self.agenda.mode() {
            Mode::Opening => self.established as usize == self.connections.len(),
            Mode::Loading | Mode::Draining => self.in_flight == 0 && self.has_ended(),
        }
    }

    #[inline]
    fn has_ended(&self) -> bool {
        self.agenda.has_ended()
    }

    /// The next connection that is due to be opened.
    pub fn to_open(&mut self) -> Option<Slot> {
        let &Reverse((due, slot)) = self.closed.peek()?;
        if due > self.now_ns || self.connecting >= CONNECTING_MOST || self.has_ended() {
            return None;
        }
        self.closed.pop();
        let connection = &mut self.connections[slot as usize];
        connection.state = State::Connecting;
        connection.since_ns = self.now_ns;
        self.connecting += 1;
        Some(slot)
    }

    /// The server's queue of new connections is full: not an error, it is tried again a little later.
    pub fn queue_full(&mut self, slot: Slot) {
        self.leave(slot);
        self.closed.push(Reverse((self.now_ns + QUEUE_FULL_NS, slot)));
    }

    /// Calls `close` with every connection that has waited too long.
    pub fn tick(&mut self, mut close: impl FnMut(Slot)) {
        if self.now_ns < self.next_tick_ns {
            return;
        }
        self.next_tick_ns = self.now_ns + (self.timeout_ns / 16).clamp(TICK_LEAST_NS, TICK_MOST_NS);
        for slot in 0..self.connections.len() {
            let Connection { state, since_ns, upload, .. } = self.connections[slot];
            let kind = match state {
                State::InFlight => ErrorKind::Timeout,
                State::Connecting => ErrorKind::Connect,
                State::Handshaking => ErrorKind::Tls,
                State::Idle | State::Closed => continue,
            };
            if self.now_ns.saturating_sub(since_ns) >= self.timeout_ns {
                // Slots are numbered in 32 bits.
                let slot = slot as Slot;
                // A failure always closes the connection.
                let _ = self.fail(slot, kind);
                close(slot);
            } else if let Upload::Waits(body) = upload
                && state == State::InFlight
                && self.now_ns.saturating_sub(since_ns) >= CONTINUE_NS
            {
                self.send_body(slot, body);
                self.to_continue.push(slot as Slot);
            }
        }
    }

    /// The next connection that sends its body though the server has not asked for it.
    pub fn to_continue(&mut self) -> Option<Slot> {
        self.to_continue.pop()
    }

    /// The body is what is sent next.
    fn send_body(&mut self, slot: usize, body: MessageId) {
        let connection = &mut self.connections[slot];
        connection.message = body;
        connection.upload = Upload::of_body(&self.asks.messages[body as usize]);
    }

    /// Enters the ages of the requests in flight.
    pub fn record_ages(&mut self) {
        for connection in self.connections.iter().filter(|connection| connection.state == State::InFlight) {
            let age_ns = |since_ns: u64| self.now_ns.saturating_sub(since_ns);
            self.recorder.unanswered(age_ns(connection.since_ns), age_ns(connection.intended_ns));
        }
    }

    /// A connection is free: in the closed loop it takes the next request, in an open loop it waits to be given one.
    #[inline]
    fn free(&mut self, slot: Slot) -> Next {
        if !self.is_open_loop
            && let Some(intended_ns) = self.agenda.take(self.now_ns)
        {
            self.begin(slot, intended_ns, false);
            return Next::Send;
        }
        let connection = &mut self.connections[slot as usize];
        connection.state = State::Idle;
        connection.since_ns = self.now_ns;
        self.idle.push(slot);
        Next::Nothing
    }

    /// A request is sent.
    #[inline]
    fn begin(&mut self, slot: Slot, intended_ns: u64, is_late: bool) {
        self.recorder.sent(self.now_ns, self.now_ns.saturating_sub(intended_ns), is_late);
        self.in_flight += 1;
        let number = self.asks.at(self.count);
        self.count += 1;
        let asked = &self.asked[usize::from(number)];
        let connection = &mut self.connections[slot as usize];
        connection.requests_left -= 1;
        let sending = if connection.requests_left == 0 { asked.last } else { asked.kept };
        connection.asked = number;
        connection.message = sending.first;
        connection.upload = Upload::of(sending);
        connection.response.begin(asked.to_head);
        connection.state = State::InFlight;
        connection.since_ns = self.now_ns;
        connection.intended_ns = intended_ns;
    }

    /// Its answer is counted: the connection takes the next request, if it still may. A request whose end has not left,
    /// because the answer came early, would be in the way of the next.
    #[inline]
    fn free_or_reconnect(&mut self, slot: Slot) -> Next {
        let connection = &self.connections[slot as usize];
        if connection.requests_left == 0 || connection.upload != Upload::Done {
            return self.reconnect(slot);
        }
        self.free(slot)
    }

    #[inline]
    fn correct(&mut self, slot: Slot, correct: Correct) {
        let connection = &mut self.connections[slot as usize];
        connection.failures = 0;
        self.in_flight -= 1;
        self.recorder.counts.compared += u64::from(correct == Correct::Compared);
        // A thread that left the last slice late has read a clock that the arm's has yet to reach.
        let since = |ns: u64| self.now_ns.saturating_sub(ns);
        self.recorder.answer(since(connection.since_ns), since(connection.intended_ns));
    }

    /// Reads an answer that is not the last one's copy.
    fn read(&mut self, slot: Slot, bytes: &[u8]) -> Next {
        let connection = &mut self.connections[slot as usize];
        let check = &mut self.asked[usize::from(connection.asked)].check;
        let whole = connection.response.is_at_start();
        let mut input = bytes;
        let mut go_on = None;
        loop {
            match connection.response.next(&mut input) {
                Ok(Event::Interim(status)) => {
                    if let (100, Upload::Waits(body)) = (status, connection.upload) {
                        go_on = Some(body);
                    }
                }
                Ok(Event::Head(head)) => {
                    connection.status_is_right = check.status(head.status);
                    connection.closes = head.closes;
                    if connection.status_is_right {
                        check.begin(&mut connection.progress);
                    }
                }
                Ok(Event::Body(body)) if connection.status_is_right => check.body(&mut connection.progress, body),
                Ok(Event::Body(_)) => {}
                Ok(Event::More) => {
                    return match go_on {
                        Some(body) => {
                            self.send_body(slot as usize, body);
                            Next::Send
                        }
                        None => connection.skippable(),
                    };
                }
                Ok(Event::End) => break,
                Err(_) => return self.fail(slot, ErrorKind::Protocol),
            }
        }
        if !input.is_empty() {
            return self.fail(slot, ErrorKind::Protocol);
        }
        let correct = self.complete(slot);
        if self.connections[slot as usize].closes {
            return self.reconnect(slot);
        }
        if correct == Some(Correct::Compared) && whole {
            let asked = usize::from(self.connections[slot as usize].asked);
            let last_correct = &mut self.asked[asked].last_correct;
            last_correct.clear();
            last_correct.extend_from_slice(bytes);
        }
        self.free_or_reconnect(slot)
    }

    /// An answer is complete: it is judged and counted. The connection is in step with the server in any case.
    fn complete(&mut self, slot: Slot) -> Option<Correct> {
        let connection = &mut self.connections[slot as usize];
        let check = &mut self.asked[usize::from(connection.asked)].check;
        let judged =
            if connection.status_is_right { check.end(&mut connection.progress) } else { Err(ErrorKind::Status) };
        match judged {
            Ok(correct) => {
                self.correct(slot, correct);
                Some(correct)
            }
            Err(kind) => {
                self.in_flight -= 1;
                self.recorder.counts.errors.add(kind);
                None
            }
        }
    }

    /// The server closes the connection, as it is free to do between answers. One that does so again and again without
    /// answering is given time.
    fn reconnect(&mut self, slot: Slot) -> Next {
        let connection = &mut self.connections[slot as usize];
        let wait_ns = match connection.state {
            // Its answer is complete.
            State::InFlight => {
                connection.state = State::Closed;
                self.established -= 1;
                0
            }
            _ if connection.failures == 0 => 0,
            _ => backoff_ns(connection.failures - 1),
        };
        if wait_ns > 0 || connection.state == State::Idle {
            connection.failures += 1;
        }
        self.leave(slot);
        self.recorder.counts.reconnects += 1;
        self.closed.push(Reverse((self.now_ns + wait_ns, slot)));
        Next::Close
    }

    /// An error ends the request, if one was in flight, and the connection; it is opened again after a while.
    #[cold]
    fn fail(&mut self, slot: Slot, kind: ErrorKind) -> Next {
        if kind == ErrorKind::Timeout {
            let Connection { since_ns, intended_ns, .. } = self.connections[slot as usize];
            let age_ns = |since_ns: u64| self.now_ns.saturating_sub(since_ns);
            self.recorder.unanswered(age_ns(since_ns), age_ns(intended_ns));
        }
        self.leave(slot);
        self.recorder.counts.errors.add(kind);
        let connection = &mut self.connections[slot as usize];
        let wait_ns = backoff_ns(connection.failures);
        connection.failures += 1;
        self.closed.push(Reverse((self.now_ns + wait_ns, slot)));
        Next::Close
    }

    /// Whether the connection has sent nothing yet.
    fn is_unused(&self, slot: Slot) -> bool {
        self.connections[slot as usize].requests_left == self.asks.requests_per_connection.unwrap_or(u32::MAX)
    }

    /// Whether the request in flight is the first of its connection, and nothing of its answer has come.
    fn is_unproven(&self, slot: Slot) -> bool {
        let Connection { requests_left, response, .. } = &self.connections[slot as usize];
        let most = self.asks.requests_per_connection.unwrap_or(u32::MAX);
        *requests_left == most - 1 && response.is_at_start()
    }

    /// The request in flight counts as not sent. In TLS 1.3 a client has sent its first request before it can know that the
    /// server refuses the connection (for want of a client certificate, say).
    fn take_back(&mut self, slot: Slot) {
        let Connection { since_ns, intended_ns, .. } = self.connections[slot as usize];
        self.leave(slot);
        self.count = self.count.saturating_sub(1);
        self.recorder.take_back(since_ns.saturating_sub(intended_ns));
        if self.is_open_loop {
            self.recorder.not_sent(self.now_ns.saturating_sub(intended_ns));
        } else {
            self.agenda.give_back();
        }
    }

    /// Takes a connection out of the counts of its state.
    fn leave(&mut self, slot: Slot) {
        match std::mem::replace(&mut self.connections[slot as usize].state, State::Closed) {
            State::Closed => {}
            State::Connecting | State::Handshaking => self.connecting -= 1,
            State::Idle => {
                self.established -= 1;
                self.idle.remove(slot);
            }
            State::InFlight => {
                self.established -= 1;
                self.in_flight -= 1;
            }
        }
    }
}

/// How long a connection waits before it is opened again after so many failures.
fn backoff_ns(failures: u32) -> u64 {
    BACKOFF_LEAST_NS.saturating_mul(1 << failures.min(16)).min(BACKOFF_MOST_NS)
}

impl<S: Schedule> Handler for Client<S> {
    #[inline]
    fn batch(&mut self, monotonic_ns: u64) {
        self.monotonic_ns = monotonic_ns;
        self.now_ns = monotonic_ns.saturating_sub(self.offset_ns);
    }

    fn connected(&mut self, slot: Slot) -> Next {
        self.connecting -= 1;
        self.established += 1;
        self.recorder.counts.opened += 1;
        if !std::mem::replace(&mut self.connections[slot as usize].was_open, true) {
            self.were_open += 1;
        }
        self.connections[slot as usize].requests_left = self.asks.requests_per_connection.unwrap_or(u32::MAX);
        self.free(slot)
    }

    #[inline]
    fn outgoing(&mut self, slot: Slot) -> Outgoing {
        Outgoing::Message(self.connections[slot as usize].message)
    }

    fn sent(&mut self, slot: Slot) -> Next {
        let upload = &mut self.connections[slot as usize].upload;
        if *upload == Upload::UnderWay {
            *upload = Upload::Done;
        }
        Next::Nothing
    }

    #[inline]
    fn received(&mut self, slot: Slot, bytes: &[u8]) -> Next {
        self.recorder.counts.received_bytes += bytes.len() as u64;
        let connection = &self.connections[slot as usize];
        if connection.state != State::InFlight {
            self.unasked_bytes += bytes.len() as u64;
            return self.reconnect(slot);
        }
        if bytes == self.asked[usize::from(connection.asked)].last_correct && connection.response.is_at_start() {
            self.correct(slot, Correct::Compared);
            return self.free_or_reconnect(slot);
        }
        self.read(slot, bytes)
    }

    fn skipped(&mut self, slot: Slot, bytes: u64) -> Next {
        self.recorder.counts.received_bytes += bytes;
        let connection = &mut self.connections[slot as usize];
        connection.progress.skipped(bytes);
        if !connection.response.skipped(bytes) {
            return connection.skippable();
        }
        self.complete(slot);
        if self.connections[slot as usize].closes { self.reconnect(slot) } else { self.free_or_reconnect(slot) }
    }

    fn premature(&mut self, slot: Slot, bytes: &[u8]) -> Next {
        self.recorder.counts.received_bytes += bytes.len() as u64;
        self.fail(slot, ErrorKind::Protocol)
    }

    fn handshaking(&mut self, slot: Slot) {
        let connection = &mut self.connections[slot as usize];
        connection.state = State::Handshaking;
        connection.since_ns = self.now_ns;
    }

    fn secured(&mut self, slot: Slot, resumed: bool) {
        let since_ns = self.connections[slot as usize].since_ns;
        self.recorder.handshakes.add(self.now_ns.saturating_sub(since_ns), resumed);
    }

    fn ended(&mut self, slot: Slot) -> Next {
        let connection = &mut self.connections[slot as usize];
        match connection.state {
            State::InFlight if connection.response.end_of_stream().is_ok() => {
                self.complete(slot);
                self.reconnect(slot)
            }
            State::InFlight => self.fail(slot, ErrorKind::Read),
            State::Connecting => self.fail(slot, ErrorKind::Connect),
            State::Handshaking => self.fail(slot, ErrorKind::Tls),
            State::Idle | State::Closed => self.reconnect(slot),
        }
    }

    fn failed(&mut self, slot: Slot, failure: IoFailure) -> Next {
        self.recorder.counts.ports_exhausted += u64::from(failure == IoFailure::NoLocalPort);
        let kind = match (self.connections[slot as usize].state, failure) {
            (State::Handshaking, _) => ErrorKind::Tls,
            (State::InFlight, IoFailure::Tls) if self.is_unproven(slot) => {
                self.take_back(slot);
                ErrorKind::Tls
            }
            (State::InFlight, IoFailure::Write) => ErrorKind::Write,
            (State::InFlight, _) => ErrorKind::Read,
            // In an open loop a connection may be refused before its first request is due.
            (State::Idle, IoFailure::Tls) if self.is_unused(slot) => ErrorKind::Tls,
            (State::Idle | State::Closed, _) => return self.reconnect(slot),
            (State::Connecting, _) => ErrorKind::Connect,
        };
        self.fail(slot, kind)
    }
}

#[cfg(test)]
mod tests;
