//! What `load` prints: one screen that names what each number is, or one JSON object.

use super::quantile::{Figures, Quantile, Times};
use super::{LoadArguments, Outcome, SliceCounts};
use crate::lines::Validity;
use crate::recorder::Errors;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write as _};

/// The result of a load, ready to be printed.
pub(super) struct Report<'a> {
    arguments: &'a LoadArguments,
    outcome: Outcome,
    timeout_ns: u64,
}

#[derive(Serialize)]
struct Json<'a> {
    url: &'a str,
    connections: u32,
    established: u32,
    io: &'a str,
    batch: u32,
    answers: u64,
    sent: u64,
    in_flight: u64,
    compared: u64,
    errors: Errors,
    reconnects: u64,
    received_bytes: u64,
    elapsed_ns: u64,
    throughput_per_s: f64,
    service_time_ns: Option<Figures>,
    handshake_time_ns: Option<Figures>,
    handshakes_resumed: u64,
    generator_cpu_ns: u64,
    warm_up_plateau: Option<bool>,
    validity: Validity,
    reasons: &'a [String],
}

impl<'a> Report<'a> {
    pub(super) fn new(arguments: &'a LoadArguments, outcome: Outcome, timeout_ns: u64) -> Self {
        Self { arguments, outcome, timeout_ns }
    }

    pub(super) fn answers(&self) -> u64 {
        self.outcome.slice.answers
    }

    pub(super) fn validity(&self) -> Validity {
        self.outcome.end.as_ref().map_or(Validity::Void, |end| end.validity)
    }

    fn reasons(&self) -> &[String] {
        self.outcome.end.as_ref().map_or(&[], |end| &end.reasons)
    }

    fn throughput_per_s(&self) -> f64 {
        self.answers() as f64 * 1e9 / self.outcome.elapsed_ns.max(1) as f64
    }

    fn times(&self) -> Option<Times<'_>> {
        let arm = self.outcome.arm.as_ref()?;
        let timeouts = self.outcome.slice.errors.of(crate::recorder::ErrorKind::Timeout);
        Some(Times::new(&arm.service_time, &arm.unanswered, timeouts, self.timeout_ns))
    }

    fn handshake_times(&self) -> Option<Times<'_>> {
        let time = self.outcome.arm.as_ref()?.handshakes.time.as_ref()?;
        Some(Times::new(time, &crate::recorder::time_histogram(), 0, 0))
    }

    fn in_flight(&self) -> u64 {
        self.outcome.arm.as_ref().map_or(0, |arm| arm.counts.in_flight())
    }

    pub(super) fn print(&self, json: bool) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if json {
            serde_json::to_writer_pretty(&mut out, &self.json())?;
            out.write_all(b"\n")
        } else {
            out.write_all(self.text().as_bytes())
        }
    }

    fn json(&self) -> Json<'_> {
        let SliceCounts { answers, sent, reconnects, received_bytes, errors } = self.outcome.slice;
        let arm = self.outcome.arm.as_ref();
        Json {
            url: &self.arguments.url,
            connections: self.arguments.connections,
            established: arm.map_or(0, |arm| arm.established),
            io: &self.outcome.io,
            batch: self.outcome.batch,
            answers,
            sent,
            in_flight: self.in_flight(),
            compared: arm.map_or(0, |arm| arm.counts.compared),
            errors,
            reconnects,
            received_bytes,
            elapsed_ns: self.outcome.elapsed_ns,
            throughput_per_s: self.throughput_per_s(),
            service_time_ns: self.times().map(|times| times.figures()),
            handshake_time_ns: self.handshake_times().map(|times| times.figures()),
            handshakes_resumed: arm.map_or(0, |arm| arm.handshakes.resumed),
            generator_cpu_ns: self.outcome.generator_cpu_ns,
            warm_up_plateau: self.outcome.warm_up_plateau,
            validity: self.validity(),
            reasons: self.reasons(),
        }
    }

    fn text(&self) -> String {
        let SliceCounts { answers, reconnects, received_bytes, errors, .. } = self.outcome.slice;
        let elapsed_s = self.outcome.elapsed_ns as f64 / 1e9;
        let mut text = String::new();
        // Writing to a string does not fail.
        let mut line = |name: &str, value: String, meaning: &str| {
            let _ = writeln!(text, "{name:<17} {value:<44} {meaning}");
        };
        let connections = format!("{} connections, closed loop, {elapsed_s:.2} s", self.arguments.connections);
        line("load", connections, &format!("{} by {}", self.arguments.url, self.outcome.io));
        line("correct answers", answers.to_string(), "status, length and bytes as expected");
        line("throughput", format!("{:.1} /s", self.throughput_per_s()), "correct answers per second");
        let megabytes = received_bytes as f64 / 1e6 / elapsed_s.max(1e-9);
        line("received", format!("{megabytes:.2} MB/s"), "heads and bodies");
        if let Some(times) = self.times() {
            let show = |quantile| time(times.quantile(quantile));
            let usual = format!("p50 {}  p90 {}  p99 {}", show(0.5), show(0.9), show(0.99));
            line("service time", usual, "sent to last byte, as the load met it:");
            let max = times.max().map_or("-".to_owned(), |ns| time(Quantile::Is(ns)));
            let rare = format!("p99.9 {}  max {max}", show(0.999));
            line("", rare, "in a closed loop it is not what a user waits for");
        }
        if let Some(times) = self.handshake_times() {
            let shown = format!("p50 {}  p99 {}", time(times.quantile(0.5)), time(times.quantile(0.99)));
            let resumed = self.outcome.arm.as_ref().map_or(0, |arm| arm.handshakes.resumed);
            line("TLS handshakes", shown, &format!("their time, warm-up included; {resumed} resumed a session"));
        }
        let kinds: Vec<String> = errors.occurred().map(|(name, count)| format!("{name} {count}")).collect();
        let kinds = if kinds.is_empty() { "none".to_owned() } else { kinds.join(", ") };
        line("errors", kinds, "requests that got no correct answer, by kind");
        line("in flight", self.in_flight().to_string(), "sent and still unanswered at the end");
        if reconnects > 0 {
            line("reconnects", reconnects.to_string(), "the server closed after an answer, as it may");
        }
        let own = self.outcome.generator_cpu_ns as f64;
        let per_answer =
            if answers > 0 { format!("{:.2} us per answer, ", own / 1e3 / answers as f64) } else { String::new() };
        let cores = own / self.outcome.elapsed_ns.max(1) as f64;
        line("generator CPU", format!("{per_answer}{cores:.2} cores"), "what the load generator itself used");
        let validity = match self.validity() {
            Validity::Valid => "valid",
            Validity::Suspect => "suspect",
            Validity::Void => "void",
        };
        line("validity", validity.to_owned(), &self.reasons().join("; "));
        text
    }
}

/// A time with three digits that count.
fn time(quantile: Quantile) -> String {
    let shown = |ns: u64| {
        let (value, unit) = match ns {
            0..1_000_000 => (ns as f64 / 1e3, "us"),
            1_000_000..1_000_000_000 => (ns as f64 / 1e6, "ms"),
            _ => (ns as f64 / 1e9, "s"),
        };
        let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
        format!("{value:.decimals$} {unit}")
    };
    match quantile {
        Quantile::Is(ns) => shown(ns),
        Quantile::Above(ns) => format!("> {}", shown(ns)),
        Quantile::Unknown => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_on_the_screen() {
        for (ns, text) in [(950, "0.95 us"), (12_345, "12.3 us"), (123_456, "123 us"), (1_940_000_000, "1.94 s")] {
            assert_eq!(time(Quantile::Is(ns)), text);
        }
        assert_eq!(time(Quantile::Above(10_000_000_000)), "> 10.0 s");
    }
}
