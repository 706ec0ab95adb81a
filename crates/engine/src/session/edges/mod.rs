//! The edges of slices: an arm is thawed and frozen, and the CPU time of its hops is read. Either here, or by an agent on
//! the machine that the arm runs on.
//!
//! ```text
//! freeze, cpu                      an arm of this machine
//! remote, channel, link            the leader's end: an arm that an agent holds
//! agent                            the agent itself: `hopcost-engine agent`
//! messages, exchange, round_trips  what both say, and what their clocks say
//! ```

pub mod agent;
mod binary;
mod channel;
mod cpu;
mod exchange;
mod freeze;
mod lanes;
mod link;
mod messages;
mod remote;
mod round_trips;

pub(super) use self::channel::Channel;
pub(super) use self::cpu::{CpuMeter, CpuReading, check_accounts};
pub(super) use self::freeze::thaw_in_signal_handler;
use self::freeze::{Freezer, Freezers};
pub(super) use self::lanes::drive;
pub(super) use self::link::Link;
use self::remote::RemoteEdge;
use super::setup::{Session, SessionArm};
use crate::lines::{self, AgentEdges};
use crate::plan::FreezeBy;
use hopcost_common::clock;
use hopcost_common::failure::Failure;
use std::sync::Arc;

/// A task counts as frozen or stopped a moment before it leaves its core, and until then its CPU clock lags by up to a
/// timer tick. Without this wait 0.3 to 1.1 ms of a slice's CPU time showed up in the next reading.
const SETTLE_NS: u64 = 30_000;

fn settle(since_ns: u64) {
    while clock::monotonic_ns() < since_ns + SETTLE_NS {
        std::hint::spin_loop();
    }
}

/// How a slice comes to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The arm is frozen here.
    Here,
    /// The agent is told to freeze the arm.
    ByWord,
    /// The agent freezes the arm by its own timer.
    ByTimer,
}

/// An arm has been thawed.
#[derive(Debug)]
pub(super) struct Thawed {
    /// When, on the clock of the arm's machine.
    pub(super) at_ns: u64,
    /// When its clock goes on, `CLOCK_MONOTONIC` here.
    pub(super) start_ns: u64,
    /// Before the thaw.
    pub(super) cpu: CpuReading,
    /// CPU time of this process, right before.
    pub(super) generator_ns: u64,
}

/// An arm is frozen.
#[derive(Debug)]
pub(super) struct Frozen {
    /// When the freezing began and when it was done, on the clock of the arm's machine.
    pub(super) begin_ns: u64,
    pub(super) at_ns: u64,
    pub(super) cpu: CpuReading,
    /// `None` if no agent was asked.
    pub(super) agent: Option<AgentEdges>,
}

/// Where an arm is thawed and frozen.
#[derive(Debug)]
pub(super) enum Edge {
    Local(&'static Freezer),
    Remote(RemoteEdge),
}

impl Edge {
    /// How a slice of this arm ends, if its threads end it themselves or not.
    pub(super) const fn ending(&self, ends_by_itself: bool) -> Ending {
        match self {
            Self::Local(_) => Ending::Here,
            Self::Remote(_) if ends_by_itself => Ending::ByWord,
            Self::Remote(_) => Ending::ByTimer,
        }
    }

    /// Thaws the arm. If the ending is [`Ending::ByTimer`], the agent freezes it after this time.
    pub(super) fn thaw(&mut self, ending: Ending, length_ns: u64, meter: &CpuMeter) -> Result<Thawed, Failure> {
        match self {
            Self::Local(freezer) => {
                let cpu = meter.read();
                let generator_ns = clock::process_cpu_ns();
                let start_ns = clock::monotonic_ns();
                freezer
                    .thaw()
                    .map_err(|error| Failure::run(format!("arm `{}` cannot be thawed: {error}", freezer.arm())))?;
                Ok(Thawed { at_ns: start_ns, start_ns, cpu, generator_ns })
            }
            Self::Remote(edge) => edge.thaw(ending, length_ns),
        }
    }

    /// Freezes the arm, or waits until the agent has.
    pub(super) fn freeze(&mut self, meter: &CpuMeter) -> Result<Frozen, Failure> {
        match self {
            Self::Local(freezer) => {
                let begin_ns = clock::monotonic_ns();
                freezer.freeze()?;
                let at_ns = clock::monotonic_ns();
                settle(at_ns);
                Ok(Frozen { begin_ns, at_ns, cpu: meter.read(), agent: None })
            }
            Self::Remote(edge) => edge.freeze(),
        }
    }
}

/// The edges of all arms. Dropping them thaws every arm, here and elsewhere.
#[derive(Debug)]
pub(super) struct Edges {
    pub(super) arms: Vec<Edge>,
    freezers: Freezers,
    channel: Option<Channel>,
}

/// Connects to the agent, if there is one. If others make the same load, the session keeps its share.
pub(super) fn connect(session: &mut Session) -> Result<Option<Channel>, Failure> {
    let Some(channel) = session.agent.as_ref().map(Channel::open).transpose()? else { return Ok(None) };
    if channel.facts.members > 1 {
        for arm in &mut session.arms {
            let refused = |what: &str| {
                let members = channel.facts.members;
                Err(Failure::usage(format!("arm `{}`: {members} generators load it, and {what}", arm.name)))
            };
            if !matches!(arm.freeze, Some(FreezeBy::Agent(_))) {
                return refused("no agent is its edge");
            }
            let Some(arrivals) = arm.target.arrivals.shared(channel.share()) else {
                return refused("its arrivals cannot be shared: Poisson arrivals can, and a closed loop");
            };
            arm.target.arrivals = arrivals;
        }
    }
    Ok(Some(channel))
}

impl Edges {
    /// Takes hold of every arm, without touching it.
    pub(super) fn open(session: &Session, channel: Option<Channel>) -> Result<Self, Failure> {
        let freezers = session.arms.iter().map(|arm| Freezer::new(&arm.name, arm.freeze.as_ref()));
        let freezers = Freezers::new(freezers.collect::<Result<_, _>>()?);
        let edge = |(number, arm): (usize, &SessionArm)| match (&arm.freeze, &channel) {
            (Some(FreezeBy::Agent(agents)), Some(channel)) => RemoteEdge::new(arm, *agents, channel).map(Edge::Remote),
            (Some(FreezeBy::Agent(_)), None) => {
                Err(Failure::usage(format!("arm `{}`: an agent freezes it, and there is none", arm.name)))
            }
            _ => Ok(Edge::Local(freezers.of(number))),
        };
        let arms = session.arms.iter().enumerate().map(edge).collect::<Result<_, _>>()?;
        Ok(Self { arms, freezers, channel })
    }

    /// The connection to the agent, for the threads.
    pub(super) fn link(&self) -> Option<Arc<Link>> {
        self.channel.as_ref().map(|channel| Arc::clone(&channel.link))
    }

    pub(super) fn agent(&self) -> Option<lines::Agent<'_>> {
        self.channel.as_ref().map(|channel| channel.facts.line())
    }

    /// Whether all generators say so; without others, what this one says.
    pub(super) fn agree(&self, vote: bool) -> Result<bool, Failure> {
        match &self.channel {
            Some(channel) if channel.facts.members > 1 => channel.agree(vote),
            _ => Ok(vote),
        }
    }

    pub(super) fn freeze_all(&self) -> Result<(), Failure> {
        self.freezers.freeze_all()?;
        self.arms.iter().try_for_each(|edge| match edge {
            Edge::Local(_) => Ok(()),
            Edge::Remote(edge) => edge.freeze_first(),
        })
    }

    /// Whether an arm is frozen outside its own slices, as far as it alone is concerned.
    pub(super) fn is_frozen(&self, arm: &SessionArm) -> bool {
        match (&arm.freeze, &self.channel) {
            (Some(FreezeBy::Agent(agents)), Some(channel)) => {
                channel.facts.arms.get(*agents).is_some_and(|facts| facts.stands_still)
            }
            (freeze, _) => freeze.is_some(),
        }
    }
}
