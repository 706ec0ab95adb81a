//! The cheap backend: io_uring, one instance per lane, so that a frozen arm's sockets are left alone.
//!
//! Receiving is armed once per connection and goes on by itself (multishot), into buffers that all connections share.
//! Sending is queued and submitted by the same call that waits, and reports only failures. So are opening and closing:
//! sockets are direct descriptors, which only the ring knows. What the kernel has to do for a completion happens inside
//! that call too (DEFER_TASKRUN), so nothing interrupts the loop.

mod batching;
mod buffers;
mod completions;
mod opening;
mod receiving;
mod ring;
mod sending;
mod submitting;
mod tag;

use self::batching::Batching;
use self::buffers::{Buffers, buffers_for};
use self::ring::Ring;
use super::outbox::Outbox;
use super::{Handler, Io, IoFailure, IoSettings, Messages, Next, Opened, Slot};
use hopcost_common::clock;
use io_uring::IoUring;
use io_uring::types::Timespec;
use rustix::net::SocketAddrAny;
use std::io;

const MAX_SUBMISSIONS: u32 = 1024;
const MAX_COMPLETIONS: u32 = 32_768;

#[derive(Debug, Default)]
struct Connection {
    generation: u16,
    is_open: bool,
    /// An operation that holds the socket is under way: connecting or receiving.
    is_busy: bool,
    /// Receiving is armed anew for each piece. That pays if the slot's last connection was closed with receiving armed
    /// (one request per connection), or if answers are long and partly skipped.
    receives_once: bool,
    /// The batch in which something was queued last. If it is the current batch, that is not submitted yet.
    queued_in: u64,
    /// What is being sent, if the handler wants to know when it has left. Boxed, because the kernel reads it.
    outbox: Option<Box<Outbox>>,
}

impl Connection {
    /// Whether a part of what is being sent has left. Then the other side may answer.
    #[cold]
    #[inline(never)]
    fn sends_rest(&self) -> bool {
        self.outbox.as_ref().is_some_and(|outbox| outbox.has_begun())
    }
}

/// The sockets of one lane, driven by one io_uring instance.
pub struct Uring {
    // Declared, and so dropped, before the memory that the kernel uses: buffers, outboxes, messages, timer, address.
    // `Ring` says why that memory may be freed then.
    ring: Ring,
    buffers: Buffers,
    connections: Vec<Connection>,
    /// What closed connections were still sending, by the send's tag, until the kernel no longer reads it.
    orphans: Vec<(u64, Box<Outbox>)>,
    /// A Close is queued and not submitted.
    closes: bool,
    /// No message is longer than [`ONE_SEGMENT_BYTES`].
    is_short: bool,
    settings: IoSettings,
    /// The time at which the timer in the ring goes off; boxed because the kernel reads it at submission.
    timer: Box<Timespec>,
    timer_at_ns: u64,
    timer_generation: u16,
    /// Where to connect to; boxed because the kernel reads it at submission.
    address: Box<SocketAddrAny>,
    batching: Batching,
    /// The number of the batch being worked on; at least 1.
    batch_number: u64,
}

impl std::fmt::Debug for Uring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Uring").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// Whether io_uring can be used here. Makes an instance with everything that a lane needs.
pub fn probe() -> io::Result<()> {
    let address = super::Address::Unix("/".into());
    let messages = Messages::default();
    let settings =
        IoSettings { address, messages, tls: None, connections: 1, batch: 1, answer_bytes: None, bytes_per_s: None };
    Uring::new(&settings).map(drop)
}

impl Io for Uring {
    fn new(settings: &IoSettings) -> io::Result<Self> {
        let submissions = settings.connections.next_power_of_two().saturating_mul(4).clamp(64, MAX_SUBMISSIONS);
        let completions = settings.connections.next_power_of_two().saturating_mul(2).clamp(1024, MAX_COMPLETIONS);
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
            address: Box::new(settings.address.to_socket_address()?),
            batching: Batching::new(settings.batch.clamp(1, settings.connections)),
            batch_number: 1,
            orphans: Vec::new(),
            closes: false,
            is_short: Self::messages_are_short(settings),
        })
    }

    fn open(&mut self, slot: Slot) -> io::Result<Opened> {
        self.open_socket(slot)
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
        self.close_socket(slot);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;
    use std::os::unix::net::UnixListener;
    use std::time::Duration;

    #[test]
    fn a_dropped_lane_leaves_neither_connections_nor_registrations_behind() {
        if probe().is_err() {
            eprintln!("skipped: no io_uring here");
            return;
        }
        let path = std::env::temp_dir().join(format!("hopcost-rings-{}.sock", std::process::id()));
        let listener = UnixListener::bind(&path).expect("the temporary directory is writable");
        let address = super::super::Address::Unix(path.clone());
        let settings = IoSettings {
            address,
            messages: Messages::default(),
            tls: None,
            connections: 1,
            batch: 1,
            answer_bytes: None,
            bytes_per_s: None,
        };
        // More than the 16 rings that a thread may register.
        for _ in 0..20 {
            let mut lane = Uring::new(&settings).expect("io_uring works here");
            assert_eq!(lane.open(0).expect("somebody listens"), Opened::Connected);
            lane.submit().expect("receiving is armed");
            let (mut peer, _) = listener.accept().expect("a connection");
            drop(lane);
            // The kernel closes it a little later. The limit only keeps a failing test from hanging.
            peer.set_read_timeout(Some(Duration::from_secs(20))).expect("a socket");
            assert_eq!(peer.read_to_end(&mut Vec::new()).expect("the end, and not a time-out"), 0);
        }
        std::fs::remove_file(path).expect("it is there");
        let ring = IoUring::new(8).expect("io_uring works here");
        ring.submitter().register_ring_fd().expect("the thread has a place for it");
    }
}
