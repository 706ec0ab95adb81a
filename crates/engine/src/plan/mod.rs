//! The plan as it comes in, and what it means once it is checked. See docs/reference/engine-protocol.md.

mod agent;
mod arrivals;
mod beside;
mod target;

pub use self::agent::AgentAddress;
pub use self::arrivals::PlannedArrivals;
pub use self::beside::{Beside, BesideKind, IdleConnections, SlowClients};
pub use self::target::Target;
use crate::io::Backend;
use crate::wire::Wire;
use hopcost_common::failure::Failure;
use serde::Deserialize;
use std::path::PathBuf;

const MAX_CONNECTIONS: u32 = 1 << 20;

/// Several times what a thread can send. Requests that are due and never sent take time too: each is counted.
pub const MAX_RATE_PER_S: f64 = 1e7;

/// Whether requests can be due at this rate on so many threads.
pub fn is_rate(rate_per_s: f64, threads: usize) -> bool {
    rate_per_s > 1e-9 && rate_per_s <= MAX_RATE_PER_S * threads as f64
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Shuffles the arms within a round.
    pub seed: u64,
    /// One thread for each, pinned to it.
    pub cores: Vec<usize>,
    pub io: Backend,
    pub batch: u32,
    pub slice_ns: u64,
    /// By what share of `slice_ns` a round's slices are longer or shorter at most; 0 is all alike.
    #[serde(default)]
    pub slice_jitter: f64,
    /// How long an arm is loaded before each of its slices, uncounted; 0 is not at all.
    #[serde(default)]
    pub settle_ns: u64,
    pub rounds: u32,
    /// Whether the arms may run on `cores` too: then it is no fault if the engine waits for its core.
    #[serde(default)]
    pub shared_cores: bool,
    pub warm_up: WarmUp,
    /// Where arms are frozen and counted that another machine runs; `None` if there are none.
    #[serde(default)]
    pub agent: Option<AgentAddress>,
    pub arms: Vec<Arm>,
}

/// When an arm is warm.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WarmUp {
    /// The arm is not warm before.
    pub least_ns: u64,
    /// Warming up ends here, plateau or not.
    pub most_ns: u64,
    /// Nor before it has answered so many: a program that compiles itself warms up by requests, not by time.
    #[serde(default)]
    pub requests: u64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arm {
    pub name: String,
    /// Where its first hop listens.
    pub address: PlannedAddress,
    /// The network namespace in which its sockets are opened, as a file (`/proc/PID/ns/net`); `None` is the engine's own.
    #[serde(default)]
    pub network_namespace: Option<PathBuf>,
    #[serde(default)]
    pub wire: Wire,
    /// TLS; `None` is without.
    #[serde(default)]
    pub tls: Option<PlannedTls>,
    /// FastCGI's parameters besides those that nginx sends, or in their place.
    #[serde(default)]
    pub fastcgi_params: Vec<(String, String)>,
    /// HTTP/2: how many requests a connection has at a time; `None` is 1.
    #[serde(default)]
    pub streams: Option<u32>,
    /// After this many requests a connection is closed; `None` is never.
    #[serde(default)]
    pub requests_per_connection: Option<u32>,
    /// How many connections, over all threads.
    pub connections: u32,
    /// Connections beside these that read and write slowly.
    #[serde(default)]
    pub slow_clients: Option<SlowClients>,
    /// Connections beside these that are kept open and seldom used.
    #[serde(default)]
    pub idle_connections: Option<IdleConnections>,
    /// The length of its slices; `None` is the plan's.
    #[serde(default)]
    pub slice_ns: Option<u64>,
    /// How long to wait for an answer.
    pub timeout_ns: u64,
    /// When requests are due; `None` is the closed loop.
    #[serde(default)]
    pub arrivals: Option<PlannedArrivals>,
    /// How its connections are opened anew before each of its measured slices; `None` keeps them.
    #[serde(default)]
    pub reopen_each_round: Option<Reopening>,
    /// Whether they are closed after its warm-up and after each of its slices: no turn of another arm finds them open.
    #[serde(default)]
    pub close_each_round: bool,
    /// The only request; `None` if there is a mix.
    #[serde(default)]
    pub request: Option<Request>,
    /// What every answer to it has to be.
    #[serde(default)]
    pub expect: Option<Expect>,
    /// Several requests in turns, in place of `request` and `expect`.
    #[serde(default)]
    pub mix: Vec<MixedRequest>,
    /// `None` is never frozen.
    pub freeze: Option<FreezeBy>,
    pub hops: Vec<Hop>,
}

impl Arm {
    /// What is there beside its connections.
    pub fn beside(&self) -> Beside {
        Beside { slow: self.slow_clients, idle: self.idle_connections }
    }
}

/// How connections are opened again between rounds. A server with several workers deals them out anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Reopening {
    /// One after the other, as clients come: in the closed loop those that are open are loaded meanwhile.
    Spread,
    /// All at once, and then load begins.
    Burst,
}

/// Where an arm listens.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum PlannedAddress {
    /// `host:port`.
    Tcp(String),
    /// The path of a Unix socket.
    Unix(PathBuf),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedTls {
    /// The name that the certificate has to have; `None` is the host of `address`.
    pub server_name: Option<String>,
    pub verify: bool,
    /// The authorities to trust, a PEM file; `None` is those of the system.
    pub ca_file: Option<PathBuf>,
    pub resume: bool,
}
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    pub method: String,
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body_base64: Option<String>,
}

/// One request of a mix.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MixedRequest {
    /// What it is called in the results.
    pub name: String,
    /// How often it is sent, in proportion to the others.
    pub weight: u32,
    pub request: Request,
    pub expect: Expect,
}

/// What an answer has to be.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    pub status: u16,
    /// `None` is any body.
    pub body_base64: Option<String>,
    /// The body's length if its bytes are not to be compared; `None` is any.
    #[serde(default)]
    pub length: Option<u64>,
    /// Bytes of the body that may be any: from, and to without it.
    #[serde(default)]
    pub masked: Vec<(usize, usize)>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum FreezeBy {
    /// The directory of a cgroup of version 2.
    Cgroup2(PathBuf),
    /// The directory of a cgroup of version 1's freezer.
    Cgroup1(PathBuf),
    /// SIGSTOP and SIGCONT to these processes.
    Signal(Vec<u32>),
    /// An agent does, as its arm of this number.
    Agent(usize),
}

impl FreezeBy {
    /// Whether what the other freezes is in part what this one does.
    pub fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Cgroup2(own), Self::Cgroup2(other)) | (Self::Cgroup1(own), Self::Cgroup1(other)) => own == other,
            (Self::Agent(own), Self::Agent(other)) => own == other,
            (Self::Signal(own), Self::Signal(other)) => own.iter().any(|process| other.contains(process)),
            _ => false,
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hop {
    pub name: String,
    pub cpu: CpuSource,
    /// Whether it serves other arms too, and is never frozen: what it uses outside this arm's slices is theirs.
    #[serde(default)]
    pub shared: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum CpuSource {
    /// The sum of these processes' CPU clocks.
    Processes(Vec<u32>),
    /// The account of a cgroup's directory (`cpu.stat` or `cpuacct.usage`), for trees that fork.
    Cgroup(PathBuf),
    /// An agent's, by the name of the hop in its arm of this number.
    Agent(usize),
}

impl Plan {
    /// Reads a plan and checks what its types do not.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let plan: Self = serde_json::from_str(text).map_err(|error| {
            Failure::usage(format!("the plan on standard input: {error}"))
                .hint("docs/reference/engine-protocol.md has the form of a plan")
        })?;
        let require =
            |holds: bool, what: &str| if holds { Ok(()) } else { Err(Failure::usage(format!("the plan: {what}"))) };
        require(!plan.cores.is_empty(), "`cores` is empty")?;
        require(plan.batch >= 1, "`batch` is 0; 1 is no batching")?;
        require(plan.slice_ns > 0, "`slice_ns` is 0")?;
        let jitter = plan.slice_jitter;
        require((0.0..1.0).contains(&jitter), &format!("`slice_jitter` is {jitter}, not from 0 to below 1"))?;
        require(!plan.arms.is_empty(), "`arms` is empty")?;
        require(plan.warm_up.least_ns <= plan.warm_up.most_ns, "`warm_up.least_ns` is above `warm_up.most_ns`")?;
        agent::check(plan.agent.as_ref(), &plan.arms).or_else(|what| require(false, &what))?;
        for arm in &plan.arms {
            let name = &arm.name;
            let same_name = plan.arms.iter().filter(|other| other.name == *name).count();
            require(same_name == 1, &format!("two arms have the name `{name}`"))?;
            let require = |holds: bool, what: &str| require(holds, &format!("arm `{name}`: {what}"));
            let connections = arm.connections;
            let is_within = (1..=MAX_CONNECTIONS).contains(&connections);
            require(is_within, &format!("`connections` is {connections}, not 1 to {MAX_CONNECTIONS}"))?;
            require(arm.slice_ns != Some(0), "`slice_ns` is 0; `null` is the plan's")?;
            require(arm.timeout_ns > 0, "`timeout_ns` is 0")?;
            if let Some(arrivals) = &arm.arrivals {
                arrivals.check(name, &plan)?;
            }
            require(arm.requests_per_connection != Some(0), "`requests_per_connection` is 0; `null` keeps them")?;
            let is_opened = arm.reopen_each_round.is_some() || !arm.close_each_round;
            require(is_opened, "`close_each_round` without `reopen_each_round`")?;
            arm.beside().check().or_else(|what| require(false, &what))?;
            let is_kept = !arm.close_each_round || arm.beside() == Beside::default();
            require(is_kept, "`close_each_round` with `slow_clients` or `idle_connections`, which are kept open")?;
            let is_alone = arm.request.is_some() && arm.expect.is_some() && arm.mix.is_empty();
            let is_mix = arm.request.is_none() && arm.expect.is_none() && !arm.mix.is_empty();
            require(is_alone || is_mix, "neither `request` and `expect` nor `mix` alone; an empty `mix` is none")?;
            for (number, mixed) in arm.mix.iter().enumerate() {
                let is_known = arm.mix[..number].iter().any(|other| other.name == mixed.name);
                require(!is_known, &format!("two requests of `mix` have the name `{}`", mixed.name))?;
            }
            let is_out_of_place = arm.wire != Wire::FastCgi && !arm.fastcgi_params.is_empty();
            let streams = arm.streams.unwrap_or(1);
            require(arm.streams.is_none() || arm.wire == Wire::Http2, "`streams` without `\"wire\": \"http2\"`")?;
            let is_within = (1..=MAX_CONNECTIONS / connections).contains(&streams);
            let what = format!("`streams` is {streams}: connections times streams are not 1 to {MAX_CONNECTIONS}");
            require(is_within, &what)?;
            require(!is_out_of_place, "`fastcgi_params` without `\"wire\": \"fastcgi\"`")?;
        }
        Ok(plan)
    }
}

#[cfg(test)]
mod tests;
