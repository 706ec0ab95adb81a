//! The lines that a run writes. See docs/engine.md.

use crate::recorder::Errors;
use serde::Serialize;
use std::collections::BTreeMap;

/// One line out.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Line<'a> {
    /// Once, first.
    Start(Start<'a>),
    /// While an arm's connections are opened, and when that is done.
    Opening(Opening<'a>),
    /// After an arm's warm-up.
    WarmUp(WarmUp<'a>),
    /// After each slice.
    Slice(Slice<'a>),
    /// Once per arm, at the end.
    Arm(Arm<'a>),
    /// Once, last.
    End(End),
}

/// What runs.
#[derive(Debug, Serialize)]
pub struct Start<'a> {
    /// The engine's.
    pub version: &'a str,
    /// The backend in use: `uring` or `epoll`.
    pub io: &'a str,
    /// Completions waited for, as in effect.
    pub batch: u32,
    /// The threads' cores.
    pub cores: &'a [usize],
    /// Of bodies above 64 KiB, the bytes of one answer in this many are compared.
    pub compared_one_in: u64,
}

/// Connections are being opened.
#[derive(Debug, Serialize)]
pub struct Opening<'a> {
    /// The arm's name.
    pub arm: &'a str,
    /// Since the first was begun.
    pub elapsed_ns: u64,
    /// So many there are to be.
    pub connections: u32,
    /// So many are open.
    pub established: u32,
    /// Whether load begins now, with those that are open.
    pub done: bool,
    /// By kind.
    pub errors: Errors,
}

/// An arm is warm.
#[derive(Debug, Serialize)]
pub struct WarmUp<'a> {
    /// Its name.
    pub arm: &'a str,
    /// On the arm's clock.
    pub elapsed_ns: u64,
    /// Whether the plateau was reached.
    pub plateau: bool,
    /// Correct ones, per slice.
    pub answers: &'a [u64],
    /// On the arm's clock, per slice.
    pub slices_elapsed_ns: &'a [u64],
    /// Of all hops together, per slice; `None` where one is unknown.
    pub cpu_ns: &'a [Option<u64>],
    /// By kind.
    pub errors: Errors,
}

/// CPU time by hop; `None` where a process of the hop is gone.
pub type CpuByHop<'a> = BTreeMap<&'a str, Option<u64>>;

/// One slice.
#[derive(Debug, Serialize)]
pub struct Slice<'a> {
    /// The arm's name.
    pub arm: &'a str,
    /// From 0.
    pub round: u32,
    /// Position in the round, from 0.
    pub place: usize,
    /// `CLOCK_MONOTONIC` at the thaw.
    pub start_ns: u64,
    /// Thaw to frozen: the arm's own time.
    pub elapsed_ns: u64,
    /// How long the freezing took; within `elapsed_ns`.
    pub freeze_ns: u64,
    /// Of an open loop: how long what was in flight was waited for; within `elapsed_ns`.
    pub drain_ns: Option<u64>,
    /// Since the arm's previous slice ended.
    pub frozen_ns: Option<u64>,
    /// Correct ones.
    pub answers: u64,
    /// Requests that were due: those sent and those not sent.
    pub due: u64,
    /// Requests.
    pub sent: u64,
    /// Requests of an open loop that were due and never sent.
    pub not_sent: u64,
    /// By kind.
    pub errors: Errors,
    /// After answers that closed their connection.
    pub reconnects: u64,
    /// Heads included.
    pub received_bytes: u64,
    /// Thaw to frozen.
    pub cpu_ns: CpuByHop<'a>,
    /// Since the end of the arm's previous slice.
    pub cpu_outside_ns: CpuByHop<'a>,
    /// Of this process, thaw to frozen.
    pub generator_cpu_ns: u64,
    /// Of that, time spent polling for the next due request of an open loop.
    pub spin_ns: u64,
    /// Of those sent in an open loop, the ones sent more than 1 ms late though a connection was free.
    pub late: u64,
    /// Requests in flight, added up over the arm's time.
    pub in_flight_ns: u64,
    /// The ages of the requests in flight, added up: at its end less those at its beginning.
    pub aged_ns: i64,
}

/// The accounts of one arm.
#[derive(Debug, Serialize)]
pub struct Arm<'a> {
    /// Its name.
    pub arm: &'a str,
    /// Warm-up included.
    pub due: u64,
    /// Warm-up included.
    pub sent: u64,
    /// Due and never sent, warm-up included.
    pub not_sent: u64,
    /// Correct ones, warm-up included.
    pub answers: u64,
    /// Of these, those whose every byte was compared.
    pub compared: u64,
    /// Sent, neither answered nor failed.
    pub in_flight: u64,
    /// Connections open at the end.
    pub established: u32,
    /// Whether every connection has been open; `None` where it was not come to.
    pub all_opened: Option<bool>,
    /// Connections opened, again and again included.
    pub opened: u64,
    /// After answers that closed their connection.
    pub reconnects: u64,
    /// By kind.
    pub errors: Errors,
    /// Of correct answers in measured slices.
    pub service_time: String,
    /// The ages since sending of those timed out or in flight.
    pub unanswered: String,
    /// From the intended start, of correct answers; `None` in the closed loop.
    pub response_time: Option<String>,
    /// The ages since the intended start of those timed out, in flight or never sent.
    pub response_unanswered: Option<String>,
    /// Intended start to sending.
    pub send_lag: Option<String>,
    /// The ages since the intended start of those never sent.
    pub unsent: Option<String>,
    /// Of completed TLS handshakes, warm-up included; `None` where there were none.
    pub handshake_time: Option<String>,
    /// How many of them went on with an earlier session.
    pub handshakes_resumed: u64,
}

/// Whether a run can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Validity {
    /// Nothing speaks against it.
    Valid,
    /// Something was not as it should be.
    Suspect,
    /// It means nothing.
    Void,
}

/// The end of a run.
#[derive(Debug, Serialize)]
pub struct End {
    /// Since the start.
    pub elapsed_ns: u64,
    /// Since the start.
    pub generator_cpu_ns: u64,
    /// Whether it can be trusted.
    pub validity: Validity,
    /// Why not.
    pub reasons: Vec<String>,
}
