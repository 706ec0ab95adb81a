//! The plan as it comes in, and what it means once it is checked. See docs/engine.md.

use crate::check::{ExpectedBody, ExpectedStatus};
use crate::failure::Failure;
use crate::io::Address;
use crate::schedule::{Arrivals, ClosedLoop, Constant, Poisson};
use crate::wire::request_bytes;
use base64::Engine as _;
use serde::Deserialize;
use std::path::PathBuf;

/// A request is kept whole in memory and sent by one operation.
const REQUEST_BYTES_MOST: usize = 1 << 30;
const CONNECTIONS_MOST: u32 = 1 << 20;

/// One request per nanosecond: above, a schedule could not tell its requests apart.
pub const RATE_MOST_PER_S: f64 = 1e9;

/// Whether requests can be due at this rate.
pub fn is_rate(rate_per_s: f64) -> bool {
    rate_per_s > 1e-9 && rate_per_s <= RATE_MOST_PER_S
}

/// A whole run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Shuffles the arms within a round.
    pub seed: u64,
    /// One thread for each, pinned to it.
    pub cores: Vec<usize>,
    /// Which backend.
    pub io: IoChoice,
    /// How many completions to wait for.
    pub batch: u32,
    /// The length of a slice.
    pub slice_ns: u64,
    /// How long an arm is loaded before each of its slices, uncounted; 0 is not at all.
    #[serde(default)]
    pub settle_ns: u64,
    /// How many rounds.
    pub rounds: u32,
    /// How long to warm up.
    pub warm_up: WarmUp,
    /// The arms.
    pub arms: Vec<Arm>,
}

/// Which backend moves the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum IoChoice {
    /// `io_uring` where it is to be had, else epoll.
    Auto,
    /// `io_uring`, or fail.
    Uring,
    /// epoll.
    Epoll,
}

/// When an arm is warm.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WarmUp {
    /// Not before.
    pub least_ns: u64,
    /// Not after, plateau or not.
    pub most_ns: u64,
}

/// One arm.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arm {
    /// Its name.
    pub name: String,
    /// Where its first hop listens.
    pub address: PlannedAddress,
    /// How many connections, over all threads.
    pub connections: u32,
    /// How long to wait for an answer.
    pub timeout_ns: u64,
    /// When requests are due; `None` is the closed loop.
    #[serde(default)]
    pub arrivals: Option<PlannedArrivals>,
    /// What is asked.
    pub request: Request,
    /// What the answer has to be.
    pub expect: Expect,
    /// How it is frozen; `None` is never.
    pub freeze: Option<FreezeBy>,
    /// Its hops.
    pub hops: Vec<Hop>,
}

/// An open loop.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum PlannedArrivals {
    /// Requests at equal distances.
    Constant(Rate),
    /// Poisson arrivals, from the plan's seed: the same ones for every arm of the same rate.
    Poisson(Rate),
}

/// How many requests.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// Per second, over all threads.
    pub rate_per_s: f64,
}

impl PlannedArrivals {
    fn rate_per_s(self) -> f64 {
        match self {
            Self::Constant(rate) | Self::Poisson(rate) => rate.rate_per_s,
        }
    }

    fn schedule(self, seed: u64) -> Arrivals {
        match self {
            Self::Constant(rate) => Arrivals::Constant(Constant::new(rate.rate_per_s, None)),
            Self::Poisson(rate) => Arrivals::Poisson(Poisson::new(rate.rate_per_s, seed, None)),
        }
    }
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

/// A request.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// `GET` and so on.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names and values, in their order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body_base64: Option<String>,
}

/// What an answer has to be.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Its status.
    pub status: u16,
    /// Its body; `None` is any.
    pub body_base64: Option<String>,
}

/// How an arm is frozen.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum FreezeBy {
    /// The directory of a cgroup of version 2.
    Cgroup2(PathBuf),
    /// The directory of a cgroup of version 1's freezer.
    Cgroup1(PathBuf),
    /// SIGSTOP and SIGCONT to these processes.
    Signal(Vec<u32>),
}

/// A hop.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hop {
    /// Its name.
    pub name: String,
    /// Where its CPU time is read.
    pub cpu: CpuSource,
}

/// Where CPU time is read.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum CpuSource {
    /// The sum of these processes' CPU clocks.
    Processes(Vec<u32>),
}

/// What the load of one arm is, ready to be run.
#[derive(Debug, Clone)]
pub struct Target {
    /// Where to connect to.
    pub address: Address,
    /// How many connections, over all threads.
    pub connections: u32,
    /// How long to wait for an answer.
    pub timeout_ns: u64,
    /// The request's bytes.
    pub request: Vec<u8>,
    /// Whether answers have no body whatever their head says.
    pub is_head_request: bool,
    /// Which statuses are right.
    pub status: ExpectedStatus,
    /// Which body is right.
    pub body: ExpectedBody,
    /// When requests are due, over all threads.
    pub arrivals: Arrivals,
}

impl Plan {
    /// Reads a plan and checks what its types do not.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let plan: Self = serde_json::from_str(text).map_err(|error| {
            Failure::usage(format!("the plan on standard input: {error}")).hint("docs/engine.md has the form of a plan")
        })?;
        let require =
            |holds: bool, what: &str| if holds { Ok(()) } else { Err(Failure::usage(format!("the plan: {what}"))) };
        require(!plan.cores.is_empty(), "`cores` is empty")?;
        require(plan.batch >= 1, "`batch` is 0; 1 is no batching")?;
        require(plan.slice_ns > 0, "`slice_ns` is 0")?;
        require(!plan.arms.is_empty(), "`arms` is empty")?;
        require(plan.warm_up.least_ns <= plan.warm_up.most_ns, "`warm_up.least_ns` is above `warm_up.most_ns`")?;
        for arm in &plan.arms {
            let name = &arm.name;
            let same_name = plan.arms.iter().filter(|other| other.name == *name).count();
            require(same_name == 1, &format!("two arms have the name `{name}`"))?;
            let within = (1..=CONNECTIONS_MOST).contains(&arm.connections);
            require(
                within,
                &format!("arm `{name}`: `connections` is {}, not 1 to {CONNECTIONS_MOST}", arm.connections),
            )?;
            require(arm.timeout_ns > 0, &format!("arm `{name}`: `timeout_ns` is 0"))?;
            let rate_per_s = arm.arrivals.map_or(1.0, PlannedArrivals::rate_per_s);
            require(
                is_rate(rate_per_s),
                &format!("arm `{name}`: `rate_per_s` is {rate_per_s}, not above 0 and up to {RATE_MOST_PER_S:e}"),
            )?;
        }
        Ok(plan)
    }
}

impl Arm {
    /// The load of this arm, its address resolved and its request built. The plan's seed makes its arrivals.
    pub fn target(&self, seed: u64) -> Result<Target, Failure> {
        let failed = |what: &str| Failure::usage(format!("arm `{}`: {what}", self.name));
        let (address, host) = match &self.address {
            PlannedAddress::Tcp(host_and_port) => (Address::resolve(host_and_port), host_and_port.as_str()),
            PlannedAddress::Unix(path) => (Address::unix(path), "localhost"),
        };
        let address = address.map_err(|error| failed(&format!("`address`: {error}")))?;
        let decode = |key: &str, text: &Option<String>| {
            let decoded = text.as_ref().map(|text| base64::engine::general_purpose::STANDARD.decode(text));
            decoded.transpose().map_err(|error| failed(&format!("`{key}`: {error}")))
        };
        let body = decode("request.body_base64", &self.request.body_base64)?;
        let Request { method, target, headers, .. } = &self.request;
        let line_breaks = |text: &str| text.contains(['\r', '\n']);
        if line_breaks(method) || line_breaks(target) || headers.iter().any(|(n, v)| line_breaks(n) || line_breaks(v)) {
            return Err(failed("`request`: a line break in it"));
        }
        let request = request_bytes(method, target, host, headers, body.as_deref());
        if request.len() > REQUEST_BYTES_MOST {
            return Err(failed("`request`: longer than 1 GiB"));
        }
        let is_head_request = method == "HEAD";
        let expected = decode("expect.body_base64", &self.expect.body_base64)?;
        Ok(Target {
            address,
            connections: self.connections,
            timeout_ns: self.timeout_ns,
            request,
            is_head_request,
            status: ExpectedStatus::Exactly(self.expect.status),
            body: match expected {
                _ if is_head_request => ExpectedBody::Bytes([].into()),
                Some(bytes) => ExpectedBody::Bytes(bytes.into()),
                None => ExpectedBody::Any,
            },
            arrivals: self
                .arrivals
                .map_or_else(|| Arrivals::Closed(ClosedLoop::default()), |arrivals| arrivals.schedule(seed)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = r#"{"seed": 7, "cores": [1], "io": "auto", "batch": 1, "slice_ns": 100000000, "rounds": 6,
        "warm_up": {"least_ns": 300000000, "most_ns": 3000000000},
        "arms": [{"name": "a", "address": {"tcp": "127.0.0.1:20001"}, "connections": 64, "timeout_ns": 10000000000,
            "request": {"method": "GET", "target": "/", "headers": [["Host", "h"]], "body_base64": null},
            "expect": {"status": 200, "body_base64": "SGVsbG8gV29ybGQK"},
            "freeze": {"cgroup2": "/sys/fs/cgroup/unified/hopcost/stack-1"},
            "hops": [{"name": "nginx", "cpu": {"processes": [4711, 4712]}}]}]}"#;

    #[test]
    fn the_plan_of_the_documentation() {
        let target = Plan::parse(PLAN).expect("valid").arms[0].target(7).expect("valid");
        assert_eq!(target.request, b"GET / HTTP/1.1\r\nHost: h\r\n\r\n");
        assert!(matches!(&target.body, ExpectedBody::Bytes(bytes) if **bytes == *b"Hello World\n"));
    }

    #[test]
    fn shapes_of_load() {
        let arrivals = |text: &str| {
            let plan = PLAN.replace(r#""name": "a""#, &format!(r#""name": "a", "arrivals": {text}"#));
            Plan::parse(&plan).expect("valid").arms[0].target(7).expect("valid").arrivals
        };
        assert!(matches!(arrivals("null"), Arrivals::Closed(ClosedLoop { requests: None })));
        let constant = arrivals(r#"{"constant": {"rate_per_s": 2000}}"#);
        assert!(matches!(constant, Arrivals::Constant(_)) && constant.rate_per_s() == Some(2000.0));
        assert!(matches!(arrivals(r#"{"poisson": {"rate_per_s": 0.5}}"#), Arrivals::Poisson(_)));
    }

    #[test]
    fn what_is_refused_and_where() {
        let table = [
            (r#""seed": 7"#, r#""seed": 7, "sede": 8"#, "unknown field `sede`"),
            (r#""cores": [1]"#, r#""cores": []"#, "`cores` is empty"),
            (r#""batch": 1"#, r#""batch": 0"#, "`batch` is 0"),
            (r#""io": "auto""#, r#""io": "iocp""#, "unknown variant `iocp`"),
            (r#""connections": 64"#, r#""connections": 0"#, "arm `a`: `connections` is 0"),
            (r#""most_ns": 3000000000"#, r#""most_ns": 3"#, "`warm_up.least_ns`"),
            (
                r#""name": "a""#,
                r#""name": "a", "arrivals": {"constant": {"rate_per_s": 0}}"#,
                "arm `a`: `rate_per_s` is 0",
            ),
            (r#""name": "a""#, r#""name": "a", "arrivals": {"poisson": {"rate": 9}}"#, "unknown field `rate`"),
            (r#""name": "a""#, r#""name": "a", "arrivals": "bursts""#, "`bursts`"),
        ];
        for (from, to, message) in table {
            let failure = Plan::parse(&PLAN.replace(from, to)).expect_err("must be refused");
            assert!(failure.message.contains(message), "{}", failure.message);
            assert_eq!(failure.exit_code(), 2);
        }
        let arm = |from: &str, to: &str| {
            let plan = Plan::parse(&PLAN.replace(from, to)).expect("valid so far");
            plan.arms[0].target(7).expect_err("must be refused").message
        };
        assert!(arm(r#""SGVsbG8gV29ybGQK""#, r#""=""#).contains("`expect.body_base64`"));
        assert!(arm(r#"[["Host", "h"]]"#, r#"[["Host", "h\r\nX: y"]]"#).contains("line break"));
    }
}
