//! An access log as requests to send: each distinct request once, and their order.
//!
//! A log takes 4 bytes per line that is sent, some 20 while its times are made, and about 1 KB per distinct request and
//! thread. Ten million lines of a hundred thousand requests took 124 MB, with their times 270 MB.

mod line;
mod time;

use self::line::{Entry, NoRequest, parse};
use crate::check::StatusSet;
use crate::requests::RequestId;
use hopcost_common::failure::Failure;
use hopcost_common::seeds::Sequence;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

/// A longer line is no request of a browser.
const MAX_LINE_BYTES: usize = 65_536;
/// More distinct requests would take more than a gigabyte.
const MAX_REQUESTS: usize = 1 << 20;
/// Methods that change nothing on the server (RFC 9110, section 9.2.1). TRACE is safe too, and no server's traffic.
const SAFE: [&str; 3] = ["GET", "HEAD", "OPTIONS"];
/// The other methods that are counted by name.
const OTHER_METHODS: [&str; 9] = ["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "MKCOL", "REPORT", "LOCK"];

/// Which methods are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Methods {
    Safe,
    /// With `--methods all`. A log has no bodies.
    All,
    These(Vec<String>),
}

impl Methods {
    fn has(&self, method: &str) -> bool {
        match self {
            Self::Safe => SAFE.contains(&method),
            Self::All => true,
            Self::These(methods) => methods.iter().any(|other| other == method),
        }
    }
}

/// How the lines of a log are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum LineOrder {
    /// As in the file.
    File,
    /// In an order that is the same for the same seed.
    Shuffled,
}

/// One of the distinct requests of a log.
#[derive(Debug)]
pub(super) struct LoggedRequest {
    pub(super) method: String,
    pub(super) target: String,
    /// How many lines have it.
    pub(super) lines: u32,
    /// What its answer may be, by the answers that it had.
    pub(super) statuses: StatusSet,
}

/// What is left of a log to be sent.
#[derive(Debug)]
pub(super) struct Log {
    pub(super) requests: Vec<LoggedRequest>,
    /// Which request each line has.
    pub(super) sequence: Vec<RequestId>,
    /// When each line was written, since 1970; empty unless times are wanted.
    seconds: Vec<u32>,
    pub(super) receipt: LogReceipt,
}

/// What was read, for the results.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct LogReceipt {
    pub(super) file: String,
    pub(super) lines: u64,
    /// Lines that are sent.
    pub(super) sent_lines: u64,
    /// Distinct ones.
    pub(super) requests: u64,
    pub(super) left_out: Vec<LeftOut>,
}

/// Lines of one kind that are not sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct LeftOut {
    pub(super) what: String,
    pub(super) lines: u64,
    /// From 1.
    pub(super) first_line: u64,
}

impl LeftOut {
    pub(super) fn text(&self) -> String {
        let Self { what, lines, first_line } = self;
        format!("{lines} {what} (first on line {first_line})")
    }
}

/// What comes of a log while it is read.
#[derive(Default)]
struct Reading {
    /// `METHOD TARGET` of each request, and its number.
    numbers: HashMap<String, RequestId>,
    /// The other parts of each request.
    lines: Vec<u32>,
    statuses: Vec<StatusSet>,
    sequence: Vec<RequestId>,
    seconds: Vec<u32>,
    left_out: BTreeMap<&'static str, (u64, u64)>,
}

impl Log {
    /// Reads a log; `-` is standard input.
    pub(super) fn read(path: &Path, methods: &Methods, with_times: bool) -> Result<Self, Failure> {
        let file = path.display().to_string();
        let failed = |error: io::Error| {
            Failure::usage(format!("--from {file}: {error}")).hint("a log that may be read; - is standard input")
        };
        if file == "-" {
            return Self::of(io::stdin().lock(), "standard input", methods, with_times);
        }
        let log = std::fs::File::open(path).map_err(failed)?;
        Self::of(BufReader::with_capacity(1 << 18, log), &file, methods, with_times)
    }

    fn of(mut source: impl BufRead, name: &str, methods: &Methods, with_times: bool) -> Result<Self, Failure> {
        let mut reading = Reading::default();
        let mut line = Vec::new();
        let mut number = 0;
        while read_line(&mut source, &mut line)
            .map_err(|error| Failure::usage(format!("--from {name}, line {}: {error}", number + 1)))?
        {
            number += 1;
            if number == 1 && line.starts_with(b"\x1f\x8b") {
                return Err(Failure::usage(format!("--from {name}: it is compressed"))
                    .hint(format!("zcat {name} | {} load --from - …", super::called())));
            }
            reading.add(&line, number, methods, with_times);
            if reading.lines.len() > MAX_REQUESTS {
                return Err(Failure::usage(format!("--from {name}: more than {MAX_REQUESTS} distinct requests"))
                    .hint(format!("part of it, like head -n 1000000 {name} | {} load --from - …", super::called())));
            }
        }
        reading.end(name, number)
    }

    /// The order in which lines are sent, and when each is due if the log was read with its times: those of one second
    /// lie evenly in it.
    pub(super) fn schedule(&self, order: LineOrder, seed: u64) -> (Vec<RequestId>, Option<(Vec<u64>, u64)>) {
        let mut sequence = self.sequence.clone();
        let mut seconds = self.seconds.clone();
        if !seconds.is_sorted() {
            // Servers write a line when the answer has left, and several workers write as they come to it.
            let mut by_time: Vec<u32> = (0..).take(seconds.len()).collect();
            by_time.sort_by_key(|&line| seconds[line as usize]);
            sequence = by_time.iter().map(|&line| self.sequence[line as usize]).collect();
            seconds.sort_unstable();
        }
        if order == LineOrder::Shuffled {
            sequence = Sequence::new(seed).order_of(sequence.len()).into_iter().map(|line| sequence[line]).collect();
        }
        let times = seconds.first().zip(seconds.last()).map(|(&first, &last)| {
            let length_ns = u64::from(last - first + 1) * SECOND_NS;
            (seconds.chunk_by(|one, other| one == other).flat_map(|second| spread(second, first)).collect(), length_ns)
        });
        (sequence, times)
    }
}

const SECOND_NS: u64 = 1_000_000_000;

/// The times of the lines of one second, since the first second.
fn spread(second: &[u32], first: u32) -> impl Iterator<Item = u64> {
    let (start_ns, lines) = (u64::from(second[0] - first) * SECOND_NS, second.len() as u64);
    (0..lines).map(move |line| start_ns + line * SECOND_NS / lines)
}

/// Reads a line without its end, of a long one no more than one byte beyond the longest. False at the end.
fn read_line(source: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let limit = MAX_LINE_BYTES as u64 + 1;
    if source.by_ref().take(limit).read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
        if line.last() == Some(&b'\r') {
            line.pop();
        }
    } else if line.len() > MAX_LINE_BYTES {
        source.skip_until(b'\n')?;
    }
    Ok(true)
}

impl Reading {
    fn add(&mut self, line: &[u8], number: u64, methods: &Methods, with_times: bool) {
        if line.is_empty() {
            return;
        }
        let parsed = if line.len() > MAX_LINE_BYTES { Err(NoRequest::TooLong) } else { parse(line) };
        match parsed {
            Err(kind) => self.leave_out(kind.name(), number),
            Ok(entry) if !methods.has(&entry.method) => {
                let known = OTHER_METHODS.into_iter().chain(SAFE).find(|known| *known == entry.method);
                self.leave_out(known.unwrap_or("with other methods"), number);
            }
            Ok(entry) => self.take(&entry, with_times),
        }
    }

    fn leave_out(&mut self, what: &'static str, number: u64) {
        self.left_out.entry(what).or_insert((0, number)).0 += 1;
    }

    fn take(&mut self, entry: &Entry<'_>, with_times: bool) {
        let Entry { method, target, status, time_s } = entry;
        // There are fewer than 2^32 of them.
        let next = self.lines.len() as RequestId;
        let request = *self.numbers.entry(format!("{method} {target}")).or_insert(next);
        if request == next {
            self.lines.push(0);
            self.statuses.push(StatusSet::default());
        }
        let lines = &mut self.lines[request as usize];
        *lines = lines.saturating_add(1);
        if let Some(expected) = expected_status(*status) {
            self.statuses[request as usize].insert(expected);
        }
        self.sequence.push(request);
        if with_times {
            self.seconds.push(*time_s);
        }
    }

    fn end(self, file: &str, lines: u64) -> Result<Log, Failure> {
        let Self { numbers, lines: lines_of, statuses, sequence, seconds, left_out } = self;
        let mut left_out: Vec<LeftOut> = left_out
            .into_iter()
            .map(|(what, (lines, first_line))| LeftOut { what: what.to_owned(), lines, first_line })
            .collect();
        left_out.sort_by_key(|left_out| std::cmp::Reverse(left_out.lines));
        if sequence.is_empty() {
            let what: Vec<String> = left_out.iter().map(LeftOut::text).collect();
            let what = if what.is_empty() { "it is empty".to_owned() } else { what.join(", ") };
            return Err(Failure::usage(format!("--from {file}: no line of {lines} can be sent: {what}")).hint(
                "an access log of nginx or Apache in the combined format; --methods all sends POST and others too",
            ));
        }
        let mut keys: Vec<(String, RequestId)> = numbers.into_iter().collect();
        keys.sort_unstable_by_key(|(_, request)| *request);
        let requests: Vec<LoggedRequest> = keys
            .into_iter()
            .zip(lines_of.into_iter().zip(statuses))
            .map(|((key, _), (lines, statuses))| {
                // It was put together so.
                let (method, target) = key.split_once(' ').unwrap_or((&key, "/"));
                LoggedRequest { method: method.to_owned(), target: target.to_owned(), lines, statuses }
            })
            .collect();
        let receipt = LogReceipt {
            file: file.to_owned(),
            lines,
            sent_lines: sequence.len() as u64,
            requests: requests.len() as u64,
            left_out,
        };
        Ok(Log { requests, sequence, seconds, receipt })
    }
}

/// The status that a request has by itself if it once had this one. A server that answers whole and unconditionally
/// says 200 where it said 206 or 304; errors of the server and time-outs are no request's own.
const fn expected_status(status: u16) -> Option<u16> {
    match status {
        206 | 304 => Some(200),
        200..=407 | 409..=498 => Some(status),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
