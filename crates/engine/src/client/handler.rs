//! What the backend reports, and what it has to do then.

use super::Client;
use super::connections::State;
use super::exchanges::Upload;
use crate::check::Correct;
use crate::io::{Handler, Handshake, IoFailure, Next, Outgoing, Slot};
use crate::recorder::{ErrorKind, TlsReceipt};
use crate::schedule::Schedule;

impl<S: Schedule> Handler for Client<S> {
    #[inline]
    fn batch(&mut self, monotonic_ns: u64) {
        // A thread that overran the last slice may hold a later time than the arm's clock. That time is counted.
        let now_ns = self.clock.arm_ns(monotonic_ns).max(self.now_ns);
        self.recorder.counts.in_flight_ns += u128::from(self.in_flight) * u128::from(now_ns - self.now_ns);
        self.monotonic_ns = monotonic_ns;
        self.now_ns = now_ns;
    }

    fn connected(&mut self, slot: Slot) -> Next {
        self.connecting -= 1;
        self.established += 1;
        self.recorder.counts.opened += 1;
        let requests_left = self.requests_per_connection();
        let connection = &mut self.connections[slot as usize];
        self.were_open += u32::from(!connection.was_open);
        connection.was_open = true;
        connection.socket_is_open();
        connection.state = State::Open;
        connection.requests_left = requests_left;
        if self.is_multiplexed {
            return self.begin_multiplexing(slot);
        }
        self.free(slot)
    }

    #[inline]
    fn outgoing(&mut self, slot: Slot) -> Outgoing {
        let connection = &mut self.connections[slot as usize];
        let (bytes, outgoing) = match &mut connection.multiplexing {
            None => {
                let message = connection.message;
                (self.requests.messages[message as usize].len(), Outgoing::Message(message))
            }
            Some(multiplexing) => {
                let output = multiplexing.take_output();
                (output.len(), Outgoing::Bytes(output))
            }
        };
        self.recorder.counts.sent_bytes += bytes as u64;
        outgoing
    }

    fn sent(&mut self, slot: Slot) -> Next {
        if self.is_multiplexed {
            return self.output_has_left(slot);
        }
        let upload = &mut self.exchanges[slot as usize].upload;
        if *upload == Upload::UnderWay {
            *upload = Upload::Done;
        }
        Next::Nothing
    }

    #[inline]
    fn received(&mut self, slot: Slot, bytes: &[u8]) -> Next {
        self.recorder.counts.received_bytes += bytes.len() as u64;
        if self.is_multiplexed {
            return self.read_frames(slot, bytes);
        }
        let exchange = &self.exchanges[slot as usize];
        if !exchange.is_in_flight {
            self.unasked_bytes += bytes.len() as u64;
            return self.closed_by_server(slot);
        }
        let request = &self.lane_requests[exchange.request as usize];
        if bytes == request.last_correct && self.connections[slot as usize].response.is_at_start() {
            self.correct(slot, slot, Correct::Compared);
            return self.go_on(slot);
        }
        self.read(slot, bytes)
    }

    fn skipped(&mut self, slot: Slot, bytes: u64) -> Next {
        self.recorder.counts.received_bytes += bytes;
        let connection = &mut self.connections[slot as usize];
        let exchange = &mut self.exchanges[slot as usize];
        exchange.progress.skipped(bytes);
        if !connection.response.skipped(bytes) {
            return connection.skippable(exchange);
        }
        self.judge(slot, slot);
        self.go_on(slot)
    }

    fn premature(&mut self, slot: Slot, bytes: &[u8]) -> Next {
        if self.is_multiplexed {
            // Either side speaks when it likes.
            return self.received(slot, bytes);
        }
        let connection = &mut self.connections[slot as usize];
        let exchange = &mut self.exchanges[slot as usize];
        if exchange.is_in_flight && self.lane_requests[exchange.request as usize].is_body(connection.message) {
            // The head left before, so this is an early answer. The body would be in the way of another request.
            exchange.upload = Upload::UnderWay;
            return self.received(slot, bytes);
        }
        self.recorder.counts.received_bytes += bytes.len() as u64;
        self.fail(slot, ErrorKind::Protocol)
    }

    fn handshaking(&mut self, slot: Slot) {
        let connection = &mut self.connections[slot as usize];
        connection.state = State::Handshaking;
        connection.socket_is_open();
        connection.since_ns = self.now_ns;
    }

    fn secured(&mut self, slot: Slot, handshake: Handshake) {
        let since_ns = self.connections[slot as usize].since_ns;
        let Handshake { is_resumed, version, cipher_suite, group } = handshake;
        let receipt = TlsReceipt { version, cipher_suite, group };
        self.recorder.handshakes.add(self.now_ns.saturating_sub(since_ns), is_resumed, receipt);
    }

    fn ended(&mut self, slot: Slot) -> Next {
        let is_in_use = self.is_in_use(slot);
        let connection = &mut self.connections[slot as usize];
        match connection.state {
            State::Open if !is_in_use => self.closed_by_server(slot),
            State::Open if connection.response.end_of_stream().is_ok() => {
                self.judge(slot, slot);
                self.replace(slot)
            }
            State::Open => self.fail(slot, ErrorKind::Read),
            State::Connecting => self.fail(slot, ErrorKind::Connect),
            State::Handshaking => self.fail(slot, ErrorKind::Tls),
            State::Closed => self.closed_by_server(slot),
        }
    }

    fn failed(&mut self, slot: Slot, failure: IoFailure) -> Next {
        self.recorder.counts.ports_exhausted += u64::from(failure == IoFailure::NoLocalPort);
        let connection = &self.connections[slot as usize];
        let kind = match (connection.state, failure) {
            (State::Connecting, _) => ErrorKind::Connect,
            (State::Handshaking, _) => ErrorKind::Tls,
            (State::Open, failure) if self.is_in_use(slot) => match failure {
                IoFailure::Tls if self.is_unproven(slot) => {
                    self.unsend(slot);
                    ErrorKind::Tls
                }
                IoFailure::Write => ErrorKind::Write,
                _ => ErrorKind::Read,
            },
            // A connection may be refused before its first request is due.
            (State::Open, IoFailure::Tls) if self.is_unused(slot) => ErrorKind::Tls,
            (State::Open | State::Closed, _) => return self.closed_by_server(slot),
        };
        self.fail(slot, kind)
    }
}
