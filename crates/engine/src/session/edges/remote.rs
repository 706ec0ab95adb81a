//! An arm whose edges are an agent's. Times, length and CPU time are the agent's; how its clock relates to this one's is
//! measured at each edge.

use super::channel::Channel;
use super::exchange::Exchange;
use super::link::{Answered, Link};
use super::messages::{Answer, Request};
use super::{CpuReading, Ending, Frozen, Thawed};
use crate::lines::{AgentEdges, ClockReading};
use crate::session::setup::SessionArm;
use hopcost_common::clock;
use hopcost_common::failure::Failure;
use std::sync::Arc;

/// Messages at each edge that do nothing but measure the clocks, while every arm is frozen.
const PINGS: usize = 3;

#[derive(Debug)]
pub(in crate::session) struct RemoteEdge {
    link: Arc<Link>,
    /// The agent's number for this arm.
    arm: usize,
    /// The slice that the agent's timer ends.
    slice: Option<u64>,
    /// The clocks at the last thaw.
    thaw: Option<ClockReading>,
}

impl RemoteEdge {
    /// Refuses an arm that is not the agent's: another number, or other hops.
    pub(super) fn new(arm: &SessionArm, agents: usize, channel: &Channel) -> Result<Self, Failure> {
        let name = &arm.name;
        let known = &channel.facts.arms;
        let facts = known.get(agents).ok_or_else(|| {
            Failure::usage(format!("arm `{name}`: the agent has no arm {agents}, but {} from 0 on", known.len()))
        })?;
        let hops: Vec<&str> = arm.hops.iter().map(|hop| hop.name.as_str()).collect();
        if facts.hops != hops {
            let what = format!("its hops are {hops:?}, and those of the agent's arm {agents} are {:?}", facts.hops);
            return Err(Failure::usage(format!("arm `{name}`: {what}"))
                .hint("the plan and the agent's order have to be of the same stacks"));
        }
        Ok(Self { link: Arc::clone(&channel.link), arm: agents, slice: None, thaw: None })
    }

    /// Freezes the arm before anything else.
    pub(super) fn freeze_first(&self) -> Result<(), Failure> {
        self.link.ask(|id| Request::Freeze { id, arm: self.arm }).map(|_| ())
    }

    pub(super) fn thaw(&mut self, ending: Ending, length_ns: u64) -> Result<Thawed, Failure> {
        let mut exchanges = self.measure_clocks()?;
        let generator_ns = clock::process_cpu_ns();
        let arm = self.arm;
        let Answered { answer, exchange } = if ending == Ending::ByTimer {
            let (answered, slice) = self.link.begin_slice(arm, length_ns)?;
            self.slice = Some(slice);
            answered
        } else {
            self.link.ask(|id| Request::Thaw { id, arm })?
        };
        let Answer::Thawed { thawed_ns, ref cpu_ns, .. } = answer else { return Err(self.link.surprised(&answer)) };
        exchanges.push(exchange);
        let clocks = best(&exchanges);
        self.thaw = Some(clocks);
        let start_ns = if ending == Ending::ByTimer {
            // The load goes on where it stood still: requests in flight age from the thaw on.
            clocks.here_ns(thawed_ns).clamp(exchange.asked_ns, exchange.answered_ns)
        } else {
            // What is due begins now: nobody here could have sent before.
            exchange.answered_ns
        };
        Ok(Thawed { at_ns: thawed_ns, start_ns, cpu: self.own(&answer, cpu_ns)?, generator_ns })
    }

    pub(super) fn freeze(&mut self) -> Result<Frozen, Failure> {
        let arm = self.arm;
        let slice = self.slice.take();
        // The threads have ended before its time: a signal came.
        let is_cut_short = slice.is_some() && self.link.read_until_ns().is_none();
        if is_cut_short {
            self.link.ask(|id| Request::Stop { id })?;
        }
        let Answered { answer, exchange } = match slice {
            Some(id) => self.link.end_slice(id)?,
            None => self.link.ask(|id| Request::Freeze { id, arm })?,
        };
        let Answer::Frozen { due_ns, freeze_ns, frozen_ns, ref cpu_ns, .. } = answer else {
            return Err(self.link.surprised(&answer));
        };
        let cpu = self.own(&answer, cpu_ns)?;
        let mut exchanges = self.measure_clocks()?;
        if slice.is_none() {
            exchanges.push(exchange);
        }
        let clocks = best(&exchanges);
        let read_until_ns = self.link.read_until_ns().filter(|_| slice.is_some() && !is_cut_short);
        let read_on_ns = read_until_ns.map_or(0, |until_ns| until_ns.saturating_sub(exchange.answered_ns));
        let agent = AgentEdges {
            thaw: self.thaw.take().unwrap_or(clocks),
            freeze: clocks,
            late_ns: due_ns.map(|due_ns| freeze_ns.saturating_sub(due_ns)),
            read_on_ns,
        };
        Ok(Frozen { begin_ns: freeze_ns, at_ns: frozen_ns, cpu, agent: Some(agent) })
    }

    fn measure_clocks(&self) -> Result<Vec<Exchange>, Failure> {
        (0..PINGS).map(|_| Ok(self.link.ask(|id| Request::Ping { id })?.exchange)).collect()
    }

    /// What this arm has of a reading of all arms.
    fn own(&self, answer: &Answer, cpu_ns: &[CpuReading]) -> Result<CpuReading, Failure> {
        cpu_ns.get(self.arm).cloned().ok_or_else(|| self.link.surprised(answer))
    }
}

/// Of the exchanges at an edge, which are never none.
fn best(exchanges: &[Exchange]) -> ClockReading {
    ClockReading::best(exchanges).expect("each edge has exchanges of its own")
}
