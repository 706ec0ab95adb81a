//! Load on one URL, without a plan: one arm, one slice.

mod arguments;
mod csv;
pub mod floor;
mod json;
mod layout;
mod live;
mod mix;
mod output;
mod quantile;
mod reach;
mod requests;
mod shape;
mod summary;
mod tls;
mod url;

pub use arguments::LoadArguments;

use crate::lines::{self, End, Line, Validity};
use crate::recorder::Times;
use crate::schedule::Schedule as _;
use crate::session::{ArmResult, Observer, Session};
use crate::watch::Watch;
use hopcost_common::failure::Failure;
use serde::Serialize;
use std::io;
use std::sync::Arc;

/// What `--help` says behind the options.
pub const AFTER_HELP: &str = r#"A file of requests (--requests) has one JSON object per line; what it leaves out is as on the command line:
  {"weight": 3, "target": "/a?b=c", "expect": {"status": "200,404"}}
  {"method": "PUT", "target": "/d", "headers": ["X: y"], "body_file": "d.bin", "expect": {"contains": "done"}}
Keys: weight (1), method, target, headers, body or body_file, expect with status and one of body, body_file, length,
sha256, contains, any_body. Files are looked for beside the file of requests. The order is shuffled, the same way every
time, and the shares are exact over every cycle of all weights together."#;

/// What one slice of load came to.
#[derive(Debug, Default)]
struct Outcome {
    io: String,
    batch: u32,
    threads: usize,
    elapsed_ns: u64,
    drain_ns: Option<u64>,
    generator_cpu_ns: u64,
    spin_ns: u64,
    slice: SliceCounts,
    opening: Opening,
    /// Where the opening of many connections is told.
    live: Option<live::Style>,
    warm_up_plateau: Option<bool>,
    arm: Option<ArmResult>,
    end: Option<End>,
}

/// How the connections were opened, before load began.
#[derive(Debug, Default, Clone, Copy, Serialize)]
struct Opening {
    elapsed_ns: u64,
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

impl Observer for Outcome {
    fn line(&mut self, line: &Line<'_>) -> io::Result<()> {
        match line {
            Line::Start(start) => {
                start.io.clone_into(&mut self.io);
                self.batch = start.batch;
                self.threads = start.cores.len();
            }
            Line::Opening(line) => {
                let lines::Opening { elapsed_ns, established, errors, .. } = *line;
                self.opening = Opening { elapsed_ns, established, errors };
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
                self.slice = SliceCounts {
                    answers: slice.answers,
                    due: slice.due,
                    sent: slice.sent,
                    not_sent: slice.not_sent,
                    reconnects: slice.reconnects,
                    received_bytes: slice.received_bytes,
                    errors: slice.errors,
                };
            }
            Line::Arm(_) => {}
            Line::End(end) => {
                self.end = Some(End { reasons: end.reasons.clone(), ..*end });
            }
        }
        Ok(())
    }

    fn arm(&mut self, result: ArmResult) -> io::Result<()> {
        self.arm = Some(result);
        Ok(())
    }
}

impl Outcome {
    fn times(&self) -> Option<&Times> {
        self.arm.as_ref().map(|arm| &arm.times)
    }
}

/// Runs load, prints what came of it, and gives the exit code: [`Verdict`].
pub fn run(arguments: &LoadArguments) -> Result<Verdict, Failure> {
    let mut session: Session = arguments.session()?;
    let target = &session.arms[0].target;
    reach::reach(&arguments.url, target)?;
    let is_open_loop = target.arrivals.is_open();
    let lanes = session.cores.len().min(target.connections as usize);
    let mut outcome = Outcome { live: arguments.output.live(), ..Outcome::default() };
    if let Some(outputs) = arguments.output.open(target.arrivals.rate_per_s())? {
        let watch = Arc::new(Watch::new(lanes, output::PERIOD_NS));
        session.watch = Some(Arc::clone(&watch));
        let times = std::thread::scope(|scope| {
            let follower = scope.spawn(|| outputs.follow(&watch, is_open_loop));
            let result = session.run(&mut outcome);
            watch.end();
            // A panic there is a bug, and aborts the process.
            let times = follower.join().expect("a panic aborts the process");
            result.map(|()| times)
        })?;
        let times = times.map_err(|error| Failure::run(format!("--csv or --hdr: {error}")))?;
        if let Some(arm) = &mut outcome.arm {
            arm.times.merge(&times);
        }
    } else {
        session.run(&mut outcome)?;
    }
    let report = summary::Report::new(arguments, outcome);
    report.print(arguments.output.json).map_err(|error| Failure::run(format!("standard output: {error}")))?;
    Ok(match report.validity() {
        Validity::Void => Verdict::Useless,
        _ if report.answers() == 0 => Verdict::Useless,
        Validity::Suspect => Verdict::Suspect,
        Validity::Valid => Verdict::Valid,
    })
}

/// What a run of load is worth; its number is the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Verdict {
    /// Nothing speaks against it.
    Valid = 0,
    /// No answer was correct, or the run is void.
    Useless = 1,
    /// Something was not as it should be: the reasons are printed.
    Suspect = 4,
}
