//! How requests and connections end other than by an answer, and when a connection is opened again.

use super::Client;
use super::connection::{Connection, State};
use crate::io::{Next, Slot};
use crate::recorder::ErrorKind;
use crate::schedule::Schedule;
use std::cmp::Reverse;

/// How long a connection waits before it is opened again after its first error; doubled with each further one.
pub(super) const MIN_BACKOFF_NS: u64 = 1_000_000;
/// The longest such wait.
pub(super) const MAX_BACKOFF_NS: u64 = 1_000_000_000;

impl<S: Schedule> Client<S> {
    /// The server closes the connection, as it is free to do between answers. One that does so again and again without
    /// answering is given time.
    pub(super) fn reconnect(&mut self, slot: Slot) -> Next {
        let connection = &mut self.connections[slot as usize];
        let wait_ns = match connection.state {
            // Its answer is complete.
            State::InFlight => {
                connection.state = State::Closed;
                self.established -= 1;
                0
            }
            _ if connection.failures == 0 => 0,
            _ => backoff_ns(connection.failures - 1),
        };
        if wait_ns > 0 || connection.state == State::Idle {
            connection.failures += 1;
        }
        self.leave(slot);
        self.recorder.counts.reconnects += 1;
        self.closed.push(Reverse((self.now_ns + wait_ns, slot)));
        Next::Close
    }

    /// An error ends the request, if one was in flight, and the connection; it is opened again after a while.
    #[cold]
    pub(super) fn fail(&mut self, slot: Slot, kind: ErrorKind) -> Next {
        if kind == ErrorKind::Timeout {
            let Connection { since_ns, intended_ns, .. } = self.connections[slot as usize];
            let age_ns = |since_ns: u64| self.now_ns.saturating_sub(since_ns);
            self.recorder.unanswered(age_ns(since_ns), age_ns(intended_ns));
        }
        self.leave(slot);
        self.recorder.counts.errors.add(kind);
        let connection = &mut self.connections[slot as usize];
        let wait_ns = backoff_ns(connection.failures);
        connection.failures += 1;
        self.closed.push(Reverse((self.now_ns + wait_ns, slot)));
        Next::Close
    }

    /// The request in flight counts as not sent. In TLS 1.3 a client has sent its first request before it can know that the
    /// server refuses the connection (for want of a client certificate, say).
    pub(super) fn take_back(&mut self, slot: Slot) {
        let Connection { since_ns, intended_ns, .. } = self.connections[slot as usize];
        self.leave(slot);
        self.count = self.count.saturating_sub(1);
        self.recorder.take_back(since_ns.saturating_sub(intended_ns));
        if self.is_open_loop {
            self.recorder.not_sent(self.now_ns.saturating_sub(intended_ns));
        } else {
            self.agenda.give_back();
        }
    }

    /// Takes a connection out of the counts of its state.
    pub(super) fn leave(&mut self, slot: Slot) {
        match std::mem::replace(&mut self.connections[slot as usize].state, State::Closed) {
            State::Closed => {}
            State::Connecting | State::Handshaking => self.connecting -= 1,
            State::Idle => {
                self.established -= 1;
                self.idle.remove(slot);
            }
            State::InFlight => {
                self.established -= 1;
                self.in_flight -= 1;
            }
        }
    }
}

/// How long a connection waits before it is opened again after so many failures.
fn backoff_ns(failures: u32) -> u64 {
    MIN_BACKOFF_NS.saturating_mul(1 << failures.min(16)).min(MAX_BACKOFF_NS)
}
