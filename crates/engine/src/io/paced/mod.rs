//! The backend of slow clients: every connection reads and writes piece by piece, at a given rate.
//!
//! A client that reads slowly holds its server up only if the server's bytes have no other place to go. So sockets get a
//! small receive buffer, and nothing is received before its time. What the server's own send buffer takes, the kernel
//! keeps for the server: an answer that fits there is no burden, here as in real life.

mod rate;

use self::rate::{Line, Rate};
use super::outbox::Outbox;
use super::{Handler, Io, IoFailure, IoSettings, Next, Opened, Outgoing, Slot, socket};
use hopcost_common::clock;
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::fd::OwnedFd;
use rustix::io::{Errno, Result};
use rustix::net::SocketAddrAny;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

const EVENTS: usize = 256;
/// Connections are served at multiples of this time, many at once.
const TICK_NS: u64 = 5_000_000;

const NEVER: u64 = u64::MAX;
const ESTABLISHED: epoll::EventFlags =
    epoll::EventFlags::IN.union(epoll::EventFlags::RDHUP).union(epoll::EventFlags::ET);
const CONNECTING: epoll::EventFlags = ESTABLISHED.union(epoll::EventFlags::OUT);
const GONE: epoll::EventFlags = epoll::EventFlags::RDHUP.union(epoll::EventFlags::HUP).union(epoll::EventFlags::ERR);

#[derive(Debug)]
struct Connection {
    socket: OwnedFd,
    is_connecting: bool,
    outbox: Option<Outbox>,
    sending: Line,
    receiving: Line,
    /// There may be something to receive.
    is_readable: bool,
    /// The server sends nothing more than what is there.
    is_ending: bool,
    /// When it is served next.
    wake_ns: u64,
}

impl Connection {
    /// When something may be moved, at the earliest.
    fn next_ns(&self) -> u64 {
        let sending_ns = self.outbox.as_ref().map_or(NEVER, |_| self.sending.taken_until_ns);
        let receiving_ns = if self.is_readable { self.receiving.taken_until_ns } else { NEVER };
        sending_ns.min(receiving_ns)
    }
}

/// The sockets of one lane. Its clock is the arm's: it stands still while the arm is frozen.
pub struct Paced {
    set: OwnedFd,
    settings: IoSettings,
    rate: Rate,
    address: SocketAddrAny,
    connections: Vec<Option<Connection>>,
    events: Vec<epoll::Event>,
    /// When connections are to be served; of the entries of a connection only its `wake_ns` counts.
    wakes: BinaryHeap<Reverse<(u64, Slot)>>,
    buffer: Vec<u8>,
    offset_ns: u64,
    now_ns: u64,
}

impl std::fmt::Debug for Paced {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Paced").field("rate", &self.rate).field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Paced {
    /// Serves the connection at its time.
    fn schedule(&mut self, slot: Slot) {
        let Some(connection) = &mut self.connections[slot as usize] else { return };
        let next_ns = connection.next_ns();
        if next_ns == NEVER {
            return;
        }
        let wake_ns = next_ns.next_multiple_of(TICK_NS);
        if wake_ns < connection.wake_ns {
            connection.wake_ns = wake_ns;
            self.wakes.push(Reverse((wake_ns, slot)));
        }
    }

    /// Moves what may be moved now.
    fn serve<H: Handler>(&mut self, slot: Slot, handler: &mut H) {
        let next = self.send_piece(slot, handler);
        if self.follow(slot, next, handler) {
            self.receive_piece(slot, handler);
        }
        self.schedule(slot);
    }

    fn send_piece<H: Handler>(&mut self, slot: Slot, handler: &mut H) -> Next {
        let (rate, now_ns, messages) = (self.rate, self.now_ns, &self.settings.messages);
        let Some(connection) = &mut self.connections[slot as usize] else { return Next::Nothing };
        let Some(outbox) = connection.outbox.as_mut().filter(|_| connection.sending.is_free(now_ns)) else {
            return Next::Nothing;
        };
        let rest = outbox.rest(messages);
        let piece = &rest[..rest.len().min(rate.piece_bytes())];
        match socket::send(&connection.socket, piece) {
            Ok(sent) => {
                connection.sending.take(sent, rate, now_ns);
                let is_all = outbox.advance(sent, messages);
                let is_reported = is_all && outbox.is_reported(messages);
                if is_all {
                    connection.outbox = None;
                }
                if is_reported { handler.sent(slot) } else { Next::Nothing }
            }
            Err(Errno::AGAIN | Errno::INTR) => {
                connection.sending.take(piece.len(), rate, now_ns);
                Next::Nothing
            }
            // The bytes that wait may be a good answer that the server sent before it stopped reading.
            Err(_) if connection.is_readable => {
                connection.outbox = None;
                Next::Nothing
            }
            Err(_) => handler.failed(slot, IoFailure::Write),
        }
    }

    fn receive_piece<H: Handler>(&mut self, slot: Slot, handler: &mut H) {
        let (rate, now_ns) = (self.rate, self.now_ns);
        let Some(connection) = &mut self.connections[slot as usize] else { return };
        if !connection.is_readable || !connection.receiving.is_free(now_ns) {
            return;
        }
        let piece = &mut self.buffer[..rate.piece_bytes()];
        let next = match socket::receive(&connection.socket, piece) {
            Ok(0) => handler.ended(slot),
            Ok(received) => {
                connection.receiving.take(received, rate, now_ns);
                // A short read has emptied the socket; only its end may follow.
                connection.is_readable = connection.is_ending || received == piece.len();
                handler.received(slot, &piece[..received])
            }
            Err(Errno::AGAIN) => {
                connection.is_readable = false;
                return;
            }
            Err(Errno::INTR) => return,
            Err(_) => handler.failed(slot, IoFailure::Read),
        };
        self.follow(slot, next, handler);
    }

    /// Does what the handler wants. False if the connection is closed.
    fn follow<H: Handler>(&mut self, slot: Slot, next: Next, handler: &mut H) -> bool {
        let mut next = next;
        loop {
            match next {
                // Skipped bytes would not keep the pace.
                Next::Nothing | Next::Skip(_) => return true,
                Next::Send => match self.put(slot, handler.outgoing(slot)) {
                    Ok(()) => next = self.send_piece(slot, handler),
                    Err(_) => {
                        // A request in flight that fails always closes its connection.
                        let _ = handler.failed(slot, IoFailure::Write);
                        next = Next::Close;
                    }
                },
                Next::Close => {
                    self.close(slot);
                    return false;
                }
            }
        }
    }

    fn put(&mut self, slot: Slot, outgoing: Outgoing) -> Result<()> {
        match &mut self.connections[slot as usize] {
            None => Ok(()),
            Some(Connection { outbox: Some(outbox), .. }) => outbox.add(outgoing),
            Some(connection) => {
                connection.outbox = Some(Outbox::new(outgoing));
                Ok(())
            }
        }
    }

    fn on_event<H: Handler>(&mut self, slot: Slot, events: epoll::EventFlags, handler: &mut H) {
        let Some(connection) = &mut self.connections[slot as usize] else { return };
        let has_bytes = events.contains(epoll::EventFlags::IN);
        connection.is_ending |= events.intersects(GONE);
        connection.is_readable |= has_bytes || connection.is_ending;
        if std::mem::take(&mut connection.is_connecting) {
            let opened = socket::connect_result(&connection.socket)
                .and_then(|()| epoll::modify(&self.set, &connection.socket, event_data(slot), ESTABLISHED));
            let next = match opened {
                Ok(()) => handler.connected(slot),
                Err(_) => handler.failed(slot, IoFailure::Connect),
            };
            if next == Next::Send && has_bytes {
                self.receive_premature(slot, handler);
                self.schedule(slot);
                return;
            }
            if !self.follow(slot, next, handler) {
                return;
            }
        }
        self.serve(slot, handler);
    }

    /// Bytes came before the request. If the handler minds, the request is not sent.
    #[cold]
    fn receive_premature<H: Handler>(&mut self, slot: Slot, handler: &mut H) {
        let Some(connection) = &self.connections[slot as usize] else { return };
        let next = match socket::receive(&connection.socket, &mut self.buffer) {
            Ok(0) => handler.ended(slot),
            Ok(received) => match handler.premature(slot, &self.buffer[..received]) {
                Next::Nothing => Next::Send,
                next => next,
            },
            Err(_) => handler.failed(slot, IoFailure::Read),
        };
        self.follow(slot, next, handler);
    }

    /// Waits this long at most. Returns whether anything happened.
    fn wait_for<H: Handler>(&mut self, wait_ns: u64, handler: &mut H) -> io::Result<bool> {
        // Both parts of a time that fits into 64 bits of ns fit as well.
        let time = Timespec { tv_sec: (wait_ns / 1_000_000_000) as i64, tv_nsec: (wait_ns % 1_000_000_000) as i64 };
        self.events.clear();
        match epoll::wait(&self.set, spare_capacity(&mut self.events), Some(&time)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let monotonic_ns = clock::monotonic_ns();
        self.now_ns = monotonic_ns.saturating_sub(self.offset_ns);
        handler.batch(monotonic_ns);
        let mut is_any = !self.events.is_empty();
        for index in 0..self.events.len() {
            let epoll::Event { flags, data } = self.events[index];
            // Events carry only slots.
            self.on_event(data.u64() as Slot, flags, handler);
        }
        while let Some(&Reverse((wake_ns, slot))) = self.wakes.peek()
            && wake_ns <= self.now_ns
        {
            self.wakes.pop();
            is_any = true;
            let connection = self.connections[slot as usize].as_mut();
            if let Some(connection) = connection.filter(|connection| connection.wake_ns == wake_ns) {
                connection.wake_ns = NEVER;
                self.serve(slot, handler);
            }
        }
        Ok(is_any)
    }
}

fn event_data(slot: Slot) -> epoll::EventData {
    epoll::EventData::new_u64(u64::from(slot))
}

impl Io for Paced {
    fn new(settings: &IoSettings) -> io::Result<Self> {
        let rate = Rate { bytes_per_s: settings.bytes_per_s.unwrap_or(u64::MAX).max(1) };
        Ok(Self {
            set: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            settings: settings.clone(),
            rate,
            address: settings.address.to_socket_address()?,
            connections: (0..settings.connections).map(|_| None).collect(),
            events: Vec::with_capacity(EVENTS),
            wakes: BinaryHeap::new(),
            buffer: vec![0; rate.piece_bytes()],
            offset_ns: 0,
            now_ns: 0,
        })
    }

    fn open(&mut self, slot: Slot) -> io::Result<Opened> {
        let (socket, opened) = socket::connect_with_buffer(&self.address, self.rate.buffer_bytes())?;
        let is_connecting = opened == Opened::InProgress;
        let events = if is_connecting { CONNECTING } else { ESTABLISHED };
        epoll::add(&self.set, &socket, event_data(slot), events)?;
        self.connections[slot as usize] = Some(Connection {
            socket,
            is_connecting,
            outbox: None,
            sending: Line::default(),
            receiving: Line::default(),
            is_readable: false,
            is_ending: false,
            wake_ns: NEVER,
        });
        Ok(opened)
    }

    fn apply<H: Handler>(&mut self, slot: Slot, next: Next, handler: &mut H) {
        if self.follow(slot, next, handler) {
            self.schedule(slot);
        }
    }

    fn close(&mut self, slot: Slot) {
        // Closing the last descriptor of a socket takes it out of the set.
        self.connections[slot as usize] = None;
    }

    fn wait<H: Handler>(&mut self, until_ns: u64, handler: &mut H) -> io::Result<()> {
        let wake_ns = self.wakes.peek().map_or(NEVER, |Reverse((wake_ns, _))| wake_ns.saturating_add(self.offset_ns));
        let wait_ns = until_ns.min(wake_ns).saturating_sub(clock::monotonic_ns());
        self.wait_for(wait_ns, handler).map(drop)
    }

    fn poll<H: Handler>(&mut self, handler: &mut H) -> io::Result<bool> {
        self.wait_for(0, handler)
    }

    fn thawed(&mut self, offset_ns: u64) {
        self.offset_ns = offset_ns;
        self.now_ns = self.now_ns.max(clock::monotonic_ns().saturating_sub(offset_ns));
    }
}

#[cfg(test)]
mod tests;
