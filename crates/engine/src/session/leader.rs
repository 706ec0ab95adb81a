//! The first thread. Besides its share of the load it does the edges of slices: thaw, freeze, read the counters.

use super::beside::BesideWorker;
use super::cores::{CoreUse, Cores};
use super::edges::{Channel, CpuMeter, CpuReading, Edges};
use super::judgement;
use super::preparation::opening;
use super::setup::{ArmResult, Observer, Session, SessionArm};
use super::state::{ArmState, Measured, Outcome};
use super::worker::{Command, MAX_CLOSE_NS, MAX_DRAIN_NS, Report, Shared, Stage, Worker, lock};
use crate::check::COMPARED_ONE_IN;
use crate::client::ArmClock;
use crate::io::paced::Paced;
use crate::io::tls::MaybeTls;
use crate::io::{Io, signal};
use crate::lines::{self, BesideSlice, Line, Validity};
use crate::plan::BesideKind;
use crate::recorder::Distribution;
use crate::schedule::Schedule as _;
use hopcost_common::clock;
use hopcost_common::failure::Failure;
use hopcost_common::seeds::{self, Sequence};
use std::io;
use std::sync::atomic::Ordering;
use std::thread;

pub(super) struct Leader<'s, I> {
    pub(super) session: &'s Session,
    shared: &'s Shared,
    worker: Worker<'s, I>,
    pub(super) edges: &'s mut Edges,
    pub(super) arms: Vec<ArmState>,
    round: u32,
    /// The factor by which this round's measured slices are longer or shorter.
    stretch: f64,
    /// How busy the cores were during the measured slices.
    cores: Option<CoreUse>,
}

/// Runs a session on this backend.
pub(super) fn run<I: Io>(
    session: &Session,
    channel: Option<Channel>,
    io_name: &str,
    observer: &mut dyn Observer,
) -> Result<(), Failure> {
    let begin_ns = clock::monotonic_ns();
    let generator_begin_ns = clock::process_cpu_ns();
    let mut edges = Edges::open(session, channel)?;
    let shared = Shared::new(session, edges.link());
    let (outcome, validity, reasons) = thread::scope(|scope| {
        for index in 1..session.cores.len() {
            let shared = &shared;
            scope.spawn(move || Worker::<I>::new(session, index, shared).follow());
        }
        for kind in session.kinds_beside() {
            let shared = &shared;
            match kind {
                BesideKind::Slow => {
                    scope.spawn(move || BesideWorker::<MaybeTls<Paced>>::new(session, kind, shared).follow())
                }
                BesideKind::Idle => scope.spawn(move || BesideWorker::<I>::new(session, kind, shared).follow()),
            };
        }
        let arm = |arm: &SessionArm| ArmState { meter: CpuMeter::new(&arm.hops), ..ArmState::default() };
        let worker = Worker::<I>::new(session, 0, &shared);
        shared.barrier.wait();
        let arms = session.arms.iter().map(arm).collect();
        let edges = &mut edges;
        let mut leader = Leader { session, shared: &shared, worker, edges, arms, round: 0, stretch: 1.0, cores: None };
        let outcome = leader.rounds(io_name, observer);
        // The other threads wait at the barrier for a command, also after a failure.
        *lock(&shared.command) = Command::End;
        shared.barrier.wait();
        leader.worker.hand_in();
        shared.barrier.wait();
        leader.hand_in();
        let (validity, reasons) = leader.judge();
        (outcome, validity, reasons)
    });
    drop(edges);
    outcome?;
    let results = std::mem::take(&mut *lock(&shared.results));
    for result in results {
        observer.arm(result).map_err(output_failed)?;
    }
    let end = lines::End {
        elapsed_ns: clock::monotonic_ns() - begin_ns,
        generator_cpu_ns: clock::process_cpu_ns() - generator_begin_ns,
        validity,
        reasons,
    };
    observer.line(&Line::End(end)).map_err(output_failed)
}

pub(super) fn output_failed(error: io::Error) -> Failure {
    Failure::run(format!("standard output: {error}"))
}

impl<I: Io> Leader<'_, I> {
    fn rounds(&mut self, io_name: &str, observer: &mut dyn Observer) -> Result<(), Failure> {
        self.check_failure()?;
        let session = self.session;
        let start = lines::Start {
            version: env!("CARGO_PKG_VERSION"),
            io: io_name,
            batch: session.batch,
            cores: &session.cores,
            compared_one_in: COMPARED_ONE_IN,
            agent: self.edges.agent(),
        };
        observer.line(&Line::Start(start)).map_err(output_failed)?;
        self.edges.freeze_all()?;
        for arm in 0..session.arms.len() {
            self.open(arm, observer)?;
            if let Some(rule) = session.warm_up {
                self.warm_up(arm, rule, observer)?;
            }
            self.close(arm)?;
        }
        let cores = Cores::read();
        let mut shuffle = Sequence::new(session.seed);
        // Slices of equal length can lock onto a periodic event in the arm, such as garbage collection.
        let stretches = seeds::spread(session.seed, session.rounds, session.slice_jitter);
        for (round, stretch) in (0..session.rounds).zip(stretches) {
            (self.round, self.stretch) = (round, stretch);
            for (place, arm) in shuffle.order_of(session.arms.len()).into_iter().enumerate() {
                if signal::stop_requested() {
                    return Ok(());
                }
                let mut outcome = self.visit(arm)?;
                self.cores = cores.until(&Cores::read(), &session.cores);
                let times = self.response_times(arm);
                outcome.closing = self.close(arm)?;
                let line = outcome.line(&session.arms[arm], &self.arms[arm].meter, (round, place), times.as_ref());
                observer.line(&Line::Slice(line)).map_err(output_failed)?;
                self.arms[arm].note(&outcome);
            }
        }
        // In the closed loop an arm of several is frozen with requests in flight. Without a drain they would be its
        // slowest answers for ever.
        if self.session.arms.len() > 1 {
            for arm in 0..self.session.arms.len() {
                self.slice(arm, Stage::Drain)?;
            }
        }
        Ok(())
    }

    /// A measured slice, after the load that settles the arm. What the arm did while frozen is what it did before
    /// settling.
    fn visit(&mut self, arm: usize) -> Result<Outcome, Failure> {
        let mut first =
            self.session.arms[arm].reopening.map(|reopening| self.open_again(arm, reopening)).transpose()?;
        if self.session.settle_ns > 0 {
            let settled = self.slice(arm, Stage::Settle)?;
            first.get_or_insert(settled);
        }
        let measured = self.slice(arm, Stage::Measure)?;
        Ok(match first {
            Some(Outcome { frozen_ns, outside, cpu: (begin, _), .. }) => {
                let settling = (begin, measured.cpu.0.clone());
                Outcome { frozen_ns, outside, settling, ..measured }
            }
            None => measured,
        })
    }

    /// Closes the arm's connections behind a visit if the plan wants that. Returns the CPU readings before and after.
    fn close(&mut self, arm: usize) -> Result<Option<(CpuReading, CpuReading)>, Failure> {
        if !self.session.arms[arm].closes_each_round {
            return Ok(None);
        }
        Ok(Some(self.slice(arm, Stage::Close)?.cpu))
    }

    /// The response times of an open loop's slice that has just ended. What is watched hands its times over elsewhere.
    fn response_times(&mut self, arm: usize) -> Option<Distribution> {
        if self.session.watch.is_some() || !self.session.arms[arm].target.arrivals.is_open() {
            return None;
        }
        *lock(&self.shared.command) = Command::ResponseTimes { arm };
        self.shared.barrier.wait();
        self.worker.report_response_times(arm);
        self.shared.barrier.wait();
        lock(&self.shared.response_times).take()
    }

    /// One slice: thaw, load, freeze, read.
    pub(super) fn slice(&mut self, arm: usize, stage: Stage) -> Result<Outcome, Failure> {
        let target = &self.session.arms[arm].target;
        let edge = &mut self.edges.arms[arm];
        let state = &mut self.arms[arm];
        *lock(&self.shared.report) = Report::default();

        let length_ns = match stage {
            Stage::WarmUp => self.session.warm_up_slice_ns,
            Stage::Settle => self.session.settle_ns,
            Stage::Measure => self.session.length_ns_of(arm, self.round, self.stretch),
            Stage::Drain => MAX_DRAIN_NS,
            Stage::Close => MAX_CLOSE_NS,
            Stage::Open => opening::SLICE_NS,
            Stage::Reopen(_) => MAX_DRAIN_NS + opening::SLICE_NS,
        };
        let is_open_slice = target.arrivals.is_open() && stage.is_load();
        let begins_anew = self.session.begun_with(arm, stage, self.round).is_some();
        let is_limited = stage == Stage::Measure && target.arrivals.is_limited();
        let ends_by_itself = is_limited || is_open_slice || !stage.is_load();
        let ending = edge.ending(ends_by_itself);
        self.shared.at_work.store(self.session.cores.len(), Ordering::Release);
        let thawed = edge.thaw(ending, length_ns, &state.meter)?;
        let start_ns = thawed.start_ns;
        let command = Command::Slice {
            arm,
            start_ns,
            until_ns: start_ns.saturating_add(length_ns),
            clock: ArmClock::thawed(start_ns, state.clock_ns, state.schedule_ns),
            stage,
            round: self.round,
            ending,
        };
        *lock(&self.shared.command) = command;
        self.shared.barrier.wait();
        self.worker.slice(command);
        if ends_by_itself {
            // Threads end when their share is done, so the slice ends with the last of them.
            self.shared.barrier.wait();
        }
        let frozen = edge.freeze(&state.meter);
        if !ends_by_itself {
            self.shared.barrier.wait();
        }
        let generator_cpu_ns = clock::process_cpu_ns() - thawed.generator_ns;
        let frozen = frozen?;
        let (cpu_at_thaw, cpu_at_freeze) = (thawed.cpu, frozen.cpu);
        let report = *lock(&self.shared.report);
        let Report { mut counts, unconnected_threads, established, were_open, pending, run_delay_ns, beside } = report;
        let elapsed_ns = frozen.at_ns.saturating_sub(thawed.at_ns);
        // What was in flight in a thread's last batch stayed in flight until the arm was frozen.
        counts.in_flight_ns += pending.uncounted_ns(state.clock_ns + elapsed_ns);
        let ages_ns = pending.ages_ns(state.clock_ns + elapsed_ns);
        let last = state.last.replace((frozen.at_ns, cpu_at_freeze.clone()));
        let outcome = Outcome {
            start_ns,
            elapsed_ns,
            freeze_ns: frozen.at_ns.saturating_sub(frozen.begin_ns),
            drain_ns: is_open_slice.then(|| frozen.begin_ns.saturating_sub(thawed.at_ns.saturating_add(length_ns))),
            frozen_ns: last.as_ref().map(|(last_end_ns, _)| thawed.at_ns.saturating_sub(*last_end_ns)),
            counts: counts.since(&state.counts),
            aged_ns: ages_ns.wrapping_sub(state.ages_ns).cast_signed(),
            outside: (last.map_or_else(|| vec![None; cpu_at_thaw.len()], |(_, reading)| reading), cpu_at_thaw.clone()),
            settling: (cpu_at_thaw.clone(), cpu_at_thaw.clone()),
            closing: None,
            cpu: (cpu_at_thaw, cpu_at_freeze),
            generator_cpu_ns,
            run_delay_ns,
            beside: BesideKind::ALL.map(|kind| {
                let (now, before) = (&beside[kind as usize], &state.beside[kind as usize]);
                let is_there = self.session.arms[arm].beside.number(kind) > 0;
                is_there.then(|| BesideSlice::of(&now.counts.since(&before.counts), now.cpu_ns))
            }),
            agent: frozen.agent,
        };
        state.beside = beside;
        state.clock_ns += elapsed_ns;
        if stage == Stage::Measure {
            state.unopened.get_or_insert(target.connections - state.were_open);
        }
        if is_open_slice && !begins_anew {
            state.schedule_ns += length_ns;
        }
        (state.counts, state.ages_ns) = (counts, ages_ns);
        state.connected = unconnected_threads == 0;
        (state.established, state.were_open) = (established, were_open);
        self.check_failure()?;
        Ok(outcome)
    }

    fn check_failure(&self) -> Result<(), Failure> {
        lock(&self.shared.failure).take().map_or(Ok(()), Err)
    }

    /// Adds what no single thread knows to the results.
    fn hand_in(&self) {
        for (result, state) in lock(&self.shared.results).iter_mut().zip(&self.arms) {
            result.all_opened = state.last.as_ref().map(|_| state.connected);
        }
    }

    /// Whether the arm is frozen outside its own slices, and no other arm thaws some of it there.
    fn stands_still(&self, arm: &SessionArm) -> bool {
        arm.freeze.as_ref().filter(|_| self.edges.is_frozen(arm)).is_some_and(|own| {
            let others = self.session.arms.iter().filter(|other| other.name != arm.name);
            !others.filter_map(|other| other.freeze.as_ref()).any(|other| own.overlaps(other))
        })
    }

    fn judge(&self) -> (Validity, Vec<String>) {
        let results = lock(&self.shared.results);
        let arm = |((arm, state), result): ((&SessionArm, &ArmState), &ArmResult)| {
            let Measured { counts, elapsed_ns, generator_cpu_ns, run_delay_ns, beside_cpu_ns } = state.measured;
            let threads_ns = elapsed_ns.max(1) * self.session.cores.len() as u64;
            judgement::Arm {
                name: arm.name.clone(),
                connections: arm.target.connections,
                all_opened: result.all_opened,
                unopened: state.unopened.unwrap_or(0),
                is_open_loop: arm.target.arrivals.is_open(),
                is_frozen: self.stands_still(arm),
                counts,
                generator_busy: generator_cpu_ns.saturating_sub(counts.spin_ns) as f64 / threads_ns as f64,
                // Threads of slow clients and idle connections use the same cores.
                run_delay: run_delay_ns
                    .map(|delay_ns| delay_ns.saturating_sub(beside_cpu_ns) as f64 / threads_ns as f64),
                unopened_beside: BesideKind::ALL
                    .into_iter()
                    .map(|kind| (kind, arm.beside.number(kind) - state.beside[kind as usize].were_open))
                    .filter(|(_, unopened)| *unopened > 0 && state.last.is_some())
                    .collect(),
                own_cpu_ns: state.own_cpu_ns,
                outside_cpu_ns: state.outside_cpu_ns,
                unsteady_slices: state.unsteady_slices,
                unasked_bytes: result.unasked_bytes,
            }
        };
        judgement::judge(&judgement::Run {
            ended_early: signal::stop_requested(),
            cores: self.cores,
            shares_cores: self.session.shared_cores,
            arms: self.session.arms.iter().zip(&self.arms).zip(results.iter()).map(arm).collect(),
        })
    }
}
