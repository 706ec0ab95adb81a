//! When the requests of a planned arm are due.

use super::{MAX_RATE_PER_S, Plan, is_rate};
use crate::schedule::{Arrivals, Constant, Poisson, RateCurve, Trace};
use hopcost_common::failure::Failure;
use serde::Deserialize;

/// An open loop.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum PlannedArrivals {
    /// Requests as even as their rate allows.
    Constant(PlannedRate),
    /// Poisson arrivals, from the plan's seed: the same ones for every arm of the same rate.
    Poisson(PlannedRate),
    /// Requests at given times.
    Trace(PlannedTrace),
}

/// The offered rate over time, over all threads: one of the three.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedRate {
    #[serde(default)]
    rate_per_s: Option<f64>,
    /// Straight from one rate to another; for an arm alone.
    #[serde(default)]
    ramp: Option<PlannedRamp>,
    /// One rate after the other. Where several arms take turns a slice is one step.
    #[serde(default)]
    steps: Vec<PlannedStep>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedRamp {
    from_per_s: f64,
    to_per_s: f64,
    length_ns: u64,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedStep {
    rate_per_s: f64,
    length_ns: u64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedTrace {
    /// Ascending, since the beginning of the slice.
    due_ns: Vec<u64>,
    length_ns: u64,
}

impl PlannedRate {
    fn curve(&self) -> RateCurve {
        match (self.ramp, self.rate_per_s) {
            (Some(ramp), _) => RateCurve::ramp(ramp.from_per_s, ramp.to_per_s, ramp.length_ns),
            (None, Some(rate_per_s)) => RateCurve::Constant(rate_per_s),
            (None, None) => RateCurve::steps(self.steps.iter().map(|step| (step.rate_per_s, step.length_ns))),
        }
    }

    /// What is wrong with it, and what to do about it.
    fn check(&self, threads: usize, arms: usize, rounds: u32) -> Result<(), (String, &'static str)> {
        let given = usize::from(self.rate_per_s.is_some()) + usize::from(self.ramp.is_some());
        let refused = |what: &str, hint| Err((what.to_owned(), hint));
        if given + usize::from(!self.steps.is_empty()) != 1 {
            return refused(
                "not one of `rate_per_s`, `ramp` and `steps`",
                "an open loop has one shape; steps are not empty",
            );
        }
        let mut rates: Vec<f64> = self.rate_per_s.into_iter().collect();
        rates.extend(self.ramp.iter().flat_map(|ramp| [ramp.from_per_s, ramp.to_per_s]));
        rates.extend(self.steps.iter().map(|step| step.rate_per_s));
        let is_wrong = |rate: &&f64| !is_rate(**rate, threads) && (self.rate_per_s.is_some() || **rate != 0.0);
        if let Some(rate) = rates.iter().find(is_wrong) {
            let bounds = format!("not above 0 and up to {MAX_RATE_PER_S:e} per thread");
            return Err((format!("`rate_per_s` is {rate}, {bounds}"), "without `arrivals` an arm is fully loaded"));
        }
        if rates.iter().all(|rate| *rate == 0.0) {
            return refused("all its rates are 0", "one of them is above 0");
        }
        let mut lengths_ns =
            self.ramp.iter().map(|ramp| ramp.length_ns).chain(self.steps.iter().map(|step| step.length_ns));
        if lengths_ns.any(|length_ns| length_ns == 0) {
            return refused("its `length_ns` is 0", "a ramp, and each step, takes some time");
        }
        if self.ramp.is_some() && arms > 1 {
            return refused(
                "a ramp, and several arms take turns: each would have another part of it",
                "`steps`: then a slice is one step; or a plan for each arm",
            );
        }
        if arms > 1 && !self.steps.is_empty() && !(rounds as usize).is_multiple_of(self.steps.len()) {
            return refused(
                "`rounds` is no multiple of the number of its steps",
                "a slice is one step where several arms take turns",
            );
        }
        Ok(())
    }
}

impl PlannedArrivals {
    /// Checks what the types do not.
    pub(super) fn check(&self, arm: &str, plan: &Plan) -> Result<(), Failure> {
        let checked = match self {
            Self::Constant(rate) | Self::Poisson(rate) => rate.check(plan.cores.len(), plan.arms.len(), plan.rounds),
            Self::Trace(trace) => trace.check(plan.arms.len()),
        };
        checked.map_err(|(what, hint)| Failure::usage(format!("the plan: arm `{arm}`: `arrivals`: {what}")).hint(hint))
    }

    pub(super) fn schedule(&self, seed: u64) -> Arrivals {
        match self {
            Self::Constant(rate) => Arrivals::Constant(Constant { curve: rate.curve(), requests: None }),
            Self::Poisson(rate) => Arrivals::Poisson(Poisson::along(rate.curve(), seed, None)),
            Self::Trace(trace) => Arrivals::Trace(Trace::new(trace.due_ns.clone().into(), trace.length_ns, None)),
        }
    }
}

impl PlannedTrace {
    fn check(&self, arms: usize) -> Result<(), (String, &'static str)> {
        let refused = |what: &str, hint| Err((what.to_owned(), hint));
        if !self.due_ns.is_sorted() || self.due_ns.last().is_none_or(|last_ns| *last_ns >= self.length_ns) {
            return refused(
                "`due_ns` is empty, not ascending, or beyond `length_ns`",
                "times since the slice's beginning",
            );
        }
        if arms > 1 {
            return refused("a trace, and several arms take turns", "a plan for each arm");
        }
        Ok(())
    }
}
