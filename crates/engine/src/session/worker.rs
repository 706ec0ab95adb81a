//! What every thread does: its share of each slice, when the leader says so.

use super::beside::BesideReport;
use super::edges::{self, Ending, Link};
use super::run_delay::RunDelay;
use super::setup::{ArmResult, Session, SessionArm};
use crate::client::{ArmClock, Client, Lane, Pending, Watched};
use crate::io::namespace::Namespaces;
use crate::io::{Handler as _, Io, IoSettings, process};
use crate::plan::{BesideKind, Reopening, Target};
use crate::recorder::{Account, Counts, Distribution, Times};
use crate::schedule::{Arrivals, Schedule as _, Turns};
use hopcost_common::failure::Failure;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError};

/// How long a drain may take: after the last slice, and after each slice of an open loop.
pub(super) const MAX_DRAIN_NS: u64 = 1_000_000_000;
/// How long closing all connections may take. A server with one worker answers all requests in flight one by one; a
/// connection that stayed open would be in the way of the arm that comes next.
pub(super) const MAX_CLOSE_NS: u64 = 5_000_000_000;

/// Heads are rarely longer.
const HEAD_BYTES_USUAL: u64 = 512;

pub(super) type ArmLane<I> = Lane<I, Turns<Arrivals>>;

/// What the leader wants done. Threads meet at the barrier before and after.
#[derive(Debug, Clone, Copy)]
pub(super) enum Command {
    /// One slice, from and until these readings of CLOCK_MONOTONIC.
    Slice {
        arm: usize,
        start_ns: u64,
        until_ns: u64,
        clock: ArmClock,
        stage: Stage,
        round: u32,
        ending: Ending,
    },
    /// The response times of the arm's last slice, for which there is no time within it.
    ResponseTimes {
        arm: usize,
    },
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Connections are opened, nothing is sent.
    Open,
    /// What is in flight is answered; then all connections are closed and opened anew.
    Reopen(Reopening),
    WarmUp,
    /// Runs right before a measured slice: caches and queues fill again after the other arms' slices.
    Settle,
    Measure,
    /// Nothing more is sent; what the measured slices left in flight is answered and counted, but not timed.
    Drain,
    /// The same, and all connections are closed.
    Close,
}

impl Stage {
    pub(super) const fn is_load(self) -> bool {
        matches!(self, Self::WarmUp | Self::Settle | Self::Measure)
    }
}

/// What the threads share. Touched only at the edges of slices.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) barrier: Barrier,
    pub(super) command: Mutex<Command>,
    /// The accounts of the last slice's arm since it began, over the threads that have reported.
    pub(super) report: Mutex<Report>,
    /// Threads of fast connections that have not ended the slice yet.
    pub(super) at_work: AtomicUsize,
    /// Of the last slice, over the threads that have reported; `None` in the closed loop.
    pub(super) response_times: Mutex<Option<Distribution>>,
    pub(super) failure: Mutex<Option<Failure>>,
    /// The connection to the agent that freezes some of the arms.
    pub(super) link: Option<Arc<Link>>,
    pub(super) results: Mutex<Vec<ArmResult>>,
}

/// The state of an arm after a slice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Report {
    pub(super) counts: Counts,
    pub(super) unconnected_threads: u32,
    pub(super) established: u32,
    pub(super) were_open: u32,
    pub(super) pending: Pending,
    /// For how long the threads were ready to run and had to wait; `None` if it is unknown of one.
    pub(super) run_delay_ns: Option<u64>,
    /// In the order of [`BesideKind::ALL`].
    pub(super) beside: [BesideReport; BesideKind::ALL.len()],
}

impl Default for Report {
    fn default() -> Self {
        Self {
            counts: Counts::default(),
            unconnected_threads: 0,
            established: 0,
            were_open: 0,
            pending: Pending::default(),
            run_delay_ns: Some(0),
            beside: Default::default(),
        }
    }
}

/// Locks; a thread that panicked has aborted the process, so no lock is ever poisoned.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(super) fn new(session: &Session, link: Option<Arc<Link>>) -> Self {
        let result = |arm: &SessionArm| {
            let is_open = arm.target.arrivals.is_open();
            let names = arm.target.requests.accounts.iter();
            ArmResult {
                name: arm.name.clone(),
                times: Times::new(is_open),
                requests: names.map(|name| (name.clone(), Account::new(is_open))).collect(),
                ..ArmResult::default()
            }
        };
        Self {
            barrier: Barrier::new(session.cores.len() + session.kinds_beside().count()),
            command: Mutex::new(Command::End),
            report: Mutex::default(),
            at_work: AtomicUsize::new(0),
            response_times: Mutex::default(),
            failure: Mutex::default(),
            link,
            results: Mutex::new(session.arms.iter().map(result).collect()),
        }
    }

    pub(super) fn fail(&self, failure: Failure) {
        lock(&self.failure).get_or_insert(failure);
    }

    pub(super) fn fail_to_enter(&self, arm: &str, error: &io::Error) {
        self.fail(Failure::machine(format!("arm `{arm}`: its network namespace cannot be entered: {error}")));
    }

    /// The namespaces of all arms, for the calling thread.
    pub(super) fn namespaces(&self, session: &Session) -> Namespaces {
        let paths = session.arms.iter().map(|arm| arm.network_namespace.as_deref());
        Namespaces::open(paths).unwrap_or_else(|error| {
            self.fail(Failure::machine(format!("a network namespace cannot be opened: {error}")));
            Namespaces::none()
        })
    }
}

/// What a backend needs to know of this arm to open so many connections.
pub(super) fn io_settings(target: &Target, connections: u32, batch: u32) -> IoSettings {
    IoSettings {
        address: target.address.clone(),
        messages: Arc::clone(&target.requests.messages),
        tls: target.tls.clone(),
        connections,
        batch,
        answer_bytes: target.requests.answer_bytes.map(|bytes| bytes + HEAD_BYTES_USUAL),
        bytes_per_s: None,
    }
}

/// One thread's lanes, one for each arm that it has connections of.
pub(super) struct Worker<'s, I> {
    session: &'s Session,
    thread: usize,
    shared: &'s Shared,
    lanes: Vec<Option<ArmLane<I>>>,
    run_delay: RunDelay,
    namespaces: Namespaces,
}

impl<'s, I: Io> Worker<'s, I> {
    /// Pins the calling thread and makes its lanes. The leader reports a failure, so that all threads still meet at
    /// the barriers.
    pub(super) fn new(session: &'s Session, thread: usize, shared: &'s Shared) -> Self {
        let namespaces = shared.namespaces(session);
        let lanes = Self::lanes(session, thread).unwrap_or_else(|failure| {
            shared.fail(failure);
            Vec::new()
        });
        Self { session, thread, shared, lanes, run_delay: RunDelay::of_this_thread(), namespaces }
    }

    fn lanes(session: &Session, thread: usize) -> Result<Vec<Option<ArmLane<I>>>, Failure> {
        let core = session.cores[thread];
        process::pin_to_core(core)
            .map_err(|error| Failure::machine(format!("a thread cannot be pinned to core {core}: {error}")))?;
        // If it is refused, open loops are less punctual, and send lag shows it.
        let _ = process::wake_in_time();
        (0..session.arms.len()).map(|arm| Self::lane(session, arm, thread)).collect()
    }

    fn lane(session: &Session, arm: usize, thread: usize) -> Result<Option<ArmLane<I>>, Failure> {
        let connections = session.connections_of(arm, thread);
        if connections == 0 {
            return Ok(None);
        }
        let target = &session.arms[arm].target;
        let settings = io_settings(target, connections, session.batch_of(arm, connections));
        let io = I::new(&settings).map_err(|error| {
            Failure::machine(format!(
                "arm `{}`: {connections} connections cannot be set up: {error}",
                session.arms[arm].name
            ))
        })?;
        // A limit is one of measured requests.
        let schedule = Turns::new(target.arrivals.without_end(), thread, session.lanes_of(arm));
        let client = Client::new(schedule, target.requests.clone(), connections, target.timeout_ns);
        let watch = session.watch.as_ref().map(|watch| Watched::new(Arc::clone(watch), thread));
        Ok(Some(Lane::new(io, client, watch)))
    }

    /// Follows the leader until the end.
    pub(super) fn follow(mut self) {
        self.shared.barrier.wait();
        loop {
            self.shared.barrier.wait();
            let command = *lock(&self.shared.command);
            match command {
                Command::Slice { .. } => self.slice(command),
                Command::ResponseTimes { arm } => self.report_response_times(arm),
                Command::End => break,
            }
            self.shared.barrier.wait();
        }
        self.hand_in();
        self.shared.barrier.wait();
    }

    /// Does this thread's share of a slice.
    pub(super) fn slice(&mut self, command: Command) {
        self.load_slice(command);
        self.shared.at_work.fetch_sub(1, Ordering::AcqRel);
    }

    fn load_slice(&mut self, command: Command) {
        let Command::Slice { arm, start_ns, until_ns, clock, stage, round, ending } = command else { return };
        let Some(Some(lane)) = self.lanes.get_mut(arm) else { return };
        if let Err(error) = self.namespaces.enter(Some(arm)) {
            self.shared.fail_to_enter(&self.session.arms[arm].name, &error);
            return;
        }
        let run_delay_before_ns = self.run_delay.read_ns();
        lane.client.set_clock(clock);
        // The requests in flight at the last freeze are counted up to there with the slice before.
        lane.client.batch(start_ns);
        lane.client.recorder.measure(stage == Stage::Measure);
        if let Some(arrivals) = self.session.begun_with(arm, stage, round) {
            lane.client.restart(Turns::new(arrivals, self.thread, self.session.lanes_of(arm)));
        }
        match stage {
            Stage::Open => lane.client.open_only(),
            Stage::WarmUp | Stage::Settle | Stage::Measure => lane.client.load(until_ns),
            Stage::Drain | Stage::Reopen(_) | Stage::Close => lane.client.drain(),
        }
        if stage == Stage::Measure {
            lane.begin_watch(start_ns);
        }
        let mut driven = match stage {
            Stage::Reopen(reopening) => lane.drive(start_ns.saturating_add(MAX_DRAIN_NS)).and_then(|()| {
                lane.open_again(reopening);
                lane.drive(until_ns)
            }),
            Stage::Close => lane.close_all(until_ns),
            _ => match (ending, &self.shared.link) {
                (Ending::ByWord | Ending::ByTimer, Some(link)) => edges::drive(lane, link, until_ns, ending),
                _ => lane.drive(until_ns),
            },
        };
        if lane.client.is_open_loop() && stage.is_load() {
            lane.client.drain();
            driven = driven.and_then(|()| lane.drive(until_ns.saturating_add(MAX_DRAIN_NS)));
        }
        if stage == Stage::Measure && lane.is_watched() {
            lane.finish();
        }
        if let Err(error) = driven {
            self.shared.fail(Failure::run(format!("moving bytes: {error}")));
        }
        let run_delay_ns = self.run_delay.read_ns().zip(run_delay_before_ns).map(|(after, before)| after - before);
        let mut report = lock(&self.shared.report);
        report.run_delay_ns = report.run_delay_ns.zip(run_delay_ns).map(|(sum_ns, delay_ns)| sum_ns + delay_ns);
        report.counts.merge(&lane.client.recorder.counts);
        report.unconnected_threads += u32::from(!lane.client.is_connected());
        report.established += lane.client.established();
        report.were_open += lane.client.were_open();
        report.pending += lane.client.pending();
    }

    /// Adds this thread's response times of the slice that has ended.
    pub(super) fn report_response_times(&mut self, arm: usize) {
        let lane = self.lanes.get_mut(arm).and_then(Option::as_mut);
        let Some(times) = lane.and_then(|lane| lane.client.response_times_of_slice()) else { return };
        match &mut *lock(&self.shared.response_times) {
            Some(sum) => sum.merge(&times),
            sum => *sum = Some(times),
        }
    }

    /// Adds this thread's accounts to the results.
    pub(super) fn hand_in(&mut self) {
        if let Err(error) = self.namespaces.enter(None) {
            self.shared.fail(Failure::machine(format!("the own network namespace cannot be entered again: {error}")));
        }
        let mut results = lock(&self.shared.results);
        for (result, lane) in results.iter_mut().zip(&mut self.lanes) {
            let Some(lane) = lane else { continue };
            lane.finish();
            let client = &lane.client;
            result.counts.merge(&client.recorder.counts);
            result.times.merge(&client.recorder.times);
            result.handshakes.merge(&client.recorder.handshakes);
            result.faults.merge(&client.recorder.faults);
            result.established += client.established();
            result.unasked_bytes += client.unasked_bytes();
            for ((_, sum), account) in result.requests.iter_mut().zip(&client.recorder.accounts) {
                sum.merge(account);
            }
        }
    }
}
