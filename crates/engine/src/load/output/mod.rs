//! What `load` shows and writes each second, on a thread of its own that does not disturb the load.

mod csv;

use super::live::{Live, Style};
use crate::client::{Period, Watch};
use crate::recorder::Times;
use crate::schedule::Arrivals;
use clap::Args;
use csv::Csv;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use hopcost_common::failure::Failure;
use std::fs::File;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(super) const PERIOD_NS: u64 = 1_000_000_000;

#[derive(Debug, Args)]
pub(super) struct OutputArguments {
    /// Write one JSON object instead of the summary
    #[arg(long)]
    pub(super) json: bool,
    /// Write one line per second to this file: counts, throughput, times
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the histograms of each second to this file, in the HdrHistogram log format
    #[arg(long, value_name = "FILE")]
    hdr: Option<PathBuf>,
    /// Show nothing while load runs
    #[arg(short, long)]
    quiet: bool,
}

/// One second of load, as every output gets it.
pub(super) struct Second<'a> {
    /// Since load began.
    pub(super) start_ns: u64,
    /// Requests that became due in this second.
    pub(super) due: u64,
    pub(super) period: &'a Period,
}

#[derive(Debug)]
pub(super) struct Outputs {
    live: Option<Live>,
    csv: Option<Csv>,
    hdr: Option<File>,
}

impl OutputArguments {
    /// How the live view is shown; `None` if it is not.
    pub(super) fn live(&self) -> Option<Style> {
        let is_terminal = io::stderr().is_terminal();
        // With --json a program may read standard error: show nothing there.
        let is_shown = !self.quiet && (is_terminal || !self.json);
        is_shown.then_some(if is_terminal { Style::InPlace } else { Style::Lines })
    }

    /// Opens all outputs; `None` if there are none.
    pub(super) fn open(&self, arrivals: &Arrivals) -> Result<Option<Outputs>, Failure> {
        let create =
            |option: &str, path: &Option<PathBuf>| path.as_deref().map(|path| create(option, path)).transpose();
        let outputs = Outputs {
            live: self.live().map(|style| Live::new(style, arrivals.clone())),
            csv: create("--csv", &self.csv)?.map(Csv::new),
            hdr: create("--hdr", &self.hdr)?,
        };
        let is_any = outputs.live.is_some() || outputs.csv.is_some() || outputs.hdr.is_some();
        Ok(is_any.then_some(outputs))
    }
}

fn create(option: &str, path: &Path) -> Result<File, Failure> {
    File::create(path).map_err(|error| {
        Failure::usage(format!("{option} {}: {error}", path.display())).hint("is the folder there, and writable?")
    })
}

impl Outputs {
    /// Takes every period until the watch ends, and returns the times of all periods.
    pub(super) fn follow(self, watch: &Watch, is_open_loop: bool) -> io::Result<Times> {
        let Self { mut live, mut csv, mut hdr } = self;
        let mut serializer = V2DeflateSerializer::new();
        let mut log = match &mut hdr {
            Some(file) => Some(
                IntervalLogWriterBuilder::new()
                    .add_comment("hopcost load: nanoseconds, seconds since load began; docs/reference/engine-protocol.md names the tags")
                    .begin_log_with(file, &mut serializer)?,
            ),
            None => None,
        };
        let mut total = Times::new(is_open_loop);
        let (mut start_ns, mut waiting) = (0, 0);
        let mut result = Ok(());
        while let Some(period) = watch.next() {
            let counts = &period.counts;
            let due = (counts.due() + period.waiting).saturating_sub(waiting);
            waiting = period.waiting;
            let second = Second { start_ns, due, period: &period };
            // If one output fails, the load and the other outputs go on.
            if let Some(live) = &mut live {
                live.second(&second);
            }
            if let Some(csv) = &mut csv {
                result = result.and(csv.second(&second));
            }
            if let Some(log) = &mut log {
                for (name, histogram) in named(&period.times) {
                    let tag = Tag::new(name);
                    let (start, length) = (Duration::from_nanos(start_ns), Duration::from_nanos(period.elapsed_ns));
                    let written = log.write_histogram(histogram, start, length, tag);
                    result = result.and(written.map_err(|error| io::Error::other(format!("{error:?}"))));
                }
            }
            start_ns += period.elapsed_ns;
            total.merge(&period.times);
            watch.recycle(period.times);
        }
        if let Some(live) = &mut live {
            live.end();
        }
        result.map(|()| total)
    }
}

/// The histograms that are not empty, under the names that the lines of `run` give them.
fn named(times: &Times) -> impl Iterator<Item = (&'static str, &hdrhistogram::Histogram<u64>)> {
    let open = times.open.as_deref().map(|open| {
        [
            ("response_time", &open.response.known),
            ("response_unanswered", &open.response.at_least),
            ("send_lag", &open.send_lag.known),
            ("unsent", &open.send_lag.at_least),
        ]
    });
    let closed = [("service_time", &times.service.known), ("unanswered", &times.service.at_least)];
    closed.into_iter().chain(open.into_iter().flatten()).filter(|(_, histogram)| !histogram.is_empty())
}
