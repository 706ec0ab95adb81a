//! The arms of this machine, thawed and frozen for a leader.

use super::super::SETTLE_NS;
use super::super::cpu::{CpuMeter, CpuReading, check_accounts};
use super::super::freeze::{Freezer, Freezers};
use super::super::messages::{ArmFacts, ErrorKind, FreezerKind};
use super::order::OrderedArm;
use super::sleep_until;
use crate::plan::FreezeBy;
use hopcost_common::clock;
use hopcost_common::failure::Failure;

/// Why something was not done.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) error: ErrorKind,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(error: ErrorKind, message: impl Into<String>) -> Self {
        Self { error, message: message.into() }
    }
}

#[derive(Debug)]
pub(super) struct Arms {
    freezers: Freezers,
    meters: Vec<CpuMeter>,
    facts: Vec<ArmFacts>,
    /// The arm that was thawed last, and when, until it is frozen.
    thawed: Option<(usize, u64)>,
}

/// What came of a freeze.
#[derive(Debug)]
pub(super) struct FrozenArm {
    pub(super) thawed_ns: Option<u64>,
    pub(super) freeze_ns: u64,
    pub(super) frozen_ns: u64,
    pub(super) cpu_ns: Vec<CpuReading>,
}

impl Arms {
    /// Takes hold of all arms, without touching them.
    pub(super) fn new(arms: &[OrderedArm]) -> Result<Self, Failure> {
        arms.iter().try_for_each(|arm| check_accounts(&arm.name, &arm.hops))?;
        let freezers = arms.iter().map(|arm| Freezer::new(&arm.name, arm.freeze.as_ref()));
        Ok(Self {
            freezers: Freezers::new(freezers.collect::<Result<_, _>>()?),
            meters: arms.iter().map(|arm| CpuMeter::new(&arm.hops)).collect(),
            facts: facts(arms),
            thawed: None,
        })
    }

    pub(super) fn facts(&self) -> Vec<ArmFacts> {
        self.facts.clone()
    }

    /// The CPU time of every arm.
    pub(super) fn read(&self) -> Vec<CpuReading> {
        self.meters.iter().map(CpuMeter::read).collect()
    }

    fn check(&self, arm: usize) -> Result<(), Refusal> {
        let arms = self.facts.len();
        if arm < arms {
            return Ok(());
        }
        Err(Refusal::new(ErrorKind::Order, format!("arm {arm}: the order has {arms}, from 0 on")))
    }

    /// Thaws an arm. Returns when, and every arm's CPU time before.
    pub(super) fn thaw(&mut self, arm: usize) -> Result<(u64, Vec<CpuReading>), Refusal> {
        self.check(arm)?;
        if let Some((other, _)) = self.thawed {
            return Err(Refusal::new(ErrorKind::Order, format!("arm {arm} cannot be thawed: arm {other} is")));
        }
        let cpu_ns = self.read();
        let thawed_ns = clock::monotonic_ns();
        let freezer = self.freezers.of(arm);
        self.thawed = Some((arm, thawed_ns));
        freezer.thaw().map_err(|error| {
            Refusal::new(ErrorKind::Edge, format!("arm `{}` cannot be thawed: {error}", freezer.arm()))
        })?;
        Ok((thawed_ns, cpu_ns))
    }

    /// Freezes an arm, and reads every arm's CPU time.
    pub(super) fn freeze(&mut self, arm: usize) -> Result<FrozenArm, Refusal> {
        self.check(arm)?;
        let freeze_ns = clock::monotonic_ns();
        self.freezers.of(arm).freeze().map_err(|failure| Refusal::new(ErrorKind::Edge, failure.message))?;
        let frozen_ns = clock::monotonic_ns();
        sleep_until(frozen_ns + SETTLE_NS);
        let thawed = self.thawed.take_if(|(thawed, _)| *thawed == arm);
        Ok(FrozenArm { thawed_ns: thawed.map(|(_, at_ns)| at_ns), freeze_ns, frozen_ns, cpu_ns: self.read() })
    }

    pub(super) fn thaw_all(&mut self) {
        self.freezers.thaw_all();
        self.thawed = None;
    }
}

fn facts(arms: &[OrderedArm]) -> Vec<ArmFacts> {
    let stands_still = |number: usize| {
        let others = arms.iter().enumerate().filter(|(other, _)| *other != number);
        let mut others = others.filter_map(|(_, other)| other.freeze.as_ref());
        arms[number].freeze.as_ref().is_some_and(|own| !others.any(|other| own.overlaps(other)))
    };
    let fact = |(number, arm): (usize, &OrderedArm)| ArmFacts {
        name: arm.name.clone(),
        freezer: match arm.freeze {
            Some(FreezeBy::Cgroup2(_)) => Some(FreezerKind::Cgroup2),
            Some(FreezeBy::Cgroup1(_)) => Some(FreezerKind::Cgroup1),
            Some(FreezeBy::Signal(_)) => Some(FreezerKind::Signal),
            // An order has no arm of another agent.
            None | Some(FreezeBy::Agent(_)) => None,
        },
        stands_still: stands_still(number),
        hops: arm.hops.iter().map(|hop| hop.name.clone()).collect(),
    };
    arms.iter().enumerate().map(fact).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm(name: &str, freeze: Option<FreezeBy>) -> OrderedArm {
        OrderedArm { name: name.to_owned(), freeze, hops: Vec::new() }
    }

    #[test]
    fn an_arm_stands_still_if_no_other_one_thaws_some_of_it() {
        let signal = |processes: &[u32]| Some(FreezeBy::Signal(processes.to_vec()));
        let arms = [arm("a", signal(&[1, 2])), arm("b", signal(&[2])), arm("c", signal(&[3])), arm("d", None)];
        let found = facts(&arms);
        let still: Vec<bool> = found.iter().map(|facts| facts.stands_still).collect();
        assert_eq!(still, [false, false, true, false]);
        assert_eq!((found[0].freezer, found[3].freezer), (Some(FreezerKind::Signal), None));
    }

    #[test]
    fn one_arm_at_a_time_is_thawed() {
        let mut arms = Arms::new(&[arm("a", None), arm("b", None)]).expect("they hold nothing");
        assert_eq!(arms.freeze(0).expect("nothing can fail").thawed_ns, None);
        let (thawed_ns, cpu_ns) = arms.thaw(0).expect("nothing can fail");
        assert_eq!(cpu_ns, [Vec::new(), Vec::new()]);
        for arm in [0, 1] {
            assert_eq!(arms.thaw(arm).expect_err("one is thawed").error, ErrorKind::Order);
        }
        // Another one may be frozen meanwhile.
        assert_eq!(arms.freeze(1).expect("nothing can fail").thawed_ns, None);
        let frozen = arms.freeze(0).expect("nothing can fail");
        assert_eq!(frozen.thawed_ns, Some(thawed_ns));
        assert!(thawed_ns <= frozen.freeze_ns && frozen.freeze_ns <= frozen.frozen_ns);
        assert!(arms.thaw(1).is_ok());
        assert_eq!(arms.freeze(2).expect_err("there are two").error, ErrorKind::Order);
    }
}
