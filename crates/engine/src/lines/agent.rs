//! What the lines say of an agent. docs/reference/agent-protocol.md describes every key.

use crate::io::process::Scheduling;
use serde::Serialize;

/// An agent on another machine.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Agent<'a> {
    pub address: &'a str,
    pub version: &'a str,
    /// Of its binary.
    pub sha256: &'a str,
    /// How its timer's thread is scheduled.
    pub scheduling: Scheduling,
    pub lease_ns: u64,
    /// Which of the generators this engine is, from 0 (the leader), and how many there are.
    pub member: usize,
    pub members: usize,
}

/// The edges of a slice that an agent made.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct AgentEdges {
    pub thaw: ClockReading,
    pub freeze: ClockReading,
    /// By how much the agent's timer was late; `None` if it was told when to freeze.
    pub late_ns: Option<u64>,
    /// How long answers were taken after the arm was known to be frozen.
    pub read_on_ns: u64,
}

/// What both machines' clocks read when a message went to and fro.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ClockReading {
    /// The other clock less this one.
    pub offset_ns: i64,
    /// The most that the offset may be wrong by: one way may have taken all of the time.
    pub bound_ns: u64,
    /// Of the messages, without what the other side took to answer.
    pub round_trip_ns: u64,
}
