//! What `load` prints at the end: one screen that names what each number is, or one JSON object.

use super::layout::laid_out;
use super::quantile::{Quantile, Quantiles};
use super::shape::{ArrivalsChoice, Shape};
use super::{LoadArguments, Opening, Outcome, SliceCounts};
use crate::io::terminal;
use crate::lines::Validity;
use crate::recorder::Distribution;
use std::io::{self, Write as _};

/// The result of a load, ready to be printed.
pub(super) struct Report<'a> {
    pub(super) arguments: &'a LoadArguments,
    pub(super) outcome: Outcome,
}

impl<'a> Report<'a> {
    pub(super) fn new(arguments: &'a LoadArguments, outcome: Outcome) -> Self {
        Self { arguments, outcome }
    }

    pub(super) fn answers(&self) -> u64 {
        self.outcome.slice.answers
    }

    pub(super) fn validity(&self) -> Validity {
        self.outcome.end.as_ref().map_or(Validity::Void, |end| end.validity)
    }

    pub(super) fn reasons(&self) -> &[String] {
        self.outcome.end.as_ref().map_or(&[], |end| &end.reasons)
    }

    pub(super) fn throughput_per_s(&self) -> f64 {
        self.answers() as f64 * 1e9 / self.outcome.elapsed_ns.max(1) as f64
    }

    /// Of completed TLS handshakes, where there were any.
    pub(super) fn handshake_times(&self) -> Option<Distribution> {
        let known = self.outcome.arm.as_ref()?.handshakes.time.clone()?;
        Some(Distribution { known, ..Distribution::default() })
    }

    pub(super) fn handshakes_resumed(&self) -> u64 {
        self.outcome.arm.as_ref().map_or(0, |arm| arm.handshakes.resumed)
    }

    pub(super) fn in_flight(&self) -> u64 {
        self.outcome.arm.as_ref().map_or(0, |arm| arm.counts.in_flight())
    }

    pub(super) fn print(&self, json: bool) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if json {
            serde_json::to_writer_pretty(&mut out, &self.json())?;
            out.write_all(b"\n")
        } else {
            let width = terminal::columns(&out);
            out.write_all(self.text(width).as_bytes())
        }
    }

    fn text(&self, width: Option<usize>) -> String {
        let SliceCounts { answers, due, sent, not_sent, reconnects, received_bytes, errors, .. } = self.outcome.slice;
        let elapsed_s = self.outcome.elapsed_ns as f64 / 1e9;
        let mut text = String::new();
        let mut line = |name: &str, value: String, meaning: &str| text += &laid_out(name, &value, meaning, width);
        let Shape { rate, arrivals, .. } = &self.arguments.shape;
        let shape = match (rate, arrivals) {
            (None, _) => "closed loop".to_owned(),
            (Some(rate), ArrivalsChoice::Constant) => format!("{rate} /s"),
            (Some(rate), ArrivalsChoice::Poisson) => format!("{rate} /s, Poisson"),
        };
        let load = format!("{} connections, {shape}, {elapsed_s:.2} s", self.arguments.connections);
        line("load", load, &format!("{} by {}", self.arguments.url, self.outcome.io));
        let Opening { elapsed_ns, established, errors: failed } = self.outcome.opening;
        let connections = self.arguments.connections;
        let failures = if failed.total() > 0 { format!(", {} failures", failed.total()) } else { String::new() };
        let opened = format!("{established} in {}{failures}", time(Quantile::Is(elapsed_ns)));
        line("opened", opened, &format!("of {connections} connections, before load began"));
        if rate.is_some() {
            let requests = format!("{due} due, {sent} sent, {not_sent} not sent");
            line("requests", requests, "not sent: no connection was free before the end");
        }
        line("correct answers", answers.to_string(), "status, length and bytes as expected");
        line("throughput", format!("{:.1} /s", self.throughput_per_s()), "correct answers per second");
        let megabytes = received_bytes as f64 / 1e6 / elapsed_s.max(1e-9);
        line("received", format!("{megabytes:.2} MB/s"), "heads and bodies");
        if let Some(times) = self.outcome.times() {
            let mut show = |name: &str, times: &Distribution, meaning: [&str; 2]| {
                let times = Quantiles::new(times);
                let quantile = |quantile| time(times.quantile(quantile));
                let usual = format!("p50 {}  p90 {}  p99 {}", quantile(0.5), quantile(0.9), quantile(0.99));
                line(name, usual, meaning[0]);
                line("", format!("p99.9 {}  max {}", quantile(0.999), time(times.max())), meaning[1]);
            };
            if let Some(open) = times.open.as_deref() {
                show(
                    "response time",
                    &open.response,
                    ["due to last byte: what a user waits for;", "\">\" where answers are missing"],
                );
                show("service time", &times.service, ["sent to last byte: what the server and", "the way there took"]);
                show(
                    "send lag",
                    &open.send_lag,
                    ["due to sent: waiting for a free connection,", "or for this program"],
                );
            } else {
                let meaning =
                    ["sent to last byte, as the load met it:", "in a closed loop it is not what a user waits for"];
                show("service time", &times.service, meaning);
            }
        }
        if let Some(times) = self.handshake_times() {
            let times = Quantiles::new(&times);
            let shown = format!("p50 {}  p99 {}", time(times.quantile(0.5)), time(times.quantile(0.99)));
            let resumed = self.handshakes_resumed();
            line("TLS handshakes", shown, &format!("their time, warm-up included; {resumed} resumed a session"));
        }
        let kinds: Vec<String> = errors.occurred().map(|(name, count)| format!("{name} {count}")).collect();
        let kinds = if kinds.is_empty() { "none".to_owned() } else { kinds.join(", ") };
        line("errors", kinds, "requests that got no correct answer, by kind");
        line("in flight", self.in_flight().to_string(), "sent and still unanswered at the end");
        if reconnects > 0 {
            line("reconnects", reconnects.to_string(), "the server closed between answers, as it may");
        }
        let own = self.outcome.generator_cpu_ns as f64;
        let per_answer =
            if answers > 0 { format!("{:.2} us per answer, ", own / 1e3 / answers as f64) } else { String::new() };
        let cores = own / self.outcome.elapsed_ns.max(1) as f64;
        let meaning = if rate.is_some() { "of this program, looking for the next due one" } else { "of this program" };
        line("generator CPU", format!("{per_answer}{cores:.2} cores"), meaning);
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
pub(super) fn time(quantile: Quantile) -> String {
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
