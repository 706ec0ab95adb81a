//! What can go wrong with a request, and how often it did.

use serde::{Serialize, Serializer, ser::SerializeMap};

/// What can go wrong with a request, each counted apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The connection could not be opened; no request was sent.
    Connect,
    /// The TLS handshake failed; no request was sent.
    Tls,
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

    /// The name in files and on the screen.
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
    pub fn add(&mut self, kind: ErrorKind) {
        self.0[kind as usize] += 1;
    }

    pub const fn of(&self, kind: ErrorKind) -> u64 {
        self.0[kind as usize]
    }

    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Adds those of others.
    pub fn merge(&mut self, other: &Self) {
        self.each_with(other, |count, other| count + other);
    }

    /// Errors after a request had been sent.
    pub fn after_sending(&self) -> u64 {
        ErrorKind::ALL.into_iter().filter(|kind| kind.after_sending()).map(|kind| self.of(kind)).sum()
    }

    /// The kinds that occurred, with their counts.
    pub fn occurred(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        ErrorKind::ALL.into_iter().filter(|&kind| self.of(kind) > 0).map(|kind| (kind.name(), self.of(kind)))
    }

    pub(super) fn each_with(&mut self, other: &Self, combine: impl Fn(u64, u64) -> u64) {
        for (count, other) in self.0.iter_mut().zip(other.0) {
            *count = combine(*count, other);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_errors_that_occurred_are_written() {
        let mut errors = Errors::default();
        assert_eq!(serde_json::to_string(&errors).expect("serialises"), "{}");
        errors.add(ErrorKind::Body);
        errors.add(ErrorKind::Body);
        errors.add(ErrorKind::Read);
        assert_eq!(serde_json::to_string(&errors).expect("serialises"), r#"{"read":1,"body":2}"#);
    }
}
