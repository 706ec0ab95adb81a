//! The lines that a run writes. docs/reference/engine-protocol.md describes every key; a comment here says what a name leaves open.

mod agent;

pub use self::agent::{Agent, AgentEdges, ClockReading};
use crate::recorder::{
    self, Account, Counts, Distribution, Errors, Handshakes, ServerFault, ServerFaults, Times, TlsReceipt,
};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Line<'a> {
    /// Once, first.
    Start(Start<'a>),
    /// While the connections of an arm are being opened, and once when that is done.
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

#[derive(Debug, Serialize)]
pub struct Start<'a> {
    pub version: &'a str,
    /// The backend in use: `uring` or `epoll`.
    pub io: &'a str,
    /// The number of completions that a thread waits for.
    pub batch: u32,
    /// One per thread.
    pub cores: &'a [usize],
    /// Of bodies above 64 KiB, the bytes of one answer in this many are compared.
    pub compared_one_in: u64,
    /// The agent that freezes some of the arms; left out without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent<'a>>,
}

/// How far the opening of an arm's connections is.
#[derive(Debug, Serialize)]
pub struct Opening<'a> {
    pub arm: &'a str,
    /// Since the first connection was begun.
    pub elapsed_ns: u64,
    /// All that the arm is to have.
    pub connections: u32,
    /// Those that are open now.
    pub established: u32,
    /// Load begins now, with the open connections.
    pub done: bool,
    pub errors: Errors,
}

/// The warm-up of an arm, once it has ended.
#[derive(Debug, Serialize)]
pub struct WarmUp<'a> {
    pub arm: &'a str,
    /// On the arm's clock.
    pub elapsed_ns: u64,
    /// Whether the plateau was reached.
    pub plateau: bool,
    /// Correct answers per slice.
    pub answers: &'a [u64],
    /// On the arm's clock, per slice.
    pub slices_elapsed_ns: &'a [u64],
    /// Of all hops together, per slice; `None` if one hop's is unknown.
    pub cpu_ns: &'a [Option<u64>],
    pub errors: Errors,
}

/// CPU time by hop; `None` if a process of the hop is gone.
pub type CpuByHop<'a> = BTreeMap<&'a str, Option<u64>>;

#[derive(Debug, Serialize)]
pub struct Slice<'a> {
    pub arm: &'a str,
    pub round: u32,
    /// Position in the round, from 0.
    pub place: usize,
    /// `CLOCK_MONOTONIC` at the thaw.
    pub start_ns: u64,
    /// Thaw to frozen: the arm's own time.
    pub elapsed_ns: u64,
    /// The time that freezing took, part of `elapsed_ns`.
    pub freeze_ns: u64,
    /// Of an open loop: the wait for answers to requests in flight, part of `elapsed_ns`.
    pub drain_ns: Option<u64>,
    /// Since the end of the arm's previous slice.
    pub frozen_ns: Option<u64>,
    /// Correct answers.
    pub answers: u64,
    /// Requests sent and not sent.
    pub due: u64,
    pub sent: u64,
    /// Requests of an open loop that were due and never sent.
    pub not_sent: u64,
    pub errors: Errors,
    /// Connections opened again without an error.
    pub reconnects: u64,
    /// Heads and bodies, without what TLS adds.
    pub received_bytes: u64,
    /// The same of requests, handed over to be sent.
    pub sent_bytes: u64,
    /// Thaw to frozen.
    pub cpu_ns: CpuByHop<'a>,
    /// Since the end of the arm's previous slice, until the arm was touched again.
    pub cpu_outside_ns: CpuByHop<'a>,
    /// From there to the thaw: connections opened anew, and the load that settles the arm. And after the slice, while
    /// connections are closed.
    pub cpu_settling_ns: CpuByHop<'a>,
    /// Of an arm whose connections are opened anew in each round: by process, in the order of the plan, of hops with
    /// several processes that are read by their clocks. Says how connections were dealt out.
    pub process_cpu_ns: Option<BTreeMap<&'a str, Vec<u64>>>,
    /// Of this process, thaw to frozen.
    pub generator_cpu_ns: u64,
    /// For how long the engine's threads were ready to run and had to wait for their cores, thaw to the end of the
    /// load, over all threads; `None` if the kernel does not say.
    pub run_delay_ns: Option<u64>,
    /// The part of `generator_cpu_ns` that an open loop spent polling for the next due request.
    pub spin_ns: u64,
    /// Of an open loop: requests sent more than 1 ms late although a connection was free.
    pub late: u64,
    /// The integral of the requests in flight over the arm's time.
    pub in_flight_ns: u64,
    /// The sum of the ages of requests in flight, at the end minus at the beginning.
    pub aged_ns: i64,
    /// From the intended start, of correct answers; `None` in the closed loop.
    pub response_time: Option<String>,
    /// The ages since the intended start of requests that timed out, are in flight after the drain or were never sent;
    /// `None` if there are none.
    pub response_unanswered: Option<String>,
    /// `None` if the arm has none.
    pub slow_clients: Option<BesideSlice>,
    pub idle_connections: Option<BesideSlice>,
    /// Left out if no agent freezes the arm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentEdges>,
}

/// A slice of an arm's slow clients or idle connections.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct BesideSlice {
    /// Correct answers.
    pub answers: u64,
    pub sent: u64,
    pub errors: Errors,
    /// Connections opened again without an error.
    pub reconnects: u64,
    /// Heads and bodies.
    pub received_bytes: u64,
    /// Of their thread, part of `generator_cpu_ns`.
    pub cpu_ns: u64,
}

impl BesideSlice {
    /// What came in a slice, and the CPU time that it took.
    pub fn of(counts: &Counts, cpu_ns: u64) -> Self {
        let &Counts { answers, sent, errors, reconnects, received_bytes, .. } = counts;
        Self { answers, sent, errors, reconnects, received_bytes, cpu_ns }
    }
}

/// The accounts of an arm's slow clients or idle connections. Counts include the warm-up; times are of measured slices.
#[derive(Debug, Serialize)]
pub struct BesideArm {
    pub number: u32,
    /// Connections open at the end.
    pub established: u32,
    pub due: u64,
    pub sent: u64,
    /// Due and never sent.
    pub not_sent: u64,
    pub answers: u64,
    pub compared: u64,
    pub in_flight: u64,
    /// Connections opened, reconnects included.
    pub opened: u64,
    pub reconnects: u64,
    pub errors: Errors,
    /// Of correct answers: of slow clients from sending, of idle connections from the intended start.
    pub time: String,
    /// The ages since then of requests without an answer.
    pub unanswered: String,
}

impl BesideArm {
    pub fn new(number: u32, established: u32, counts: &Counts, times: &Times) -> Self {
        let Distribution { known, at_least } = times.open.as_ref().map_or(&times.service, |open| &open.response);
        Self {
            number,
            established,
            due: counts.due(),
            sent: counts.sent,
            not_sent: counts.not_sent,
            answers: counts.answers,
            compared: counts.compared,
            in_flight: counts.in_flight(),
            opened: counts.opened,
            reconnects: counts.reconnects,
            errors: counts.errors,
            time: recorder::encode(known),
            unanswered: recorder::encode(at_least),
        }
    }
}

/// The accounts of one arm. Counts include the warm-up; times are those of measured slices.
#[derive(Debug, Serialize)]
pub struct Arm<'a> {
    pub arm: &'a str,
    pub due: u64,
    pub sent: u64,
    /// Due and never sent.
    pub not_sent: u64,
    /// Correct answers.
    pub answers: u64,
    /// Answers of which every byte was compared.
    pub compared: u64,
    /// Sent, neither answered nor failed.
    pub in_flight: u64,
    /// Connections open at the end.
    pub established: u32,
    /// Whether every connection has been open; `None` if the run ended before this arm's turn.
    pub all_opened: Option<bool>,
    /// Connections opened, reconnects included.
    pub opened: u64,
    /// Connections opened again without an error.
    pub reconnects: u64,
    pub errors: Errors,
    /// Of correct answers.
    pub service_time: String,
    /// The ages since sending of requests that timed out or are in flight.
    pub unanswered: String,
    /// From the intended start, of correct answers; `None` in the closed loop.
    pub response_time: Option<String>,
    /// The ages since the intended start of requests that timed out, are in flight or were never sent.
    pub response_unanswered: Option<String>,
    /// From the intended start to sending.
    pub send_lag: Option<String>,
    /// The ages since the intended start of requests never sent.
    pub unsent: Option<String>,
    /// Of completed TLS handshakes, warm-up included; `None` if there were none.
    pub handshake_time: Option<String>,
    /// Handshakes that resumed an earlier session.
    pub handshakes_resumed: u64,
    /// What the handshakes came to, each kind once.
    pub tls: Vec<TlsHandshakes>,
    /// What the server did against HTTP/2, warm-up included, the most frequent first.
    pub server_faults: Vec<CountedFault>,
    /// `None` if the arm has none.
    pub slow_clients: Option<BesideArm>,
    pub idle_connections: Option<BesideArm>,
    /// Of a mix, what became of each of its requests.
    pub requests: Vec<RequestAccount<'a>>,
}

/// One request of a mix. Counts and times are those of the measured slices.
#[derive(Debug, Serialize)]
pub struct RequestAccount<'a> {
    pub request: &'a str,
    pub sent: u64,
    /// Due and never sent.
    pub not_sent: u64,
    /// Correct answers.
    pub answers: u64,
    /// Sent and still unanswered at the end.
    pub in_flight: u64,
    /// Without those of connections that could not be opened: these are no request's.
    pub errors: Errors,
    /// Of correct answers.
    pub service_time: String,
    /// The ages since sending of requests that timed out or are in flight.
    pub unanswered: String,
    /// From the intended start, of correct answers; `None` in the closed loop.
    pub response_time: Option<String>,
    /// The ages since the intended start of requests that timed out, are in flight or were never sent.
    pub response_unanswered: Option<String>,
}

impl<'a> RequestAccount<'a> {
    pub fn of((name, account): &'a (String, Account)) -> Self {
        let response = account.response.as_deref();
        Self {
            request: name,
            sent: account.sent,
            not_sent: account.not_sent,
            answers: account.answers,
            in_flight: account.in_flight,
            errors: account.errors,
            service_time: recorder::encode(&account.service.known),
            unanswered: recorder::encode(&account.service.at_least),
            response_time: response.map(|times| recorder::encode(&times.known)),
            response_unanswered: response.map(|times| recorder::encode(&times.at_least)),
        }
    }
}

/// Handshakes that came to the same.
#[derive(Debug, Serialize)]
pub struct TlsHandshakes {
    #[serde(flatten)]
    pub receipt: TlsReceipt,
    pub handshakes: u64,
}

impl TlsHandshakes {
    pub fn of(handshakes: &Handshakes) -> Vec<Self> {
        handshakes.receipts.iter().map(|(&receipt, &handshakes)| Self { receipt, handshakes }).collect()
    }
}

/// Something that a server did wrong, and how often.
#[derive(Debug, Serialize)]
pub struct CountedFault {
    #[serde(flatten)]
    pub fault: ServerFault,
    pub times: u64,
}

impl CountedFault {
    pub fn of(faults: &ServerFaults) -> Vec<Self> {
        faults.by_frequency().into_iter().map(|(fault, times)| Self { fault, times }).collect()
    }
}

/// Whether a run can be trusted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Validity {
    /// Nothing speaks against it.
    Valid,
    /// Something was not as it should be.
    Suspect,
    /// The figures mean nothing.
    #[default]
    Void,
}

/// The end of a run.
#[derive(Debug, Clone, Default, Serialize)]
pub struct End {
    /// Since the start.
    pub elapsed_ns: u64,
    /// Since the start.
    pub generator_cpu_ns: u64,
    pub validity: Validity,
    pub reasons: Vec<String>,
}
