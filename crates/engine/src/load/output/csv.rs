//! One line per second, for spreadsheets. A cell is empty if its value is not known.

use super::Second;
use crate::load::quantile::{Quantile, Quantiles};
use crate::recorder::{Distribution, ErrorKind};
use std::fs::File;
use std::io::{self, Write as _};

#[derive(Debug)]
pub(super) struct Csv {
    file: File,
    has_head: bool,
}

impl Csv {
    pub(super) fn new(file: File) -> Self {
        Self { file, has_head: false }
    }

    pub(super) fn second(&mut self, second: &Second<'_>) -> io::Result<()> {
        let cells = cells(second);
        let line = |pick: fn(&(String, String)) -> &String| {
            cells.iter().map(|cell| pick(cell).as_str()).collect::<Vec<_>>().join(",") + "\n"
        };
        if !std::mem::replace(&mut self.has_head, true) {
            self.file.write_all(line(|(name, _)| name).as_bytes())?;
        }
        self.file.write_all(line(|(_, value)| value).as_bytes())
    }
}

/// Names and values, in the order of the columns.
fn cells(second: &Second<'_>) -> Vec<(String, String)> {
    let Second { start_ns, due, period } = second;
    let counts = &period.counts;
    let mut cells: Vec<(String, String)> = [
        ("start_ns", *start_ns),
        ("elapsed_ns", period.elapsed_ns),
        ("answers", counts.answers),
        ("due", *due),
        ("sent", counts.sent),
        ("not_sent", counts.not_sent),
        ("waiting", period.waiting),
        ("in_flight", period.in_flight),
        ("opened", counts.opened),
        ("reconnects", counts.reconnects),
        ("received_bytes", counts.received_bytes),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_string()))
    .into();
    cells.extend(ErrorKind::ALL.map(|kind| (format!("errors_{}", kind.name()), counts.errors.of(kind).to_string())));
    let open = period.times.open.as_deref();
    for (name, times) in [
        ("response_time", open.map(|open| &open.response)),
        ("service_time", Some(&period.times.service)),
        ("send_lag", open.map(|open| &open.send_lag)),
    ] {
        cells.extend(figures(times).map(|(figure, value)| (format!("{name}_{figure}_ns"), value)));
    }
    cells
}

fn figures(times: Option<&Distribution>) -> [(&'static str, String); 3] {
    let times = times.map(Quantiles::new);
    let shown = |quantile: Option<Quantile>| match quantile {
        Some(Quantile::Is(ns)) => ns.to_string(),
        _ => String::new(),
    };
    [
        ("p50", shown(times.as_ref().map(|times| times.quantile(0.5)))),
        ("p99", shown(times.as_ref().map(|times| times.quantile(0.99)))),
        ("max", shown(times.as_ref().map(Quantiles::max))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Period;
    use crate::recorder::{Counts, Times};

    #[test]
    fn what_is_not_known_is_left_empty() {
        let mut times = Times::new(true);
        let open = times.open.as_deref_mut().expect("an open loop");
        open.response.known.record(1000).expect("within bounds");
        open.response.at_least.record(2000).expect("within bounds");
        let period = Period {
            elapsed_ns: 1_000_000_000,
            counts: Counts { answers: 1, sent: 2, ..Counts::default() },
            in_flight: 1,
            waiting: 3,
            times,
        };
        let cells = cells(&Second { start_ns: 5, due: 4, period: &period });
        let value = |name: &str| cells.iter().find(|(other, _)| other == name).expect(name).1.as_str();
        assert_eq!((value("start_ns"), value("due"), value("waiting"), value("errors_tls")), ("5", "4", "3", "0"));
        assert_eq!((value("response_time_p50_ns"), value("response_time_p99_ns")), ("1000", ""));
        assert_eq!((value("response_time_max_ns"), value("service_time_p50_ns")), ("", ""));
    }
}
