//! What the threads of slow clients and idle connections do, beside those of the fast connections.
//!
//! Each kind has a thread of its own, with a lane for each arm that has such connections. It may run on all of the
//! generator's cores, and its CPU time is counted apart. It goes on until the threads of the fast connections have ended
//! their slice, their drain included: what runs between slices is not stopped by them.

use super::edges::Ending;
use super::setup::{BesideResult, Session};
use super::worker::{ArmLane, Command, MAX_DRAIN_NS, Shared, Stage, io_settings, lock};
use crate::client::{ArmClock, Client, Lane};
use crate::io::namespace::Namespaces;
use crate::io::{Handler as _, Io, IoSettings, process, signal};
use crate::plan::BesideKind;
use crate::recorder::Counts;
use crate::schedule::{Schedule as _, Turns};
use hopcost_common::clock;
use hopcost_common::failure::Failure;
use std::io;
use std::sync::atomic::Ordering;

/// How often it looks whether the fast connections' threads have ended their slice.
const LOOK_NS: u64 = 5_000_000;
/// The same while an agent's timer is due: what is read behind the freeze takes the arm's clock ahead.
const LOOK_FOR_FREEZE_NS: u64 = 100_000;
/// Slow clients come one after the other within this time, less than a slice of opening.
const ARRIVAL_NS: u64 = 900_000_000;

/// The state of an arm's slow clients or idle connections after a slice.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BesideReport {
    /// Since the arm began.
    pub(super) counts: Counts,
    pub(super) established: u32,
    pub(super) were_open: u32,
    /// CPU time of its thread in the slice.
    pub(super) cpu_ns: u64,
}

pub(super) struct BesideWorker<'s, I> {
    session: &'s Session,
    kind: BesideKind,
    shared: &'s Shared,
    lanes: Vec<Option<ArmLane<I>>>,
    /// By arm: the arm's clock when it was loaded first. The schedule begins there and never stands still.
    begun_ns: Vec<Option<u64>>,
    namespaces: Namespaces,
}

impl<'s, I: Io> BesideWorker<'s, I> {
    /// Makes the lanes. The leader reports a failure, so that all threads still meet at the barriers.
    pub(super) fn new(session: &'s Session, kind: BesideKind, shared: &'s Shared) -> Self {
        let namespaces = shared.namespaces(session);
        let lanes = Self::lanes(session, kind).unwrap_or_else(|failure| {
            shared.fail(failure);
            Vec::new()
        });
        Self { session, kind, shared, lanes, begun_ns: vec![None; session.arms.len()], namespaces }
    }

    fn lanes(session: &Session, kind: BesideKind) -> Result<Vec<Option<ArmLane<I>>>, Failure> {
        process::pin_to_cores(&session.cores).map_err(|error| {
            Failure::machine(format!("the thread of {} cannot be kept to its cores: {error}", kind.name()))
        })?;
        (0..session.arms.len()).map(|arm| Self::lane(session, arm, kind)).collect()
    }

    fn lane(session: &Session, arm: usize, kind: BesideKind) -> Result<Option<ArmLane<I>>, Failure> {
        let arm = &session.arms[arm];
        let number = arm.beside.number(kind);
        if number == 0 {
            return Ok(None);
        }
        let target = &arm.target;
        let bytes_per_s = arm.beside.bytes_per_s(kind);
        let settings = IoSettings { bytes_per_s, ..io_settings(target, number, 1) };
        let io = I::new(&settings).map_err(|error| {
            Failure::machine(format!("arm `{}`: {number} {} cannot be set up: {error}", arm.name, kind.name()))
        })?;
        let schedule = Turns::new(arm.beside.arrivals(kind), 0, 1);
        // Each has one request at a time, on HTTP/2 too.
        let mut requests = target.requests.clone();
        requests.streams = 1;
        let client = Client::new(schedule, requests, number, target.timeout_ns);
        Ok(Some(Lane::beside(io, client.at_pace(bytes_per_s))))
    }

    /// Follows the leader until the end.
    pub(super) fn follow(mut self) {
        self.shared.barrier.wait();
        loop {
            self.shared.barrier.wait();
            let command = *lock(&self.shared.command);
            match command {
                Command::Slice { .. } => self.slice(command),
                // Theirs are handed in at the end.
                Command::ResponseTimes { .. } => {}
                Command::End => break,
            }
            self.shared.barrier.wait();
        }
        self.hand_in();
        self.shared.barrier.wait();
    }

    fn slice(&mut self, command: Command) {
        let Command::Slice { arm, start_ns, until_ns, clock, stage, ending, .. } = command else { return };
        let Some(Some(lane)) = self.lanes.get_mut(arm) else { return };
        if let Err(error) = self.namespaces.enter(Some(arm)) {
            self.shared.fail_to_enter(&self.session.arms[arm].name, &error);
            return;
        }
        let cpu_ns = clock::thread_cpu_ns();
        let arm_ns = clock.arm_ns(start_ns);
        // Connections that the fast ones open anew later are none of these.
        let is_opening = stage == Stage::Open && self.begun_ns[arm].is_none();
        let begun_ns = if is_opening { arm_ns } else { *self.begun_ns[arm].get_or_insert(arm_ns) };
        lane.set_clock(ArmClock::thawed(start_ns, arm_ns, arm_ns - begun_ns));
        // The requests in flight at the last freeze are counted up to there with the slice before.
        lane.client.batch(start_ns);
        lane.client.recorder.measure(stage == Stage::Measure);
        match stage {
            Stage::Open if is_opening && self.kind == BesideKind::Slow => lane.client.arrive(ARRIVAL_NS),
            Stage::Open if is_opening => lane.client.open_only(),
            Stage::Drain | Stage::Close => lane.client.drain(),
            Stage::Open | Stage::Reopen(_) | Stage::WarmUp | Stage::Settle | Stage::Measure => {
                lane.client.load(u64::MAX);
            }
        }
        let is_open_loop = self.session.arms[arm].target.arrivals.is_open();
        let driven = if is_opening {
            lane.drive(until_ns)
        } else if ending == Ending::ByTimer {
            // The fast ones go on until they know that the arm is frozen.
            drive(lane, self.shared, until_ns, LOOK_NS)
                .and_then(|()| drive(lane, self.shared, until_ns.saturating_add(MAX_DRAIN_NS), LOOK_FOR_FREEZE_NS))
        } else if is_open_loop && stage.is_load() {
            drive(lane, self.shared, until_ns.saturating_add(MAX_DRAIN_NS), LOOK_NS)
        } else {
            drive(lane, self.shared, until_ns, LOOK_NS)
        };
        if let Err(error) = driven {
            self.shared.fail(Failure::run(format!("moving bytes of {}: {error}", self.kind.name())));
        }
        lock(&self.shared.report).beside[self.kind as usize] = BesideReport {
            counts: lane.client.recorder.counts,
            established: lane.client.established(),
            were_open: lane.client.were_open(),
            cpu_ns: clock::thread_cpu_ns() - cpu_ns,
        };
    }

    /// Adds the accounts to the results.
    fn hand_in(&mut self) {
        let mut results = lock(&self.shared.results);
        for (result, lane) in results.iter_mut().zip(&mut self.lanes) {
            let Some(lane) = lane else { continue };
            // What is due and not sent never will be.
            lane.client.drain();
            lane.finish();
            let client = &lane.client;
            result.beside[self.kind as usize] = Some(BesideResult {
                number: client.connections(),
                established: client.established(),
                counts: client.recorder.counts,
                times: client.recorder.times.clone(),
            });
        }
    }
}

/// Runs load until this reading of `CLOCK_MONOTONIC`, or until the threads of the fast connections have ended, for which
/// it looks this often.
fn drive<I: Io>(lane: &mut ArmLane<I>, shared: &Shared, until_ns: u64, look_ns: u64) -> io::Result<()> {
    loop {
        let now_ns = clock::monotonic_ns();
        let is_over = now_ns >= until_ns || shared.at_work.load(Ordering::Acquire) == 0;
        if is_over || lane.client.is_finished() || signal::stop_requested() {
            return Ok(());
        }
        lane.drive(until_ns.min(now_ns + look_ns))?;
    }
}
