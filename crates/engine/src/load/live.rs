//! What is shown while load runs: one line per second, on a terminal always the same one. On standard error, so that
//! results can go into a file.

use super::output::Second;
use super::quantile::Quantiles;
use super::summary::time;
use std::io::{self, Write as _};

/// A rest of a second that is not worth a line.
const SHORT_NS: u64 = 50_000_000;

/// The live view.
#[derive(Debug)]
pub(super) struct Live {
    is_terminal: bool,
    rate_per_s: Option<f64>,
    errors: u64,
}

impl Live {
    pub(super) fn new(is_terminal: bool, rate_per_s: Option<f64>) -> Self {
        Self { is_terminal, rate_per_s, errors: 0 }
    }

    pub(super) fn second(&mut self, second: &Second<'_>) {
        self.errors += second.period.counts.errors.total();
        if second.period.elapsed_ns < SHORT_NS {
            return;
        }
        let line = line(second, self.rate_per_s, self.errors);
        // A terminal that has gone away is no reason to end the load.
        let _ =
            if self.is_terminal { write!(io::stderr(), "\r{line}\x1b[K") } else { writeln!(io::stderr(), "{line}") };
    }

    pub(super) fn end(&mut self) {
        if self.is_terminal {
            // As above.
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn line(second: &Second<'_>, rate_per_s: Option<f64>, errors: u64) -> String {
    let period = second.period;
    let end_s = (second.start_ns + period.elapsed_ns) as f64 / 1e9;
    let per_s = |count: u64| count as f64 * 1e9 / period.elapsed_ns.max(1) as f64;
    let (name, times) = match period.times.open.as_deref() {
        Some(open) => ("response time", &open.response),
        None => ("service time", &period.times.service),
    };
    let times = Quantiles::new(times);
    let (p50, p99) = (time(times.quantile(0.5)), time(times.quantile(0.99)));
    let offered = rate_per_s.map_or(String::new(), |rate| format!(" of {rate} /s offered"));
    let waiting = if rate_per_s.is_some() { format!(", {} waiting", period.waiting) } else { String::new() };
    format!(
        "{end_s:4.0} s  {:.0} answers/s{offered}  {name} p50 {p50}, p99 {p99}  {} in flight{waiting}  {errors} errors so far",
        per_s(period.counts.answers),
        period.in_flight,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::{Counts, Times};
    use crate::watch::Period;

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
        let closed = line(&Second { start_ns: 3_000_000_000, due: 0, period: &period }, None, 3);
        assert_eq!(closed, "   4 s  2000 answers/s  service time p50 120 us, p99 120 us  2 in flight  3 errors so far");
        period.times = Times::new(true);
        let open = line(&Second { start_ns: 0, due: 0, period: &period }, Some(2500.0), 0);
        assert_eq!(
            open,
            "   0 s  2000 answers/s of 2500 /s offered  response time p50 -, p99 -  2 in flight, 7 waiting  0 errors so far"
        );
    }
}
