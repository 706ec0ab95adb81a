//! What every thread does: its share of each slice, when the leader says so.

use super::{ArmResult, Session, share};
use crate::client::Client;
use crate::failure::Failure;
use crate::io::{Io, IoSettings, process};
use crate::lane::Lane;
use crate::recorder::{Counts, Handshakes, time_histogram};
use crate::schedule::ClosedLoop;
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError};

/// Heads are rarely longer.
const HEAD_BYTES_USUAL: u64 = 512;

/// What the leader wants done. Threads meet at the barrier before and after.
#[derive(Debug, Clone, Copy)]
pub(super) enum Command {
    Slice { arm: usize, until_ns: u64, offset_ns: u64, stage: Stage },
    End,
}

/// What a slice is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    WarmUp,
    /// Runs right before a measured slice: caches fill and queues find their length again after the other arms' slices.
    Settle,
    Measure,
    /// Nothing more is sent; what the measured slices left in flight gets its answer and its time.
    Drain,
}

/// What the threads have in common. Touched only at the edges of slices.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) barrier: Barrier,
    pub(super) command: Mutex<Command>,
    /// The accounts of the last slice's arm since it began, over the threads that have reported.
    pub(super) report: Mutex<Report>,
    pub(super) failure: Mutex<Option<Failure>>,
    pub(super) results: Mutex<Vec<ArmResult>>,
}

/// The state of an arm after a slice.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Report {
    pub(super) counts: Counts,
    pub(super) unconnected_threads: u32,
}

/// Locks; a thread that panicked has aborted the process, so no lock is ever poisoned.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(super) fn new(session: &Session) -> Self {
        let result = |arm: &super::SessionArm| ArmResult {
            name: arm.name.clone(),
            counts: Counts::default(),
            service_time: time_histogram(),
            unanswered: time_histogram(),
            handshakes: Handshakes::default(),
            established: 0,
            unasked_bytes: 0,
        };
        Self {
            barrier: Barrier::new(session.cores.len()),
            command: Mutex::new(Command::End),
            report: Mutex::default(),
            failure: Mutex::default(),
            results: Mutex::new(session.arms.iter().map(result).collect()),
        }
    }

    fn fail(&self, failure: Failure) {
        lock(&self.failure).get_or_insert(failure);
    }
}

/// One thread's lanes, one for each arm that it has connections of.
pub(super) struct Worker<'s, I> {
    shared: &'s Shared,
    lanes: Vec<Option<Lane<I, ClosedLoop>>>,
}

impl<'s, I: Io> Worker<'s, I> {
    /// Pins the calling thread and makes its lanes. A failure is left for the leader, so that the barriers are kept.
    pub(super) fn new(session: &Session, thread: usize, shared: &'s Shared) -> Self {
        let lanes = Self::lanes(session, thread).unwrap_or_else(|failure| {
            shared.fail(failure);
            Vec::new()
        });
        Self { shared, lanes }
    }

    fn lanes(session: &Session, thread: usize) -> Result<Vec<Option<Lane<I, ClosedLoop>>>, Failure> {
        let core = session.cores[thread];
        process::pin_to_core(core)
            .map_err(|error| Failure::machine(format!("a thread cannot be pinned to core {core}: {error}")))?;
        (0..session.arms.len()).map(|arm| Self::lane(session, arm, thread)).collect()
    }

    fn lane(session: &Session, arm: usize, thread: usize) -> Result<Option<Lane<I, ClosedLoop>>, Failure> {
        let connections = session.connections_of(arm, thread);
        if connections == 0 {
            return Ok(None);
        }
        let target = &session.arms[arm].target;
        let settings = IoSettings {
            address: target.address.clone(),
            messages: Arc::clone(&target.asks.messages),
            tls: target.tls.clone(),
            connections,
            batch: session.batch_of(connections),
            answer_bytes: target.asks.answer_bytes().map(|bytes| bytes + HEAD_BYTES_USUAL),
        };
        let io = I::new(&settings).map_err(|error| {
            Failure::machine(format!(
                "arm `{}`: {connections} connections cannot be set up: {error}",
                session.arms[arm].name
            ))
        })?;
        let schedule = ClosedLoop { requests: target.requests.map(|whole| share(whole, session.cores.len(), thread)) };
        let client = Client::new(schedule, target.asks.clone(), connections, target.timeout_ns);
        Ok(Some(Lane::new(io, client)))
    }

    /// Follows the leader until the end.
    pub(super) fn follow(mut self) {
        self.shared.barrier.wait();
        loop {
            self.shared.barrier.wait();
            let command = *lock(&self.shared.command);
            match command {
                Command::Slice { .. } => self.slice(command),
                Command::End => break,
            }
            self.shared.barrier.wait();
        }
        self.hand_in();
        self.shared.barrier.wait();
    }

    /// Does this thread's share of a slice.
    pub(super) fn slice(&mut self, command: Command) {
        let Command::Slice { arm, until_ns, offset_ns, stage } = command else { return };
        let Some(Some(lane)) = self.lanes.get_mut(arm) else { return };
        lane.client.set_offset(offset_ns);
        lane.client.recorder.measure(matches!(stage, Stage::Measure | Stage::Drain));
        if stage == Stage::Drain {
            lane.client.drain();
        }
        if let Err(error) = lane.drive(until_ns) {
            self.shared.fail(Failure::run(format!("moving bytes: {error}")));
        }
        let mut report = lock(&self.shared.report);
        report.counts.merge(&lane.client.recorder.counts);
        report.unconnected_threads += u32::from(!lane.client.is_connected());
    }

    /// Adds this thread's accounts to the results.
    pub(super) fn hand_in(&mut self) {
        let mut results = lock(&self.shared.results);
        for (result, lane) in results.iter_mut().zip(&self.lanes) {
            let Some(Lane { client, .. }) = lane else { continue };
            result.counts.merge(&client.recorder.counts);
            // All histograms have the same bounds.
            result.service_time.add(&client.recorder.service_time).expect("same bounds");
            result.handshakes.merge(&client.recorder.handshakes);
            client.record_ages(&mut result.unanswered);
            result.established += client.established();
            result.unasked_bytes += client.unasked_bytes();
        }
    }
}
