//! How long things took: histograms of nanoseconds, and of those requests whose time never became known, their ages.

use super::Gaps;
use base64::Engine as _;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer as _, V2DeflateSerializer};

/// The longest time that a histogram tells apart: 1 h.
pub const MAX_TIME_NS: u64 = 3_600_000_000_000;

pub fn time_histogram() -> Histogram<u64> {
    // 3 significant figures between 1 ns and 1 h are within what the type can hold.
    Histogram::new_with_bounds(1, MAX_TIME_NS, 3).expect("fixed bounds that are valid")
}

/// The histogram as V2 compressed, base64.
pub fn encode(histogram: &Histogram<u64>) -> String {
    let mut bytes = Vec::new();
    // Writing to memory does not fail, and every value was recorded within the bounds.
    V2DeflateSerializer::new().serialize(histogram, &mut bytes).expect("a histogram always serialises");
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// Times, some of which are known only from below.
#[derive(Debug, Clone)]
pub struct Distribution {
    pub known: Histogram<u64>,
    /// Lower bounds of the others: ages at the end, or when they were given up.
    pub at_least: Histogram<u64>,
}

impl Default for Distribution {
    fn default() -> Self {
        Self { known: time_histogram(), at_least: time_histogram() }
    }
}

impl Distribution {
    pub fn merge(&mut self, other: &Self) {
        // All histograms have the same bounds.
        self.known.add(&other.known).expect("same bounds");
        self.at_least.add(&other.at_least).expect("same bounds");
    }

    /// What was added since `earlier`, which is an earlier state of this one.
    pub fn since(&self, earlier: &Self) -> Self {
        let mut added = self.clone();
        added.known.subtract(&earlier.known).expect("counts only grow");
        added.at_least.subtract(&earlier.at_least).expect("counts only grow");
        added
    }

    fn clear(&mut self) {
        self.known.reset();
        self.at_least.reset();
    }
}

/// The times of one arm.
#[derive(Debug, Clone, Default)]
pub struct Times {
    /// Sent to last byte, of correct answers; ages since sending of requests timed out or in flight at the end.
    pub service: Distribution,
    /// Only of an open loop.
    pub open: Option<Box<OpenTimes>>,
}

/// The times that count from the intended start.
#[derive(Debug, Clone, Default)]
pub struct OpenTimes {
    /// Intended start to last byte, of correct answers; ages of requests timed out, in flight at the end, or never sent.
    pub response: Distribution,
    /// Intended start to sending; ages of requests never sent.
    pub send_lag: Distribution,
    /// Between sends. They tell how even the schedule was only for a single lane.
    pub gaps: Gaps,
}

impl OpenTimes {
    /// A request was sent now. Not inlined, so that the way of the closed loop stays short.
    #[inline(never)]
    pub(super) fn sent(&mut self, now_ns: u64, lag_ns: u64) {
        self.send_lag.known.saturating_record(lag_ns);
        self.gaps.sent(now_ns);
    }
}

impl Times {
    pub fn new(is_open: bool) -> Self {
        Self { service: Distribution::default(), open: is_open.then(Box::default) }
    }

    pub fn merge(&mut self, other: &Self) {
        self.service.merge(&other.service);
        if let (Some(open), Some(other)) = (&mut self.open, &other.open) {
            open.response.merge(&other.response);
            open.send_lag.merge(&other.send_lag);
            open.gaps.merge(&other.gaps);
        }
    }

    /// Empties the histograms and keeps their memory.
    pub fn clear(&mut self) {
        self.service.clear();
        if let Some(open) = &mut self.open {
            open.response.clear();
            open.send_lag.clear();
            open.gaps = Gaps::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::serialization::Deserializer;

    #[test]
    fn a_histogram_comes_back_from_its_text() {
        let mut histogram = time_histogram();
        for ns in [1, 1000, 1_000_000, MAX_TIME_NS] {
            histogram.record(ns).expect("within bounds");
        }
        let bytes = base64::engine::general_purpose::STANDARD.decode(encode(&histogram)).expect("base64");
        let back: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).expect("V2 compressed");
        assert_eq!(back, histogram);
    }
}
