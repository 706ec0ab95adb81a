//! What happens to an arm before its first round: its connections are opened, and it is loaded until it is warm.

pub(super) mod opening;
mod plateau;

use self::opening::is_over;
use self::plateau::Warmth;
use super::beside::BesideReport;
use super::leader::{Leader, output_failed};
use super::setup::{Observer, SessionArm};
use super::state::{ArmState, Outcome};
use super::worker::Stage;
use crate::io::{Io, signal};
use crate::lines::{self, Line};
use crate::plan::{Reopening, WarmUp};
use crate::schedule::Schedule as _;
use hopcost_common::failure::Failure;

impl<I: Io> Leader<'_, I> {
    /// Opens as many connections of an arm as the server takes.
    pub(super) fn open(&mut self, arm: usize, observer: &mut dyn Observer) -> Result<(), Failure> {
        let session = self.session;
        let SessionArm { name, target, beside, .. } = &session.arms[arm];
        let connections = target.connections + beside.connections();
        let mut were_open = Vec::new();
        let mut is_done = false;
        while !is_done && !signal::stop_requested() {
            self.slice(arm, Stage::Open)?;
            let state = &self.arms[arm];
            let sum = |own: u32, beside: fn(&BesideReport) -> u32| own + state.beside.iter().map(beside).sum::<u32>();
            let established = sum(state.established, |report| report.established);
            were_open.push(sum(state.were_open, |report| report.were_open));
            let is_own_done = established == connections || is_over(connections, state.clock_ns, &were_open);
            is_done = self.edges.agree(is_own_done)?;
            let mut errors = state.counts.errors;
            state.beside.iter().for_each(|report| errors.merge(&report.counts.errors));
            let line = lines::Opening {
                arm: name,
                elapsed_ns: state.clock_ns,
                connections,
                established,
                done: is_done,
                errors,
            };
            observer.line(&Line::Opening(line)).map_err(output_failed)?;
        }
        self.arms[arm].opening_ns = self.arms[arm].clock_ns;
        Ok(())
    }

    /// Opens an arm's connections anew: as many as the server takes. Returns the first slice of it.
    pub(super) fn open_again(&mut self, arm: usize, reopening: Reopening) -> Result<Outcome, Failure> {
        let connections = self.session.arms[arm].target.connections;
        let begin_ns = self.arms[arm].clock_ns;
        let first = self.slice(arm, Stage::Reopen(reopening))?;
        let mut established = vec![self.arms[arm].established];
        loop {
            let is_own_done = established.last() == Some(&connections)
                || is_over(connections, self.arms[arm].clock_ns - begin_ns, &established);
            if self.edges.agree(is_own_done)? || signal::stop_requested() {
                return Ok(first);
            }
            self.slice(arm, Stage::Open)?;
            established.push(self.arms[arm].established);
        }
    }

    /// Loads an arm until it is warm or its time is up.
    pub(super) fn warm_up(&mut self, arm: usize, rule: WarmUp, observer: &mut dyn Observer) -> Result<(), Failure> {
        let (mut answers, mut slices_elapsed_ns, mut cpu_ns) = (Vec::new(), Vec::new(), Vec::new());
        let mut warmth = Warmth::NotYet;
        let mut is_over = false;
        while !is_over && !signal::stop_requested() {
            let outcome = self.slice(arm, Stage::WarmUp)?;
            answers.push(outcome.counts.answers);
            slices_elapsed_ns.push(outcome.elapsed_ns);
            cpu_ns.push(self.arms[arm].meter.used_by_all(&outcome.cpu.0, &outcome.cpu.1));
            let ArmState { clock_ns, opening_ns, connected, .. } = self.arms[arm];
            let elapsed_ns = clock_ns - opening_ns;
            let is_steady = if self.session.arms[arm].target.arrivals.is_open() {
                plateau::is_carried(&outcome.counts)
            } else {
                plateau::has_levelled_off(&answers)
            };
            warmth = plateau::judge(rule, elapsed_ns, answers.iter().sum(), connected, is_steady);
            is_over = self.edges.agree(warmth != Warmth::NotYet)?;
        }
        let line = lines::WarmUp {
            arm: &self.session.arms[arm].name,
            elapsed_ns: self.arms[arm].clock_ns - self.arms[arm].opening_ns,
            plateau: warmth == Warmth::Plateau,
            answers: &answers,
            slices_elapsed_ns: &slices_elapsed_ns,
            cpu_ns: &cpu_ns,
            errors: self.arms[arm].counts.errors,
        };
        observer.line(&Line::WarmUp(line)).map_err(output_failed)
    }
}
