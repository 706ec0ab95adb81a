//! The connections of one arm on one thread: what to do when something happened on one of them.
//!
//! No sockets here. The backend tells what came, and does what [`Next`] says; all times are the arm's own clock.

mod asked;

use crate::asks::Asks;
use crate::check::{Correct, Progress};
use crate::io::{Handler, IoFailure, MessageId, Next, Outgoing, Slot};
use crate::recorder::{ErrorKind, Recorder};
use crate::schedule::{Due, Schedule};
use crate::wire::{Event, Reader};
use asked::{Asked, Upload};
use hdrhistogram::Histogram;
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
    /// When the request was sent or, while connecting, when that began.
    since_ns: u64,
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
    schedule: S,
    /// The number of the next request.
    count: u64,
    draining: bool,
    asks: Asks,
    asked: Box<[Asked]>,
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
        Self {
            schedule,
            count: 0,
            draining: false,
            asked,
            recorder: Recorder::default(),
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

    /// Sends nothing more: what is in flight may still be answered.
    pub fn drain(&mut self) {
        self.draining = true;
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

    /// Bytes that came where no request was in flight.
    pub fn unasked_bytes(&self) -> u64 {
        self.unasked_bytes
    }

    /// Whether the schedule has ended and every request has its result.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.in_flight == 0 && self.has_ended()
    }

    fn has_ended(&self) -> bool {
        self.due() == Due::Never
    }

    /// When the next request is due.
    #[inline]
    fn due(&self) -> Due {
        if self.draining { Due::Never } else { self.schedule.due(self.count) }
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
    pub fn record_ages(&self, ages: &mut Histogram<u64>) {
        let in_flight = self.connections.iter().filter(|connection| connection.state == State::InFlight);
        for connection in in_flight {
            ages.saturating_record(self.now_ns.saturating_sub(connection.since_ns));
        }
    }

    /// A connection is free: the next request, if one is due.
    #[inline]
    fn free(&mut self, slot: Slot) -> Next {
        let due = self.due();
        let connection = &mut self.connections[slot as usize];
        match due {
            Due::WhenFree => {}
            Due::At(due_ns) if due_ns <= self.now_ns => {}
            Due::At(_) | Due::Never => {
                connection.state = State::Idle;
                return Next::Nothing;
            }
        }
        self.count += 1;
        self.recorder.counts.sent += 1;
        self.in_flight += 1;
        let number = self.asks.at(self.count);
        let asked = &self.asked[usize::from(number)];
        connection.requests_left -= 1;
        let sending = if connection.requests_left == 0 { asked.last } else { asked.kept };
        connection.asked = number;
        connection.message = sending.first;
        connection.upload = Upload::of(sending);
        connection.response.begin(asked.to_head);
        connection.state = State::InFlight;
        connection.since_ns = self.now_ns;
        Next::Send
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
        let service_ns = self.now_ns.saturating_sub(connection.since_ns);
        self.recorder.answer(service_ns);
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

    /// The server closes the connection, as it is free to do between answers.
    fn reconnect(&mut self, slot: Slot) -> Next {
        self.connections[slot as usize].state = State::Idle;
        self.leave(slot);
        self.recorder.counts.reconnects += 1;
        self.closed.push(Reverse((self.now_ns, slot)));
        Next::Close
    }

    /// An error ends the request, if one was in flight, and the connection; it is opened again after a while.
    #[cold]
    fn fail(&mut self, slot: Slot, kind: ErrorKind) -> Next {
        self.leave(slot);
        self.recorder.counts.errors.add(kind);
        let connection = &mut self.connections[slot as usize];
        let wait_ns = BACKOFF_LEAST_NS.saturating_mul(1 << connection.failures.min(16)).min(BACKOFF_MOST_NS);
        connection.failures += 1;
        self.closed.push(Reverse((self.now_ns + wait_ns, slot)));
        Next::Close
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
        self.leave(slot);
        self.connections[slot as usize].state = State::Closed;
        self.recorder.counts.sent -= 1;
        self.count -= 1;
    }

    /// Takes a connection out of the counts of its state.
    fn leave(&mut self, slot: Slot) {
        match std::mem::replace(&mut self.connections[slot as usize].state, State::Closed) {
            State::Closed => {}
            State::Connecting | State::Handshaking => self.connecting -= 1,
            State::Idle => self.established -= 1,
            State::InFlight => {
                self.established -= 1;
                self.in_flight -= 1;
            }
        }
    }
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
        let kind = match (self.connections[slot as usize].state, failure) {
            (State::Handshaking, _) => ErrorKind::Tls,
            (State::InFlight, IoFailure::Tls) if self.is_unproven(slot) => {
                self.take_back(slot);
                ErrorKind::Tls
            }
            (State::InFlight, IoFailure::Write) => ErrorKind::Write,
            (State::InFlight, _) => ErrorKind::Read,
            (State::Idle | State::Closed, _) => return self.reconnect(slot),
            (State::Connecting, _) => ErrorKind::Connect,
        };
        self.fail(slot, kind)
    }
}

#[cfg(test)]
mod tests;
