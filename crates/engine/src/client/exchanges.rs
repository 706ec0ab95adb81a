//! Which connection sends which request and when, and how its answer is read and judged.

use super::Client;
use crate::check::{Check, Correct, Progress};
use crate::io::{MessageId, Next, REPORTED_BYTES, Slot};
use crate::recorder::{AccountId, Distribution, ErrorKind, LATE_NS};
use crate::requests::{PreparedRequest, RequestId, RequestMessages};
use crate::schedule::Schedule;
use crate::wire::Event;
use std::ops::Range;

/// The number of an exchange within its lane. Where connections have one exchange, it is the connection's slot.
pub(super) type ExchangeId = u32;

/// How much of a request is still to leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Upload {
    /// Nothing, or so little that it leaves at once.
    #[default]
    Done,
    /// The body, once the server says 100 Continue.
    Waits(MessageId),
    /// A long message, whose end the backend reports.
    UnderWay,
}

impl Upload {
    #[inline]
    const fn of(messages: RequestMessages) -> Self {
        match messages.continued {
            Some(body) => Self::Waits(body),
            None if messages.is_long => Self::UnderWay,
            None => Self::Done,
        }
    }

    const fn of_body(body: &[u8]) -> Self {
        if body.len() > REPORTED_BYTES { Self::UnderWay } else { Self::Done }
    }
}

/// A request in flight and what is known of its answer; or an idle place for one.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    pub(super) is_in_flight: bool,
    /// When the request was sent; while idle, since when.
    pub(super) since_ns: u64,
    /// When the request was meant to be sent.
    pub(super) intended_ns: u64,
    /// The number of the request among the lane's.
    pub(super) request: RequestId,
    /// Where it is entered besides the whole.
    pub(super) account: AccountId,
    pub(super) upload: Upload,
    pub(super) status_is_right: bool,
    pub(super) progress: Progress,
}

impl Exchange {
    /// How long ago the request was sent, and was meant to be sent. A thread that overran the last slice may have
    /// read a later time than the arm's clock shows now: then 0.
    #[inline]
    pub(super) fn ages_ns(&self, now_ns: u64) -> (u64, u64) {
        (now_ns.saturating_sub(self.since_ns), now_ns.saturating_sub(self.intended_ns))
    }

    /// Whether the bytes of the answer's body matter, not only their number.
    pub(super) fn needs_body(&self) -> bool {
        self.status_is_right && !self.progress.reads_length_only()
    }
}

/// One of the requests as this lane sends it.
#[derive(Debug)]
pub(super) struct LaneRequest {
    to_head: bool,
    kept: RequestMessages,
    last: RequestMessages,
    pub(super) account: AccountId,
    pub(super) check: Check,
    /// The last answer that was parsed and found correct. An answer of the same bytes, all of them, head included, is
    /// correct too and is not parsed again. A new `Date` costs one parse. Without capacity none is kept.
    pub(super) last_correct: Vec<u8>,
}

/// With more requests no answers are kept: those of a log would fill the memory.
const MAX_KEPT_ANSWERS: usize = 4096;

impl LaneRequest {
    pub(super) fn of(requests: &[PreparedRequest]) -> Box<[Self]> {
        let kept_bytes = if requests.len() <= MAX_KEPT_ANSWERS { 4096 } else { 0 };
        let lane_request = |request: &PreparedRequest| {
            let &PreparedRequest { to_head, kept, last, account, .. } = request;
            Self { to_head, kept, last, account, check: request.check(), last_correct: Vec::with_capacity(kept_bytes) }
        };
        requests.iter().map(lane_request).collect()
    }

    /// Whether this is the message of a body that waited for 100 Continue.
    pub(super) fn is_body(&self, message: MessageId) -> bool {
        [self.kept, self.last].iter().any(|messages| messages.continued == Some(message))
    }
}

impl<S: Schedule> Client<S> {
    /// When [`Client::send_due`] has something to send next, CLOCK_MONOTONIC; `u64::MAX` while no connection is free.
    #[inline]
    pub fn next_send_ns(&self) -> u64 {
        match self.idle.first() {
            Some(_) if !self.taken_back.is_empty() => self.monotonic_ns,
            Some(_) => self.clock.monotonic_ns(self.agenda.next_ns()),
            None => u64::MAX,
        }
    }

    /// The connection for the next request of an open loop, if one is due and a connection is free. [`Client::send`] says
    /// what it does.
    #[inline]
    pub fn send_due(&mut self) -> Option<Slot> {
        if self.is_multiplexed {
            return self.send_due_on_stream();
        }
        let slot = self.idle.first()?;
        let intended_ns = self.agenda.take(self.now_ns)?;
        let is_late = self.is_late(slot, intended_ns);
        self.idle.remove(slot);
        self.begin(slot, intended_ns, is_late);
        Some(slot)
    }

    /// What a connection does that has something to send.
    #[inline]
    pub fn send(&mut self, slot: Slot) -> Next {
        if self.is_multiplexed { self.flush(slot) } else { Next::Send }
    }

    /// Whether a request that this idle exchange sends now is late though the exchange was free.
    #[inline]
    pub(super) fn is_late(&self, id: ExchangeId, intended_ns: u64) -> bool {
        let free_since_ns = self.exchanges[id as usize].since_ns;
        self.now_ns - intended_ns.max(free_since_ns).min(self.now_ns) > LATE_NS
    }

    /// A connection is free: in the closed loop it takes the next request, in an open loop it waits to be given one.
    #[inline]
    pub(super) fn free(&mut self, slot: Slot) -> Next {
        if !self.is_open_loop
            && let Some(intended_ns) = self.agenda.take(self.now_ns)
        {
            self.begin(slot, intended_ns, false);
            return Next::Send;
        }
        self.rest(slot);
        Next::Nothing
    }

    /// The exchange waits for a request.
    #[inline]
    pub(super) fn rest(&mut self, id: ExchangeId) {
        self.exchanges[id as usize].since_ns = self.now_ns;
        self.idle.push(id);
    }

    /// Begins an exchange: its request is what the connection sends next. Always inlined, and [`Client::enter`] too: left
    /// to the compiler, the two calls take some 40 instructions of each request.
    #[inline(always)]
    fn begin(&mut self, slot: Slot, intended_ns: u64, is_late: bool) {
        let number = self.requests.at(self.agenda.taken());
        let request = &self.lane_requests[number as usize];
        let connection = &mut self.connections[slot as usize];
        connection.requests_left -= 1;
        let messages = if connection.requests_left == 0 { request.last } else { request.kept };
        connection.message = messages.first;
        connection.response.begin(request.to_head);
        self.enter(slot, number, Upload::of(messages), intended_ns, is_late);
    }

    /// Enters a request that is sent now.
    #[inline(always)]
    pub(super) fn enter(&mut self, id: ExchangeId, number: RequestId, upload: Upload, intended_ns: u64, is_late: bool) {
        let account = self.lane_requests[number as usize].account;
        self.recorder.sent(self.now_ns, self.now_ns.saturating_sub(intended_ns), is_late, account);
        self.in_flight += 1;
        let exchange = &mut self.exchanges[id as usize];
        exchange.is_in_flight = true;
        exchange.since_ns = self.now_ns;
        exchange.intended_ns = intended_ns;
        (exchange.request, exchange.account, exchange.upload) = (number, account, upload);
    }

    /// The body is what the connection sends next.
    pub(super) fn send_body(&mut self, slot: Slot, body: MessageId) {
        let connection = &mut self.connections[slot as usize];
        connection.message = body;
        self.exchanges[slot as usize].upload = Upload::of_body(&self.requests.messages[body as usize]);
    }

    /// The next connection that has something to send though nothing happened on it: a body whose server has not said
    /// 100 Continue.
    pub fn next_to_send(&mut self) -> Option<Slot> {
        self.to_send.pop()
    }

    /// Reads bytes of an answer that is not a copy of the last correct one. Not inlined, so that the way of a copy stays
    /// short.
    #[inline(never)]
    pub(super) fn read(&mut self, slot: Slot, bytes: &[u8]) -> Next {
        let connection = &mut self.connections[slot as usize];
        let exchange = &mut self.exchanges[slot as usize];
        let check = &mut self.lane_requests[exchange.request as usize].check;
        let is_whole = connection.response.is_at_start();
        let mut input = bytes;
        let mut continued = None;
        let mut is_kept = true;
        loop {
            match connection.response.next(&mut input) {
                Ok(Event::Interim(status)) => {
                    if let (100, Upload::Waits(body)) = (status, exchange.upload) {
                        continued = Some(body);
                    }
                }
                Ok(Event::Head(head)) => {
                    exchange.status_is_right = check.status(head.status);
                    if head.closes {
                        (is_kept, connection.requests_left) = (false, 0);
                    }
                    if exchange.status_is_right {
                        check.begin(&mut exchange.progress);
                    }
                }
                Ok(Event::Body(body)) if exchange.status_is_right => check.body(&mut exchange.progress, body),
                Ok(Event::Body(_)) => {}
                Ok(Event::More) => {
                    return match continued {
                        Some(body) => {
                            self.send_body(slot, body);
                            Next::Send
                        }
                        None => connection.skippable(exchange),
                    };
                }
                Ok(Event::End) => break,
                Err(_) => return self.fail(slot, ErrorKind::Protocol),
            }
        }
        if !input.is_empty() {
            return self.fail(slot, ErrorKind::Protocol);
        }
        let correct = self.judge(slot, slot);
        if correct == Some(Correct::Compared) && is_whole && is_kept {
            let request = self.exchanges[slot as usize].request;
            let last_correct = &mut self.lane_requests[request as usize].last_correct;
            if last_correct.capacity() > 0 {
                last_correct.clear();
                last_correct.extend_from_slice(bytes);
            }
        }
        self.go_on(slot)
    }

    /// After a complete answer: sends the next request. Replaces the connection if it has sent its last request or if
    /// its upload is unfinished (the server answered early).
    #[inline]
    pub(super) fn go_on(&mut self, slot: Slot) -> Next {
        let requests_left = self.connections[slot as usize].requests_left;
        if requests_left == 0 || self.exchanges[slot as usize].upload != Upload::Done {
            return self.replace(slot);
        }
        self.free(slot)
    }

    /// An answer is complete: judges and counts it. The connection is in step with the server in any case.
    pub(super) fn judge(&mut self, slot: Slot, id: ExchangeId) -> Option<Correct> {
        let exchange = &mut self.exchanges[id as usize];
        let check = &mut self.lane_requests[exchange.request as usize].check;
        let correct = if exchange.status_is_right { check.end(&mut exchange.progress) } else { None };
        match correct {
            Some(correct) => self.correct(slot, id, correct),
            None => {
                let kind = if exchange.status_is_right { ErrorKind::Body } else { ErrorKind::Status };
                self.give_up_exchange(id, kind);
            }
        }
        correct
    }

    /// Counts and times a correct answer.
    #[inline]
    pub(super) fn correct(&mut self, slot: Slot, id: ExchangeId, correct: Correct) {
        self.connections[slot as usize].failures = 0;
        let exchange = &mut self.exchanges[id as usize];
        exchange.is_in_flight = false;
        self.in_flight -= 1;
        self.recorder.counts.compared += u64::from(correct == Correct::Compared);
        let (service_ns, response_ns) = exchange.ages_ns(self.now_ns);
        self.recorder.answer(service_ns, response_ns, exchange.account);
    }

    /// An exchange comes to no good end, and its connection may go on.
    pub(super) fn give_up_exchange(&mut self, id: ExchangeId, kind: ErrorKind) {
        let exchange = &mut self.exchanges[id as usize];
        exchange.is_in_flight = false;
        self.in_flight -= 1;
        self.recorder.error(kind, Some(exchange.account));
    }

    /// Counts the requests in flight on a connection as not sent. In TLS 1.3 a client has sent its first request before
    /// it can know that the server refuses the connection, for example because it wants a client certificate.
    pub(super) fn unsend(&mut self, slot: Slot) {
        for id in self.exchanges_of(slot) {
            let Exchange { is_in_flight, since_ns, intended_ns, account, .. } = self.exchanges[id as usize];
            if !is_in_flight {
                continue;
            }
            self.recorder.unsend(since_ns.saturating_sub(intended_ns), account);
            if self.is_open_loop {
                self.recorder.not_sent(self.now_ns.saturating_sub(intended_ns), account);
            } else {
                self.agenda.untake();
            }
        }
        self.leave(slot);
    }

    /// The exchanges of a connection.
    #[inline]
    pub(super) fn exchanges_of(&self, slot: Slot) -> Range<ExchangeId> {
        slot * self.streams..(slot + 1) * self.streams
    }

    /// Whether a request is in flight on a connection.
    #[inline]
    pub(super) fn is_in_use(&self, slot: Slot) -> bool {
        self.exchanges_of(slot).any(|id| self.exchanges[id as usize].is_in_flight)
    }

    pub(super) fn in_flight_exchanges(&self) -> impl Iterator<Item = &Exchange> {
        self.exchanges.iter().filter(|exchange| exchange.is_in_flight)
    }

    /// The response times of the slice that has ended, with the ages of the requests that are still in flight.
    pub fn response_times_of_slice(&mut self) -> Option<Distribution> {
        let mut times = self.recorder.response_times_of_slice()?;
        for exchange in self.in_flight_exchanges() {
            times.at_least.saturating_record(exchange.ages_ns(self.now_ns).1);
        }
        Some(times)
    }

    /// Records the ages of the requests in flight.
    pub fn record_ages(&mut self) {
        self.recorder.measure_what_is_left();
        for exchange in self.exchanges.iter().filter(|exchange| exchange.is_in_flight) {
            let (service_ns, response_ns) = exchange.ages_ns(self.now_ns);
            self.recorder.left_in_flight(service_ns, response_ns, exchange.account);
        }
    }
}
