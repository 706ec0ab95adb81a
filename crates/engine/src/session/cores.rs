//! How busy the machine's cores were.

use std::fs;

/// One reading of `/proc/stat`: by core, in ticks since boot.
#[derive(Debug, Default)]
pub struct Cores(Vec<(usize, Ticks)>);

#[derive(Debug, Clone, Copy, Default)]
struct Ticks {
    busy: u64,
    idle: u64,
    steal: u64,
}

/// How busy cores were between two readings.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CoreUse {
    /// The largest share of one of the generator's cores that the hypervisor kept.
    pub steal: f64,
    /// The largest share of one of the other cores that was in use.
    pub busiest_other: f64,
}

impl Cores {
    /// Reads the counters. Empty if they cannot be read.
    pub fn read() -> Self {
        Self::parse(&fs::read_to_string("/proc/stat").unwrap_or_default())
    }

    fn parse(text: &str) -> Self {
        let core = |line: &str| {
            let mut fields = line.strip_prefix("cpu")?.split_ascii_whitespace();
            // The first line is the sum and has no number.
            let core = line.as_bytes().get(3).filter(|byte| byte.is_ascii_digit()).and(fields.next())?.parse().ok()?;
            let ticks: Vec<u64> = fields.map_while(|field| field.parse().ok()).collect();
            let &[user, nice, system, idle, io_wait, interrupt, soft_interrupt, steal, ..] = ticks.as_slice() else {
                return None;
            };
            let busy = user + nice + system + interrupt + soft_interrupt;
            Some((core, Ticks { busy, idle: idle + io_wait, steal }))
        };
        Self(text.lines().filter_map(core).collect())
    }

    /// What happened until `later`; `own` are the generator's cores. `None` if it is not known.
    pub fn until(&self, later: &Self, own: &[usize]) -> Option<CoreUse> {
        let mut result = CoreUse::default();
        let mut any = false;
        for (core, from) in &self.0 {
            let (_, to) = later.0.iter().find(|(other, _)| other == core)?;
            // Idle time has been seen to go back by a tick.
            let [busy, idle, steal] = [(from.busy, to.busy), (from.idle, to.idle), (from.steal, to.steal)]
                .map(|(from, to)| to.saturating_sub(from) as f64);
            let all = (busy + idle + steal).max(1.0);
            if own.contains(core) {
                any = true;
                result.steal = result.steal.max(steal / all);
            } else {
                result.busiest_other = result.busiest_other.max((busy + steal) / all);
            }
        }
        any.then_some(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_one_reading_to_the_next() {
        let from =
            Cores::parse("cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 10 0 10 100 0 0 0 5 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\nintr 7");
        let to = Cores::parse("cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 40 0 20 150 0 5 0 10 0 0\ncpu1 9 9 9 9 9 9 9 37 0 0\n");
        assert_eq!(from.until(&to, &[0]), Some(CoreUse { steal: 0.05, busiest_other: 0.82 }));
        assert_eq!(from.until(&to, &[1]), Some(CoreUse { steal: 0.37, busiest_other: 0.5 }));
        assert_eq!(Cores::default().until(&to, &[0]), None);
    }
}
