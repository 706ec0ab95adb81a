//! What became of each request of a mix, in the measured slices.

use super::{Distribution, ErrorKind, Errors};

/// This many requests of a mix have accounts of their own. An account takes half a megabyte per thread in a closed loop
/// and a megabyte in an open one.
pub const MAX_ACCOUNTS: usize = 32;

/// The number of an account among those of an arm.
pub type AccountId = u16;

/// The account of one request of a mix, or of several that share it.
#[derive(Debug, Clone, Default)]
pub struct Account {
    pub sent: u64,
    /// Due in an open loop and never sent.
    pub not_sent: u64,
    /// Correct answers.
    pub answers: u64,
    /// Sent and still unanswered at the end.
    pub in_flight: u64,
    pub errors: Errors,
    /// Sent to last byte.
    pub service: Distribution,
    /// Intended start to last byte; only of an open loop.
    pub response: Option<Box<Distribution>>,
}

impl Account {
    pub fn new(is_open: bool) -> Self {
        Self { response: is_open.then(Box::default), ..Self::default() }
    }

    pub fn merge(&mut self, other: &Self) {
        self.sent += other.sent;
        self.not_sent += other.not_sent;
        self.answers += other.answers;
        self.in_flight += other.in_flight;
        self.errors.merge(&other.errors);
        self.service.merge(&other.service);
        if let (Some(response), Some(other)) = (&mut self.response, &other.response) {
            response.merge(other);
        }
    }

    pub(super) fn answer(&mut self, service_ns: u64, response_ns: u64) {
        self.answers += 1;
        self.service.known.saturating_record(service_ns);
        if let Some(response) = &mut self.response {
            response.known.saturating_record(response_ns);
        }
    }

    pub(super) fn unanswered(&mut self, service_ns: u64, response_ns: u64) {
        self.service.at_least.saturating_record(service_ns);
        if let Some(response) = &mut self.response {
            response.at_least.saturating_record(response_ns);
        }
    }

    pub(super) fn not_sent(&mut self, age_ns: u64) {
        self.not_sent += 1;
        if let Some(response) = &mut self.response {
            response.at_least.saturating_record(age_ns);
        }
    }

    pub(super) fn error(&mut self, kind: ErrorKind) {
        self.errors.add(kind);
    }
}
