//! Quantiles if some requests have no answer: such a request took longer than its age, and no more is known.

use crate::recorder::{Distribution, time_histogram};
use hdrhistogram::Histogram;
use serde::Serialize;

/// A quantile, or a bound that it lies above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantile {
    Is(u64),
    Above(u64),
    /// There were no requests.
    Unknown,
}

/// A distribution, prepared for questions about it.
#[derive(Debug)]
pub(super) struct Quantiles<'a> {
    known: &'a Histogram<u64>,
    /// The known times, and the ages of requests without an answer.
    all: Histogram<u64>,
    unanswered_max_ns: u64,
}

/// A distribution in numbers, for files. A figure that lies among requests without an answer is `null`; `above_ns` has
/// the bound that it lies above.
#[derive(Debug, Serialize)]
pub(super) struct Figures {
    mean: Option<u64>,
    p50: Option<u64>,
    p90: Option<u64>,
    p99: Option<u64>,
    p999: Option<u64>,
    max: Option<u64>,
    count: u64,
    unanswered: u64,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    above_ns: serde_json::Map<String, serde_json::Value>,
}

impl<'a> Quantiles<'a> {
    pub(super) fn new(times: &'a Distribution) -> Self {
        let mut all = time_histogram();
        // All histograms have the same bounds.
        all.add(&times.known).expect("same bounds");
        all.add(&times.at_least).expect("same bounds");
        Self { known: &times.known, all, unanswered_max_ns: times.at_least.max() }
    }

    /// Requests without an answer count as slower than every answer. If the quantile lies among them, only the bound
    /// from their ages is known.
    pub(super) fn quantile(&self, quantile: f64) -> Quantile {
        let (all, known) = (self.all.len(), self.known.len());
        if all == 0 {
            return Quantile::Unknown;
        }
        let rank = ((quantile * all as f64).ceil() as u64).clamp(1, all);
        if rank <= known {
            Quantile::Is(self.known.value_at_quantile(rank as f64 / known as f64))
        } else {
            Quantile::Above(self.all.value_at_quantile(quantile))
        }
    }

    pub(super) fn max(&self) -> Quantile {
        match self.known.max() {
            _ if self.all.is_empty() => Quantile::Unknown,
            known_ns if known_ns >= self.unanswered_max_ns => Quantile::Is(known_ns),
            _ => Quantile::Above(self.unanswered_max_ns),
        }
    }

    /// The mean; a request without an answer counts with its age. That is only a bound if the 99.9th percentile lies
    /// among requests without an answer.
    fn mean(&self) -> Quantile {
        let mean_ns = self.all.mean() as u64;
        match self.quantile(0.999) {
            Quantile::Unknown => Quantile::Unknown,
            Quantile::Is(_) => Quantile::Is(mean_ns),
            Quantile::Above(_) => Quantile::Above(mean_ns),
        }
    }

    pub(super) fn figures(&self) -> Figures {
        let mut above_ns = serde_json::Map::new();
        let mut figure = |name: &str, quantile| match quantile {
            Quantile::Is(ns) => Some(ns),
            Quantile::Above(ns) => {
                above_ns.insert(name.to_owned(), ns.into());
                None
            }
            Quantile::Unknown => None,
        };
        Figures {
            mean: figure("mean", self.mean()),
            p50: figure("p50", self.quantile(0.5)),
            p90: figure("p90", self.quantile(0.9)),
            p99: figure("p99", self.quantile(0.99)),
            p999: figure("p999", self.quantile(0.999)),
            max: figure("max", self.max()),
            count: self.known.len(),
            unanswered: self.all.len() - self.known.len(),
            above_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(known: impl IntoIterator<Item = u64>, at_least: impl IntoIterator<Item = u64>) -> Distribution {
        let mut times = Distribution::default();
        known.into_iter().for_each(|ns| times.known.record(ns).expect("within bounds"));
        at_least.into_iter().for_each(|ns| times.at_least.record(ns).expect("within bounds"));
        times
    }

    #[test]
    fn quantiles_by_hand() {
        let times = times(1..=90, [5, 5, 5, 5, 5, 1000, 1000, 1000, 1000, 1000]);
        let times = Quantiles::new(&times);
        assert_eq!(times.quantile(0.5), Quantile::Is(50));
        assert_eq!(times.quantile(0.9), Quantile::Is(90));
        assert_eq!(
            times.quantile(0.91),
            Quantile::Above(86),
            "90 answers, then the five ages of 5, then those of 1000"
        );
        assert_eq!(times.quantile(0.99), Quantile::Above(1000));
        assert_eq!((times.max(), times.mean()), (Quantile::Above(1000), Quantile::Above(91)));
    }

    #[test]
    fn a_few_in_flight_at_the_end_leave_the_mean_known() {
        let times = times((0..9999).map(|_| 10), [4]);
        let figures = Quantiles::new(&times).figures();
        assert_eq!((figures.mean, figures.max, figures.count, figures.unanswered), (Some(9), Some(10), 9999, 1));
    }

    #[test]
    fn without_answers_nothing_is_made_up() {
        assert_eq!(Quantiles::new(&times([], [])).quantile(0.5), Quantile::Unknown);
        assert_eq!(Quantiles::new(&times([], [])).max(), Quantile::Unknown);
        let times = times([], [9, 9, 9]);
        assert_eq!(Quantiles::new(&times).quantile(0.5), Quantile::Above(9));
        assert_eq!(Quantiles::new(&times).figures().mean, None);
    }
}
