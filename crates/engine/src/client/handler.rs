//! What the backend tells, and what it is to do then.

use super::Client;
use super::asked::Upload;
use super::connection::State;
use crate::check::Correct;
use crate::io::{Handler, IoFailure, Next, Outgoing, Slot};
use crate::recorder::ErrorKind;
use crate::schedule::Schedule;

impl<S: Schedule> Handler for Client<S> {
    #[inline]
    fn batch(&mut self, monotonic_ns: u64) {
        let now_ns = monotonic_ns.saturating_sub(self.offset_ns);
        // A thread that left the last slice late has read a clock that the arm's has yet to reach.
        let elapsed_ns = now_ns.saturating_sub(self.now_ns);
        self.recorder.counts.in_flight_ns += u64::from(self.in_flight) * elapsed_ns;
        self.monotonic_ns = monotonic_ns;
        self.now_ns = now_ns;
    }

    fn connected(&mut self, slot: Slot) -> Next {
        self.connecting -= 1;
        self.established += 1;
        self.recorder.counts.opened += 1;
        if !std::mem::replace(&mut self.connections[slot as usize].was_open, true) {
            self.were_open += 1;
        }
        self.connections[slot as usize].requests_left = self.requests.requests_per_connection.unwrap_or(u32::MAX);
        self.free(slot)
    }

    #[inline]
    fn outgoing(&mut self, slot: Slot) -> Outgoing {
        Outgoing::Message(self.connections[slot as usize].message)
    }

    fn sent(&mut self, slot: Slot) -> Next {
        let upload = &mut self.connections[slot as usize].upload;
        if *upload == Upload::UnderWay {
            *upload = Upload::Done;
        }
        Next::Nothing
    }

    #[inline]
    fn received(&mut self, slot: Slot, bytes: &[u8]) -> Next {
        self.recorder.counts.received_bytes += bytes.len() as u64;
        let connection = &self.connections[slot as usize];
        if connection.state != State::InFlight {
            self.unasked_bytes += bytes.len() as u64;
            return self.reconnect(slot);
        }
        if bytes == self.lane_requests[usize::from(connection.request)].last_correct
            && connection.response.is_at_start()
        {
            self.correct(slot, Correct::Compared);
            return self.free_or_reconnect(slot);
        }
        self.read(slot, bytes)
    }

    fn skipped(&mut self, slot: Slot, bytes: u64) -> Next {
        self.recorder.counts.received_bytes += bytes;
        let connection = &mut self.connections[slot as usize];
        connection.progress.skipped(bytes);
        if !connection.response.skipped(bytes) {
            return connection.skippable();
        }
        self.complete(slot);
        if self.connections[slot as usize].closes { self.reconnect(slot) } else { self.free_or_reconnect(slot) }
    }

    fn premature(&mut self, slot: Slot, bytes: &[u8]) -> Next {
        self.recorder.counts.received_bytes += bytes.len() as u64;
        self.fail(slot, ErrorKind::Protocol)
    }

    fn handshaking(&mut self, slot: Slot) {
        let connection = &mut self.connections[slot as usize];
        connection.state = State::Handshaking;
        connection.since_ns = self.now_ns;
    }

    fn secured(&mut self, slot: Slot, resumed: bool) {
        let since_ns = self.connections[slot as usize].since_ns;
        self.recorder.handshakes.add(self.now_ns.saturating_sub(since_ns), resumed);
    }

    fn ended(&mut self, slot: Slot) -> Next {
        let connection = &mut self.connections[slot as usize];
        match connection.state {
            State::InFlight if connection.response.end_of_stream().is_ok() => {
                self.complete(slot);
                self.reconnect(slot)
            }
            State::InFlight => self.fail(slot, ErrorKind::Read),
            State::Connecting => self.fail(slot, ErrorKind::Connect),
            State::Handshaking => self.fail(slot, ErrorKind::Tls),
            State::Idle | State::Closed => self.reconnect(slot),
        }
    }

    fn failed(&mut self, slot: Slot, failure: IoFailure) -> Next {
        self.recorder.counts.ports_exhausted += u64::from(failure == IoFailure::NoLocalPort);
        let kind = match (self.connections[slot as usize].state, failure) {
            (State::Handshaking, _) => ErrorKind::Tls,
            (State::InFlight, IoFailure::Tls) if self.is_unproven(slot) => {
                self.take_back(slot);
                ErrorKind::Tls
            }
            (State::InFlight, IoFailure::Write) => ErrorKind::Write,
            (State::InFlight, _) => ErrorKind::Read,
            // A connection may be refused before its first request is due.
            (State::Idle, IoFailure::Tls) if self.is_unused(slot) => ErrorKind::Tls,
            (State::Idle | State::Closed, _) => return self.reconnect(slot),
            (State::Connecting, _) => ErrorKind::Connect,
        };
        self.fail(slot, kind)
    }
}
