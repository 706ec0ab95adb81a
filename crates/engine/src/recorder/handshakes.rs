//! TLS handshakes: a cost of opening connections, kept apart from the times of answers.

use super::time_histogram;
use hdrhistogram::Histogram;

/// Completed handshakes since the lane began.
#[derive(Debug, Default)]
pub struct Handshakes {
    /// From the open connection to the end of the handshake; `None` before the first one.
    pub time: Option<Histogram<u64>>,
    /// Handshakes that resumed an earlier session.
    pub resumed: u64,
}

impl Handshakes {
    pub fn add(&mut self, ns: u64, resumed: bool) {
        self.time.get_or_insert_with(time_histogram).saturating_record(ns);
        self.resumed += u64::from(resumed);
    }

    pub fn merge(&mut self, other: &Self) {
        if let Some(time) = &other.time {
            // All histograms have the same bounds.
            self.time.get_or_insert_with(time_histogram).add(time).expect("same bounds");
        }
        self.resumed += other.resumed;
    }
}
