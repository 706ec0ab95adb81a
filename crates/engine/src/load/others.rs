//! What other programs take of the machine. Nobody knows which processes serve the URL, so the look is taken before the
//! load, while its server has nothing to do.

use std::fs;
use std::thread;
use std::time::Duration;

/// A shorter load is not worth the wait.
const MIN_LOAD_NS: u64 = 5_000_000_000;
/// The look takes this share of the load's time, and a second at most.
const LOOK_SHARE: u64 = 10;
const MAX_LOOK_NS: u64 = 1_000_000_000;
/// From this share of all cores on a load is suspect, as `hopcost run` calls a block disturbed.
const MAX_SHARE: f64 = 0.03;

/// The share of all cores that was in use before a load of this length; `None` for a short one, or if it is not known.
pub(super) fn look_before(load_ns: u64) -> Option<f64> {
    let look = look_time(load_ns)?;
    let before = Ticks::read()?;
    thread::sleep(look);
    before.busy_until(&Ticks::read()?)
}

/// What all cores together have done since the machine started, in ticks.
#[derive(Debug, PartialEq)]
struct Ticks {
    idle: u64,
    all: u64,
}

impl Ticks {
    fn read() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/stat").ok()?)
    }

    /// The line of all cores: user, nice, system, idle, iowait, irq, softirq, steal. Guests' time is in user time.
    fn parse(text: &str) -> Option<Self> {
        let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
        let ticks: Vec<u64> = line.split_whitespace().map_while(|word| word.parse().ok()).take(8).collect();
        (ticks.len() == 8).then(|| Self { idle: ticks[3] + ticks[4], all: ticks.iter().sum() })
    }

    /// The share that was in use, or kept by the hypervisor, until `later`.
    fn busy_until(&self, later: &Self) -> Option<f64> {
        let all = later.all.saturating_sub(self.all);
        let idle = later.idle.saturating_sub(self.idle);
        (all > 0).then(|| all.saturating_sub(idle) as f64 / all as f64)
    }
}

fn look_time(load_ns: u64) -> Option<Duration> {
    (load_ns >= MIN_LOAD_NS).then(|| Duration::from_nanos((load_ns / LOOK_SHARE).min(MAX_LOOK_NS)))
}

/// Why the load is suspect, if others took too much.
pub(super) fn reason(share: f64) -> Option<String> {
    (share >= MAX_SHARE).then(|| {
        let (percent, called) = (share * 100.0, super::called());
        format!(
            "disturbed: other programs used {percent:.0} % of the CPU just before, and answers may look slower than \
             they were ({called} doctor names them)"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_load_of_some_seconds_is_worth_a_look() {
        for (load_s, look_ms) in [(1, None), (4, None), (5, Some(500)), (10, Some(1000)), (3600, Some(1000))] {
            assert_eq!(look_time(load_s * 1_000_000_000), look_ms.map(Duration::from_millis), "{load_s} s");
        }
    }

    #[test]
    fn the_line_of_all_cores_is_read() {
        let from = Ticks::parse("cpu  10 0 10 70 10 0 0 0 5 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n").expect("a whole line");
        let to = Ticks::parse("cpu  30 0 15 140 10 0 0 5 5 0\n").expect("a whole line");
        assert_eq!(from, Ticks { idle: 80, all: 100 });
        assert_eq!(from.busy_until(&to), Some(0.3));
        assert_eq!(from.busy_until(&from), None);
        assert_eq!(Ticks::parse("cpu0 1 1 1 1 1 1 1 1\n"), None);
        assert_eq!(Ticks::parse("cpu  1 2 3\n"), None);
    }

    #[test]
    fn from_three_per_cent_on_it_is_disturbed() {
        assert_eq!(reason(0.029), None);
        assert!(reason(0.43).expect("much").starts_with("disturbed: other programs used 43 % of the CPU"));
    }
}
