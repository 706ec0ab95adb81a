//! Load on one URL, without a plan: one arm, one slice.

mod arguments;
pub mod floor;
mod mix;
mod quantile;
mod reach;
mod requests;
mod summary;
mod tls;
mod url;

pub use arguments::LoadArguments;

use crate::failure::Failure;
use crate::lines::{End, Line, Validity};
use crate::session::{ArmResult, Observer, Session};
use serde::Serialize;
use std::io;

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
    elapsed_ns: u64,
    generator_cpu_ns: u64,
    slice: SliceCounts,
    warm_up_plateau: Option<bool>,
    arm: Option<ArmResult>,
    end: Option<End>,
}

/// The counts of the measured slice, without the warm-up.
#[derive(Debug, Default, Clone, Copy, Serialize)]
struct SliceCounts {
    answers: u64,
    sent: u64,
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
            }
            Line::WarmUp(warm_up) => self.warm_up_plateau = Some(warm_up.plateau),
            Line::Slice(slice) => {
                self.elapsed_ns = slice.elapsed_ns;
                self.generator_cpu_ns = slice.generator_cpu_ns;
                self.slice = SliceCounts {
                    answers: slice.answers,
                    sent: slice.sent,
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

/// Runs load, prints what came of it, and says whether it succeeded: some answers were correct, and the run is not void.
pub fn run(arguments: &LoadArguments) -> Result<bool, Failure> {
    let session: Session = arguments.session()?;
    let target = &session.arms[0].target;
    reach::reach(&arguments.url, target)?;
    let timeout_ns = target.timeout_ns;
    let mut outcome = Outcome::default();
    session.run(&mut outcome)?;
    let report = summary::Report::new(arguments, outcome, timeout_ns);
    report.print(arguments.json).map_err(|error| Failure::run(format!("standard output: {error}")))?;
    Ok(report.answers() > 0 && report.validity() != Validity::Void)
}
