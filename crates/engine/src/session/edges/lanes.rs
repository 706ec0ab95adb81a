//! How a thread loads an arm whose edges are an agent's.

use super::Ending;
use super::link::Link;
use crate::client::Lane;
use crate::io::{Io, signal};
use crate::schedule::Schedule;
use hopcost_common::clock;
use std::io;

/// How often a thread looks whether the agent is still there.
const LOOK_FOR_AGENT_NS: u64 = 100_000_000;
/// How often it looks whether the agent has frozen the arm, once that is due.
const LOOK_FOR_FREEZE_NS: u64 = 50_000;

/// Runs load until this reading of `CLOCK_MONOTONIC`; where the agent's timer ends the slice, until the arm is known to be
/// frozen and all that left it before has come. Ends early with the agent, a stop signal or the schedule.
pub(in crate::session) fn drive<I: Io, S: Schedule>(
    lane: &mut Lane<I, S>,
    link: &Link,
    until_ns: u64,
    ending: Ending,
) -> io::Result<()> {
    loop {
        let now_ns = clock::monotonic_ns();
        let look_ns = match link.read_until_ns() {
            _ if signal::stop_requested() || lane.client.is_finished() || link.is_lost() => return Ok(()),
            Some(read_until_ns) if ending == Ending::ByTimer => return lane.drive(read_until_ns),
            // Also if that has passed meanwhile: it sends what became due before.
            _ if ending != Ending::ByTimer && until_ns <= now_ns + LOOK_FOR_AGENT_NS => return lane.drive(until_ns),
            _ if now_ns < until_ns => until_ns.min(now_ns + LOOK_FOR_AGENT_NS),
            _ => now_ns + LOOK_FOR_FREEZE_NS,
        };
        lane.drive(look_ns)?;
    }
}
