//! Quantiles where some requests have no answer: of those it is known only that they took longer than their age.

use crate::recorder::time_histogram;
use hdrhistogram::Histogram;
use serde::Serialize;

/// A quantile, or the bound that it is known to lie above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantile {
    Is(u64),
    Above(u64),
    /// There was nothing to take it of.
    Unknown,
}

/// The distribution of a time.
#[derive(Debug)]
pub(super) struct Times<'a> {
    answered: &'a Histogram<u64>,
    /// Answers and, at their ages, requests without one.
    all: Histogram<u64>,
}

/// A distribution in numbers, for files. A quantile that lies among requests without an answer is `null`, and the bound that
/// it lies above is in `above_ns`.
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

impl<'a> Times<'a> {
    /// Times of answers, ages of requests in flight, and so many that were given up after the time-out.
    pub(super) fn new(answered: &'a Histogram<u64>, ages: &Histogram<u64>, timeouts: u64, timeout_ns: u64) -> Self {
        let mut all = time_histogram();
        // All histograms have the same bounds.
        all.add(answered).expect("same bounds");
        all.add(ages).expect("same bounds");
        all.saturating_record_n(timeout_ns, timeouts);
        Self { answered, all }
    }

    /// Requests without an answer count as slower than every answer; where that leaves the quantile among them, only the
    /// bound given by their ages is known.
    pub(super) fn quantile(&self, quantile: f64) -> Quantile {
        let (all, answered) = (self.all.len(), self.answered.len());
        if all == 0 {
            return Quantile::Unknown;
        }
        let rank = ((quantile * all as f64).ceil() as u64).clamp(1, all);
        if rank <= answered {
            Quantile::Is(self.answered.value_at_quantile(rank as f64 / answered as f64))
        } else {
            Quantile::Above(self.all.value_at_quantile(quantile))
        }
    }

    /// The longest time of an answer.
    pub(super) fn max(&self) -> Option<u64> {
        (!self.answered.is_empty()).then(|| self.answered.max())
    }

    pub(super) fn figures(&self) -> Figures {
        let mut above_ns = serde_json::Map::new();
        let mut figure = |name: &str, quantile| match self.quantile(quantile) {
            Quantile::Is(ns) => Some(ns),
            Quantile::Above(ns) => {
                above_ns.insert(name.to_owned(), ns.into());
                None
            }
            Quantile::Unknown => None,
        };
        Figures {
            mean: (!self.answered.is_empty()).then(|| self.answered.mean() as u64),
            p50: figure("p50", 0.5),
            p90: figure("p90", 0.9),
            p99: figure("p99", 0.99),
            p999: figure("p999", 0.999),
            max: self.max(),
            count: self.answered.len(),
            unanswered: self.all.len() - self.answered.len(),
            above_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(values: impl IntoIterator<Item = u64>) -> Histogram<u64> {
        let mut histogram = time_histogram();
        values.into_iter().for_each(|ns| histogram.record(ns).expect("within bounds"));
        histogram
    }

    #[test]
    fn quantiles_by_hand() {
        let answered = histogram(1..=90);
        let times = Times::new(&answered, &histogram([5; 5]), 5, 1000);
        assert_eq!(times.quantile(0.5), Quantile::Is(50));
        assert_eq!(times.quantile(0.9), Quantile::Is(90));
        assert_eq!(
            times.quantile(0.91),
            Quantile::Above(86),
            "90 answers, then the five ages of 5, then the time-outs"
        );
        assert_eq!(times.quantile(0.99), Quantile::Above(1000));
    }

    #[test]
    fn without_answers_nothing_is_made_up() {
        let none = histogram([]);
        assert_eq!(Times::new(&none, &none, 0, 9).quantile(0.5), Quantile::Unknown);
        assert_eq!(Times::new(&none, &none, 3, 9).quantile(0.5), Quantile::Above(9));
        assert_eq!(Times::new(&none, &none, 3, 9).figures().mean, None);
    }
}
