//! TLS handshakes: a cost of opening connections, kept apart from the times of answers.

use super::time_histogram;
use hdrhistogram::Histogram;
use serde::Serialize;
use std::collections::BTreeMap;

/// Completed handshakes since the lane began.
#[derive(Debug, Default)]
pub struct Handshakes {
    /// From the open connection to the end of the handshake; `None` before the first one.
    pub time: Option<Histogram<u64>>,
    /// Handshakes that resumed an earlier session.
    pub resumed: u64,
    /// How many handshakes came to this.
    pub receipts: BTreeMap<TlsReceipt, u64>,
}

/// What client and server agreed on. It moves CPU time per request by more than a hop may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TlsReceipt {
    pub version: &'static str,
    pub cipher_suite: &'static str,
    /// Of the key exchange; `None` if there was none.
    pub group: Option<&'static str>,
}

impl Handshakes {
    pub fn add(&mut self, ns: u64, is_resumed: bool, receipt: TlsReceipt) {
        self.time.get_or_insert_with(time_histogram).saturating_record(ns);
        self.resumed += u64::from(is_resumed);
        *self.receipts.entry(receipt).or_default() += 1;
    }

    pub fn merge(&mut self, other: &Self) {
        if let Some(time) = &other.time {
            // All histograms have the same bounds.
            self.time.get_or_insert_with(time_histogram).add(time).expect("same bounds");
        }
        self.resumed += other.resumed;
        for (&receipt, handshakes) in &other.receipts {
            *self.receipts.entry(receipt).or_default() += handshakes;
        }
    }
}
