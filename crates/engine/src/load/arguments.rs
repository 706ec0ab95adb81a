//! The command line of `load`, and the session that it asks for.

use super::requests::{ExpectationArguments, RequestArguments};
use super::tls::TlsArguments;
use super::url::{Place, Url};
use crate::asks::{Asks, Speech};
use crate::failure::Failure;
use crate::io::process;
use crate::plan::{IoChoice, Target, WarmUp};
use crate::session::{Session, SessionArm};
use crate::wire::fastcgi;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// With a number of requests and no duration, this is the end all the same.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
const DEFAULT_DURATION: Duration = Duration::from_secs(10);

/// `hopcost-engine load`
#[derive(Debug, Args)]
pub struct LoadArguments {
    /// What to load: http://, https:// or fastcgi://HOST:PORT/PATH, or http+unix:// or fastcgi+unix://%2Frun%2Fapp.sock/PATH
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
    /// How long, like 500ms, 2s, 1m (default: 10s, or until all of -n are done)
    #[arg(short, long, value_parser = duration)]
    pub duration: Option<Duration>,
    /// How many requests at most
    #[arg(short = 'n', long = "number", value_name = "REQUESTS")]
    pub number: Option<u64>,
    /// Load before anything counts: until throughput is steady, up to ten times this long
    #[arg(long, value_parser = duration)]
    pub warm_up: Option<Duration>,
    /// How long to wait for an answer
    #[arg(short = 'T', long, value_parser = duration, default_value = "10s")]
    pub timeout: Duration,
    /// Connect to this Unix socket; the URL gives host and path only
    #[arg(long, value_name = "PATH")]
    pub unix: Option<PathBuf>,
    #[command(flatten)]
    pub(super) requests: RequestArguments,
    #[command(flatten)]
    pub(super) tls: TlsArguments,
    #[command(flatten)]
    pub(super) expectations: ExpectationArguments,
    /// Which backend moves the bytes
    #[arg(long, value_enum, default_value = "auto")]
    pub io: IoChoice,
    /// Completions to wait for before acting; fewer wake-ups, but bursts (io_uring only, from 16 connections on)
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub batch: u32,
    /// Write one JSON object instead of the summary
    #[arg(long)]
    pub json: bool,
}

impl LoadArguments {
    /// The session that these arguments ask for.
    pub(super) fn session(&self) -> Result<Session, Failure> {
        let length = match (self.duration, self.number) {
            (Some(duration), _) => duration,
            (None, Some(_)) => LONGEST,
            (None, None) => DEFAULT_DURATION,
        };
        if length.is_zero() || self.timeout.is_zero() || self.number == Some(0) {
            return Err(Failure::usage("a duration, time-out or number of requests of 0"));
        }
        let arm = SessionArm { name: self.url.clone(), target: self.target()?, freeze: None, hops: Vec::new() };
        Ok(Session {
            seed: 0,
            cores: self.pick_cores()?,
            io: self.io,
            batch: self.batch,
            slice_ns: nanoseconds(length),
            settle_ns: 0,
            warm_up_slice_ns: 100_000_000,
            rounds: 1,
            warm_up: self
                .warm_up
                .map(|least| WarmUp { least_ns: nanoseconds(least), most_ns: nanoseconds(least * 10) }),
            arms: vec![arm],
        })
    }

    fn target(&self) -> Result<Target, Failure> {
        let url = Url::parse(&self.url)?;
        let tls = self.tls.settings(&url)?;
        let place = match (&self.unix, url.place) {
            (Some(_), Place::Unix(_)) => {
                return Err(Failure::usage("--unix, and a URL that names a Unix socket as well"));
            }
            (Some(path), Place::Tcp { .. }) => Place::Unix(path.clone()),
            (None, place) => place,
        };
        // Mistakes first: resolving may take its time.
        let questions = self.requests.questions(&url.target, &self.expectations)?;
        let given = self.requests.fastcgi_params(url.wire)?;
        let address = place.address()?;
        let speech = Speech {
            wire: url.wire,
            host: url.authority,
            parameters: fastcgi::Parameters { given, ..address.to_parameters() },
            requests_per_connection: self.requests.requests_per_connection,
        };
        Ok(Target {
            asks: Asks::new(&speech, &questions)?,
            tls,
            address,
            connections: self.connections,
            timeout_ns: nanoseconds(self.timeout),
            requests: self.number,
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

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// A number with a unit; without one it is seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit {
        "us" => 1e-6,
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("`{unit}` is not a unit of time: us, ms, s, m, h")),
    };
    let number: f64 = number.parse().map_err(|_| "not a time, like 500ms, 2s, 1m".to_owned())?;
    Duration::try_from_secs_f64(number * factor).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, milliseconds) in [("2s", 2000), ("500ms", 500), ("1.5", 1500), ("2m", 120_000), ("1h", 3_600_000)] {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "s", "2x", "-1s", "1.2.3s"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
