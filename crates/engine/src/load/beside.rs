//! What `load` shows of slow clients and idle connections.

use super::quantile::{Figures, Quantiles};
use super::summary::time;
use super::{LoadArguments, LoadResult};
use crate::lines::BesideSlice;
use crate::plan::BesideKind;
use crate::recorder::Distribution;
use crate::session::BesideResult;
use serde::Serialize;

/// One kind, as JSON. Counts are those of the measured time.
#[derive(Serialize)]
pub(super) struct BesideFigures {
    number: u32,
    /// Of slow clients.
    bytes_per_s: Option<u64>,
    /// Of idle connections.
    every_ns: Option<u64>,
    established: u32,
    #[serde(flatten)]
    counts: BesideSlice,
    in_flight: u64,
    /// Of slow clients since sending, of idle connections since the intended start.
    time_ns: Figures,
}

/// Slow clients since sending, idle connections since the intended start.
fn times(result: &BesideResult) -> &Distribution {
    result.times.open.as_ref().map_or(&result.times.service, |open| &open.response)
}

/// In the order of [`BesideKind::ALL`].
pub(super) fn figures(arguments: &LoadArguments, result: &LoadResult) -> [Option<BesideFigures>; 2] {
    BesideKind::ALL.map(|kind| {
        let counts = result.beside[kind as usize]?;
        let account = result.arm.beside[kind as usize].as_ref()?;
        Some(BesideFigures {
            number: account.number,
            bytes_per_s: arguments.beside.slow.filter(|_| kind == BesideKind::Slow).map(|slow| slow.bytes_per_s),
            every_ns: arguments.beside.idle.filter(|_| kind == BesideKind::Idle).map(|idle| idle.every_ns),
            established: account.established,
            counts,
            in_flight: account.counts.in_flight(),
            time_ns: Quantiles::new(times(account)).figures(),
        })
    })
}

/// Lines of the summary: name, value, meaning.
pub(super) fn lines(arguments: &LoadArguments, result: &LoadResult) -> Vec<[String; 3]> {
    let mut lines = Vec::new();
    for kind in BesideKind::ALL {
        let (Some(slice), Some(account)) = (result.beside[kind as usize], result.arm.beside[kind as usize].as_ref())
        else {
            continue;
        };
        let BesideSlice { answers, errors, reconnects, .. } = slice;
        let quantiles = Quantiles::new(times(account));
        let quantile = |quantile| time(quantiles.quantile(quantile));
        let value = format!("{answers} answers  p50 {}  p99 {}", quantile(0.5), quantile(0.99));
        let number = account.number;
        let meaning = match kind {
            BesideKind::Slow => {
                let bytes_per_s = arguments.beside.slow.map_or(0, |slow| slow.bytes_per_s);
                format!("{number} at {}, beside the others; sent to last byte", rate(bytes_per_s))
            }
            BesideKind::Idle => {
                let every_s = arguments.beside.idle.map_or(0, |idle| idle.every_ns) as f64 / 1e9;
                format!("{number} that each ask once in {every_s} s; due to last byte")
            }
        };
        lines.push([kind.name().to_owned(), value, meaning]);
        let failed: Vec<String> = errors.occurred().map(|(name, count)| format!("{name} {count}")).collect();
        if !failed.is_empty() {
            lines.push([String::new(), failed.join(", "), format!("errors of {}, by kind", kind.name())]);
        }
        if reconnects > 0 {
            let closed = "closed by the server between requests, and opened again";
            lines.push([String::new(), format!("{reconnects} reopened"), closed.to_owned()]);
        }
    }
    lines
}

fn rate(bytes_per_s: u64) -> String {
    match bytes_per_s {
        0..1000 => format!("{bytes_per_s} B/s"),
        1000..1_000_000 => format!("{} KB/s", bytes_per_s as f64 / 1e3),
        _ => format!("{} MB/s", bytes_per_s as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::rate;

    #[test]
    fn rates_on_the_screen() {
        for (bytes_per_s, text) in [(500, "500 B/s"), (30_000, "30 KB/s"), (1500, "1.5 KB/s"), (2_000_000, "2 MB/s")] {
            assert_eq!(rate(bytes_per_s), text);
        }
    }
}
