//! The connection to an agent: questions and answers, and the lease.
//!
//! A thread of its own reads the answers and keeps the lease, so that neither waits for the load. Whoever asks sends by
//! himself, and waits for the thread to hand him the answer.

use super::exchange::Exchange;
use super::messages::{Answer, ErrorKind, Request, Stamps};
use super::round_trips::RoundTrips;
use crate::io::control::{FrameTooLong, Received, Secure, tls_error};
use hopcost_common::clock;
use hopcost_common::failure::{Failure, Kind};
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How often the agent hears something at least.
const PING_NS: u64 = 1_000_000_000;
/// [`Link::read_until_ns`] while the agent's timer runs.
const UNDER_WAY: u64 = u64::MAX;
/// The same once the agent is lost.
const LOST: u64 = 0;

/// An answer, and the clocks around it.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) answer: Answer,
    pub(super) exchange: Exchange,
}

/// What the threads share that use the connection.
#[derive(Debug)]
pub(in crate::session) struct Link {
    secure: Secure,
    address: String,
    patience_ns: u64,
    next_id: AtomicU64,
    state: Mutex<State>,
    changed: Condvar,
    /// When the threads may stop taking answers of the slice that the agent's timer ends: a reading of
    /// `CLOCK_MONOTONIC`, [`UNDER_WAY`] or [`LOST`].
    read_until_ns: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    /// By number: when a question was asked, and whether somebody waits for its answer.
    asked: BTreeMap<u64, (u64, Waiting)>,
    answers: Vec<Answered>,
    /// The slice that the agent's timer ends.
    slice: Option<u64>,
    round_trips: RoundTrips,
    is_welcome: bool,
    lost: Option<Failure>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waiting {
    Somebody,
    Nobody,
}

impl Link {
    pub(super) fn new(secure: Secure, address: String, patience_ns: u64) -> Self {
        Self {
            secure,
            address,
            patience_ns,
            next_id: AtomicU64::new(0),
            state: Mutex::default(),
            changed: Condvar::new(),
            read_until_ns: AtomicU64::new(UNDER_WAY),
        }
    }

    /// The agent has taken this process. The hello waited for the other side's half of the handshake, so it is no round
    /// trip.
    pub(super) fn be_welcome(&self) {
        let mut state = self.state();
        state.is_welcome = true;
        state.round_trips = RoundTrips::default();
    }

    /// Says goodbye: the agent thaws every arm. If that fails it has done so already, or its lease will.
    pub(super) fn close(&self) {
        let _ = self.ask(|id| Request::Bye { id });
        self.secure.shut_down();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panicked has aborted the process.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks, and waits for the answer.
    pub(super) fn ask(&self, request: impl FnOnce(u64) -> Request) -> Result<Answered, Failure> {
        let id = self.send(request, Waiting::Somebody)?;
        self.wait(id)
    }

    /// Has an arm thawed, and frozen after this time by the agent's timer. Returns the answer to the thaw, and the number
    /// under which the other one will come.
    pub(super) fn begin_slice(&self, arm: usize, length_ns: u64) -> Result<(Answered, u64), Failure> {
        self.read_until_ns.store(UNDER_WAY, Ordering::Release);
        let id = self.send(|id| Request::Slice { id, arm, length_ns }, Waiting::Somebody)?;
        Ok((self.wait(id)?, id))
    }

    /// Waits until the agent has frozen the arm of a slice.
    pub(super) fn end_slice(&self, id: u64) -> Result<Answered, Failure> {
        self.wait(id)
    }

    /// Until when the threads take answers of the slice that the agent's timer ends, on `CLOCK_MONOTONIC`: `None` while
    /// it is under way, a time that has passed once the agent is lost.
    pub(super) fn read_until_ns(&self) -> Option<u64> {
        Some(self.read_until_ns.load(Ordering::Acquire)).filter(|&until_ns| until_ns != UNDER_WAY)
    }

    pub(super) fn is_lost(&self) -> bool {
        self.read_until_ns.load(Ordering::Acquire) == LOST
    }

    /// What to say of an answer that is not one to the question.
    pub(super) fn surprised(&self, answer: &Answer) -> Failure {
        let failure = Failure::run(format!("the agent at {} gave an answer out of turn: {answer:?}", self.address));
        self.lose(failure.clone());
        failure
    }

    fn send(&self, request: impl FnOnce(u64) -> Request, waiting: Waiting) -> Result<u64, Failure> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let request = request(id);
        let payload = serde_json::to_vec(&request).map_err(|error| Failure::run(error.to_string()))?;
        {
            let mut state = self.state();
            if let Some(failure) = &state.lost {
                return Err(failure.clone());
            }
            if matches!(request, Request::Slice { .. }) {
                state.slice = Some(id);
            }
            state.asked.insert(id, (clock::monotonic_ns(), waiting));
        }
        match self.secure.send(&payload) {
            Ok(()) => Ok(id),
            // Why the agent closed is in what it sent last, and the reader finds that.
            Err(error)
                if error.kind() == io::ErrorKind::BrokenPipe || error.kind() == io::ErrorKind::ConnectionReset =>
            {
                Ok(id)
            }
            Err(error) => {
                let failure = self.failure(&error.to_string());
                self.lose(failure.clone());
                Err(failure)
            }
        }
    }

    fn wait(&self, id: u64) -> Result<Answered, Failure> {
        let mut state = self.state();
        loop {
            if let Some(at) = state.answers.iter().position(|answered| answered.answer.id() == Some(id)) {
                return Ok(state.answers.remove(at));
            }
            if let Some(failure) = &state.lost {
                return Err(failure.clone());
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Nothing more will come.
    fn lose(&self, failure: Failure) {
        self.state().lost.get_or_insert(failure);
        self.read_until_ns.store(LOST, Ordering::Release);
        self.changed.notify_all();
        self.secure.shut_down();
    }

    /// The reader's thread: takes answers and keeps the lease until the end.
    pub(super) fn follow(&self) {
        let now_ns = clock::monotonic_ns();
        let (mut last_word_ns, mut next_ping_ns) = (now_ns, now_ns + PING_NS);
        let failure = loop {
            match self.turn(&mut last_word_ns, &mut next_ping_ns) {
                Ok(()) => {}
                Err(failure) => break failure,
            }
        };
        self.lose(failure);
    }

    fn turn(&self, last_word_ns: &mut u64, next_ping_ns: &mut u64) -> Result<(), Failure> {
        let broken = |error: io::Error| self.broken(&error);
        let lost_ns = last_word_ns.saturating_add(self.patience_ns);
        if self.secure.wait(lost_ns.min(*next_ping_ns)).map_err(broken)? {
            let answered_ns = clock::monotonic_ns();
            let received = self.secure.receive().map_err(broken)?;
            *last_word_ns = answered_ns;
            let too_long = |error: FrameTooLong| self.failure(&format!("it sent what is no message: {error:?}"));
            while let Some(frame) = self.secure.take_frame().map_err(too_long)? {
                self.take(&frame, answered_ns)?;
            }
            if received == Received::End {
                return Err(self.failure("it closed the connection"));
            }
        }
        let now_ns = clock::monotonic_ns();
        if now_ns >= last_word_ns.saturating_add(self.patience_ns) {
            return Err(self.failure(&format!("no word for {} s", self.patience_ns as f64 / 1e9)));
        }
        if now_ns >= *next_ping_ns {
            *next_ping_ns = now_ns + PING_NS;
            self.send(|id| Request::Ping { id }, Waiting::Nobody)?;
        }
        Ok(())
    }

    /// Hands an answer over.
    fn take(&self, frame: &[u8], answered_ns: u64) -> Result<(), Failure> {
        let answer: Answer = serde_json::from_slice(frame)
            .map_err(|error| self.failure(&format!("it sent what is no message: {error}")))?;
        if let Answer::Error { error, message, .. } = &answer {
            return Err(self.refused(*error, message));
        }
        let mut state = self.state();
        let asked = answer.id().and_then(|id| Some((id, *state.asked.get(&id)?)));
        let (Some((id, (asked_ns, waiting))), Some(Stamps { received_ns, sent_ns })) = (asked, answer.stamps()) else {
            drop(state);
            return Err(self.failure(&format!("it answered what nobody had asked: {answer:?}")));
        };
        let exchange = Exchange { asked_ns, received_ns, sent_ns, answered_ns };
        let is_of_slice = state.slice == Some(id);
        let is_frozen = matches!(answer, Answer::Frozen { .. });
        if is_of_slice && is_frozen {
            state.slice = None;
            // No answer that left before the freeze comes later.
            let read_until_ns = answered_ns + state.round_trips.most_ns();
            self.read_until_ns.store(read_until_ns, Ordering::Release);
        } else {
            // The end of a slice answers its beginning, and has waited for its time.
            state.round_trips.note(exchange.reading().round_trip_ns);
        }
        if !is_of_slice || is_frozen {
            state.asked.remove(&id);
        }
        if waiting == Waiting::Somebody {
            state.answers.push(Answered { answer, exchange });
        }
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// The agent is lost. Before its welcome that is a machine that cannot be used, and later a run that broke.
    fn failure(&self, what: &str) -> Failure {
        let is_welcome = self.state().is_welcome;
        Failure {
            kind: if is_welcome { Kind::Run } else { Kind::Machine },
            message: format!("the agent at {} is lost: {what}", self.address),
            hint: Some("its last line on the stacks' machine says why it ended".to_owned()),
        }
    }

    fn broken(&self, error: &io::Error) -> Failure {
        match tls_error(error) {
            Some(rustls::Error::AlertReceived(alert)) if !self.state().is_welcome => {
                Failure::machine(format!("the agent at {} refuses this machine's certificate: {alert:?}", self.address))
                    .hint("`cert_file` has to be signed by the authority in the agent's `ca_file`")
            }
            _ => self.failure(&error.to_string()),
        }
    }

    fn refused(&self, error: ErrorKind, message: &str) -> Failure {
        let hint = match error {
            ErrorKind::Tls | ErrorKind::Certificate | ErrorKind::Name => {
                "the agent's order has the names (`generators`) and the authority (`ca_file`)"
            }
            ErrorKind::Role => "the agent's order names the leader",
            ErrorKind::Version => "both machines need the same hopcost-engine",
            ErrorKind::Busy => "another engine leads this agent; wait for its end",
            ErrorKind::Frame | ErrorKind::Order => "that is a fault of hopcost",
            ErrorKind::Edge => "a process of the arm may wait uninterruptibly",
        };
        let kind = match error {
            ErrorKind::Frame | ErrorKind::Order | ErrorKind::Edge => Kind::Run,
            _ => Kind::Machine,
        };
        let message = format!("the agent at {}: {message}", self.address);
        Failure { kind, message, hint: Some(hint.to_owned()) }
    }
}
