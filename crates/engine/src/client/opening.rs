//! Opening connections.

use super::Client;
use super::agenda::Mode;
use super::connection::{Connection, State};
use super::pace::MAX_CONNECTING;
use crate::io::Slot;
use crate::schedule::Schedule;
use std::cmp::Reverse;

/// Where a listen queue is full (Unix sockets say so), the connection is tried again after this.
pub(super) const QUEUE_FULL_NS: u64 = 1_000_000;

impl<S: Schedule> Client<S> {
    /// The next connection that is due to be opened.
    pub fn to_open(&mut self) -> Option<Slot> {
        let &Reverse((due, slot)) = self.closed.peek()?;
        if due > self.now_ns || self.has_ended() || !self.may_open() {
            return None;
        }
        self.closed.pop();
        let connection = &mut self.connections[slot as usize];
        connection.state = State::Connecting;
        connection.since_ns = self.now_ns;
        self.connecting += 1;
        if self.agenda.mode() == Mode::Opening {
            self.pace.begin(self.now_ns, slot);
        }
        Some(slot)
    }

    /// Before load no more than a listen queue holds. Under load every connection opens again by itself, as that of a
    /// client would: with a limit, as many dropped handshakes hold up all others for a second or more.
    fn may_open(&self) -> bool {
        let is_paced = self.agenda.mode() == Mode::Opening;
        !is_paced || (self.connecting < MAX_CONNECTING && self.pace.permits(self.now_ns))
    }

    /// When [`Client::to_open`] or [`Client::give_up`] have something to do next, on the arm's clock.
    #[inline]
    pub(super) fn next_opening_ns(&self) -> u64 {
        let is_paced = self.agenda.mode() == Mode::Opening;
        let give_up_ns = if is_paced { self.pace.next_look_ns() } else { u64::MAX };
        match self.closed.peek() {
            Some(Reverse((due_ns, _))) if (!is_paced || self.connecting < MAX_CONNECTING) && !self.has_ended() => {
                let open_ns = if is_paced { self.pace.next_burst_ns().max(*due_ns) } else { *due_ns };
                give_up_ns.min(open_ns)
            }
            _ => give_up_ns,
        }
    }

    /// Calls `close` with every connection that is not waited for any longer; it is begun anew.
    pub fn give_up(&mut self, mut close: impl FnMut(Slot)) {
        if self.agenda.mode() != Mode::Opening {
            return;
        }
        let connections = &self.connections;
        self.pace.forget(|began_ns, slot| {
            let Connection { state, since_ns, .. } = connections[slot as usize];
            state == State::Connecting && since_ns == began_ns
        });
        let mut any = false;
        while let Some(slot) = self.pace.give_up(self.now_ns) {
            any = true;
            self.leave(slot);
            self.closed.push(Reverse((self.now_ns, slot)));
            close(slot);
        }
        if any {
            self.pace.be_patient();
        }
    }

    /// The server's queue of new connections is full: not an error, it is tried again a little later.
    pub fn queue_full(&mut self, slot: Slot) {
        self.leave(slot);
        self.closed.push(Reverse((self.now_ns + QUEUE_FULL_NS, slot)));
    }
}
