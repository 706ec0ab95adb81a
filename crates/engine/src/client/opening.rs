//! Opening connections.

use super::Client;
use super::connection::State;
use crate::io::Slot;
use crate::schedule::Schedule;
use std::cmp::Reverse;

/// So many connections are being opened at once at most: listen queues are as short as 128 places.
pub(super) const CONNECTING_MOST: u32 = 64;
/// Where a listen queue is full (Unix sockets say so), the connection is tried again after this.
pub(super) const QUEUE_FULL_NS: u64 = 1_000_000;

impl<S: Schedule> Client<S> {
    /// The next connection that is due to be opened.
    pub fn to_open(&mut self) -> Option<Slot> {
        let &Reverse((due, slot)) = self.closed.peek()?;
        if due > self.now_ns || self.connecting >= CONNECTING_MOST || self.has_ended() {
            return None;
        }
        self.closed.pop();
        let connection = &mut self.connections[slot as usize];
        connection.state = State::Connecting;
        connection.since_ns = self.now_ns;
        self.connecting += 1;
        Some(slot)
    }

    /// The server's queue of new connections is full: not an error, it is tried again a little later.
    pub fn queue_full(&mut self, slot: Slot) {
        self.leave(slot);
        self.closed.push(Reverse((self.now_ns + QUEUE_FULL_NS, slot)));
    }
}
