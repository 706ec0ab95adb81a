//! What has waited too long.

use super::Client;
use super::asked::Upload;
use super::connection::{Connection, State};
use crate::io::Slot;
use crate::recorder::ErrorKind;
use crate::schedule::Schedule;

/// Time-outs are looked for this often, or less often where they are long.
const MIN_TICK_NS: u64 = 1_000_000;
const MAX_TICK_NS: u64 = 100_000_000;
/// Servers that know nothing of `Expect: 100-continue` say nothing: then the body is sent all the same.
pub(super) const CONTINUE_NS: u64 = 1_000_000_000;

impl<S: Schedule> Client<S> {
    /// Calls `close` with every connection that has waited too long.
    pub fn tick(&mut self, mut close: impl FnMut(Slot)) {
        if self.now_ns < self.next_tick_ns {
            return;
        }
        self.next_tick_ns = self.now_ns + (self.timeout_ns / 16).clamp(MIN_TICK_NS, MAX_TICK_NS);
        for slot in 0..self.connections.len() {
            let Connection { state, since_ns, upload, .. } = self.connections[slot];
            let kind = match state {
                State::InFlight => ErrorKind::Timeout,
                State::Connecting => ErrorKind::Connect,
                State::Handshaking => ErrorKind::Tls,
                State::Idle | State::Closed => continue,
            };
            if self.now_ns.saturating_sub(since_ns) >= self.timeout_ns {
                // Slots are numbered in 32 bits.
                let slot = slot as Slot;
                // A failure always closes the connection.
                let _ = self.fail(slot, kind);
                close(slot);
            } else if let Upload::Waits(body) = upload
                && state == State::InFlight
                && self.now_ns.saturating_sub(since_ns) >= CONTINUE_NS
            {
                self.send_body(slot, body);
                self.to_continue.push(slot as Slot);
            }
        }
    }

    /// Enters the ages of the requests in flight.
    pub fn record_ages(&mut self) {
        self.recorder.measure_what_is_left();
        for connection in self.connections.iter().filter(|connection| connection.state == State::InFlight) {
            let age_ns = |since_ns: u64| self.now_ns.saturating_sub(since_ns);
            self.recorder.unanswered(age_ns(connection.since_ns), age_ns(connection.intended_ns));
        }
    }
}
