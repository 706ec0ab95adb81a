//! HTTP/2: a connection has as many exchanges at a time as it has streams.
//!
//! The number of an exchange within its connection is the place of its stream in [`h2::Connection`].

use super::Client;
use super::agenda::Mode;
use super::connections::CONTINUE_NS;
use super::exchanges::{ExchangeId, Upload};
use crate::io::{Next, Slot};
use crate::recorder::{ErrorKind, ServerFault};
use crate::requests::RequestId;
use crate::schedule::Schedule;
use crate::wire::h2::{self, ErrorCode, Event, Kind, Place, Violation};

/// A server may refuse so many requests in a row before they count as errors. Until then they are sent again.
const MAX_REFUSED: u32 = 1000;

/// What a connection of HTTP/2 has besides.
#[derive(Debug)]
pub(super) struct Multiplexing {
    http2: h2::Connection,
    /// Bytes are on their way, and the backend reports when they have left. What is written meanwhile waits, so that a
    /// server that does not read cannot fill the memory.
    is_writing: bool,
    /// Exchanges from this number on are not used.
    limit: u32,
    /// An exchange below the limit rests outside of the queue until another's stream ends.
    has_parked: bool,
    /// Requests in a row that the server did not process.
    refused: u32,
}

impl Multiplexing {
    /// Whether the server has said anything that is HTTP/2.
    pub(super) fn has_heard(&self) -> bool {
        self.http2.has_settings()
    }

    /// Whether there is something to send, and nothing is on its way.
    fn wants_to_send(&self) -> bool {
        !self.is_writing && self.http2.wants_output()
    }

    pub(super) fn take_output(&mut self) -> Vec<u8> {
        self.http2.take_output()
    }
}

/// A request of an open loop that was not processed and is sent again.
#[derive(Debug, Clone, Copy)]
pub(super) struct TakenBack {
    request: RequestId,
    intended_ns: u64,
}

impl<S: Schedule> Client<S> {
    /// The connection is open: requests follow the preface at once.
    pub(super) fn begin_multiplexing(&mut self, slot: Slot) -> Next {
        self.connections[slot as usize].multiplexing = Some(Box::new(Multiplexing {
            http2: h2::Connection::new(self.requests.http2.clone(), self.streams),
            is_writing: false,
            limit: 0,
            has_parked: false,
            refused: 0,
        }));
        self.fill(slot);
        self.flush(slot)
    }

    /// Everything that was to be sent has left.
    pub(super) fn output_has_left(&mut self, slot: Slot) -> Next {
        if let Some(multiplexing) = &mut self.connections[slot as usize].multiplexing {
            multiplexing.is_writing = false;
        }
        self.flush(slot)
    }

    /// Reads what the server sent. Not inlined, so that the way of HTTP/1.1 stays short.
    #[inline(never)]
    pub(super) fn read_frames(&mut self, slot: Slot, bytes: &[u8]) -> Next {
        let mut input = bytes;
        loop {
            let Some(multiplexing) = &mut self.connections[slot as usize].multiplexing else { return Next::Nothing };
            let event = multiplexing.http2.next(&mut self.heads, &mut input);
            let id_of = |place: Place| slot * self.streams + place;
            match event {
                Ok(Event::Body(place, body)) => {
                    let exchange = &mut self.exchanges[id_of(place) as usize];
                    if exchange.status_is_right {
                        self.lane_requests[exchange.request as usize].check.body(&mut exchange.progress, body);
                    }
                }
                Ok(Event::Head(place, status)) => {
                    let exchange = &mut self.exchanges[id_of(place) as usize];
                    let check = &mut self.lane_requests[exchange.request as usize].check;
                    exchange.status_is_right = check.status(status);
                    if exchange.status_is_right {
                        check.begin(&mut exchange.progress);
                    }
                }
                Ok(Event::End(place)) => {
                    multiplexing.refused = 0;
                    let id = id_of(place);
                    self.judge(slot, id);
                    self.free_stream(slot, id);
                }
                Ok(Event::Interim(place, status)) => {
                    if status == 100 {
                        self.exchanges[id_of(place) as usize].upload = Upload::Done;
                    }
                }
                Ok(Event::Unprocessed(place)) => {
                    let id = id_of(place);
                    self.take_back(slot, id);
                    self.free_stream(slot, id);
                }
                Ok(Event::Reset(place, code)) => {
                    let id = id_of(place);
                    self.recorder.faults.add(given_up(code));
                    self.give_up_exchange(id, ErrorKind::Read);
                    self.free_stream(slot, id);
                }
                Ok(Event::Broken(place, violation)) => {
                    let id = id_of(place);
                    self.recorder.faults.add(broken(violation));
                    self.give_up_exchange(id, ErrorKind::Protocol);
                    self.free_stream(slot, id);
                }
                Ok(Event::More) => break,
                Err(violation) => {
                    self.recorder.faults.add(broken(violation));
                    return self.fail(slot, ErrorKind::Protocol);
                }
            }
        }
        match self.settle(slot) {
            Next::Nothing => self.flush(slot),
            next => next,
        }
    }

    /// After something happened on a connection: replaces it if it is of no further use, else uses it as far as the
    /// server allows.
    fn settle(&mut self, slot: Slot) -> Next {
        let connection = &self.connections[slot as usize];
        let Some(multiplexing) = &connection.multiplexing else { return Next::Nothing };
        let is_spent = multiplexing.http2.is_spent();
        let is_over = is_spent || connection.requests_left == 0;
        if is_over && multiplexing.http2.open_count() == 0 {
            // Who goes away again and again without an answer is given time.
            let goes_away = is_spent && self.agenda.mode() != Mode::Closing;
            return if goes_away { self.closed_by_server(slot) } else { self.replace(slot) };
        }
        let limit = if is_over { 0 } else { multiplexing.http2.allowed() };
        if limit != multiplexing.limit || (multiplexing.has_parked && multiplexing.http2.room() > 0) {
            self.fill(slot);
        }
        Next::Nothing
    }

    /// Puts as many exchanges to use as the server allows, and no others.
    fn fill(&mut self, slot: Slot) {
        let connection = &mut self.connections[slot as usize];
        let is_used_up = connection.requests_left == 0;
        let Some(multiplexing) = &mut connection.multiplexing else { return };
        multiplexing.limit = if is_used_up { 0 } else { multiplexing.http2.allowed() };
        multiplexing.has_parked = false;
        let limit = multiplexing.limit;
        for (place, id) in (0..).zip(self.exchanges_of(slot)) {
            if place >= limit {
                self.idle.remove(id);
            } else if !self.exchanges[id as usize].is_in_flight && !self.idle.has(id) {
                self.free_stream(slot, id);
            }
        }
    }

    /// An exchange is free: in the closed loop it takes the next request, in an open loop it waits to be given one.
    fn free_stream(&mut self, slot: Slot, id: ExchangeId) {
        let connection = &mut self.connections[slot as usize];
        let Some(multiplexing) = &mut connection.multiplexing else { return };
        if id % self.streams >= multiplexing.limit || connection.requests_left == 0 {
            return;
        }
        if multiplexing.http2.room() == 0 {
            multiplexing.has_parked = true;
            return;
        }
        if !self.is_open_loop
            && let Some(next) = self.next_in_closed_loop()
        {
            self.begin_stream(slot, id, next, false);
            return;
        }
        self.rest(id);
    }

    /// What was taken back comes first.
    fn next_in_closed_loop(&mut self) -> Option<TakenBack> {
        if self.is_sending()
            && let Some(TakenBack { request, .. }) = self.taken_back.pop_front()
        {
            return Some(TakenBack { request, intended_ns: self.now_ns });
        }
        let intended_ns = self.agenda.take(self.now_ns)?;
        Some(TakenBack { request: self.requests.at(self.agenda.taken()), intended_ns })
    }

    /// Whether a free stream is given a request. Connections that arrive one by one send in the closed loop alone.
    fn is_sending(&self) -> bool {
        let mode = self.agenda.mode();
        mode == Mode::Loading || (mode == Mode::Arriving && !self.is_open_loop)
    }

    /// [`Client::send_due`] on this wire. Not inlined, so that the way of HTTP/1.1 stays short.
    #[inline(never)]
    pub(super) fn send_due_on_stream(&mut self) -> Option<Slot> {
        loop {
            let id = self.idle.first()?;
            let slot = id / self.streams;
            if let Some(multiplexing) = &mut self.connections[slot as usize].multiplexing
                && multiplexing.http2.room() == 0
            {
                multiplexing.has_parked = true;
                self.idle.remove(id);
                continue;
            }
            let (due, is_late) = match self.taken_back.pop_front() {
                // That it is late is the server's doing.
                Some(taken_back) => (taken_back, false),
                None => {
                    let intended_ns = self.agenda.take(self.now_ns)?;
                    let request = self.requests.at(self.agenda.taken());
                    (TakenBack { request, intended_ns }, self.is_late(id, intended_ns))
                }
            };
            self.idle.remove(id);
            self.begin_stream(slot, id, due, is_late);
            return Some(slot);
        }
    }

    /// Sends a request on a stream of a connection that has room.
    fn begin_stream(&mut self, slot: Slot, id: ExchangeId, due: TakenBack, is_late: bool) {
        let upload = if self.requests.http2.waits(due.request) { Upload::Waits(0) } else { Upload::Done };
        self.enter(id, due.request, upload, due.intended_ns, is_late);
        let connection = &mut self.connections[slot as usize];
        connection.requests_left -= 1;
        let is_used_up = connection.requests_left == 0;
        if let Some(multiplexing) = &mut connection.multiplexing {
            let is_begun = multiplexing.http2.begin(id % self.streams, due.request);
            debug_assert!(is_begun, "there is room, and the place is free");
        }
        if is_used_up {
            self.fill(slot);
        }
    }

    /// The server did nothing for a request: it is as if it had not been sent, and is sent again. Who refuses again and
    /// again fails.
    fn take_back(&mut self, slot: Slot, id: ExchangeId) {
        if let Some(multiplexing) = &mut self.connections[slot as usize].multiplexing {
            multiplexing.refused += 1;
            if multiplexing.refused > MAX_REFUSED {
                self.give_up_exchange(id, ErrorKind::Read);
                return;
            }
        }
        let exchange = &mut self.exchanges[id as usize];
        exchange.is_in_flight = false;
        self.in_flight -= 1;
        self.recorder.unsend(exchange.since_ns.saturating_sub(exchange.intended_ns), exchange.account);
        self.taken_back.push_back(TakenBack { request: exchange.request, intended_ns: exchange.intended_ns });
        if !self.is_sending() {
            self.drop_taken_back();
        }
    }

    /// What was taken back will not be sent again: in an open loop it was due, in the closed loop it was nobody's.
    pub(super) fn drop_taken_back(&mut self) {
        for TakenBack { request, intended_ns } in std::mem::take(&mut self.taken_back) {
            if self.is_open_loop {
                let account = self.lane_requests[request as usize].account;
                self.recorder.not_sent(self.now_ns.saturating_sub(intended_ns), account);
            } else {
                self.agenda.untake();
            }
        }
    }

    /// Gives up the exchanges of a connection that have waited too long, each for itself, and sends bodies that have
    /// waited long enough for 100 Continue.
    pub(super) fn tick_streams(&mut self, slot: Slot) -> Next {
        let mut has_ended = false;
        for id in self.exchanges_of(slot) {
            let exchange = &self.exchanges[id as usize];
            let (service_ns, response_ns) = exchange.ages_ns(self.now_ns);
            let place = id % self.streams;
            let timeout_ns = self.timeout_ns.saturating_add(self.moving_ns(slot, id));
            let Some(multiplexing) = &mut self.connections[slot as usize].multiplexing else { break };
            if !exchange.is_in_flight {
                continue;
            }
            if service_ns >= timeout_ns {
                multiplexing.http2.cancel(place);
                self.recorder.unanswered(service_ns, response_ns, exchange.account);
                self.give_up_exchange(id, ErrorKind::Timeout);
                self.free_stream(slot, id);
                has_ended = true;
            } else if matches!(exchange.upload, Upload::Waits(_)) && service_ns >= CONTINUE_NS {
                multiplexing.http2.send_body(place);
                self.exchanges[id as usize].upload = Upload::Done;
            }
        }
        let next = if has_ended { self.settle(slot) } else { Next::Nothing };
        let connection = &self.connections[slot as usize];
        if connection.multiplexing.as_ref().is_some_and(|multiplexing| multiplexing.wants_to_send()) {
            self.to_send.push(slot);
        }
        next
    }

    /// Sends what there is to send, unless something is on its way.
    pub(super) fn flush(&mut self, slot: Slot) -> Next {
        match &mut self.connections[slot as usize].multiplexing {
            Some(multiplexing) if multiplexing.wants_to_send() => {
                multiplexing.is_writing = true;
                Next::Send
            }
            _ => Next::Nothing,
        }
    }
}

/// How the server broke HTTP/2.
#[cold]
fn broken(violation: Violation) -> ServerFault {
    let (rfc, section) = violation.section();
    ServerFault { rfc, section, what: violation.what(), detail: violation.frame().map(Kind::name) }
}

/// The server gave up an answer, for a reason of its own.
#[cold]
fn given_up(code: ErrorCode) -> ServerFault {
    ServerFault { rfc: "RFC 9113", section: "6.4", what: "an answer given up", detail: Some(code.name()) }
}
