//! The command line of `load`, and the session that it asks for.

use super::output::OutputArguments;
use super::shape::{Shape, duration, nanoseconds};
use super::url::Url;
use crate::check::{ExpectedBody, ExpectedStatus};
use crate::failure::Failure;
use crate::io::{Address, process};
use crate::plan::{IoChoice, Target};
use crate::schedule::Arrivals;
use crate::session::{Session, SessionArm};
use crate::wire::request_bytes;
use clap::Args;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// `hopcost-engine load`
#[derive(Debug, Args)]
pub struct LoadArguments {
    /// What to load, like http://127.0.0.1:8080/path
    pub url: String,
    /// Connections, each with one request at a time
    #[arg(short, long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    pub connections: u32,
    /// Threads, one core each
    #[arg(short, long)]
    pub threads: Option<usize>,
    /// Cores to use, like 1 or 2,3; as many as threads (default: the last ones)
    #[arg(long, value_delimiter = ',')]
    pub cores: Option<Vec<usize>>,
    /// When requests are sent, and for how long
    #[command(flatten)]
    pub shape: Shape,
    /// How long to wait for an answer
    #[arg(short = 'T', long, value_parser = duration, default_value = "10s")]
    pub timeout: Duration,
    /// A header of the request, like "Accept: text/html"; may be repeated
    #[arg(short = 'H', long = "header")]
    pub headers: Vec<String>,
    /// The request's method
    #[arg(short, long, default_value = "GET")]
    pub method: String,
    /// Connect to this Unix socket; the URL gives host and path only
    #[arg(long, value_name = "PATH")]
    pub unix: Option<PathBuf>,
    /// Which backend moves the bytes
    #[arg(long, value_enum, default_value = "auto")]
    pub io: IoChoice,
    /// Completions to wait for before acting; fewer wake-ups, but bursts (io_uring only, from 16 connections on)
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub batch: u32,
    /// The status of a correct answer (default: any from 200 to 299)
    #[arg(long, value_name = "STATUS")]
    pub expect_status: Option<u16>,
    /// A file with the body of a correct answer (default: the body of the first answer with a right status)
    #[arg(long, value_name = "FILE", group = "body")]
    pub expect_body: Option<PathBuf>,
    /// The length of a correct body, whose bytes may differ
    #[arg(long, value_name = "BYTES", group = "body")]
    pub expect_length: Option<u64>,
    /// Let bodies differ from answer to answer
    #[arg(long, group = "body")]
    pub any_body: bool,
    /// What is printed and written
    #[command(flatten)]
    pub output: OutputArguments,
}

impl LoadArguments {
    /// The session that these arguments ask for.
    pub(super) fn session(&self) -> Result<Session, Failure> {
        if self.timeout.is_zero() {
            return Err(Failure::usage("-T 0: no answer can be that quick"));
        }
        let shaped = self.shape.resolve(self.timeout)?;
        let arm = SessionArm {
            name: self.url.clone(),
            target: self.target(shaped.arrivals)?,
            freeze: None,
            hops: Vec::new(),
        };
        Ok(Session {
            seed: self.shape.seed,
            cores: self.pick_cores()?,
            io: self.io,
            batch: self.batch,
            slice_ns: shaped.length_ns,
            settle_ns: 0,
            warm_up_slice_ns: 100_000_000,
            rounds: 1,
            warm_up: self.shape.warm_up(),
            watch: None,
            arms: vec![arm],
        })
    }

    fn target(&self, arrivals: Arrivals) -> Result<Target, Failure> {
        let url = Url::parse(&self.url)?;
        let address = match &self.unix {
            Some(path) => {
                Address::unix(path).map_err(|error| Failure::usage(format!("--unix {}: {error}", path.display())))?
            }
            None => Address::resolve(&url.host_and_port).map_err(|error| {
                Failure::machine(format!("`{}` cannot be resolved: {error}", url.host_and_port))
                    .hint("is the name spelled right?")
            })?,
        };
        let mut headers = Vec::new();
        for header in &self.headers {
            let (name, value) = header
                .split_once(':')
                .filter(|(name, _)| !name.is_empty() && !header.contains(['\r', '\n']))
                .ok_or_else(|| {
                    Failure::usage(format!("-H `{header}`: not a header")).hint("like -H \"Accept: text/html\"")
                })?;
            headers.push((name.trim().to_owned(), value.trim().to_owned()));
        }
        if self.method.is_empty() || !self.method.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            return Err(Failure::usage(format!("-m `{}`: not a method", self.method)));
        }
        let is_head_request = self.method == "HEAD";
        Ok(Target {
            address,
            connections: self.connections,
            timeout_ns: nanoseconds(self.timeout),
            request: request_bytes(&self.method, &url.target, &url.authority, &headers, None),
            is_head_request,
            status: self.expect_status.map_or(ExpectedStatus::Successful, ExpectedStatus::Exactly),
            body: if is_head_request { ExpectedBody::Bytes([].into()) } else { self.expected_body()? },
            arrivals,
        })
    }

    fn expected_body(&self) -> Result<ExpectedBody, Failure> {
        if let Some(path) = &self.expect_body {
            let bytes = std::fs::read(path)
                .map_err(|error| Failure::usage(format!("--expect-body {}: {error}", path.display())))?;
            return Ok(ExpectedBody::Bytes(bytes.into()));
        }
        Ok(match self.expect_length {
            Some(length) => ExpectedBody::Length(length),
            None if self.any_body => ExpectedBody::Any,
            None => ExpectedBody::First(Arc::new(OnceLock::new())),
        })
    }

    fn pick_cores(&self) -> Result<Vec<usize>, Failure> {
        match (&self.cores, self.threads) {
            (_, Some(0)) => Err(Failure::usage("-t 0: at least one thread")),
            (Some(cores), Some(threads)) if cores.len() != threads => Err(Failure::usage(format!(
                "-t {threads} with {} cores: each thread has a core of its own",
                cores.len()
            ))),
            (Some(cores), _) => Ok(cores.clone()),
            (None, threads) => {
                let threads = threads.unwrap_or(1);
                let allowed = process::allowed_cores()
                    .map_err(|error| Failure::machine(format!("the cores cannot be read: {error}")))?;
                let from = allowed.len().checked_sub(threads).ok_or_else(|| {
                    Failure::machine(format!("{threads} threads, but only {} cores for this process", allowed.len()))
                        .hint(format!("-t {}", allowed.len()))
                })?;
                Ok(allowed[from..].to_vec())
            }
        }
    }
}
