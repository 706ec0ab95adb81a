//! The cheap backend: io_uring, one instance per lane, so that a frozen arm's sockets are left alone.
//!
//! Receiving is armed once per connection and goes on by itself (multishot), into buffers that all connections share.
//! Sending is queued and submitted by the same call that waits, and reports only failures. What the kernel has to do
//! for a completion happens inside that call too (DEFER_TASKRUN), so nothing interrupts the loop.

mod buffers;
mod long;
mod ring;

use self::buffers::{Buffers, GROUP};
use self::long::Long;
use self::ring::Ring;
use super::{
    Handler, Io, IoFailure, IoSettings, Messages, Next, Opened, Outgoing, REPORTED_BYTES, Slot, clock, socket,
};
use io_uring::types::{Fixed, TimeoutFlags, Timespec};
use io_uring::{IoUring, cqueue, opcode, squeue};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// How long a batch may take to fill up. Longer only delays answers that have come; at this many microseconds a
/// saturated server on loopback fills a batch of eight.
const BATCH_WAIT_US: u32 = 100;
/// Buffers together hold this much at most.
const BUFFERS_BYTES_MOST: usize = 8 << 20;
const SUBMISSIONS_MOST: u32 = 1024;
const COMPLETIONS_MOST: u32 = 32_768;

/// What a completion belongs to: its operation, slot, and which of the connections that the slot has had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Receive,
    Send,
    Connect,
    Timer,
    /// A send that reports also its success.
    LongSend,
}

const fn tag(operation: Operation, generation: u16, slot: Slot) -> u64 {
    (operation as u64) << 48 | (generation as u64) << 32 | slot as u64
}

fn untag(tag: u64) -> (Operation, u16, Slot) {
    let operation = match tag >> 48 {
        0 => Operation::Receive,
        1 => Operation::Send,
        2 => Operation::Connect,
        4 => Operation::LongSend,
        _ => Operation::Timer,
    };
    // Truncation takes the tag apart as `tag` put it together.
    (operation, (tag >> 32) as u16, tag as Slot)
}

#[derive(Debug, Default)]
struct Connection {
    socket: Option<OwnedFd>,
    generation: u16,
    /// The batch in which something was queued last; if that is the current one, it is not submitted yet.
    queued_in: u64,
    /// A send that is under way, where somebody wants to know when it is through.
    long: Option<Box<Long>>,
}

/// The sockets of one lane, driven by one io_uring instance.
pub struct Uring {
    // Declared, and so dropped, before the memory that the kernel uses: buffers, what is sent, timer.
    ring: Ring,
    buffers: Buffers,
    connections: Vec<Connection>,
    /// What closed connections were still sending, until the kernel lets go of it, by the send's tag.
    orphans: Vec<(u64, Box<Long>)>,
    settings: IoSettings,
    /// The time at which the timer in the ring goes off; boxed because the kernel reads it at submission.
    timer: Box<Timespec>,
    timer_at_ns: u64,
    timer_generation: u16,
    batch: u32,
    /// The number of the batch being worked on; at least 1.
    batch_number: u64,
}

impl std::fmt::Debug for Uring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Uring").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// What this kernel can do with io_uring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// Waiting for several completions with a limit in time (Linux 6.12). Without it there is no batching.
    pub batching: bool,
}

/// Whether io_uring can be used here, found out by using everything that is needed.
pub fn probe() -> io::Result<Abilities> {
    let address = super::Address::Unix("/".into());
    let settings =
        IoSettings { address, messages: Messages::default(), tls: None, connections: 1, batch: 1, answer_bytes: None };
    let uring = Uring::new(&settings)?;
    Ok(Abilities { batching: uring.ring.can_batch() })
}

impl Uring {
    /// Queues an operation, making room by submitting if need be.
    fn push(&mut self, entry: &squeue::Entry) -> io::Result<()> {
        // SAFETY: what entries point to (the request, the timer, buffers) is owned by self, does not move, and is
        // dropped after the ring.
        while !unsafe { self.ring.push(entry) } {
            self.submit()?;
        }
        Ok(())
    }

    /// Queues an operation on a connection.
    #[inline]
    fn push_for(&mut self, slot: Slot, entry: &squeue::Entry) -> io::Result<()> {
        self.push(entry)?;
        self.connections[slot as usize].queued_in = self.batch_number;
        Ok(())
    }

    /// Submits what is queued. What comes afterwards is no longer the same batch: it may be an answer to it.
    fn submit(&mut self) -> io::Result<()> {
        self.batch_number += 1;
        self.ring.submit()
    }

    fn receive_entry(&self, slot: Slot) -> squeue::Entry {
        let generation = self.connections[slot as usize].generation;
        let mut entry =
            opcode::RecvMulti::new(Fixed(slot), GROUP).build().user_data(tag(Operation::Receive, generation, slot));
        // IORING_RECVSEND_POLL_FIRST: there is never an answer before the request, so the first attempt would be in
        // vain. The crate has no setter for it on this operation.
        // SAFETY: an entry is a `struct io_uring_sqe` (repr(C), inside a repr(transparent)); its 16 bits at byte 2 are
        // `ioprio`, which carries these flags, and every value is valid there.
        unsafe { *(&raw mut entry).cast::<u16>().add(1) |= 1 };
        entry
    }

    /// Receives from now on.
    fn arm_receive(&mut self, slot: Slot) -> io::Result<()> {
        let entry = self.receive_entry(slot);
        self.push_for(slot, &entry)
    }

    /// Begins to send.
    #[inline]
    fn send(&mut self, slot: Slot, outgoing: Outgoing) -> io::Result<()> {
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
    fn go_on_sending(&mut self, slot: Slot) -> io::Result<()> {
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
    fn on_long_send<H: Handler>(&mut self, entry: &cqueue::Entry, slot: Slot, handler: &mut H) {
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

    /// Sets the timer in the ring, unless it goes off earlier anyway. A timer costs once per slice or tick; a time-out
    /// given to each wait would cost every time.
    fn set_timer(&mut self, until_ns: u64) -> io::Result<()> {
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

    #[inline]
    fn on_completion<H: Handler>(&mut self, entry: &cqueue::Entry, handler: &mut H) -> io::Result<()> {
        let (operation, generation, slot) = untag(entry.user_data());
        match operation {
            Operation::Receive => self.on_receive(entry, generation, slot, handler),
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
            // A connection that has been closed meanwhile.
            _ if self.connections[slot as usize].generation != generation => Ok(()),
            Operation::Send => {
                let next = handler.failed(slot, IoFailure::Write);
                self.apply(slot, next, handler);
                Ok(())
            }
            Operation::Connect => {
                let connected = match &self.connections[slot as usize].socket {
                    Some(socket) => socket::connect_result(socket.as_raw_fd()),
                    None => Ok(()),
                };
                let next = match connected {
                    Ok(()) => {
                        self.arm_receive(slot)?;
                        handler.connected(slot)
                    }
                    Err(_) => handler.failed(slot, IoFailure::Connect),
                };
                self.apply(slot, next, handler);
                Ok(())
            }
        }
    }

    #[inline]
    fn on_receive<H: Handler>(
        &mut self,
        entry: &cqueue::Entry,
        generation: u16,
        slot: Slot,
        handler: &mut H,
    ) -> io::Result<()> {
        let buffer = cqueue::buffer_select(entry.flags());
        let connection = &self.connections[slot as usize];
        let current = connection.generation == generation;
        let mut next = Next::Nothing;
        if current {
            let received = entry.result();
            next = match (usize::try_from(received), buffer) {
                (Ok(0), _) => handler.ended(slot),
                (Ok(length), Some(buffer)) if connection.queued_in == self.batch_number => {
                    handler.premature(slot, self.buffers.filled(buffer, length))
                }
                (Ok(length), Some(buffer)) => handler.received(slot, self.buffers.filled(buffer, length)),
                // All buffers were taken: they are back by the time that receiving is armed again.
                (Err(_), _) if received == -libc::ENOBUFS => Next::Nothing,
                _ => handler.failed(slot, IoFailure::Read),
            };
        }
        if let Some(buffer) = buffer {
            self.buffers.give_back(buffer);
        }
        if current && next != Next::Close && !cqueue::more(entry.flags()) {
            self.arm_receive(slot)?;
        }
        self.apply(slot, next, handler);
        Ok(())
    }
}

impl Io for Uring {
    fn new(settings: &IoSettings) -> io::Result<Self> {
        let submissions = settings.connections.next_power_of_two().clamp(64, SUBMISSIONS_MOST);
        let completions = settings.connections.next_power_of_two().saturating_mul(2).clamp(1024, COMPLETIONS_MOST);
        let ring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .setup_coop_taskrun()
            .setup_submit_all()
            .setup_cqsize(completions)
            .build(submissions)?;
        let ring = Ring::new(ring);
        ring.submitter().register_files_sparse(settings.connections)?;
        let (count, buffer_bytes) = buffers_for(settings);
        let buffers = Buffers::new(ring.submitter(), count, buffer_bytes)?;
        let batching = ring.can_batch();
        Ok(Self {
            ring,
            buffers,
            connections: (0..settings.connections).map(|_| Connection::default()).collect(),
            settings: settings.clone(),
            timer: Box::new(Timespec::new()),
            timer_at_ns: u64::MAX,
            timer_generation: 0,
            batch: if batching { settings.batch.clamp(1, settings.connections) } else { 1 },
            batch_number: 1,
            orphans: Vec::new(),
        })
    }

    fn open(&mut self, slot: Slot) -> io::Result<Opened> {
        let (socket, opened) = socket::connect(&self.settings.address)?;
        self.ring.submitter().register_files_update(slot, &[socket.as_raw_fd()])?;
        let connection = &mut self.connections[slot as usize];
        connection.socket = Some(socket);
        let generation = connection.generation;
        match opened {
            Opened::Connected => self.arm_receive(slot)?,
            Opened::InProgress => {
                let entry = opcode::PollAdd::new(Fixed(slot), libc::POLLOUT as u32).build();
                self.push_for(slot, &entry.user_data(tag(Operation::Connect, generation, slot)))?;
            }
        }
        Ok(opened)
    }

    #[inline]
    fn apply<H: Handler>(&mut self, slot: Slot, next: Next, handler: &mut H) {
        match next {
            Next::Nothing => {}
            Next::Send => {
                if self.send(slot, handler.outgoing(slot)).is_err() {
                    // A request in flight that fails always closes its connection.
                    let _ = handler.failed(slot, IoFailure::Write);
                    self.close(slot);
                }
            }
            Next::Close => self.close(slot),
        }
    }

    fn close(&mut self, slot: Slot) {
        if self.connections[slot as usize].queued_in == self.batch_number {
            // What is queued names only the slot; it must not go to the slot's next connection. If this fails, so will
            // the next wait.
            let _ = self.submit();
        }
        let connection = &mut self.connections[slot as usize];
        if let Some(long) = connection.long.take() {
            self.orphans.push((tag(Operation::LongSend, connection.generation, slot), long));
        }
        connection.generation = connection.generation.wrapping_add(1);
        if let Some(socket) = connection.socket.take() {
            // The receive that is armed holds the socket; this ends it.
            socket::shut_down(&socket);
            // Fails only for a slot that does not exist.
            let _ = self.ring.submitter().register_files_update(slot, &[-1]);
        }
    }

    fn wait<H: Handler>(&mut self, until_ns: u64, handler: &mut H) -> io::Result<()> {
        self.set_timer(until_ns)?;
        self.ring.submit_and_wait(self.batch, BATCH_WAIT_US)?;
        handler.batch(clock::monotonic_ns());
        self.batch_number += 1;
        while let Some(entry) = self.ring.completion() {
            self.on_completion(&entry, handler)?;
        }
        self.buffers.publish();
        Ok(())
    }
}

/// How many buffers of which size: one answer should fit into one, and a batch into all.
fn buffers_for(settings: &IoSettings) -> (u16, usize) {
    let buffer_bytes = match settings.answer_bytes {
        Some(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX).clamp(2048, 65_536).next_power_of_two(),
        None => 8192,
    };
    let count = (BUFFERS_BYTES_MOST / buffer_bytes).min(settings.connections.next_power_of_two() as usize * 2);
    // Between 16 and 4096, so it fits.
    (count.clamp(16, 4096) as u16, buffer_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_come_apart_as_they_were_put_together() {
        for operation in
            [Operation::Receive, Operation::Send, Operation::Connect, Operation::Timer, Operation::LongSend]
        {
            for (generation, slot) in [(0, 0), (u16::MAX, 3), (7, Slot::MAX)] {
                assert_eq!(untag(tag(operation, generation, slot)), (operation, generation, slot));
            }
        }
    }

    #[test]
    fn buffers_fit_answers_and_memory() {
        let settings = |connections, answer_bytes| IoSettings {
            address: super::super::Address::Unix("/".into()),
            messages: Messages::default(),
            tls: None,
            connections,
            batch: 1,
            answer_bytes,
        };
        assert_eq!(buffers_for(&settings(64, Some(200))), (128, 2048));
        assert_eq!(buffers_for(&settings(10_000, Some(200))), (4096, 2048));
        assert_eq!(buffers_for(&settings(1, Some(1 << 20))), (16, 65_536));
        assert_eq!(buffers_for(&settings(1000, Some(1 << 20))), (128, 65_536));
    }
}
