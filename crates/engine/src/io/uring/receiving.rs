//! Receiving: armed once for many answers, or piece by piece, or without keeping the bytes.

use super::super::{Address, Handler, Io, IoFailure, Next, Slot};
use super::buffers::GROUP;
use super::tag::{Operation, tag};
use super::{Connection, Uring};
use io_uring::types::Fixed;
use io_uring::{cqueue, opcode, squeue};
use std::io;

/// IORING_RECVSEND_POLL_FIRST: no answer comes before the request, so a first attempt to receive would be in vain.
const POLL_FIRST: u16 = 1;
/// The most that is skipped at once.
const MAX_SKIPPED_BYTES: u64 = 1 << 30;

impl Uring {
    /// Whether the kernel can receive without keeping the bytes: only on TCP.
    fn can_skip(&self) -> bool {
        matches!(self.settings.address, Address::Tcp(_))
    }

    fn receive_entry(&self, slot: Slot) -> squeue::Entry {
        let Connection { generation, receives_once, .. } = self.connections[slot as usize];
        let tag = tag(Operation::Receive, generation, slot);
        if receives_once {
            return opcode::Recv::new(Fixed(slot), std::ptr::null_mut(), 0)
                .ioprio(POLL_FIRST)
                .buf_group(GROUP)
                .build()
                .flags(squeue::Flags::BUFFER_SELECT)
                .user_data(tag);
        }
        let mut entry = opcode::RecvMulti::new(Fixed(slot), GROUP).build().user_data(tag);
        // The crate has no setter for the flag on this operation.
        // SAFETY: an entry is a `struct io_uring_sqe` alone (repr(C)); its 16 bits at byte 2 are
        // `ioprio`, which carries these flags, and every value is valid there.
        unsafe { *(&raw mut entry).cast::<u16>().add(1) |= POLL_FIRST };
        entry
    }

    pub(super) fn arm_receive(&mut self, slot: Slot) -> io::Result<()> {
        let entry = self.receive_entry(slot);
        self.connections[slot as usize].is_busy = true;
        self.push(&entry)
    }

    /// Receives the next bytes without copying them anywhere. Only while receiving is not armed.
    pub(super) fn skip(&mut self, slot: Slot, bytes: u64) -> io::Result<()> {
        let connection = &mut self.connections[slot as usize];
        connection.is_busy = true;
        let tag = tag(Operation::Skip, connection.generation, slot);
        // Without MSG_WAITALL: the kernel (6.18) would compute the rest from a count that skipping does not move.
        let entry = opcode::Recv::new(Fixed(slot), std::ptr::null_mut(), bytes.min(MAX_SKIPPED_BYTES) as u32)
            .flags(libc::MSG_TRUNC)
            .build();
        self.push(&entry.user_data(tag))
    }

    /// Ends the receiving that is armed, so that the next bytes can be skipped.
    pub(super) fn receive_once(&mut self, slot: Slot) -> io::Result<()> {
        let connection = &mut self.connections[slot as usize];
        connection.receives_once = true;
        let receive = tag(Operation::Receive, connection.generation, slot);
        let entry = opcode::AsyncCancel::new(receive).build().flags(squeue::Flags::SKIP_SUCCESS);
        self.push(&entry.user_data(tag(Operation::Other, 0, slot)))
    }

    /// Arms receiving again, or skipping, after it has ended.
    pub(super) fn go_on_receiving(&mut self, slot: Slot, next: Next) -> io::Result<()> {
        match next {
            Next::Close => Ok(()),
            Next::Skip(bytes) if self.can_skip() => self.skip(slot, bytes),
            Next::Skip(_) | Next::Nothing | Next::Send => self.arm_receive(slot),
        }
    }

    #[inline]
    pub(super) fn on_receive<H: Handler>(
        &mut self,
        entry: &cqueue::Entry,
        generation: u16,
        slot: Slot,
        handler: &mut H,
    ) -> io::Result<()> {
        let buffer = cqueue::buffer_select(entry.flags());
        let connection = &mut self.connections[slot as usize];
        let current = connection.generation == generation;
        let goes_on = cqueue::more(entry.flags());
        let mut next = Next::Nothing;
        if current {
            connection.is_busy = goes_on;
            let received = entry.result();
            next = match (usize::try_from(received), buffer) {
                (Ok(0), _) => handler.ended(slot),
                (Ok(length), Some(buffer)) if connection.queued_in == self.batch_number && !connection.sends_rest() => {
                    handler.premature(slot, self.buffers.filled(buffer, length))
                }
                (Ok(length), Some(buffer)) => handler.received(slot, self.buffers.filled(buffer, length)),
                // All buffers were taken; they are back when receiving is armed again. Or receiving was cancelled.
                (Err(_), _) if matches!(-received, libc::ENOBUFS | libc::ECANCELED) => Next::Nothing,
                _ => handler.failed(slot, IoFailure::Read),
            };
        }
        if let Some(buffer) = buffer {
            self.buffers.give_back(buffer);
        }
        if current && !goes_on {
            self.go_on_receiving(slot, next)?;
        } else if matches!(next, Next::Skip(_)) && self.can_skip() && !self.connections[slot as usize].receives_once {
            self.receive_once(slot)?;
        }
        self.apply(slot, next, handler);
        Ok(())
    }
}
