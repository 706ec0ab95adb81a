//! The command line of `load`, and the session that it asks for.

mod beside;
mod log;
mod mix;
mod rates;
mod requests;
mod shape;
mod tls;
mod url;

use self::beside::BesideArguments;
use self::log::{LogArguments, LoggedLoad};
use self::requests::{ExpectationArguments, RequestArguments};
use self::shape::{LogTiming, Shape, duration, nanoseconds};
use self::tls::TlsArguments;
use self::url::{Place, Url};
use super::log::LogReceipt;
use super::output::OutputArguments;
use crate::io::tls::Protocol;
use crate::io::{Backend, process};
use crate::plan::Target;
use crate::requests::{RequestMix, WireSettings};
use crate::schedule::Arrivals;
use crate::session::{Session, SessionArm};
use crate::wire::Wire;
use clap::Args;
use hopcost_common::failure::Failure;
use std::path::PathBuf;
use std::time::Duration;

/// `--help` of `hopcost load`, in the form of hopcost's other verbs.
pub const HELP: &str = include_str!("help.txt");
pub const USAGE: &str = "hopcost load [OPTIONS] URL";

/// More requests at a time than on any server.
const MAX_EXCHANGES: u32 = 1 << 20;

/// `hopcost-engine load`
#[derive(Debug, Args)]
pub struct LoadArguments {
    /// What to load: http://, https:// or fastcgi://HOST:PORT/PATH, or http+unix:// or fastcgi+unix://%2Frun%2Fapp.sock/PATH
    pub(crate) url: String,
    /// Connections, each with one request at a time
    #[arg(short, long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) connections: u32,
    /// Speak HTTP/2: over TLS by ALPN, else by prior knowledge
    #[arg(long)]
    http2: bool,
    /// Requests at a time on each connection (HTTP/2)
    #[arg(long, value_name = "N", requires = "http2", value_parser = clap::value_parser!(u32).range(1..))]
    streams: Option<u32>,
    /// Threads, one core each
    #[arg(short, long)]
    threads: Option<usize>,
    /// Cores to use, like 1 or 2,3; as many as threads (default: the last ones)
    #[arg(long, value_delimiter = ',')]
    cores: Option<Vec<usize>>,
    /// The server may run on these cores too: waiting for a core does not make the run suspect
    #[arg(long)]
    shared_cores: bool,
    #[command(flatten)]
    shape: Shape,
    #[command(flatten)]
    pub(super) beside: BesideArguments,
    /// How long to wait for an answer
    #[arg(short = 'T', long, value_parser = duration, default_value = "10s")]
    timeout: Duration,
    /// Connect to this Unix socket; the URL gives host and path only
    #[arg(long, value_name = "PATH")]
    unix: Option<PathBuf>,
    #[command(flatten)]
    requests: RequestArguments,
    #[command(flatten)]
    log: LogArguments,
    #[command(flatten)]
    tls: TlsArguments,
    #[command(flatten)]
    expectations: ExpectationArguments,
    /// Which backend moves the bytes
    #[arg(long, value_enum, default_value = "auto")]
    io: Backend,
    /// Completions to wait for before acting; fewer wake-ups, but bursts (io_uring only, from 16 connections on)
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    #[command(flatten)]
    pub(super) output: OutputArguments,
}

/// What the arguments come to.
pub(crate) struct Prepared {
    pub(crate) session: Session,
    /// What was read of a log, if there is one.
    pub(super) log: Option<LogReceipt>,
}

impl LoadArguments {
    /// How many requests a connection has at a time; `None` if not over HTTP/2.
    pub(super) fn streams(&self) -> Option<u32> {
        self.http2.then(|| self.streams.unwrap_or(1))
    }

    /// The shape of the load in words.
    pub(super) fn shape_text(&self) -> String {
        self.shape.text(self.log.timed)
    }

    /// The session that these arguments ask for. Reads the log, if there is one.
    pub(crate) fn prepare(&self) -> Result<Prepared, Failure> {
        if self.timeout.is_zero() {
            return Err(Failure::usage("-T 0: no answer can be that quick"));
        }
        let cores = self.pick_cores()?;
        // Report mistakes first: reading a log may take seconds.
        let url = Url::parse(&self.url)?;
        let mut log = self.log.read(self.shape.seed)?;
        let receipt = log.as_ref().map(|log| log.receipt.clone());
        let timing = log.as_mut().map(|log| LogTiming { lines: log.receipt.sent_lines, times_ns: log.times_ns.take() });
        let shaped = self.shape.resolve(self.timeout, cores.len(), timing)?;
        let arm = SessionArm {
            name: self.url.clone(),
            target: self.target(url, log, shaped.arrivals)?,
            slice_ns: None,
            network_namespace: None,
            freeze: None,
            reopening: None,
            closes_each_round: false,
            beside: self.beside.beside()?,
            hops: Vec::new(),
        };
        let session = Session {
            seed: self.shape.seed,
            cores,
            io: self.io,
            batch: self.batch,
            slice_ns: shaped.length_ns,
            slice_jitter: 0.0,
            settle_ns: 0,
            warm_up_slice_ns: 100_000_000,
            rounds: 1,
            shared_cores: self.shared_cores,
            warm_up: self.shape.warm_up(),
            watch: None,
            agent: None,
            arms: vec![arm],
        };
        Ok(Prepared { session, log: receipt })
    }

    fn target(&self, url: Url, log: Option<LoggedLoad>, arrivals: Arrivals) -> Result<Target, Failure> {
        let wire = match url.wire {
            Wire::Http if self.http2 => Wire::Http2,
            _ if self.http2 => return Err(Failure::usage("--http2: FastCGI is spoken there").hint("https://…")),
            wire => wire,
        };
        let streams = self.streams().unwrap_or(1);
        if streams.saturating_mul(self.connections) > MAX_EXCHANGES {
            return Err(Failure::usage(format!(
                "-c {} --streams {streams}: more than {MAX_EXCHANGES} requests at a time",
                self.connections
            )));
        }
        let is_tls = url.is_tls;
        let tls = self.tls.settings(&url, if self.http2 { Protocol::Http2 } else { Protocol::Http1 })?;
        let place = match (&self.unix, url.place) {
            (Some(_), Place::Unix(_)) => {
                return Err(Failure::usage("--unix, and a URL that names a Unix socket as well"));
            }
            (Some(path), Place::Tcp { .. }) => Place::Unix(path.clone()),
            (None, place) => place,
        };
        // Report mistakes first: resolving a name may take seconds.
        let (specs, order) = match log {
            None => (self.requests.specs(&url.target, &self.expectations)?, None),
            Some(log) => {
                let (specs, order) = log.specs(&url.target, &self.requests.headers()?, &self.expectations)?;
                (specs, Some(order))
            }
        };
        let given = self.requests.fastcgi_params(url.wire)?;
        let address = place.address()?;
        let settings = WireSettings {
            requests_per_connection: self.requests.requests_per_connection,
            streams: self.streams(),
            is_tls,
            ..WireSettings::at(&address, wire, &url.authority, given)
        };
        Ok(Target {
            requests: match order {
                None => RequestMix::new(&settings, &specs)?,
                Some(order) => RequestMix::in_order(&settings, &specs, order)?,
            },
            tls,
            address,
            connections: self.connections,
            timeout_ns: nanoseconds(self.timeout),
            arrivals,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_page_has_every_option_and_no_other() {
        let command = LoadArguments::augment_args(clap::Command::new("load"));
        let mut known: Vec<String> = command
            .get_arguments()
            .filter_map(|argument| {
                let long = argument.get_long()?;
                Some(argument.get_short().map_or_else(|| format!("--{long}"), |short| format!("-{short}, --{long}")))
            })
            .collect();
        known.push("-h, --help".to_owned());
        known.sort();
        let options = HELP.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| line.starts_with('-'));
        let mut shown: Vec<String> = options
            .map(|line| {
                let length = line.find("--").map(|start| line[start..].find(' ').map_or(line.len(), |end| start + end));
                line[..length.expect("a long name")].to_owned()
            })
            .collect();
        shown.sort();
        assert_eq!(shown, known);
    }

    #[test]
    fn the_help_page_fits_80_columns() {
        for line in HELP.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
