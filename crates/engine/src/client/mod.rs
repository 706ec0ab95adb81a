//! The hall of the engine, where the four rooms meet: the schedule says when a request is due, the wire what the bytes
//! of its answer mean, the recorder keeps the accounts, and the backend is told what to do next.
//!
//! No sockets here, except in [`Lane`], which is the hall with a backend. The backend reports what happened on a connection and does what [`crate::io::Next`] says. All times
//! are on the arm's clock unless they say otherwise; see [`clock`].

mod agenda;
pub mod clock;
mod connections;
mod exchanges;
mod handler;
mod idle;
mod lane;
mod multiplexing;
mod pace;
mod pending;
mod watch;

use self::agenda::{Agenda, Mode};
pub use self::clock::ArmClock;
use self::connections::Connection;
use self::exchanges::{Exchange, LaneRequest};
use self::idle::Idle;
pub use self::lane::Lane;
use self::multiplexing::TakenBack;
use self::pace::Pace;
pub use self::pending::Pending;
pub use self::watch::{Period, Watch, Watched};
use crate::io::Slot;
use crate::plan::Reopening;
use crate::recorder::Recorder;
use crate::requests::RequestMix;
use crate::schedule::Schedule;
use crate::wire::{Wire, h2};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The connections of one arm on one thread, their exchanges and their accounts.
#[derive(Debug)]
pub struct Client<S> {
    agenda: Agenda<S>,
    /// Whether requests are due at times of their own. Then a free connection waits for [`Client::send_due`].
    is_open_loop: bool,
    idle: Idle,
    requests: RequestMix,
    lane_requests: Box<[LaneRequest]>,
    pub recorder: Recorder,
    connections: Vec<Connection>,
    /// The exchanges of all connections: those of the first, then those of the second.
    exchanges: Vec<Exchange>,
    /// How many exchanges a connection has: one in HTTP/1.1 and FastCGI.
    streams: u32,
    /// Whether the wire is HTTP/2.
    is_multiplexed: bool,
    /// The heads of HTTP/2's answers.
    heads: h2::Heads,
    /// Requests of an open loop that a server did not process.
    taken_back: VecDeque<TakenBack>,
    /// Connections that have something to send, and no event says so: the server has not said 100 Continue in time.
    to_send: Vec<Slot>,
    /// Connections to open, by when.
    closed: BinaryHeap<Reverse<(u64, Slot)>>,
    /// How fast they are opened while nothing is sent.
    pace: Pace,
    connecting: u32,
    established: u32,
    were_open: u32,
    in_flight: u32,
    timeout_ns: u64,
    /// The pace of slow clients: what they have moved takes its time besides the time-out.
    bytes_per_s: Option<u64>,
    clock: ArmClock,
    now_ns: u64,
    /// The same as CLOCK_MONOTONIC.
    monotonic_ns: u64,
    next_tick_ns: u64,
    /// Bytes on connections without a request in flight.
    unasked_bytes: u64,
}

impl<S: Schedule> Client<S> {
    /// A client whose connections are all closed, and due to be opened.
    pub fn new(schedule: S, requests: RequestMix, connections: u32, timeout_ns: u64) -> Self {
        let is_open_loop = schedule.is_open();
        let streams = requests.streams;
        let exchanges = connections * streams;
        Self {
            agenda: Agenda::new(schedule),
            is_open_loop,
            idle: Idle::new(exchanges),
            lane_requests: LaneRequest::of(&requests.list),
            recorder: Recorder::new(is_open_loop, requests.accounts.len()),
            connections: (0..connections).map(|_| Connection::closed(requests.wire)).collect(),
            exchanges: (0..exchanges).map(|_| Exchange::default()).collect(),
            streams,
            is_multiplexed: requests.wire == Wire::Http2,
            heads: h2::Heads::default(),
            taken_back: VecDeque::new(),
            requests,
            to_send: Vec::new(),
            closed: (0..connections).map(|slot| Reverse((0, slot))).collect(),
            pace: Pace::new(),
            connecting: 0,
            established: 0,
            were_open: 0,
            in_flight: 0,
            timeout_ns,
            bytes_per_s: None,
            clock: ArmClock::default(),
            now_ns: 0,
            monotonic_ns: 0,
            next_tick_ns: 0,
            unasked_bytes: 0,
        }
    }

    /// The backend keeps this pace, on each connection and in both directions.
    #[must_use]
    pub fn at_pace(self, bytes_per_s: Option<u64>) -> Self {
        Self { bytes_per_s, ..self }
    }

    /// The arm is thawed: from now on its clocks relate to each other like this.
    pub fn set_clock(&mut self, clock: ArmClock) {
        self.clock = clock;
    }

    /// Sends from now on what is due before `until_ns` on CLOCK_MONOTONIC.
    pub fn load(&mut self, until_ns: u64) {
        self.agenda.load(self.clock, self.clock.arm_ns(until_ns));
    }

    /// Begins another schedule now. [`Client::load`] comes next.
    pub fn restart(&mut self, schedule: S) {
        self.drop_taken_back();
        self.agenda = Agenda::new(schedule);
        self.clock = self.clock.with_schedule_from(self.now_ns);
    }

    /// Only opens connections for the time being, no faster than a server takes them.
    pub fn open_only(&mut self) {
        self.agenda.pause(Mode::Opening);
    }

    /// Opens connections for the time being: one after the other, as clients come, or all at once.
    pub fn open_again(&mut self, reopening: Reopening) {
        let (pace, mode) = match reopening {
            Reopening::Spread => (Pace::spread(), Mode::Arriving),
            Reopening::Burst => (Pace::burst(), Mode::Opening),
        };
        self.pace = pace;
        self.agenda.pause(mode);
    }

    /// Opens connections for the time being, spread evenly over this time. In the closed loop each sends as soon as it is
    /// open, so that connections whose answers all take as long do not ask all at once for ever.
    pub fn arrive(&mut self, over_ns: u64) {
        self.pace = Pace::over(over_ns, self.connections());
        self.agenda.pause(Mode::Arriving);
    }

    /// Sends nothing more. What is in flight may still be answered; what was due in an open loop and is not sent never
    /// will be.
    pub fn drain(&mut self) {
        if self.agenda.mode() == Mode::Loading {
            let Self { recorder, requests, lane_requests, .. } = self;
            self.agenda.close(self.now_ns, |place, age_ns| {
                recorder.not_sent(age_ns, lane_requests[requests.at(place) as usize].account);
            });
            self.drop_taken_back();
        }
        self.agenda.pause(Mode::Draining);
    }

    /// Sends nothing more, and closes all connections: calls `close` with those that have no request in flight. Each of
    /// the others is closed as soon as it has its answer, for the server may take up the next one only then.
    pub fn close_all(&mut self, close: impl FnMut(Slot)) {
        self.drain();
        self.agenda.pause(Mode::Closing);
        self.close_idle(close);
        for connection in &mut self.connections {
            connection.requests_left = 0;
        }
    }

    #[inline]
    pub fn is_open_loop(&self) -> bool {
        self.is_open_loop
    }

    /// Requests that are due and wait for a free connection.
    pub fn waiting(&mut self) -> u64 {
        if self.is_open_loop { self.agenda.waiting(self.now_ns) + self.taken_back.len() as u64 } else { 0 }
    }

    /// The clock reading of the last batch, CLOCK_MONOTONIC.
    #[inline]
    pub fn monotonic_ns(&self) -> u64 {
        self.monotonic_ns
    }

    /// When [`Client::tick`], [`Client::give_up`] or [`Client::open_next`] have something to do next, CLOCK_MONOTONIC.
    #[inline]
    pub fn next_duty_ns(&self) -> u64 {
        self.clock.monotonic_ns(self.next_tick_ns.min(self.next_opening_ns()))
    }

    /// Whether every connection that the schedule could use has been open.
    pub fn is_connected(&self) -> bool {
        self.were_open as usize == self.connections.len() || self.agenda.is_exhausted()
    }

    /// All connections, open or not.
    pub fn connections(&self) -> u32 {
        // Slots are numbered in 32 bits.
        self.connections.len() as u32
    }

    pub fn established(&self) -> u32 {
        self.established
    }

    /// Connections that have been open at least once.
    pub fn were_open(&self) -> u32 {
        self.were_open
    }

    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// What is in flight now, for the time until the next batch.
    pub fn pending(&self) -> Pending {
        Pending {
            in_flight: u128::from(self.in_flight),
            since_ns: self.in_flight_exchanges().map(|exchange| u128::from(exchange.since_ns)).sum(),
            counted_ns: u128::from(self.in_flight) * u128::from(self.now_ns),
        }
    }

    pub fn unasked_bytes(&self) -> u64 {
        self.unasked_bytes
    }

    /// Whether there is nothing left to do: every connection is open, or every request is sent and its result known.
    #[inline]
    pub fn is_finished(&self) -> bool {
        match self.agenda.mode() {
            Mode::Opening | Mode::Arriving => self.established as usize == self.connections.len(),
            Mode::Loading | Mode::Draining | Mode::Closing => self.in_flight == 0 && self.has_ended(),
        }
    }

    #[inline]
    fn has_ended(&self) -> bool {
        self.agenda.has_ended() && self.taken_back.is_empty()
    }
}

#[cfg(test)]
mod tests;
