//! The connections of one arm on one thread: what to do when something happened on one of them.
//!
//! No sockets here. The backend tells what came, and does what [`Next`] says; all times are the arm's own clock.

mod agenda;
mod answers;
mod asked;
mod connection;
mod ends;
mod handler;
mod idle;
mod opening;
mod pace;
mod pending;
mod sending;
mod timeouts;

use self::agenda::{Agenda, Mode};
use self::asked::LaneRequest;
use self::connection::{Connection, State};
use self::idle::Idle;
use self::pace::Pace;
pub use self::pending::Pending;
use crate::io::Slot;
use crate::recorder::Recorder;
use crate::requests::RequestMix;
use crate::schedule::Schedule;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The connections of one arm on one thread, and their accounts.
#[derive(Debug)]
pub struct Client<S> {
    agenda: Agenda<S>,
    /// Whether requests are due at times of their own. Then a connection that is free waits for [`Client::send_due`].
    is_open_loop: bool,
    idle: Idle,
    requests: RequestMix,
    lane_requests: Box<[LaneRequest]>,
    /// How many requests were sent: says which one of `asks` is next.
    count: u64,
    /// The accounts.
    pub recorder: Recorder,
    connections: Vec<Connection>,
    /// Connections whose server has not said 100 Continue in time.
    to_continue: Vec<Slot>,
    /// Connections to open, by when.
    closed: BinaryHeap<Reverse<(u64, Slot)>>,
    /// When they are opened while nothing is sent.
    pace: Pace,
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
    pub fn new(schedule: S, requests: RequestMix, connections: u32, timeout_ns: u64) -> Self {
        let lane_requests = requests.list().iter().map(LaneRequest::new).collect();
        let mut closed = BinaryHeap::with_capacity(connections as usize);
        closed.extend((0..connections).map(|slot| Reverse((0, slot))));
        let is_open_loop = schedule.is_open();
        Self {
            agenda: Agenda::new(schedule),
            is_open_loop,
            idle: Idle::new(connections),
            lane_requests,
            count: 0,
            recorder: Recorder::new(is_open_loop),
            connections: (0..connections).map(|_| Connection::closed(requests.wire)).collect(),
            requests,
            to_continue: Vec::new(),
            closed,
            pace: Pace::new(),
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

    /// Only opens connections for the time being, no faster than a server takes them.
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

    /// Requests that are due and wait for a free connection.
    pub fn waiting(&mut self) -> u64 {
        if self.is_open_loop { self.agenda.waiting(self.now_ns) } else { 0 }
    }

    /// The clock reading of the last batch, CLOCK_MONOTONIC.
    #[inline]
    pub fn monotonic_ns(&self) -> u64 {
        self.monotonic_ns
    }

    /// When [`Client::tick`], [`Client::give_up`] or [`Client::to_open`] have something to do next, CLOCK_MONOTONIC.
    #[inline]
    pub fn next_duty_ns(&self) -> u64 {
        self.next_tick_ns.min(self.next_opening_ns()).saturating_add(self.offset_ns)
    }

    /// Whether every connection that the schedule could use has been open.
    pub fn is_connected(&self) -> bool {
        self.were_open as usize == self.connections.len() || self.has_ended()
    }

    /// Connections that are open.
    pub fn established(&self) -> u32 {
        self.established
    }

    /// Connections that have been open.
    pub fn were_open(&self) -> u32 {
        self.were_open
    }

    /// Requests that are in flight.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// What is in flight now, for the time until the next batch.
    pub fn pending(&self) -> Pending {
        let in_flight = self.connections.iter().filter(|connection| connection.state == State::InFlight);
        Pending {
            in_flight: u128::from(self.in_flight),
            since_ns: in_flight.map(|connection| u128::from(connection.since_ns)).sum(),
            counted_ns: u128::from(self.in_flight) * u128::from(self.now_ns),
        }
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
}

#[cfg(test)]
mod tests;
