//! Connections that are there beside the fast ones, with accounts of their own: slow clients and idle connections.

use super::{MAX_CONNECTIONS, is_rate};
use crate::schedule::{Arrivals, ClosedLoop, Constant};
use serde::{Deserialize, Serialize};

/// Connections that read and write at a given rate. Each asks again as soon as it has its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SlowClients {
    pub number: u32,
    /// Of each, in both directions.
    pub bytes_per_s: u64,
}

/// Connections that are kept open and seldom used, one after the other at equal distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct IdleConnections {
    pub number: u32,
    /// How often each asks.
    pub every_ns: u64,
}

/// What is there beside an arm's fast connections.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Beside {
    pub slow: Option<SlowClients>,
    pub idle: Option<IdleConnections>,
}

/// A kind of connections beside the fast ones. Each has a thread of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BesideKind {
    Slow,
    Idle,
}

impl BesideKind {
    pub const ALL: [Self; 2] = [Self::Slow, Self::Idle];

    /// What people call several of them.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slow => "slow clients",
            Self::Idle => "idle connections",
        }
    }
}

impl Beside {
    /// How many of a kind there are.
    pub fn number(&self, kind: BesideKind) -> u32 {
        match kind {
            BesideKind::Slow => self.slow.map_or(0, |slow| slow.number),
            BesideKind::Idle => self.idle.map_or(0, |idle| idle.number),
        }
    }

    /// How many there are of all kinds.
    pub fn connections(&self) -> u32 {
        BesideKind::ALL.into_iter().map(|kind| self.number(kind)).sum()
    }

    /// The pace of a kind; `None` is as fast as it goes.
    pub fn bytes_per_s(&self, kind: BesideKind) -> Option<u64> {
        self.slow.filter(|_| kind == BesideKind::Slow).map(|slow| slow.bytes_per_s)
    }

    /// When a kind's requests are due.
    pub fn arrivals(&self, kind: BesideKind) -> Arrivals {
        match (kind, self.idle) {
            (BesideKind::Idle, Some(idle)) => Arrivals::Constant(Constant::new(idle.rate_per_s(), None)),
            (BesideKind::Idle, None) | (BesideKind::Slow, _) => Arrivals::Closed(ClosedLoop::default()),
        }
    }

    /// What is wrong with them, in words.
    pub fn check(&self) -> Result<(), String> {
        for kind in BesideKind::ALL {
            let is_there = match kind {
                BesideKind::Slow => self.slow.is_some(),
                BesideKind::Idle => self.idle.is_some(),
            };
            let number = self.number(kind);
            if is_there && !(1..=MAX_CONNECTIONS).contains(&number) {
                return Err(format!("{number} {}, not 1 to {MAX_CONNECTIONS}", kind.name()));
            }
        }
        if self.slow.is_some_and(|slow| slow.bytes_per_s == 0) {
            return Err("slow clients at 0 bytes per second would never be answered".to_owned());
        }
        match self.idle.map(IdleConnections::rate_per_s) {
            Some(rate_per_s) if !is_rate(rate_per_s, 1) => {
                Err(format!("idle connections that ask {rate_per_s} times a second, all together"))
            }
            _ => Ok(()),
        }
    }
}

impl IdleConnections {
    fn rate_per_s(self) -> f64 {
        f64::from(self.number) * 1e9 / self.every_ns as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Due, Schedule as _};

    #[test]
    fn idle_connections_ask_at_equal_distances_and_slow_ones_when_they_are_free() {
        let slow = Some(SlowClients { number: 3, bytes_per_s: 100 });
        let idle = Some(IdleConnections { number: 5, every_ns: 10_000 });
        let beside = Beside { slow, idle };
        assert_eq!(beside.check(), Ok(()));
        let mut arrivals = beside.arrivals(BesideKind::Idle);
        assert_eq!([arrivals.due(0), arrivals.due(1), arrivals.due(5)], [0, 2000, 10_000].map(Due::At));
        assert_eq!(beside.arrivals(BesideKind::Slow).due(7), Due::WhenFree);
        assert_eq!((BesideKind::ALL.map(|kind| beside.number(kind)), beside.connections()), ([3, 5], 8));
        assert_eq!(BesideKind::ALL.map(|kind| beside.bytes_per_s(kind)), [Some(100), None]);
        assert_eq!(BesideKind::ALL.map(|kind| Beside::default().number(kind)), [0, 0]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let slow = |number, bytes_per_s| Beside { slow: Some(SlowClients { number, bytes_per_s }), idle: None };
        let idle = |number, every_ns| Beside { slow: None, idle: Some(IdleConnections { number, every_ns }) };
        for beside in [slow(0, 1), slow(1 << 21, 1), slow(1, 0), idle(0, 1), idle(1, 0), idle(1000, 1)] {
            assert!(beside.check().is_err(), "{beside:?}");
        }
        assert_eq!(Beside::default().check(), Ok(()));
        assert!(idle(1, u64::MAX).check().is_err(), "once in 584 years");
    }
}
