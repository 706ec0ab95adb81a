//! Queueing operations and handing them to the kernel.

use super::super::Slot;
use super::Uring;
use super::tag::{Operation, tag};
use io_uring::types::{TimeoutFlags, Timespec};
use io_uring::{opcode, squeue};
use std::io;

impl Uring {
    /// Queues an operation, making room by submitting if need be.
    #[inline]
    pub(super) fn push(&mut self, entry: &squeue::Entry) -> io::Result<()> {
        self.push_all(std::slice::from_ref(entry))
    }

    /// Queues operations that follow each other. A submission between linked ones would part them, and make the kernel
    /// leave the first to another thread.
    #[inline]
    pub(super) fn push_all(&mut self, entries: &[squeue::Entry]) -> io::Result<()> {
        // SAFETY: entries point to messages, outboxes, the timer and the address. `self` owns all of them in boxes of
        // their own, so they do not move; it keeps an outbox until its operation has completed, and drops the ring
        // before all of them.
        while !unsafe { self.ring.push(entries) } {
            self.submit()?;
        }
        Ok(())
    }

    #[inline]
    pub(super) fn push_for(&mut self, slot: Slot, entry: &squeue::Entry) -> io::Result<()> {
        self.push(entry)?;
        self.connections[slot as usize].queued_in = self.batch_number;
        Ok(())
    }

    /// Submits what is queued. Completions that come afterwards belong to the next batch: they may be answers to it.
    pub(super) fn submit(&mut self) -> io::Result<()> {
        self.batch_number += 1;
        self.closes = false;
        self.ring.submit()
    }

    /// Sets the timer in the ring, unless it goes off earlier anyway. A timer costs once per slice or tick; a time
    /// limit for each wait would cost every time.
    pub(super) fn set_timer(&mut self, until_ns: u64) -> io::Result<()> {
        if self.timer_at_ns <= until_ns {
            return Ok(());
        }
        if self.timer_at_ns != u64::MAX {
            let old = tag(Operation::Timer, self.timer_generation, 0);
            let remove = opcode::TimeoutRemove::new(old).build().flags(squeue::Flags::SKIP_SUCCESS);
            self.push(&remove.user_data(tag(Operation::Timer, self.timer_generation.wrapping_sub(1), 0)))?;
            // The old time may still be waiting to be read by the kernel.
            self.submit()?;
        }
        self.timer_generation = self.timer_generation.wrapping_add(1);
        self.timer_at_ns = until_ns;
        // The remainder is below 1e9.
        *self.timer = Timespec::new().sec(until_ns / 1_000_000_000).nsec((until_ns % 1_000_000_000) as u32);
        let entry = opcode::Timeout::new(&raw const *self.timer).flags(TimeoutFlags::ABS).build();
        self.push(&entry.user_data(tag(Operation::Timer, self.timer_generation, 0)))
    }
}
