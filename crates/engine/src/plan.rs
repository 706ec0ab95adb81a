//! The plan as it comes in, and what it means once it is checked. See docs/engine.md.

use crate::asks::{Asks, Question, Speech};
use crate::check::{ExpectedBody, ExpectedStatus};
use crate::failure::Failure;
use crate::io::tls::{SessionResumption, Trust};
use crate::io::{Address, TlsSettings};
use crate::schedule::{Arrivals, ClosedLoop, Constant, Poisson};
use crate::wire::{Wire, fastcgi};
use base64::Engine as _;
use serde::Deserialize;
use std::path::PathBuf;

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
    /// The network namespace in which its sockets are opened, as a file (`/proc/PID/ns/net`); `None` is the engine's own.
    #[serde(default)]
    pub network_namespace: Option<PathBuf>,
    /// What is spoken there.
    #[serde(default)]
    pub wire: Wire,
    /// TLS; `None` is without.
    #[serde(default)]
    pub tls: Option<PlannedTls>,
    /// FastCGI's parameters besides those that nginx sends, or in their place.
    #[serde(default)]
    pub fastcgi_params: Vec<(String, String)>,
    /// After so many requests a connection is closed; `None` is never.
    #[serde(default)]
    pub requests_per_connection: Option<u32>,
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

/// TLS to an arm.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedTls {
    /// The name that the certificate has to have; `None` is the host of `address`.
    pub server_name: Option<String>,
    /// Whether the certificate is verified.
    pub verify: bool,
    /// The authorities to trust, a PEM file; `None` is those of the system.
    pub ca_file: Option<PathBuf>,
    /// Whether sessions are resumed.
    pub resume: bool,
}

impl PlannedTls {
    fn settings(&self, host: &str) -> Result<TlsSettings, Failure> {
        let trust = match (&self.ca_file, self.verify) {
            (_, false) => Trust::Anybody,
            (None, true) => Trust::System,
            (Some(path), true) => Trust::File(path.clone()),
        };
        let resumption = if self.resume { SessionResumption::On } else { SessionResumption::Off };
        TlsSettings::new(self.server_name.as_deref().unwrap_or(host), &trust, resumption)
            .map_err(|(what, hint)| Failure::usage(format!("`tls`: {what}")).hint(hint))
    }
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
    /// The account of a cgroup's directory (`cpu.stat` or `cpuacct.usage`), for trees that fork.
    Cgroup(PathBuf),
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
    /// What is asked, and what the answers have to be.
    pub asks: Asks,
    /// TLS; `None` is without.
    pub tls: Option<TlsSettings>,
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
            let closes = arm.requests_per_connection == Some(0);
            require(!closes, &format!("arm `{name}`: `requests_per_connection` is 0; `null` keeps them"))?;
            let out_of_place = arm.wire != Wire::FastCgi && !arm.fastcgi_params.is_empty();
            require(!out_of_place, &format!("arm `{name}`: `fastcgi_params` without `\"wire\": \"fastcgi\"`"))?;
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
        let expected = decode("expect.body_base64", &self.expect.body_base64)?;
        let question = Question {
            weight: 1,
            method: method.clone(),
            target: target.clone(),
            headers: headers.clone(),
            body: body.map(Into::into),
            status: ExpectedStatus::Exactly(self.expect.status),
            expected: expected.map_or(ExpectedBody::Any, |bytes| ExpectedBody::Bytes(bytes.into())),
        };
        let speech = Speech {
            wire: self.wire,
            host: host.to_owned(),
            parameters: fastcgi::Parameters { given: self.fastcgi_params.clone(), ..address.to_parameters() },
            requests_per_connection: self.requests_per_connection,
        };
        Ok(Target {
            asks: Asks::new(&speech, &[question])?,
            tls: self.tls.as_ref().map(|tls| tls.settings(host_name(host))).transpose()?,
            address,
            connections: self.connections,
            timeout_ns: self.timeout_ns,
            arrivals: self
                .arrivals
                .map_or_else(|| Arrivals::Closed(ClosedLoop::default()), |arrivals| arrivals.schedule(seed)),
        })
    }
}

/// The host of `host:port`, without the brackets of an IPv6 address.
fn host_name(host_and_port: &str) -> &str {
    let host = host_and_port.rsplit_once(':').map_or(host_and_port, |(host, _)| host);
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
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
        assert_eq!(*target.asks.messages[0], *b"GET / HTTP/1.1\r\nHost: h\r\n\r\n");
        assert_eq!(target.asks.answer_bytes(), Some(12));
        let fastcgi = PLAN.replace(r#""connections": 64"#, r#""connections": 64, "wire": "fastcgi""#);
        let target = Plan::parse(&fastcgi).expect("valid").arms[0].target(7).expect("valid");
        assert_eq!(target.asks.messages[0][..8], [1, 1, 0, 1, 0, 8, 0, 0], "BEGIN_REQUEST");
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
            (
                r#""connections": 64"#,
                r#""connections": 64, "requests_per_connection": 0"#,
                "arm `a`: `requests_per_conn",
            ),
            (
                r#""connections": 64"#,
                r#""connections": 64, "fastcgi_params": [["A", "b"]]"#,
                "arm `a`: `fastcgi_params`",
            ),
            (r#""connections": 64"#, r#""connections": 64, "wire": "h2""#, "unknown variant `h2`"),
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
