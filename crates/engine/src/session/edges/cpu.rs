//! The CPU time of an arm's hops.

use crate::io::process::Process;
use crate::lines::CpuByHop;
use crate::plan::{CpuSource, Hop};
use hopcost_common::failure::Failure;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

#[derive(Debug, Default)]
pub struct CpuMeter {
    hops: Vec<(String, Counter)>,
    /// Whether each of them serves other arms too.
    shared: Vec<bool>,
}

/// One reading, in the order of the hops: by process, or a cgroup's sum. `None` if one process cannot be read.
pub type CpuReading = Vec<Option<Vec<u64>>>;

/// Where one hop's CPU time stands.
#[derive(Debug)]
enum Counter {
    /// Processes that stay the same; `None` if one was gone already.
    Processes(Vec<Option<Process>>),
    /// A tree that forks; ended processes included.
    Cgroup(Option<CgroupUsage>),
    /// Another machine reads it.
    Elsewhere,
}

impl Counter {
    fn of(source: &CpuSource) -> Self {
        match source {
            CpuSource::Processes(numbers) => {
                Self::Processes(numbers.iter().map(|&number| Process::open(number).ok()).collect())
            }
            CpuSource::Cgroup(directory) => Self::Cgroup(CgroupUsage::open(directory).ok()),
            CpuSource::Agent(_) => Self::Elsewhere,
        }
    }

    fn read_ns(&self) -> Option<Vec<u64>> {
        match self {
            Self::Processes(processes) => processes.iter().map(|process| process.as_ref()?.cpu_ns().ok()).collect(),
            Self::Cgroup(usage) => Some(vec![usage.as_ref()?.read_ns()?]),
            Self::Elsewhere => None,
        }
    }
}

impl CpuMeter {
    pub fn new(hops: &[Hop]) -> Self {
        Self {
            hops: hops.iter().map(|hop| (hop.name.clone(), Counter::of(&hop.cpu))).collect(),
            shared: hops.iter().map(|hop| hop.shared).collect(),
        }
    }

    pub fn read(&self) -> CpuReading {
        self.hops.iter().map(|(_, counter)| counter.read_ns()).collect()
    }

    /// CPU time between two readings, by the hops' names.
    pub fn used<'a>(&'a self, from: &CpuReading, to: &CpuReading) -> CpuByHop<'a> {
        let sum = |reading: &Option<Vec<u64>>| Some(reading.as_ref()?.iter().sum::<u64>());
        let used = |(from, to)| Some(sum(to)?.saturating_sub(sum(from)?));
        self.hops.iter().map(|(name, _)| name.as_str()).zip(from.iter().zip(to).map(used)).collect()
    }

    /// The same over several stretches.
    pub fn used_in<'a, 'r>(
        &'a self,
        stretches: impl IntoIterator<Item = &'r (CpuReading, CpuReading)>,
    ) -> CpuByHop<'a> {
        let mut used: CpuByHop<'a> = self.hops.iter().map(|(name, _)| (name.as_str(), Some(0))).collect();
        for (from, to) in stretches {
            for (name, more) in self.used(from, to) {
                used.entry(name).and_modify(|sum| *sum = sum.zip(more).map(|(sum, more)| sum + more));
            }
        }
        used
    }

    /// The same between two slices: a hop that others use too has used nothing there for this arm.
    pub fn used_outside<'a>(&'a self, from: &CpuReading, to: &CpuReading) -> CpuByHop<'a> {
        let mut used = self.used(from, to);
        for ((name, _), _) in self.hops.iter().zip(&self.shared).filter(|(_, shared)| **shared) {
            used.insert(name.as_str(), Some(0));
        }
        used
    }

    /// The same by process, of hops that have several and are read by their clocks.
    pub fn used_by_process<'a>(&'a self, from: &CpuReading, to: &CpuReading) -> BTreeMap<&'a str, Vec<u64>> {
        let mut used = BTreeMap::new();
        for ((name, _), (from, to)) in self.hops.iter().zip(from.iter().zip(to)) {
            if let (Some(from), Some(to)) = (from, to)
                && to.len() > 1
            {
                used.insert(name.as_str(), to.iter().zip(from).map(|(to, from)| to.saturating_sub(*from)).collect());
            }
        }
        used
    }

    /// The same of all hops together; `None` if there is no hop or one is unknown.
    pub fn used_by_all(&self, from: &CpuReading, to: &CpuReading) -> Option<u64> {
        let used = self.used(from, to);
        if used.is_empty() { None } else { used.into_values().sum() }
    }
}

/// Whether the CPU accounts of these hops are there.
pub(in crate::session) fn check_accounts(arm: &str, hops: &[Hop]) -> Result<(), Failure> {
    for hop in hops {
        let CpuSource::Cgroup(directory) = &hop.cpu else { continue };
        CgroupUsage::open(directory).map_err(|error| {
            let place = directory.display();
            Failure::machine(format!("arm `{arm}`, hop `{}`: no CPU account in {place}: {error}", hop.name))
                .hint("a cgroup of version 2 (cpu.stat) or of version 1's cpuacct; else {\"processes\": [pid, ...]}")
        })?;
    }
    Ok(())
}

/// The account that a cgroup keeps of all its processes: `cpuacct.usage` of version 1, or `cpu.stat` of version 2.
/// Version 1 has a `cpu.stat` too, about throttling, where cpu and cpuacct are one hierarchy.
#[derive(Debug)]
pub struct CgroupUsage(File);

impl CgroupUsage {
    pub fn open(directory: &Path) -> io::Result<Self> {
        let open = |name: &str| File::open(directory.join(name));
        open("cpuacct.usage").or_else(|_| open("cpu.stat")).map(Self)
    }

    pub fn read_ns(&self) -> Option<u64> {
        let mut buffer = [0_u8; 64];
        let length = self.0.read_at(&mut buffer, 0).ok()?;
        parse_ns(std::str::from_utf8(&buffer[..length]).ok()?)
    }
}

/// The first line of `cpu.stat` is `usage_usec N`; `cpuacct.usage` is a number of nanoseconds alone.
fn parse_ns(text: &str) -> Option<u64> {
    let first = text.lines().next()?;
    match first.strip_prefix("usage_usec ") {
        Some(microseconds) => microseconds.parse::<u64>().ok()?.checked_mul(1000),
        None => first.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn both_versions_files_are_read() {
        assert_eq!(parse_ns("usage_usec 12\nuser_usec 5\nsystem_usec 7\n"), Some(12_000));
        assert_eq!(parse_ns("9781234567\n"), Some(9_781_234_567));
        assert_eq!(parse_ns("user_usec 5\nusage_usec 12\n"), None);
        assert_eq!(parse_ns(""), None);
    }

    #[test]
    fn a_hop_without_an_account_has_no_cpu_time_and_the_others_keep_theirs() {
        let directory = std::env::temp_dir().join(format!("hopcost-cpu-test-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a temporary folder is there");
        let hop = |name: &str, path: &Path| Hop {
            name: name.to_owned(),
            cpu: CpuSource::Cgroup(path.to_owned()),
            shared: false,
        };
        fs::write(directory.join("cpuacct.usage"), "1000\n").expect("written");
        fs::write(directory.join("cpu.stat"), "nr_periods 0\nnr_throttled 0\n").expect("written");
        let meter = CpuMeter::new(&[hop("here", &directory), hop("gone", &directory.join("none"))]);
        let before = meter.read();
        fs::write(directory.join("cpuacct.usage"), "4500\n").expect("written");
        let after = meter.read();
        assert_eq!(meter.used_by_all(&before, &after), None, "one process is unknown, so the sum is");
        let used = serde_json::to_value(meter.used(&before, &after)).expect("plain values");
        fs::remove_dir_all(&directory).expect("ours");
        assert_eq!(used, serde_json::json!({"here": 3500, "gone": null}));
    }

    #[test]
    fn a_hop_that_others_use_too_has_used_nothing_outside_its_arms_slices() {
        let process = |name: &str, shared| Hop {
            name: name.to_owned(),
            cpu: CpuSource::Processes(vec![std::process::id()]),
            shared,
        };
        let meter = CpuMeter::new(&[process("own", false), process("database", true)]);
        let (before, after) = (vec![Some(vec![1000]), Some(vec![1000])], vec![Some(vec![1400]), Some(vec![1700])]);
        let used = |used: CpuByHop<'_>| serde_json::to_value(used).expect("plain values");
        assert_eq!(used(meter.used(&before, &after)), serde_json::json!({"own": 400, "database": 700}));
        assert_eq!(used(meter.used_outside(&before, &after)), serde_json::json!({"own": 400, "database": 0}));
    }
}
