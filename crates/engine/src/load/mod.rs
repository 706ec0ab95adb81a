//! Load on one URL, without a plan: one arm, one slice.

mod arguments;
mod beside;
pub mod floor;
mod json;
mod live;
mod log;
mod others;
mod output;
mod quantile;
mod reach;
mod summary;
mod words;

pub use arguments::{HELP, LoadArguments, USAGE};

use crate::client::Watch;
use crate::io::terminal;
use crate::lines::{self, BesideSlice, End, Line, Validity};
use crate::recorder::Distribution;
use crate::schedule::{Arrivals, Schedule as _};
use crate::session::{ArmResult, Observer};
use arguments::Prepared;
use hopcost_common::failure::Failure;
use json::Json;
use log::LogReceipt;
use serde::Serialize;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// How the reader called hopcost, so that the commands in hints work when they are typed: the harness hands it over as
/// the first word of the command line.
#[must_use]
pub fn called() -> String {
    let first = std::env::args().next().unwrap_or_default();
    let is_harness = Path::new(first.trim_matches('\'')).file_name().is_some_and(|name| name == "hopcost");
    if is_harness { first } else { "hopcost".to_owned() }
}

/// What the session's lines said, gathered for the summary.
#[derive(Debug, Default)]
struct LoadResult {
    io: String,
    batch: u32,
    threads: usize,
    elapsed_ns: u64,
    drain_ns: Option<u64>,
    generator_cpu_ns: u64,
    spin_ns: u64,
    slice: SliceCounts,
    /// Of slow clients and idle connections, in the order of [`crate::plan::BesideKind::ALL`].
    beside: [Option<BesideSlice>; 2],
    opening: Opening,
    /// How the progress of opening is shown; `None` if it is not.
    live: Option<live::Style>,
    warm_up_plateau: Option<bool>,
    /// How the requests lie in time, in a word.
    arrivals: &'static str,
    /// The mean rate of an open loop.
    offered_per_s: Option<f64>,
    log: Option<LogReceipt>,
    arm: ArmResult,
    end: End,
}

/// How the connections were opened, before load began.
#[derive(Debug, Default, Clone, Copy, Serialize)]
struct Opening {
    elapsed_ns: u64,
    /// All that were to be opened, slow clients and idle connections included.
    connections: u32,
    established: u32,
    errors: crate::recorder::Errors,
}

/// The counts of the measured slice, without the warm-up.
#[derive(Debug, Default, Clone, Copy, Serialize)]
struct SliceCounts {
    answers: u64,
    due: u64,
    sent: u64,
    not_sent: u64,
    reconnects: u64,
    received_bytes: u64,
    errors: crate::recorder::Errors,
}

impl Observer for LoadResult {
    fn line(&mut self, line: &Line<'_>) -> io::Result<()> {
        match line {
            Line::Start(start) => {
                start.io.clone_into(&mut self.io);
                self.batch = start.batch;
                self.threads = start.cores.len();
            }
            Line::Opening(line) => {
                let lines::Opening { elapsed_ns, connections, established, errors, .. } = *line;
                self.opening = Opening { elapsed_ns, connections, established, errors };
                if let Some(style) = self.live {
                    live::opening(style, line);
                }
            }
            Line::WarmUp(warm_up) => self.warm_up_plateau = Some(warm_up.plateau),
            Line::Slice(slice) => {
                self.elapsed_ns = slice.elapsed_ns;
                self.drain_ns = slice.drain_ns;
                self.generator_cpu_ns = slice.generator_cpu_ns;
                self.spin_ns = slice.spin_ns;
                self.beside = [slice.slow_clients, slice.idle_connections];
                let lines::Slice { answers, due, sent, not_sent, reconnects, received_bytes, errors, .. } = *slice;
                self.slice = SliceCounts { answers, due, sent, not_sent, reconnects, received_bytes, errors };
            }
            Line::Arm(_) => {}
            Line::End(end) => self.end = end.clone(),
        }
        Ok(())
    }

    fn arm(&mut self, result: ArmResult) -> io::Result<()> {
        self.arm = result;
        Ok(())
    }
}

impl LoadResult {
    /// How long requests were due. After that an open loop waits for the last answers.
    fn load_s(&self) -> f64 {
        let load_ns = self.elapsed_ns.saturating_sub(self.drain_ns.unwrap_or(0));
        load_ns.max(1) as f64 / 1e9
    }

    /// How long the last answers took, if that is more than 1 % of the load.
    fn long_drain_s(&self) -> Option<f64> {
        let drain_s = self.drain_ns? as f64 / 1e9;
        (drain_s > self.load_s() * 0.01).then_some(drain_s)
    }

    fn throughput_per_s(&self) -> f64 {
        self.slice.answers as f64 / self.load_s()
    }

    /// The times of completed TLS handshakes, if there were any.
    fn handshake_times(&self) -> Option<Distribution> {
        let known = self.arm.handshakes.time.clone()?;
        Some(Distribution { known, ..Distribution::default() })
    }

    fn print(&self, arguments: &LoadArguments) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if arguments.output.json {
            serde_json::to_writer_pretty(&mut out, &Json::new(arguments, self))?;
            out.write_all(b"\n")
        } else {
            out.write_all(summary::text(arguments, self, terminal::columns(&out)).as_bytes())
        }
    }

    fn exit_code(&self) -> ExitCode {
        match self.end.validity {
            _ if self.slice.answers == 0 => 1.into(),
            Validity::Void => 1.into(),
            Validity::Suspect => 4.into(),
            Validity::Valid => ExitCode::SUCCESS,
        }
    }
}

/// How requests lie in time, in a word.
const fn name(arrivals: &Arrivals) -> &'static str {
    match arrivals {
        Arrivals::Closed(_) => "closed",
        Arrivals::Constant(_) => "constant",
        Arrivals::Poisson(_) => "poisson",
        Arrivals::Trace(_) => "trace",
    }
}

/// Runs load, prints the result and returns the exit code.
pub fn run(arguments: &LoadArguments) -> Result<ExitCode, Failure> {
    let Prepared { mut session, log } = arguments.prepare()?;
    let target = &session.arms[0].target;
    reach::reach(&arguments.url, target)?;
    let arrivals = target.arrivals.clone();
    let is_timed = !arrivals.is_limited() || arrivals.length_ns().is_some();
    let others_share = if is_timed { others::look_before(session.slice_ns) } else { None };
    let is_open_loop = arrivals.is_open();
    let lanes = session.cores.len().min(target.connections as usize);
    let mut result = LoadResult {
        live: arguments.output.live(),
        arrivals: name(&arrivals),
        offered_per_s: arrivals.mean_per_s(0, arrivals.length_ns().unwrap_or(1_000_000_000)),
        log,
        ..LoadResult::default()
    };
    if let Some(outputs) = arguments.output.open(&arrivals)? {
        let watch = Arc::new(Watch::new(lanes, output::PERIOD_NS));
        session.watch = Some(Arc::clone(&watch));
        let times = std::thread::scope(|scope| {
            let follower = scope.spawn(|| outputs.follow(&watch, is_open_loop));
            let run = session.run(&mut result);
            watch.end();
            let times = follower.join().expect("a panic aborts the process");
            run.map(|()| times)
        })?;
        let times = times.map_err(|error| Failure::run(format!("--csv or --hdr: {error}")))?;
        result.arm.times.merge(&times);
    } else {
        session.run(&mut result)?;
    }
    if let Some(reason) = others_share.and_then(others::reason) {
        result.end.validity = result.end.validity.max(Validity::Suspect);
        result.end.reasons.push(reason);
    }
    result.print(arguments).map_err(|error| Failure::run(format!("standard output: {error}")))?;
    Ok(result.exit_code())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_for_the_last_answers_is_no_time_of_load() {
        let result = |elapsed_ns, drain_ns| LoadResult {
            slice: SliceCounts { answers: 2000, ..SliceCounts::default() },
            elapsed_ns,
            drain_ns,
            ..LoadResult::default()
        };
        for (elapsed_ns, drain_ns, per_s, long_drain_s) in [
            (3_000_000_000, Some(1_000_000_000), 1000.0, Some(1.0)),
            (2_020_000_000, Some(20_000_000), 1000.0, None),
            (2_000_000_000, None, 1000.0, None),
            (0, Some(0), 2000.0 * 1e9, None),
        ] {
            let result = result(elapsed_ns, drain_ns);
            assert!((result.throughput_per_s() / per_s - 1.0).abs() < 1e-9, "{}", result.throughput_per_s());
            assert_eq!(result.long_drain_s(), long_drain_s);
        }
    }
}
