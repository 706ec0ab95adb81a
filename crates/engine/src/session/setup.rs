//! What to run, and what comes of it.

use super::edges::check_accounts;
use super::files;
use super::worker::Stage;
use crate::client::Watch;
use crate::io::Backend;
use crate::io::process;
use crate::lines;
use crate::plan::{AgentAddress, Beside, BesideKind, FreezeBy, Hop, Plan, Reopening, Target, WarmUp};
use crate::recorder::{Account, Counts, Handshakes, ServerFaults, Times};
use crate::schedule::{Arrivals, Schedule as _};
use hopcost_common::failure::Failure;
use hopcost_common::limits;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// With fewer connections on a thread, the load would wait for itself if it waited for several completions.
const MIN_BATCHING_CONNECTIONS: u32 = 16;

/// The plateau is looked for at least this often, however long slices are.
const MAX_WARM_UP_SLICE_NS: u64 = 100_000_000;

/// What to run.
#[derive(Debug)]
pub struct Session {
    /// Shuffles the arms within a round.
    pub seed: u64,
    /// One thread for each.
    pub cores: Vec<usize>,
    pub io: Backend,
    pub batch: u32,
    pub slice_ns: u64,
    /// By what share of `slice_ns` a round's slices are longer or shorter at most.
    pub slice_jitter: f64,
    /// How long an arm is loaded before each of its measured slices.
    pub settle_ns: u64,
    pub warm_up_slice_ns: u64,
    pub rounds: u32,
    /// Whether what is measured may run on the same cores. Then it is no fault if the threads wait for their core.
    pub shared_cores: bool,
    /// `None` is no warm-up.
    pub warm_up: Option<WarmUp>,
    /// Takes what happens while a slice runs; for a session of one arm and one round.
    pub watch: Option<Arc<Watch>>,
    /// Where the arms are frozen that another machine freezes; `None` if there are none.
    pub agent: Option<AgentAddress>,
    pub arms: Vec<SessionArm>,
}

#[derive(Debug)]
pub struct SessionArm {
    pub name: String,
    pub target: Target,
    /// The length of its slices; `None` is the session's.
    pub slice_ns: Option<u64>,
    /// The network namespace in which its sockets are opened; `None` is the engine's own.
    pub network_namespace: Option<PathBuf>,
    pub freeze: Option<FreezeBy>,
    /// How its connections are opened anew before each of its measured slices; `None` keeps them.
    pub reopening: Option<Reopening>,
    /// Whether its connections are closed after its warm-up and after each of its slices.
    pub closes_each_round: bool,
    /// Slow clients and idle connections beside its connections.
    pub beside: Beside,
    pub hops: Vec<Hop>,
}

/// The accounts of one arm, over all threads.
#[derive(Debug, Default)]
pub struct ArmResult {
    pub name: String,
    /// Warm-up included.
    pub counts: Counts,
    /// Of the measured slices; in an open loop each ends with its drain.
    pub times: Times,
    /// Warm-up included.
    pub handshakes: Handshakes,
    /// Warm-up included.
    pub faults: ServerFaults,
    /// Connections open at the end.
    pub established: u32,
    /// Whether every connection has been open; `None` if the run ended before this arm's turn.
    pub all_opened: Option<bool>,
    /// Bytes that came while no request was in flight.
    pub unasked_bytes: u64,
    /// Of slow clients and idle connections, in the order of [`BesideKind::ALL`]; `None` if it has none.
    pub beside: [Option<BesideResult>; BesideKind::ALL.len()],
    /// Of each request of a mix, in the measured slices.
    pub requests: Vec<(String, Account)>,
}

/// The accounts of an arm's slow clients or idle connections. Counts include the warm-up; times are of measured slices.
#[derive(Debug, Clone)]
pub struct BesideResult {
    pub number: u32,
    /// Connections open at the end.
    pub established: u32,
    pub counts: Counts,
    pub times: Times,
}

/// Takes what a run reports. Called only between slices, while every arm is frozen.
pub trait Observer {
    fn line(&mut self, line: &lines::Line<'_>) -> io::Result<()>;
    /// The accounts of an arm, at the end.
    fn arm(&mut self, result: ArmResult) -> io::Result<()>;
}

impl Session {
    /// The session that a plan asks for.
    pub fn from_plan(plan: Plan) -> Result<Self, Failure> {
        let arm = |arm: crate::plan::Arm| {
            let target = arm.target(plan.seed)?;
            let beside = arm.beside();
            Ok(SessionArm {
                name: arm.name,
                slice_ns: target.arrivals.length_ns().or(arm.slice_ns),
                target,
                network_namespace: arm.network_namespace,
                freeze: arm.freeze,
                reopening: arm.reopen_each_round,
                closes_each_round: arm.close_each_round,
                beside,
                hops: arm.hops,
            })
        };
        Ok(Self {
            seed: plan.seed,
            cores: plan.cores,
            io: plan.io,
            batch: plan.batch,
            slice_ns: plan.slice_ns,
            slice_jitter: plan.slice_jitter,
            settle_ns: plan.settle_ns,
            warm_up_slice_ns: plan.slice_ns.min(MAX_WARM_UP_SLICE_NS),
            rounds: plan.rounds,
            shared_cores: plan.shared_cores,
            warm_up: Some(plan.warm_up),
            watch: None,
            agent: plan.agent,
            arms: plan.arms.into_iter().map(arm).collect::<Result<_, Failure>>()?,
        })
    }

    /// Whether this machine allows as many open files as this backend needs.
    pub(super) fn check_open_files(&self, is_uring: bool) -> Result<(), Failure> {
        let most = limits::raise_open_files()
            .map_err(|error| Failure::machine(format!("the limit of open files cannot be read: {error}")))?;
        files::check(self, is_uring, most)
    }

    /// Whether this machine has the cores and the CPU accounts.
    pub(super) fn check_machine(&self) -> Result<(), Failure> {
        let allowed =
            process::allowed_cores().map_err(|error| Failure::machine(format!("the cores cannot be read: {error}")))?;
        if let Some(core) = self.cores.iter().find(|core| !allowed.contains(core)) {
            return Err(Failure::machine(format!("core {core} is not there, or not for this process"))
                .hint(format!("these are: {allowed:?}")));
        }
        self.arms.iter().try_for_each(|arm| check_accounts(&arm.name, &arm.hops))
    }

    /// The connections of an arm on one thread: dealt evenly.
    pub(super) fn connections_of(&self, arm: usize, thread: usize) -> u32 {
        share(u64::from(self.arms[arm].target.connections), self.cores.len(), thread) as u32
    }

    /// The threads that have connections of an arm.
    pub(super) fn lanes_of(&self, arm: usize) -> usize {
        self.cores.len().min(self.arms[arm].target.connections as usize)
    }

    /// The kinds of connections that some arm has beside its own. Each gets a thread.
    pub(super) fn kinds_beside(&self) -> impl Iterator<Item = BesideKind> {
        BesideKind::ALL.into_iter().filter(|kind| self.arms.iter().any(|arm| arm.beside.number(*kind) > 0))
    }

    /// The arrivals that begin with a slice; `None` if those of the slice before go on. What has an end begins with what
    /// is measured, and a log with its first line.
    pub(super) fn begun_with(&self, arm: usize, stage: Stage, round: u32) -> Option<Arrivals> {
        let arrivals = self.step_of(arm, round).unwrap_or_else(|| self.arms[arm].target.arrivals.clone());
        match stage {
            Stage::Measure if arrivals.is_limited() || self.arms[arm].target.requests.is_sequence() => Some(arrivals),
            Stage::Settle if arrivals.is_limited() => Some(arrivals.without_end()),
            _ => None,
        }
    }

    /// The length of a measured slice in a round whose slices are longer or shorter by this factor. A shape is as long as
    /// it says.
    pub(super) fn length_ns_of(&self, arm: usize, round: u32, stretch: f64) -> u64 {
        let step_ns = self.step_of(arm, round).and_then(|step| step.length_ns());
        let SessionArm { target, slice_ns, .. } = &self.arms[arm];
        let length_ns = slice_ns.unwrap_or(self.slice_ns);
        let is_shaped = target.arrivals.length_ns().is_some();
        step_ns.unwrap_or(if is_shaped { length_ns } else { (length_ns as f64 * stretch).round() as u64 })
    }

    /// The step that an arm has in this round. Where several arms take turns a slice is one step.
    fn step_of(&self, arm: usize, round: u32) -> Option<Arrivals> {
        if self.arms.len() > 1 { self.arms[arm].target.arrivals.step(round) } else { None }
    }

    /// How many completions one thread waits for.
    pub(crate) fn batch_of(&self, arm: usize, connections: u32) -> u32 {
        let is_open = self.arms[arm].target.arrivals.is_open();
        if is_open || connections < MIN_BATCHING_CONNECTIONS { 1 } else { self.batch }
    }
}

/// One of `parts` shares of `whole`, which differ by one at most.
fn share(whole: u64, parts: usize, part: usize) -> u64 {
    let (parts, part) = (parts as u64, part as u64);
    whole / parts + u64::from(part < whole % parts)
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn shares_are_even_and_complete() {
        for (whole, parts) in [(64, 1), (65, 2), (1, 3), (0, 2), (1000, 7)] {
            let shares: Vec<u64> = (0..parts).map(|part| share(whole, parts, part)).collect();
            assert_eq!(shares.iter().sum::<u64>(), whole);
            assert!(shares.iter().max().expect("one") - shares.iter().min().expect("one") <= 1);
        }
    }
}
