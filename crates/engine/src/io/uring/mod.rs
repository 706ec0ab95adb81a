//! The cheap backend: io_uring, one instance per lane, so that a frozen arm's sockets are left alone.
//!
//! Receiving is armed once per connection and goes on by itself (multishot), into buffers that all connections share.
//! Sending is queued and submitted by the same call that waits, and reports only failures. So are opening and closing:
//! sockets are direct descriptors, which only the ring knows. What the kernel has to do for a completion happens inside
//! that call too (DEFER_TASKRUN), so nothing interrupts the loop.

mod batching;
mod buffers;
mod long;
mod ring;

use self::batching::Batching;
use self::buffers::{Buffers, GROUP};
use self::long::Long;
use self::ring::Ring;
use super::{
    Address, Handler, Io, IoFailure, IoSettings, Messages, Next, Opened, Outgoing, REPORTED_BYTES, Slot, clock, socket,
};
use io_uring::types::{CancelBuilder, DestinationSlot, Fixed, TimeoutFlags, Timespec};
use io_uring::{IoUring, cqueue, opcode, squeue};
use std::io;
use std::os::fd::AsRawFd;

/// Buffers together hold this much at most. They are used in turn, so few of them stay in the core's cache.
const BUFFERS_BYTES_MOST: usize = 2 << 20;
const BUFFERS_MOST: usize = 512;
/// IORING_RECVSEND_POLL_FIRST: there is never an answer before the request, so a first attempt to receive would be in vain.
const POLL_FIRST: u16 = 1;
/// A request up to this length goes out as one segment, at once, whatever Nagle's algorithm thinks; and there is always
/// room for it in a new socket.
const ONE_SEGMENT_BYTES: usize = 1200;
/// Asked of the kernel at once at most.
const SKIPPED_BYTES_MOST: u64 = 1 << 30;
const SUBMISSIONS_MOST: u32 = 1024;
const COMPLETIONS_MOST: u32 = 32_768;

/// What a completion belongs to: its operation, slot, and which of the connections that the slot has had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Receive,
    Send,
    /// Making a socket, and connecting it: whichever fails first says so.
    Connect,
    /// Receiving without keeping the bytes.
    Skip,
    Timer,
    /// A send that reports also its success.
    LongSend,
    /// What matters only to the kernel: closing, cancelling.
    Other,
}

const fn tag(operation: Operation, generation: u16, slot: Slot) -> u64 {
    (operation as u64) << 48 | (generation as u64) << 32 | slot as u64
}

fn untag(tag: u64) -> (Operation, u16, Slot) {
    let operation = match tag >> 48 {
        0 => Operation::Receive,
        1 => Operation::Send,
        2 => Operation::Connect,
        3 => Operation::Skip,
        4 => Operation::Timer,
        5 => Operation::LongSend,
        _ => Operation::Other,
    };
    // Truncation takes the tag apart as `tag` put it together.
    (operation, (tag >> 32) as u16, tag as Slot)
}

#[derive(Debug, Default)]
struct Connection {
    generation: u16,
    is_open: bool,
    /// Something is under way that holds the socket: connecting or receiving.
    is_busy: bool,
    /// Receiving is armed anew for each piece, because the last connection was closed with it armed (one request per
    /// connection), or because answers are long and not all of them are read.
    receives_once: bool,
    /// The batch in which something was queued last; if that is the current one, it is not submitted yet.
    queued_in: u64,
    /// A send that is under way, where somebody wants to know when it is through.
    long: Option<Box<Long>>,
}

/// The sockets of one lane, driven by one io_uring instance.
pub struct Uring {
    // Declared, and so dropped, before the memory that the kernel uses: buffers, what is sent, address, timer.
    ring: Ring,
    buffers: Buffers,
    connections: Vec<Connection>,
    /// What closed connections were still sending, until the kernel lets go of it, by the send's tag.
    orphans: Vec<(u64, Box<Long>)>,
    /// Closing is queued and not submitted.
    closes: bool,
    /// No message is longer than [`ONE_SEGMENT_BYTES`].
    is_short: bool,
    settings: IoSettings,
    /// The time at which the timer in the ring goes off; boxed because the kernel reads it at submission.
    timer: Box<Timespec>,
    timer_at_ns: u64,
    timer_generation: u16,
    /// Where to connect to, as the kernel wants it; boxed because the kernel reads it at submission.
    raw_address: Box<(libc::sockaddr_storage, libc::socklen_t)>,
    batching: Batching,
    /// The number of the batch being worked on; at least 1.
    batch_number: u64,
}

impl std::fmt::Debug for Uring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Uring").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// Whether io_uring can be used here, found out by using everything that is needed.
pub fn probe() -> io::Result<()> {
    let address = super::Address::Unix("/".into());
    let settings =
        IoSettings { address, messages: Messages::default(), tls: None, connections: 1, batch: 1, answer_bytes: None };
    Uring::new(&settings).map(drop)
}

impl Uring {
    /// Queues an operation, making room by submitting if need be.
    fn push(&mut self, entry: &squeue::Entry) -> io::Result<()> {
        // SAFETY: what entries point to (the request, the timer, buffers) is owned by self, does not move, and is
        // dropped after the ring.
        while !unsafe { self.ring.push(std::slice::from_ref(entry)) } {
            self.submit()?;
        }
        Ok(())
    }

    /// Queues two operations of which the second follows the first. A submission in between would part them, and have the
    /// kernel leave the first to another thread.
    fn push_pair(&mut self, pair: &[squeue::Entry; 2]) -> io::Result<()> {
        // SAFETY: as above.
        while !unsafe { self.ring.push(pair) } {
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
        self.closes = false;
        self.ring.submit()
    }

    /// Whether whatever is sent is so short. Handshakes of TLS are of several parts.
    fn messages_are_short(settings: &IoSettings) -> bool {
        settings.tls.is_none() && settings.messages.iter().all(|message| message.len() <= ONE_SEGMENT_BYTES)
    }

    /// Whether the kernel can receive without keeping the bytes: on TCP alone.
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
        // The crate has no setter for it on this operation.
        // SAFETY: an entry is a `struct io_uring_sqe` (repr(C), inside a repr(transparent)); its 16 bits at byte 2 are
        // `ioprio`, which carries these flags, and every value is valid there.
        unsafe { *(&raw mut entry).cast::<u16>().add(1) |= POLL_FIRST };
        entry
    }

    /// Receives from now on.
    fn arm_receive(&mut self, slot: Slot) -> io::Result<()> {
        let entry = self.receive_entry(slot);
        self.connections[slot as usize].is_busy = true;
        self.push(&entry)
    }

    /// Receives the next bytes without copying them anywhere. Only where receiving is not armed.
    fn skip(&mut self, slot: Slot, bytes: u64) -> io::Result<()> {
        let connection = &mut self.connections[slot as usize];
        connection.is_busy = true;
        let tag = tag(Operation::Skip, connection.generation, slot);
        // Without MSG_WAITALL: for what is left the kernel (6.18) would go by a count that skipping does not move.
        let entry = opcode::Recv::new(Fixed(slot), std::ptr::null_mut(), bytes.min(SKIPPED_BYTES_MOST) as u32)
            .flags(libc::MSG_TRUNC)
            .build();
        self.push(&entry.user_data(tag))
    }

    /// Ends the receiving that is armed, so that what follows can be skipped.
    fn receive_once(&mut self, slot: Slot) -> io::Result<()> {
        let connection = &mut self.connections[slot as usize];
        connection.receives_once = true;
        let receive = tag(Operation::Receive, connection.generation, slot);
        let entry = opcode::AsyncCancel::new(receive).build().flags(squeue::Flags::SKIP_SUCCESS);
        self.push(&entry.user_data(tag(Operation::Other, 0, slot)))
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

    /// Handles what has completed; whether there was anything.
    #[inline]
    fn take_completions<H: Handler>(&mut self, now_ns: u64, handler: &mut H) -> io::Result<bool> {
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
            // A connection that has been closed meanwhile.
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

    /// Arms receiving again, or skipping, after it has ended.
    fn go_on_receiving(&mut self, slot: Slot, next: Next) -> io::Result<()> {
        match next {
            Next::Close => Ok(()),
            Next::Skip(bytes) if self.can_skip() => self.skip(slot, bytes),
            Next::Skip(_) | Next::Nothing | Next::Send => self.arm_receive(slot),
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
        let connection = &mut self.connections[slot as usize];
        let current = connection.generation == generation;
        let goes_on = cqueue::more(entry.flags());
        let mut next = Next::Nothing;
        if current {
            connection.is_busy = goes_on;
            let received = entry.result();
            next = match (usize::try_from(received), buffer) {
                (Ok(0), _) => handler.ended(slot),
                (Ok(length), Some(buffer)) if connection.queued_in == self.batch_number => {
                    handler.premature(slot, self.buffers.filled(buffer, length))
                }
                (Ok(length), Some(buffer)) => handler.received(slot, self.buffers.filled(buffer, length)),
                // All buffers were taken: they are back by the time that receiving is armed again. Or it was told to end.
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

impl Io for Uring {
    fn new(settings: &IoSettings) -> io::Result<Self> {
        let submissions = settings.connections.next_power_of_two().saturating_mul(4).clamp(64, SUBMISSIONS_MOST);
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
        Ok(Self {
            ring,
            buffers,
            connections: (0..settings.connections).map(|_| Connection::default()).collect(),
            settings: settings.clone(),
            timer: Box::new(Timespec::new()),
            timer_at_ns: u64::MAX,
            timer_generation: 0,
            raw_address: Box::new(settings.address.to_raw()),
            batching: Batching::new(settings.batch.clamp(1, settings.connections)),
            batch_number: 1,
            orphans: Vec::new(),
            closes: false,
            is_short: Self::messages_are_short(settings),
        })
    }

    fn open(&mut self, slot: Slot) -> io::Result<Opened> {
        let is_short = self.is_short;
        let by_the_ring = is_short && matches!(self.settings.address, Address::Tcp(_));
        if self.closes && !by_the_ring {
            // A socket that is put into its slot at once must not be what the queued operation closes there.
            self.submit()?;
        }
        let connection = &mut self.connections[slot as usize];
        let tag = tag(Operation::Connect, connection.generation, slot);
        let (address, length) = &*self.raw_address;
        let connect = opcode::Connect::new(Fixed(slot), (&raw const *address).cast(), *length).build().user_data(tag);
        match &self.settings.address {
            // The ring would wait for ever where the queue of a Unix socket is full.
            Address::Unix(_) => {
                let socket = socket::connect_unix(address, *length)?;
                // From here on the ring has it.
                self.ring.submitter().register_files_update(slot, &[socket.as_raw_fd()])?;
                connection.is_open = true;
                self.arm_receive(slot)?;
                Ok(Opened::Connected)
            }
            Address::Tcp(_) if is_short => {
                connection.is_open = true;
                connection.is_busy = true;
                let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK;
                // Slots are far below the largest that there may be.
                let place = DestinationSlot::try_from_slot_target(slot).map_err(|_| io::ErrorKind::InvalidInput)?;
                let make = opcode::Socket::new(self.settings.address.family(), kind, 0).file_index(Some(place)).build();
                let make = make.flags(squeue::Flags::IO_LINK | squeue::Flags::SKIP_SUCCESS).user_data(tag);
                self.push_pair(&[make, connect])?;
                self.connections[slot as usize].queued_in = self.batch_number;
                Ok(Opened::InProgress)
            }
            Address::Tcp(_) => {
                let socket = socket::tcp_without_delay(self.settings.address.family())?;
                self.ring.submitter().register_files_update(slot, &[socket.as_raw_fd()])?;
                connection.is_open = true;
                connection.is_busy = true;
                self.push_for(slot, &connect)?;
                Ok(Opened::InProgress)
            }
        }
    }

    #[inline]
    fn apply<H: Handler>(&mut self, slot: Slot, next: Next, handler: &mut H) {
        match next {
            Next::Nothing | Next::Skip(_) => {}
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
        let is_short = self.is_short;
        let connection = &mut self.connections[slot as usize];
        if let Some(long) = connection.long.take() {
            self.orphans.push((tag(Operation::LongSend, connection.generation, slot), long));
        }
        connection.generation = connection.generation.wrapping_add(1);
        if !std::mem::take(&mut connection.is_open) {
            return;
        }
        let other = tag(Operation::Other, 0, slot);
        let close = opcode::Close::new(Fixed(slot)).build().flags(squeue::Flags::SKIP_SUCCESS).user_data(other);
        let mut result = Ok(());
        if std::mem::take(&mut connection.is_busy) || !is_short {
            connection.receives_once = true;
            // What is under way holds the socket.
            let cancel = opcode::AsyncCancel2::new(CancelBuilder::fd(Fixed(slot)).all()).build();
            result = self.push(&cancel.flags(squeue::Flags::SKIP_SUCCESS).user_data(other));
        }
        self.closes = true;
        // If this fails, so will the next wait.
        let _ = result.and_then(|()| self.push(&close));
    }

    fn wait<H: Handler>(&mut self, until_ns: u64, handler: &mut H) -> io::Result<()> {
        self.set_timer(until_ns.min(self.batching.guard_ns()))?;
        self.closes = false;
        self.ring.submit_and_wait(self.batching.wait_for())?;
        let now_ns = clock::monotonic_ns();
        self.batching.learn(self.ring.completions(), now_ns);
        self.take_completions(now_ns, handler).map(drop)
    }

    fn poll<H: Handler>(&mut self, handler: &mut H) -> io::Result<bool> {
        self.ring.submit_and_look()?;
        self.take_completions(clock::monotonic_ns(), handler)
    }
}

/// How many buffers of which size: one answer should fit into one.
fn buffers_for(settings: &IoSettings) -> (u16, usize) {
    let buffer_bytes = match settings.answer_bytes {
        Some(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX).clamp(1024, 65_536).next_power_of_two(),
        None => 8192,
    };
    let count = (BUFFERS_BYTES_MOST / buffer_bytes).min(settings.connections.next_power_of_two() as usize * 2);
    // Between 16 and 512, so it fits.
    (count.clamp(16, BUFFERS_MOST) as u16, buffer_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_come_apart_as_they_were_put_together() {
        use Operation::{Connect, LongSend, Other, Receive, Send, Skip, Timer};
        for operation in [Receive, Send, Connect, Skip, Timer, LongSend, Other] {
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
        assert_eq!(buffers_for(&settings(64, Some(200))), (128, 1024));
        assert_eq!(buffers_for(&settings(10_000, Some(200))), (512, 1024));
        assert_eq!(buffers_for(&settings(10_000, None)), (256, 8192));
        assert_eq!(buffers_for(&settings(1, Some(1 << 20))), (16, 65_536));
        assert_eq!(buffers_for(&settings(1000, Some(1 << 20))), (32, 65_536));
    }
}
