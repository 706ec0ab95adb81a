//! What the kernel has done, told to the handler.

use super::super::{Handler, Io, IoFailure};
use super::Uring;
use super::tag::{Operation, untag};
use io_uring::cqueue;
use std::io;

impl Uring {
    /// Handles what has completed. Returns whether there was anything.
    #[inline]
    pub(super) fn take_completions<H: Handler>(&mut self, now_ns: u64, handler: &mut H) -> io::Result<bool> {
        handler.batch(now_ns);
        self.batch_number += 1;
        let mut any = false;
        while let Some(entry) = self.ring.completion() {
            any = true;
            self.on_completion(&entry, handler)?;
        }
        self.buffers.publish();
        Ok(any)
    }

    #[inline]
    fn on_completion<H: Handler>(&mut self, entry: &cqueue::Entry, handler: &mut H) -> io::Result<()> {
        let (operation, generation, slot) = untag(entry.user_data());
        match operation {
            Operation::Receive => self.on_receive(entry, generation, slot, handler),
            Operation::Other => Ok(()),
            Operation::Timer => {
                if generation == self.timer_generation {
                    self.timer_at_ns = u64::MAX;
                }
                Ok(())
            }
            Operation::LongSend if self.connections[slot as usize].generation == generation => {
                self.on_long_send(entry, slot, handler);
                Ok(())
            }
            Operation::LongSend => {
                self.orphans.retain(|(tag, _)| *tag != entry.user_data());
                Ok(())
            }
            // The connection has been closed meanwhile.
            _ if self.connections[slot as usize].generation != generation => Ok(()),
            Operation::Send => {
                let next = handler.failed(slot, IoFailure::Write);
                self.apply(slot, next, handler);
                Ok(())
            }
            Operation::Connect => {
                self.connections[slot as usize].is_busy = false;
                let next = if entry.result() < 0 {
                    let no_port = entry.result() == -libc::EADDRNOTAVAIL;
                    handler.failed(slot, if no_port { IoFailure::NoLocalPort } else { IoFailure::Connect })
                } else {
                    self.arm_receive(slot)?;
                    handler.connected(slot)
                };
                self.apply(slot, next, handler);
                Ok(())
            }
            Operation::Skip => {
                self.connections[slot as usize].is_busy = false;
                let next = match u64::try_from(entry.result()) {
                    Ok(0) => handler.ended(slot),
                    Ok(skipped) => handler.skipped(slot, skipped),
                    Err(_) => handler.failed(slot, IoFailure::Read),
                };
                self.go_on_receiving(slot, next)?;
                self.apply(slot, next, handler);
                Ok(())
            }
        }
    }
}
