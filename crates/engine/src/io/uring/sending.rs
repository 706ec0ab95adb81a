//! Sending: short messages at once and unreported, long ones piece by piece.

use super::super::outbox::Outbox;
use super::super::{Handler, Io, IoFailure, IoSettings, Next, Outgoing, REPORTED_BYTES, Slot};
use super::Uring;
use super::tag::{Operation, tag};
use io_uring::types::Fixed;
use io_uring::{cqueue, opcode, squeue};
use std::io;

/// A request up to this length goes out as one segment, at once, in spite of Nagle's algorithm. A new socket always has
/// room for it.
const ONE_SEGMENT_BYTES: usize = 1200;

impl Uring {
    /// Whether everything that is sent is that short. TLS handshakes have several parts.
    pub(super) fn messages_are_short(settings: &IoSettings) -> bool {
        // Without messages, the handler says each time what is sent.
        let has_messages = !settings.messages.is_empty();
        settings.tls.is_none()
            && has_messages
            && settings.messages.iter().all(|message| message.len() <= ONE_SEGMENT_BYTES)
    }

    #[inline]
    pub(super) fn send(&mut self, slot: Slot, outgoing: Outgoing) -> io::Result<()> {
        let connection = &mut self.connections[slot as usize];
        let generation = connection.generation;
        if let Some(outbox) = &mut connection.outbox {
            return Ok(outbox.add(outgoing)?);
        }
        if let Outgoing::Message(id) = outgoing
            && let message = &self.settings.messages[id as usize]
            && message.len() <= REPORTED_BYTES
        {
            // MSG_WAITALL makes the kernel go on until all is sent. The length is at most REPORTED_BYTES.
            let entry = opcode::Send::new(Fixed(slot), message.as_ptr(), message.len() as u32)
                .flags(libc::MSG_NOSIGNAL | libc::MSG_WAITALL)
                .build()
                .flags(squeue::Flags::SKIP_SUCCESS)
                .user_data(tag(Operation::Send, generation, slot));
            return self.push_for(slot, &entry);
        }
        connection.outbox = Some(Box::new(Outbox::new(outgoing)));
        self.go_on_sending(slot)
    }

    /// Sends what is left of a long send.
    #[cold]
    pub(super) fn go_on_sending(&mut self, slot: Slot) -> io::Result<()> {
        let connection = &self.connections[slot as usize];
        let Some(outbox) = &connection.outbox else { return Ok(()) };
        let rest = outbox.rest(&self.settings.messages);
        // Messages are below 4 GiB (plans are checked), and so is the ciphertext that TLS gives at once.
        let entry = opcode::Send::new(Fixed(slot), rest.as_ptr(), rest.len() as u32)
            .flags(libc::MSG_NOSIGNAL | libc::MSG_WAITALL)
            .build()
            .user_data(tag(Operation::LongSend, connection.generation, slot));
        self.push_for(slot, &entry)
    }

    #[cold]
    pub(super) fn on_long_send<H: Handler>(&mut self, entry: &cqueue::Entry, slot: Slot, handler: &mut H) {
        let Some(outbox) = &mut self.connections[slot as usize].outbox else { return };
        let next = match usize::try_from(entry.result()) {
            Ok(sent) if outbox.advance(sent, &self.settings.messages) => {
                self.connections[slot as usize].outbox = None;
                handler.sent(slot)
            }
            Ok(1..) if self.go_on_sending(slot).is_ok() => Next::Nothing,
            _ => handler.failed(slot, IoFailure::Write),
        };
        self.apply(slot, next, handler);
    }
}
