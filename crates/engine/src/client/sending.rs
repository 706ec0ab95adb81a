//! Which connection sends which request, and when.

use super::Client;
use super::asked::Upload;
use super::connection::{Connection, State};
use crate::io::{MessageId, Next, Slot};
use crate::recorder::LATE_NS;
use crate::schedule::Schedule;

impl<S: Schedule> Client<S> {
    /// When [`Client::send_due`] has something to send next, CLOCK_MONOTONIC; `u64::MAX` while no connection is free.
    #[inline]
    pub fn next_send_ns(&self) -> u64 {
        match self.idle.first() {
            Some(_) => self.agenda.next_ns().saturating_add(self.offset_ns),
            None => u64::MAX,
        }
    }

    /// The connection for the next request of an open loop, if one is due and a connection is free.
    #[inline]
    pub fn send_due(&mut self) -> Option<Slot> {
        let slot = self.idle.first()?;
        let intended_ns = self.agenda.take(self.now_ns)?;
        let free_since_ns = self.connections[slot as usize].since_ns;
        let is_late = self.now_ns - intended_ns.max(free_since_ns).min(self.now_ns) > LATE_NS;
        self.idle.remove(slot);
        self.begin(slot, intended_ns, is_late);
        Some(slot)
    }

    /// A connection is free: in the closed loop it takes the next request, in an open loop it waits to be given one.
    #[inline]
    pub(super) fn free(&mut self, slot: Slot) -> Next {
        if !self.is_open_loop
            && let Some(intended_ns) = self.agenda.take(self.now_ns)
        {
            self.begin(slot, intended_ns, false);
            return Next::Send;
        }
        let connection = &mut self.connections[slot as usize];
        connection.state = State::Idle;
        connection.since_ns = self.now_ns;
        self.idle.push(slot);
        Next::Nothing
    }

    /// A request is sent.
    #[inline]
    pub(super) fn begin(&mut self, slot: Slot, intended_ns: u64, is_late: bool) {
        self.recorder.sent(self.now_ns, self.now_ns.saturating_sub(intended_ns), is_late);
        self.in_flight += 1;
        let number = self.requests.at(self.count);
        self.count += 1;
        let request = &self.lane_requests[usize::from(number)];
        let connection = &mut self.connections[slot as usize];
        connection.requests_left -= 1;
        let messages = if connection.requests_left == 0 { request.last } else { request.kept };
        connection.request = number;
        connection.message = messages.first;
        connection.upload = Upload::of(messages);
        connection.response.begin(request.to_head);
        connection.state = State::InFlight;
        connection.since_ns = self.now_ns;
        connection.intended_ns = intended_ns;
    }

    /// The body is what is sent next.
    pub(super) fn send_body(&mut self, slot: usize, body: MessageId) {
        let connection = &mut self.connections[slot];
        connection.message = body;
        connection.upload = Upload::of_body(&self.requests.messages[body as usize]);
    }

    /// The next connection that sends its body though the server has not asked for it.
    pub fn to_continue(&mut self) -> Option<Slot> {
        self.to_continue.pop()
    }

    /// Whether the connection has sent nothing yet.
    pub(super) fn is_unused(&self, slot: Slot) -> bool {
        self.connections[slot as usize].requests_left == self.requests.requests_per_connection.unwrap_or(u32::MAX)
    }

    /// Whether the request in flight is the first of its connection, and nothing of its answer has come.
    pub(super) fn is_unproven(&self, slot: Slot) -> bool {
        let Connection { requests_left, response, .. } = &self.connections[slot as usize];
        let most = self.requests.requests_per_connection.unwrap_or(u32::MAX);
        *requests_left == most - 1 && response.is_at_start()
    }
}
