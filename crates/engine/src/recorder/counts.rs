//! The accounts of requests.

use super::Errors;

/// The accounts: `due = sent + not sent` and `sent = answers + in flight + errors after sending`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub sent: u64,
    /// Requests that were due in an open loop and never sent.
    pub not_sent: u64,
    /// Of those sent in an open loop, the ones that were sent more than [`LATE_NS`] after they were due though a
    /// connection was free: the generator's own delay.
    pub late: u64,
    pub answers: u64,
    /// Answers whose every byte was compared with the expected body.
    pub compared: u64,
    pub errors: Errors,
    /// Connections opened, the first time and again.
    pub opened: u64,
    /// Connections that were opened again without an error: the server closed them between requests or after an answer,
    /// or they had sent their last request, or their answer came before their upload was through.
    pub reconnects: u64,
    /// Connections for which the machine had no local port left; counted as connect errors too.
    pub ports_exhausted: u64,
    /// Heads included, without what TLS adds.
    pub received_bytes: u64,
    /// Handed over to be sent, heads included, without what TLS adds.
    pub sent_bytes: u64,
    /// CPU time spent polling for the next due request in vain.
    pub spin_ns: u64,
    /// Requests in flight, added up over the arm's time: of two in flight for 3 ns it is 6.
    /// 2^20 of them for 5 h do not fit into 64 bits.
    pub in_flight_ns: u128,
}

/// From this delay on a request was sent late.
pub const LATE_NS: u64 = 1_000_000;

impl Counts {
    /// What was added since `earlier`. A request may have been taken back since.
    pub fn since(&self, earlier: &Self) -> Self {
        let mut difference = *self;
        difference.each_with(earlier, |now, before| now.saturating_sub(before));
        difference.in_flight_ns = self.in_flight_ns.saturating_sub(earlier.in_flight_ns);
        difference
    }

    pub fn merge(&mut self, other: &Self) {
        self.each_with(other, |one, other| one + other);
        self.in_flight_ns += other.in_flight_ns;
    }

    /// [`Counts::in_flight_ns`] of a slice, which fits: a day of 2^17 requests in flight does.
    pub fn in_flight_ns_of_slice(&self) -> u64 {
        u64::try_from(self.in_flight_ns).unwrap_or(u64::MAX)
    }

    fn each_with(&mut self, other: &Self, combine: impl Fn(u64, u64) -> u64) {
        // Named one by one, so that a new count cannot be forgotten.
        let Self {
            sent,
            not_sent,
            late,
            answers,
            compared,
            errors,
            opened,
            reconnects,
            ports_exhausted,
            received_bytes,
            sent_bytes,
            spin_ns,
            // Wider than the others; the callers see to it.
            in_flight_ns: _,
        } = self;
        for (count, other) in [
            (sent, other.sent),
            (not_sent, other.not_sent),
            (late, other.late),
            (answers, other.answers),
            (compared, other.compared),
            (opened, other.opened),
            (reconnects, other.reconnects),
            (ports_exhausted, other.ports_exhausted),
            (received_bytes, other.received_bytes),
            (sent_bytes, other.sent_bytes),
            (spin_ns, other.spin_ns),
        ] {
            *count = combine(*count, other);
        }
        errors.each_with(&other.errors, combine);
    }

    /// Requests that were due. In the closed loop a request is due when it is sent.
    pub const fn due(&self) -> u64 {
        self.sent + self.not_sent
    }

    /// Requests sent and not yet answered, by the accounts.
    pub fn in_flight(&self) -> u64 {
        self.sent - self.answers - self.errors.after_sending()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::ErrorKind;

    #[test]
    fn accounts() {
        let mut counts = Counts { sent: 10, not_sent: 3, answers: 4, ..Counts::default() };
        counts.errors.add(ErrorKind::Connect);
        counts.errors.add(ErrorKind::Timeout);
        assert_eq!((counts.due(), counts.in_flight()), (13, 5));
        let mut merged = counts;
        merged.merge(&counts);
        assert_eq!((merged.sent, merged.not_sent, merged.errors.total()), (20, 6, 4));
        assert_eq!(merged.since(&counts), counts);
    }
}
