//! The live view: one line per second on standard error, while results go to standard output. A terminal shows one
//! line, which each second overwrites.

use super::output::Second;
use super::quantile::Quantiles;
use super::summary::time;
use super::words::count;
use crate::io::terminal;
use crate::lines::Opening;
use crate::schedule::Arrivals;
use std::io::{self, Write as _};

/// A shorter part of a second gets no line.
const MIN_SHOWN_NS: u64 = 50_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// On a terminal: each line overwrites the last one.
    InPlace,
    /// Each line below the last one.
    Lines,
}

impl Style {
    /// The maximum length of a line. The last column stays empty: a line that fills a terminal cannot be overwritten.
    fn columns(self) -> Option<usize> {
        match self {
            Self::InPlace => terminal::columns(&io::stderr()).map(|columns| columns - 1),
            Self::Lines => None,
        }
    }

    fn show(self, line: &str) {
        // The load goes on if the terminal is gone.
        let _ = match self {
            Self::InPlace => write!(io::stderr(), "\r{line}\x1b[K"),
            Self::Lines => writeln!(io::stderr(), "{line}"),
        };
    }
}

/// Shows how far the opening of connections is, if it takes long or does not succeed.
pub(super) fn opening(style: Style, opening: &Opening<'_>) {
    if !opening.done || opening.established < opening.connections {
        style.show(&opening_line(opening));
    }
}

fn opening_line(opening: &Opening<'_>) -> String {
    let Opening { elapsed_ns, established, connections, errors, .. } = opening;
    let end_s = *elapsed_ns as f64 / 1e9;
    let (all, errors) = (count(*connections, "connection"), count(errors.total(), "error"));
    format!("opening {end_s:.0} s  {established} of {all} open  {errors} so far")
}

#[derive(Debug)]
pub(super) struct Live {
    style: Style,
    arrivals: Arrivals,
    errors: u64,
}

impl Live {
    pub(super) fn new(style: Style, arrivals: Arrivals) -> Self {
        Self { style, arrivals, errors: 0 }
    }

    pub(super) fn second(&mut self, second: &Second<'_>) {
        self.errors += second.period.counts.errors.total();
        if second.period.elapsed_ns < MIN_SHOWN_NS {
            return;
        }
        let rate_per_s = self.arrivals.mean_per_s(second.start_ns, second.start_ns + second.period.elapsed_ns);
        self.style.show(&line(second, rate_per_s, self.errors, self.style.columns()));
    }

    pub(super) fn end(&mut self) {
        if self.style == Style::InPlace {
            self.style.show("");
        }
    }
}

/// One second in a line. A narrow terminal gets a shorter form, and of that as many parts as fit.
fn line(second: &Second<'_>, rate_per_s: Option<f64>, errors: u64, columns: Option<usize>) -> String {
    let period = second.period;
    let end_s = (second.start_ns + period.elapsed_ns) as f64 / 1e9;
    let answers_per_s = period.counts.answers as f64 * 1e9 / period.elapsed_ns.max(1) as f64;
    let (name, times) = match period.times.open.as_deref() {
        Some(open) => ("response", &open.response),
        None => ("service", &period.times.service),
    };
    let times = Quantiles::new(times);
    let (p50, p99) = (time(times.quantile(0.5)), time(times.quantile(0.99)));
    // In tenths, and whole rates without them.
    let rate_per_s = rate_per_s.map(|rate| (rate * 10.0).round() / 10.0);
    let offered = rate_per_s.map_or(String::new(), |rate| format!(" of {rate} /s offered"));
    let errors = count(errors, "error");
    let waiting = if rate_per_s.is_some() { format!(", {} waiting", period.waiting) } else { String::new() };
    let full = format!(
        "{end_s:4.0} s  {answers_per_s:.0} answers/s{offered}  {name} time p50 {p50}, p99 {p99}  {} in flight{waiting}  {errors} so far",
        period.in_flight,
    );
    let Some(columns) = columns.filter(|columns| *columns < full.chars().count()) else { return full };
    let offered = rate_per_s.map_or(String::new(), |rate| format!(" of {rate}"));
    let mut short = String::new();
    for part in [
        format!("{end_s:4.0} s"),
        format!("  {answers_per_s:.0}{offered} /s"),
        format!("  {name} p50 {p50}, p99 {p99}"),
        format!("  {errors}"),
        format!("  {} in flight", period.in_flight),
        waiting,
    ] {
        if short.chars().count() + part.chars().count() > columns {
            break;
        }
        short += &part;
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Period;
    use crate::recorder::{Counts, Times};

    #[test]
    fn the_opening_says_how_far_it_is() {
        let mut opening = Opening {
            arm: "a",
            elapsed_ns: 2_000_000_000,
            connections: 10_000,
            established: 4321,
            done: false,
            errors: crate::recorder::Errors::default(),
        };
        opening.errors.add(crate::recorder::ErrorKind::Connect);
        assert_eq!(opening_line(&opening), "opening 2 s  4321 of 10000 connections open  1 error so far");
    }

    #[test]
    fn a_line_names_its_numbers() {
        let mut period = Period {
            elapsed_ns: 500_000_000,
            counts: Counts { answers: 1000, ..Counts::default() },
            in_flight: 2,
            waiting: 7,
            times: Times::new(false),
        };
        period.times.service.known.record(120_000).expect("within bounds");
        let closed = line(&Second { start_ns: 3_000_000_000, due: 0, period: &period }, None, 3, None);
        assert_eq!(closed, "   4 s  2000 answers/s  service time p50 120 us, p99 120 us  2 in flight  3 errors so far");
        period.times = Times::new(true);
        let second = Second { start_ns: 0, due: 0, period: &period };
        let open = line(&second, Some(2500.0), 0, None);
        assert_eq!(
            open,
            "   0 s  2000 answers/s of 2500 /s offered  response time p50 -, p99 -  2 in flight, 7 waiting  0 errors so far"
        );
        assert_eq!(line(&second, Some(2500.0 + 1e-5), 0, Some(open.len())), open);
        let short = "   0 s  2000 of 2500 /s  response p50 -, p99 -  0 errors  2 in flight, 7 waiting";
        assert_eq!(line(&second, Some(2500.0), 0, Some(short.len())), short);
        let shorter = "   0 s  2000 of 2500 /s  response p50 -, p99 -  0 errors  2 in flight";
        assert_eq!(line(&second, Some(2500.0), 0, Some(short.len() - 1)), shorter);
        assert_eq!(line(&second, Some(2500.0), 0, Some(12)), "   0 s");
    }
}
