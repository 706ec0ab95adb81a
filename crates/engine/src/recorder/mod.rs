//! What happened, in numbers. One recorder per lane, merged at the end: no atomics, no locks, no allocation while
//! load runs.

mod handshakes;

use base64::Engine as _;
pub use handshakes::Handshakes;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer as _, V2DeflateSerializer};
use serde::{Serialize, Serializer, ser::SerializeMap};

/// The longest time that a histogram tells apart: 1 h.
pub const TIME_MOST_NS: u64 = 3_600_000_000_000;

/// What can go wrong with a request, each counted apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The connection could not be opened; no request was sent.
    Connect,
    /// The TLS handshake failed; no request was sent.
    Tls,
    /// The request could not be written.
    Write,
    /// The connection broke, or ended, before the answer did.
    Read,
    /// The server broke the protocol, sent more than was asked, or before it was asked.
    Protocol,
    /// The answer had another status than expected.
    Status,
    /// The answer had another body than expected.
    Body,
    /// The answer was not complete in time.
    Timeout,
}

impl ErrorKind {
    /// All kinds, in the order in which they are shown.
    pub const ALL: [Self; 8] =
        [Self::Connect, Self::Tls, Self::Write, Self::Read, Self::Protocol, Self::Status, Self::Body, Self::Timeout];

    /// Its name in files and on the screen.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Write => "write",
            Self::Read => "read",
            Self::Protocol => "protocol",
            Self::Status => "status",
            Self::Body => "body",
            Self::Timeout => "timeout",
        }
    }

    /// Whether a request was sent when this went wrong.
    pub const fn after_sending(self) -> bool {
        !matches!(self, Self::Connect | Self::Tls)
    }
}

/// Errors by kind. Serialises as an object with only the kinds that occurred.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Errors([u64; ErrorKind::ALL.len()]);

impl Errors {
    /// One more of this kind.
    pub fn add(&mut self, kind: ErrorKind) {
        self.0[kind as usize] += 1;
    }

    /// How many of this kind.
    pub const fn of(&self, kind: ErrorKind) -> u64 {
        self.0[kind as usize]
    }

    /// How many of all kinds.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The kinds that occurred, with their counts.
    pub fn occurred(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        ErrorKind::ALL.into_iter().filter(|&kind| self.of(kind) > 0).map(|kind| (kind.name(), self.of(kind)))
    }
}

impl Serialize for Errors {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, count) in self.occurred() {
            map.serialize_entry(name, &count)?;
        }
        map.end()
    }
}

/// The accounts: `sent = answers + in flight + errors after sending`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests sent.
    pub sent: u64,
    /// Correct answers.
    pub answers: u64,
    /// Answers whose every byte was compared with the expected body.
    pub compared: u64,
    /// Errors by kind.
    pub errors: Errors,
    /// Connections opened again after an answer that closed them.
    pub reconnects: u64,
    /// Bytes received, heads included.
    pub received_bytes: u64,
}

impl Counts {
    /// What was added since `earlier`.
    pub fn since(&self, earlier: &Self) -> Self {
        let mut difference = *self;
        difference.sent -= earlier.sent;
        difference.answers -= earlier.answers;
        difference.compared -= earlier.compared;
        difference.reconnects -= earlier.reconnects;
        difference.received_bytes -= earlier.received_bytes;
        for (count, before) in difference.errors.0.iter_mut().zip(earlier.errors.0) {
            *count -= before;
        }
        difference
    }

    /// Adds another lane's.
    pub fn merge(&mut self, other: &Self) {
        self.sent += other.sent;
        self.answers += other.answers;
        self.compared += other.compared;
        self.reconnects += other.reconnects;
        self.received_bytes += other.received_bytes;
        for (count, more) in self.errors.0.iter_mut().zip(other.errors.0) {
            *count += more;
        }
    }

    /// Sent and not yet answered, by the accounts.
    pub fn in_flight(&self) -> u64 {
        let after_sending: u64 =
            ErrorKind::ALL.into_iter().filter(|k| k.after_sending()).map(|k| self.errors.of(k)).sum();
        self.sent - self.answers - after_sending
    }
}

/// An empty histogram of nanoseconds.
pub fn time_histogram() -> Histogram<u64> {
    // 3 significant figures between 1 ns and 1 h are within what the type can hold.
    Histogram::new_with_bounds(1, TIME_MOST_NS, 3).expect("fixed bounds that are valid")
}

/// The histogram as V2 compressed, base64.
pub fn encode(histogram: &Histogram<u64>) -> String {
    let mut bytes = Vec::new();
    // Writing to memory does not fail, and every value was recorded within the bounds.
    V2DeflateSerializer::new().serialize(histogram, &mut bytes).expect("a histogram always serialises");
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// The recorder of one lane.
#[derive(Debug)]
pub struct Recorder {
    /// Everything since the lane began.
    pub counts: Counts,
    /// Times of correct answers while measuring.
    pub service_time: Histogram<u64>,
    /// Of TLS.
    pub handshakes: Handshakes,
    measuring: bool,
}

impl Default for Recorder {
    fn default() -> Self {
        Self {
            counts: Counts::default(),
            service_time: time_histogram(),
            handshakes: Handshakes::default(),
            measuring: false,
        }
    }
}

impl Recorder {
    /// From now on times go into the histogram, or (while warming up) do not.
    pub fn measure(&mut self, measuring: bool) {
        self.measuring = measuring;
    }

    /// A correct answer, this long after its request was sent.
    #[inline]
    pub fn answer(&mut self, service_ns: u64) {
        self.counts.answers += 1;
        if self.measuring {
            self.service_time.saturating_record(service_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::serialization::Deserializer;

    #[test]
    fn accounts() {
        let mut counts = Counts { sent: 10, answers: 4, ..Counts::default() };
        counts.errors.add(ErrorKind::Connect);
        counts.errors.add(ErrorKind::Timeout);
        assert_eq!(counts.in_flight(), 5);
        let mut merged = counts;
        merged.merge(&counts);
        assert_eq!((merged.sent, merged.errors.total()), (20, 4));
        assert_eq!(merged.since(&counts), counts);
    }

    #[test]
    fn only_errors_that_occurred_are_written() {
        let mut errors = Errors::default();
        assert_eq!(serde_json::to_string(&errors).expect("serialises"), "{}");
        errors.add(ErrorKind::Body);
        errors.add(ErrorKind::Body);
        errors.add(ErrorKind::Read);
        assert_eq!(serde_json::to_string(&errors).expect("serialises"), r#"{"read":1,"body":2}"#);
    }

    #[test]
    fn warming_up_counts_but_leaves_no_times() {
        let mut recorder = Recorder::default();
        recorder.answer(5);
        recorder.measure(true);
        recorder.answer(7);
        recorder.answer(u64::MAX);
        assert_eq!((recorder.counts.answers, recorder.service_time.len()), (3, 2));
        assert_eq!(recorder.service_time.min(), 7);
        assert!(recorder.service_time.max() >= TIME_MOST_NS, "too long counts as the longest, it is not lost");
    }

    #[test]
    fn a_histogram_comes_back_from_its_text() {
        let mut histogram = time_histogram();
        for ns in [1, 1000, 1_000_000, TIME_MOST_NS] {
            histogram.record(ns).expect("within bounds");
        }
        let bytes = base64::engine::general_purpose::STANDARD.decode(encode(&histogram)).expect("base64");
        let back: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).expect("V2 compressed");
        assert_eq!(back, histogram);
    }
}
