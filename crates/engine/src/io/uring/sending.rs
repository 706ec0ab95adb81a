//! Sending: at once and unreported where a message is short, piece by piece where it is long.

use super::super::{Handler, Io, IoFailure, IoSettings, Next, Outgoing, REPORTED_BYTES, Slot};
use super::Uring;
use super::long::Long;
use super::tag::{Operation, tag};
use io_uring::types::Fixed;
use io_uring::{cqueue, opcode, squeue};
use std::io;

/// A request up to this length goes out as one segment, at once, whatever Nagle's algorithm thinks; and there is always
/// room for it in a new socket.
const ONE_SEGMENT_BYTES: usize = 1200;

impl Uring {
    /// Whether whatever is sent is so short. Handshakes of TLS are of several parts.
    pub(super) fn messages_are_short(settings: &IoSettings) -> bool {
        settings.tls.is_none() && settings.messages.iter().all(|message| message.len() <= ONE_SEGMENT_BYTES)
    }

    /// Begins to send.
    #[inline]
    pub(super) fn send(&mut self, slot: Slot, outgoing: Outgoing) -> io::Result<()> {
        let connection = &mut self.connections[slot as usize];
        let generation = connection.generation;
        match (outgoing, &mut connection.long) {
            (Outgoing::Bytes(bytes), Some(long)) => long.add(bytes),
            // The server answers what it has not read: two messages must not get mixed up.
            (Outgoing::Message(_), Some(_)) => Err(io::ErrorKind::ResourceBusy.into()),
            (Outgoing::Bytes(bytes), long) => {
                *long = Some(Box::new(Long::bytes(bytes)));
                self.go_on_sending(slot)
            }
            (Outgoing::Message(id), long) => {
                let message = &self.settings.messages[id as usize];
                if message.len() > REPORTED_BYTES {
                    *long = Some(Box::new(Long::message(id)));
                    return self.go_on_sending(slot);
                }
                // MSG_WAITALL has the kernel go on until all is sent. The length is below REPORTED_BYTES.
                let entry = opcode::Send::new(Fixed(slot), message.as_ptr(), message.len() as u32)
                    .flags(libc::MSG_NOSIGNAL | libc::MSG_WAITALL)
                    .build()
                    .flags(squeue::Flags::SKIP_SUCCESS)
                    .user_data(tag(Operation::Send, generation, slot));
                self.push_for(slot, &entry)
            }
        }
    }

    /// Sends what is left of a long send.
    #[cold]
    pub(super) fn go_on_sending(&mut self, slot: Slot) -> io::Result<()> {
        let connection = &self.connections[slot as usize];
        let Some(long) = &connection.long else { return Ok(()) };
        let rest = long.rest(&self.settings.messages);
        // Messages are below 4 GiB (plans are checked), and so is what TLS gives at once.
        let entry = opcode::Send::new(Fixed(slot), rest.as_ptr(), rest.len() as u32)
            .flags(libc::MSG_NOSIGNAL | libc::MSG_WAITALL)
            .build()
            .user_data(tag(Operation::LongSend, connection.generation, slot));
        self.push_for(slot, &entry)
    }

    #[cold]
    pub(super) fn on_long_send<H: Handler>(&mut self, entry: &cqueue::Entry, slot: Slot, handler: &mut H) {
        let Some(long) = &mut self.connections[slot as usize].long else { return };
        let next = match usize::try_from(entry.result()) {
            Ok(sent) if long.sent(sent, &self.settings.messages) => {
                self.connections[slot as usize].long = None;
                handler.sent(slot)
            }
            Ok(1..) if self.go_on_sending(slot).is_ok() => Next::Nothing,
            _ => handler.failed(slot, IoFailure::Write),
        };
        self.apply(slot, next, handler);
    }
}
