//! What the leader knows of an arm and of a slice.

use super::beside::BesideReport;
use super::cpu::{CpuMeter, CpuReading};
use crate::lines::BesideSlice;
use crate::plan::BesideKind;
use crate::recorder::Counts;

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
    pub(super) measured: Measured,
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
}
