//! How connections are opened, fail, time out and are opened again.

use super::Client;
use super::agenda::Mode;
use super::exchanges::{Exchange, ExchangeId, Upload};
use super::multiplexing::Multiplexing;
use super::pace::MAX_CONNECTING;
use crate::io::{MessageId, Next, Slot};
use crate::recorder::ErrorKind;
use crate::schedule::Schedule;
use crate::wire::{Reader, Wire};
use std::cmp::Reverse;

/// The wait before a connection is opened again after its first error. Each further error doubles it.
pub(super) const MIN_BACKOFF_NS: u64 = 1_000_000;
pub(super) const MAX_BACKOFF_NS: u64 = 1_000_000_000;
/// The wait before a connection is tried again if the listen queue is full (Unix sockets say so).
pub(super) const QUEUE_FULL_NS: u64 = 1_000_000;
/// Time-outs are looked for 16 times per time-out, within these bounds.
const MIN_TICK_NS: u64 = 1_000_000;
const MAX_TICK_NS: u64 = 100_000_000;
/// A server that does not know `Expect: 100-continue` says nothing. Then the body is sent after this wait.
pub(super) const CONTINUE_NS: u64 = 1_000_000_000;
/// From this many remaining bytes on, a body of which only the length matters is skipped, not received.
const MIN_SKIPPED_BYTES: u64 = 16_384;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Closed,
    Connecting,
    /// The socket is open; TLS is not yet.
    Handshaking,
    /// Its exchange is in flight or idle.
    Open,
}

#[derive(Debug)]
pub(super) struct Connection {
    pub(super) state: State,
    /// When it began to connect or to shake hands.
    pub(super) since_ns: u64,
    /// When its socket was first tried, of attempts that nobody counted as errors; `None` while it is open.
    first_tried_ns: Option<u64>,
    /// Errors and closes since its last correct answer.
    pub(super) failures: u32,
    pub(super) was_open: bool,
    /// How many requests this connection may still send; none any more if the server says that it closes.
    pub(super) requests_left: u32,
    /// What it sends next.
    pub(super) message: MessageId,
    /// Reads answers that come one after the other.
    pub(super) response: Reader,
    /// Reads those of HTTP/2; `None` while the connection is closed, and on other wires.
    pub(super) multiplexing: Option<Box<Multiplexing>>,
}

impl Connection {
    /// A connection that is yet to be opened.
    pub(super) fn closed(wire: Wire) -> Self {
        Self {
            state: State::Closed,
            since_ns: 0,
            first_tried_ns: None,
            failures: 0,
            was_open: false,
            requests_left: 0,
            message: 0,
            response: Reader::new(wire),
            multiplexing: None,
        }
    }

    /// For how long its socket has been tried. An attempt that was given up and begun anew is the same try: a server
    /// that takes no connection must not escape the time-out.
    fn trying_ns(&self, now_ns: u64) -> u64 {
        self.first_tried_ns.map_or(0, |since_ns| now_ns.saturating_sub(since_ns))
    }

    /// The socket is open.
    pub(super) fn socket_is_open(&mut self) {
        self.first_tried_ns = None;
    }

    /// Skips the rest of a long answer if only its length matters or its status was wrong.
    pub(super) fn skippable(&self, exchange: &Exchange) -> Next {
        match self.response.rest() {
            Some(rest) if rest >= MIN_SKIPPED_BYTES && !exchange.needs_body() => Next::Skip(rest),
            _ => Next::Nothing,
        }
    }
}

impl<S: Schedule> Client<S> {
    /// Begins to open the next connection that is due.
    pub fn open_next(&mut self) -> Option<Slot> {
        let &Reverse((due_ns, slot)) = self.closed.peek()?;
        if due_ns > self.now_ns || self.has_ended() || !self.may_open() {
            return None;
        }
        self.closed.pop();
        let connection = &mut self.connections[slot as usize];
        connection.state = State::Connecting;
        connection.since_ns = self.now_ns;
        connection.first_tried_ns.get_or_insert(self.now_ns);
        self.connecting += 1;
        if self.agenda.is_opening() {
            self.pace.begin(self.now_ns, slot);
        }
        Some(slot)
    }

    /// Before load, no more connections are opened at once than a listen queue holds. Under load every connection opens
    /// again by itself, as that of a client would: with a limit, as many dropped handshakes hold up all others for a
    /// second or more.
    fn may_open(&self) -> bool {
        let is_paced = self.agenda.is_opening();
        !is_paced || (self.connecting < MAX_CONNECTING && self.pace.permits(self.now_ns))
    }

    /// When [`Client::open_next`] or [`Client::give_up`] have something to do next, on the arm's clock.
    #[inline]
    pub(super) fn next_opening_ns(&self) -> u64 {
        let is_paced = self.agenda.is_opening();
        let give_up_ns = if is_paced { self.pace.next_look_ns() } else { u64::MAX };
        match self.closed.peek() {
            Some(Reverse((due_ns, _))) if (!is_paced || self.connecting < MAX_CONNECTING) && !self.has_ended() => {
                let open_ns = if is_paced { self.pace.next_burst_ns().max(*due_ns) } else { *due_ns };
                give_up_ns.min(open_ns)
            }
            _ => give_up_ns,
        }
    }

    /// Calls `close` with every connection that takes too long to open. It is opened anew.
    pub fn give_up(&mut self, mut close: impl FnMut(Slot)) {
        if !self.agenda.is_opening() {
            return;
        }
        let connections = &self.connections;
        self.pace.forget(|began_ns, slot| {
            let Connection { state, since_ns, .. } = connections[slot as usize];
            state == State::Connecting && since_ns == began_ns
        });
        let mut any = false;
        while let Some(slot) = self.pace.give_up(self.now_ns) {
            any = true;
            self.leave(slot);
            self.open_after(slot, 0);
            close(slot);
        }
        if any {
            self.pace.be_patient();
        }
    }

    /// The server's queue of new connections is full. This is no error before the time-out: the connection is tried
    /// again a little later.
    pub fn queue_full(&mut self, slot: Slot) -> Next {
        if self.connections[slot as usize].trying_ns(self.now_ns) >= self.timeout_ns {
            return self.fail(slot, ErrorKind::Connect);
        }
        self.leave(slot);
        self.open_after(slot, QUEUE_FULL_NS);
        Next::Nothing
    }

    /// Calls `close` with every connection that has waited too long.
    pub fn tick(&mut self, mut close: impl FnMut(Slot)) {
        if self.now_ns < self.next_tick_ns {
            return;
        }
        self.next_tick_ns = self.now_ns + (self.timeout_ns / 16).clamp(MIN_TICK_NS, MAX_TICK_NS);
        // Slots are numbered in 32 bits.
        for slot in 0..self.connections.len() as Slot {
            let connection = &self.connections[slot as usize];
            let Connection { state, since_ns, .. } = connection;
            if self.is_multiplexed && *state == State::Open {
                if self.tick_streams(slot) == Next::Close {
                    close(slot);
                }
                continue;
            }
            let exchange = &self.exchanges[slot as usize];
            let age_ns = |since_ns| self.now_ns.saturating_sub(since_ns);
            let (kind, age_ns, upload) = match state {
                State::Open if exchange.is_in_flight => {
                    (ErrorKind::Timeout, age_ns(exchange.since_ns), exchange.upload)
                }
                State::Connecting => (ErrorKind::Connect, connection.trying_ns(self.now_ns), Upload::Done),
                State::Handshaking => (ErrorKind::Tls, age_ns(*since_ns), Upload::Done),
                State::Open | State::Closed => continue,
            };
            if age_ns >= self.timeout_ns.saturating_add(self.moving_ns(slot, slot)) {
                // A failure always closes the connection.
                let _ = self.fail(slot, kind);
                close(slot);
            } else if let Upload::Waits(body) = upload
                && age_ns >= CONTINUE_NS
            {
                self.send_body(slot, body);
                self.to_send.push(slot);
            }
        }
    }

    /// How long the bytes of an exchange so far take at the pace of slow clients. Of others, no time.
    pub(super) fn moving_ns(&self, slot: Slot, id: ExchangeId) -> u64 {
        let Some(bytes_per_s) = self.bytes_per_s else { return 0 };
        let exchange = &self.exchanges[id as usize];
        // What is still to be sent counts as well: its length is known.
        let request_bytes = if self.is_multiplexed {
            self.requests.http2.body_bytes(exchange.request)
        } else {
            self.requests.messages[self.connections[slot as usize].message as usize].len() as u64
        };
        let bytes = exchange.progress.length() + request_bytes;
        (u128::from(bytes) * 1_000_000_000 / u128::from(bytes_per_s)).try_into().unwrap_or(u64::MAX)
    }

    /// The exchange is over and the connection is of no further use. A new one is opened at once, unless all are being
    /// closed: then it is no reconnect.
    #[inline(never)]
    pub(super) fn replace(&mut self, slot: Slot) -> Next {
        if self.agenda.mode() == Mode::Closing {
            self.leave(slot);
            self.open_after(slot, 0);
            return Next::Close;
        }
        self.reconnect(slot, 0)
    }

    /// The server closed the connection while no request was in flight, as it is free to do. A server that does so
    /// again and again without an answer is given time.
    pub(super) fn closed_by_server(&mut self, slot: Slot) -> Next {
        let connection = &mut self.connections[slot as usize];
        let wait_ns = if connection.failures == 0 { 0 } else { backoff_ns(connection.failures - 1) };
        if wait_ns > 0 || connection.state == State::Open {
            connection.failures += 1;
        }
        self.reconnect(slot, wait_ns)
    }

    pub(super) fn reconnect(&mut self, slot: Slot, wait_ns: u64) -> Next {
        self.leave(slot);
        self.recorder.counts.reconnects += 1;
        self.open_after(slot, wait_ns);
        Next::Close
    }

    /// An error ends the connection, and with it the exchanges in flight. The connection is opened again after a wait.
    #[cold]
    pub(super) fn fail(&mut self, slot: Slot, kind: ErrorKind) -> Next {
        if self.is_multiplexed && kind.after_sending() && !self.is_in_use(slot) {
            // No request fails with it.
            return self.closed_by_server(slot);
        }
        let connection = &mut self.connections[slot as usize];
        let wait_ns = backoff_ns(connection.failures);
        connection.failures += 1;
        connection.first_tried_ns = None;
        let mut is_alone = true;
        for id in self.exchanges_of(slot) {
            let exchange = &self.exchanges[id as usize];
            if exchange.is_in_flight {
                is_alone = false;
                if kind == ErrorKind::Timeout {
                    let (service_ns, response_ns) = exchange.ages_ns(self.now_ns);
                    self.recorder.unanswered(service_ns, response_ns, exchange.account);
                }
                self.recorder.error(kind, Some(exchange.account));
            }
        }
        if is_alone {
            self.recorder.error(kind, None);
        }
        self.leave(slot);
        self.open_after(slot, wait_ns);
        Next::Close
    }

    fn open_after(&mut self, slot: Slot, wait_ns: u64) {
        self.closed.push(Reverse((self.now_ns + wait_ns, slot)));
    }

    /// Calls `close` with every connection that has no request in flight. All of these are opened again.
    pub fn close_idle(&mut self, mut close: impl FnMut(Slot)) {
        // Slots are numbered in 32 bits.
        for slot in 0..self.connections.len() as Slot {
            let is_in_use = self.is_in_use(slot);
            let connection = &mut self.connections[slot as usize];
            if connection.state != State::Closed && !is_in_use {
                connection.first_tried_ns = None;
                self.leave(slot);
                self.open_after(slot, 0);
                close(slot);
            }
        }
    }

    /// Closes a connection in the accounts, and ends its exchanges.
    pub(super) fn leave(&mut self, slot: Slot) {
        let connection = &mut self.connections[slot as usize];
        match std::mem::replace(&mut connection.state, State::Closed) {
            State::Closed => {}
            State::Connecting | State::Handshaking => self.connecting -= 1,
            State::Open => {
                connection.multiplexing = None;
                self.established -= 1;
                for id in self.exchanges_of(slot) {
                    if std::mem::take(&mut self.exchanges[id as usize].is_in_flight) {
                        self.in_flight -= 1;
                    } else {
                        self.idle.remove(id);
                    }
                }
            }
        }
    }

    /// Whether the connection has sent nothing yet.
    pub(super) fn is_unused(&self, slot: Slot) -> bool {
        self.connections[slot as usize].requests_left == self.requests_per_connection()
    }

    /// Whether the request in flight is the first of its connection, and nothing of its answer has come.
    pub(super) fn is_unproven(&self, slot: Slot) -> bool {
        let Connection { requests_left, response, multiplexing, .. } = &self.connections[slot as usize];
        if let Some(multiplexing) = multiplexing {
            return !multiplexing.has_heard();
        }
        *requests_left == self.requests_per_connection() - 1 && response.is_at_start()
    }

    pub(super) fn requests_per_connection(&self) -> u32 {
        self.requests.requests_per_connection.unwrap_or(u32::MAX)
    }
}

/// The wait before a connection is opened again after this many failures.
fn backoff_ns(failures: u32) -> u64 {
    MIN_BACKOFF_NS.saturating_mul(1 << failures.min(16)).min(MAX_BACKOFF_NS)
}
