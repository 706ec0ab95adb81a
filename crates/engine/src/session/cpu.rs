//! The CPU time of an arm's hops.

use crate::io::clock::ProcessClock;
use crate::lines::CpuByHop;
use crate::plan::{CpuSource, Hop};

/// The CPU counters of an arm.
#[derive(Debug)]
pub struct CpuMeter {
    hops: Vec<(String, Vec<Option<ProcessClock>>)>,
}

/// One reading, in the order of the hops. `None` where a process of the hop is gone: the rest is not its sum.
pub type CpuReading = Vec<Option<u64>>;

impl CpuMeter {
    /// The counters of these hops.
    pub fn new(hops: &[Hop]) -> Self {
        let clocks = |hop: &Hop| {
            let CpuSource::Processes(processes) = &hop.cpu;
            (hop.name.clone(), processes.iter().map(|&process| ProcessClock::of(process).ok()).collect())
        };
        Self { hops: hops.iter().map(clocks).collect() }
    }

    /// Reads them all.
    pub fn read(&self) -> CpuReading {
        self.hops.iter().map(|(_, clocks)| clocks.iter().map(|clock| clock.as_ref()?.read_ns().ok()).sum()).collect()
    }

    /// What was used from one reading to the next, by the hops' names.
    pub fn used<'a>(&'a self, from: &CpuReading, to: &CpuReading) -> CpuByHop<'a> {
        let used = |(from, to): (&Option<u64>, &Option<u64>)| Some(to.as_ref()?.saturating_sub(*from.as_ref()?));
        self.hops.iter().map(|(name, _)| name.as_str()).zip(from.iter().zip(to).map(used)).collect()
    }
}
