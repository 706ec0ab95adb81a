//! What the leader knows of an arm and of a slice.

use super::beside::BesideReport;
use super::edges::{CpuMeter, CpuReading};
use super::setup::SessionArm;
use crate::lines::{self, AgentEdges, BesideSlice, CpuByHop};
use crate::plan::BesideKind;
use crate::recorder::{self, Counts, Distribution};

/// What the leader keeps of an arm.
#[derive(Default)]
pub(super) struct ArmState {
    pub(super) meter: CpuMeter,
    /// The arm's clock: the sum of its slices. See [`crate::client::ArmClock`].
    pub(super) clock_ns: u64,
    /// The part of it in which connections were opened.
    pub(super) opening_ns: u64,
    /// The schedule's clock.
    pub(super) schedule_ns: u64,
    /// The accounts at the end of its last slice.
    pub(super) counts: Counts,
    /// The sum of the ages of the requests that were in flight then.
    pub(super) ages_ns: u64,
    /// When its last slice ended, and the CPU time of its hops then.
    pub(super) last: Option<(u64, CpuReading)>,
    pub(super) connected: bool,
    pub(super) established: u32,
    pub(super) were_open: u32,
    /// Its slow clients and idle connections at the end of its last slice.
    pub(super) beside: [BesideReport; BesideKind::ALL.len()],
    /// Connections that had never been open when it was measured first.
    pub(super) unopened: Option<u32>,
    pub(super) own_cpu_ns: u64,
    pub(super) outside_cpu_ns: u64,
    /// Measured slices in which this machine's clock and the agent's did not go alike.
    pub(super) unsteady_slices: u32,
    pub(super) measured: Measured,
}

impl ArmState {
    /// Adds a measured slice to the sums.
    pub(super) fn note(&mut self, outcome: &Outcome) {
        let measured = &mut self.measured;
        measured.counts.merge(&outcome.counts);
        measured.elapsed_ns += outcome.elapsed_ns;
        measured.generator_cpu_ns += outcome.generator_cpu_ns;
        measured.run_delay_ns =
            measured.run_delay_ns.zip(outcome.run_delay_ns).map(|(sum_ns, delay_ns)| sum_ns + delay_ns);
        measured.beside_cpu_ns += outcome.beside.iter().flatten().map(|slice| slice.cpu_ns).sum::<u64>();
        let is_steady = |edges: &AgentEdges| edges.thaw.is_steady_until(edges.freeze, outcome.elapsed_ns);
        self.unsteady_slices += u32::from(!outcome.agent.as_ref().is_none_or(is_steady));
        let sum = |used: CpuByHop<'_>| used.values().flatten().sum::<u64>();
        self.own_cpu_ns += sum(self.meter.used(&outcome.cpu.0, &outcome.cpu.1));
        self.outside_cpu_ns += sum(self.meter.used_outside(&outcome.outside.0, &outcome.outside.1));
    }
}

/// The sum of the measured slices of an arm.
pub(super) struct Measured {
    pub(super) counts: Counts,
    pub(super) elapsed_ns: u64,
    pub(super) generator_cpu_ns: u64,
    /// `None` if it is unknown of one slice.
    pub(super) run_delay_ns: Option<u64>,
    /// CPU time of the threads of slow clients and idle connections.
    pub(super) beside_cpu_ns: u64,
}

impl Default for Measured {
    fn default() -> Self {
        Self { counts: Counts::default(), elapsed_ns: 0, generator_cpu_ns: 0, run_delay_ns: Some(0), beside_cpu_ns: 0 }
    }
}

/// The result of one slice.
pub(super) struct Outcome {
    pub(super) start_ns: u64,
    pub(super) elapsed_ns: u64,
    pub(super) freeze_ns: u64,
    pub(super) drain_ns: Option<u64>,
    pub(super) frozen_ns: Option<u64>,
    pub(super) counts: Counts,
    /// The sum of the ages of the requests in flight: at the end less at the beginning.
    pub(super) aged_ns: i64,
    /// CPU readings at the thaw and at the freeze.
    pub(super) cpu: (CpuReading, CpuReading),
    /// CPU readings at the freeze before and at the thaw.
    pub(super) outside: (CpuReading, CpuReading),
    /// CPU readings at the beginning of the visit that it is the end of, and at the thaw.
    pub(super) settling: (CpuReading, CpuReading),
    /// CPU readings before and after its connections were closed behind it, if they were.
    pub(super) closing: Option<(CpuReading, CpuReading)>,
    pub(super) generator_cpu_ns: u64,
    pub(super) run_delay_ns: Option<u64>,
    /// `None` if the arm has none of a kind.
    pub(super) beside: [Option<BesideSlice>; BesideKind::ALL.len()],
    /// `None` if the arm was frozen here.
    pub(super) agent: Option<AgentEdges>,
}

impl Outcome {
    /// As the engine writes it: the arm's slice in this round, at this place of it, with the response times of its own.
    pub(super) fn line<'a>(
        &self,
        arm: &'a SessionArm,
        meter: &'a CpuMeter,
        (round, place): (u32, usize),
        times: Option<&Distribution>,
    ) -> lines::Slice<'a> {
        let counts = &self.counts;
        let is_reopened = arm.reopening.is_some();
        let settling = std::iter::once(&self.settling).chain(&self.closing);
        let [slow_clients, idle_connections] = self.beside;
        lines::Slice {
            arm: &arm.name,
            round,
            place,
            start_ns: self.start_ns,
            elapsed_ns: self.elapsed_ns,
            freeze_ns: self.freeze_ns,
            drain_ns: self.drain_ns,
            frozen_ns: self.frozen_ns,
            answers: counts.answers,
            due: counts.due(),
            sent: counts.sent,
            not_sent: counts.not_sent,
            errors: counts.errors,
            reconnects: counts.reconnects,
            received_bytes: counts.received_bytes,
            sent_bytes: counts.sent_bytes,
            cpu_ns: meter.used(&self.cpu.0, &self.cpu.1),
            cpu_outside_ns: meter.used_outside(&self.outside.0, &self.outside.1),
            cpu_settling_ns: meter.used_in(settling),
            process_cpu_ns: is_reopened.then(|| meter.used_by_process(&self.cpu.0, &self.cpu.1)),
            generator_cpu_ns: self.generator_cpu_ns,
            run_delay_ns: self.run_delay_ns,
            spin_ns: counts.spin_ns,
            late: counts.late,
            in_flight_ns: counts.in_flight_ns_of_slice(),
            aged_ns: self.aged_ns,
            response_time: times.map(|times| recorder::encode(&times.known)),
            response_unanswered: times
                .filter(|times| !times.at_least.is_empty())
                .map(|times| recorder::encode(&times.at_least)),
            slow_clients,
            idle_connections,
            agent: self.agent,
        }
    }
}
