//! The backend that every Linux has: epoll, edge-triggered.
//!
//! Edge-triggered, because a level-triggered set asks every socket again after each answer. After a short read the
//! socket is known to be empty, so one receive per answer is enough.

#[cfg(test)]
mod tests;

use super::outbox::Outbox;
use super::{Address, Handler, Io, IoFailure, IoSettings, Next, Opened, Outgoing, Slot, socket};
use hopcost_common::clock;
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::fd::OwnedFd;
use rustix::io::{Errno, Result};
use rustix::net::SocketAddrAny;
use std::io;

const EVENTS: usize = 256;
/// The most that is received at once.
const BUFFER_BYTES: usize = 65_536;
/// How often one connection is read before the others, the clock and the time-outs have their turn.
const MAX_RECEIVES: u32 = 16;
/// The most that is skipped at once.
const MAX_SKIPPED_BYTES: usize = 1 << 30;

const ESTABLISHED: epoll::EventFlags =
    epoll::EventFlags::IN.union(epoll::EventFlags::RDHUP).union(epoll::EventFlags::ET);
const WITH_WRITING: epoll::EventFlags = ESTABLISHED.union(epoll::EventFlags::OUT);
const GONE: epoll::EventFlags = epoll::EventFlags::RDHUP.union(epoll::EventFlags::HUP).union(epoll::EventFlags::ERR);

/// How far sending came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    /// All of it, or as much as there was room for. The handler need not know.
    Quietly,
    /// All of it, and the handler wants to know.
    Reported,
}

#[derive(Debug)]
struct Connection {
    socket: OwnedFd,
    is_connecting: bool,
    /// What is left to send, if there was no room for all of it.
    outbox: Option<Outbox>,
    /// How many of the next bytes are only counted.
    skip: u64,
    /// There may be more to read, and no event will tell.
    is_unread: bool,
}

/// The sockets of one lane, watched by epoll.
pub struct Epoll {
    set: OwnedFd,
    settings: IoSettings,
    address: SocketAddrAny,
    connections: Vec<Option<Connection>>,
    events: Vec<epoll::Event>,
    /// Connections that may be unread.
    unread: Vec<Slot>,
    buffer: Vec<u8>,
}

impl std::fmt::Debug for Epoll {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Epoll").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Epoll {
    /// Watches for room to write, or stops doing so. On Unix sockets every read of the peer is such an event.
    fn watch(&self, slot: Slot, events: epoll::EventFlags) -> Result<()> {
        match &self.connections[slot as usize] {
            Some(connection) => epoll::modify(&self.set, &connection.socket, event_data(slot), events),
            None => Ok(()),
        }
    }

    #[inline]
    fn send(&mut self, slot: Slot, outgoing: Outgoing) -> Result<Sent> {
        match &mut self.connections[slot as usize] {
            None => Ok(Sent::Quietly),
            Some(Connection { outbox: Some(outbox), .. }) => outbox.add(outgoing).map(|()| Sent::Quietly),
            Some(_) => self.send_from(slot, Outbox::new(outgoing), false),
        }
    }

    #[inline]
    fn send_from(&mut self, slot: Slot, mut outbox: Outbox, is_resumed: bool) -> Result<Sent> {
        let Some(connection) = &mut self.connections[slot as usize] else { return Ok(Sent::Quietly) };
        let messages = &self.settings.messages;
        loop {
            match socket::send(&connection.socket, outbox.rest(messages)) {
                Ok(sent) if outbox.advance(sent, messages) => break,
                Ok(_) => {}
                Err(error) => {
                    connection.outbox = Some(outbox);
                    if error != Errno::AGAIN {
                        return Err(error);
                    }
                    if !is_resumed {
                        self.watch(slot, WITH_WRITING)?;
                    }
                    return Ok(Sent::Quietly);
                }
            }
        }
        let is_reported = outbox.is_reported(messages);
        if is_resumed {
            self.watch(slot, ESTABLISHED)?;
        }
        Ok(if is_reported { Sent::Reported } else { Sent::Quietly })
    }

    /// Does what the handler wants. False if the connection is closed.
    #[inline]
    fn follow<H: Handler>(&mut self, slot: Slot, next: Next, handler: &mut H) -> bool {
        let mut next = next;
        loop {
            match next {
                Next::Nothing => return true,
                Next::Skip(bytes) => {
                    if let (Some(connection), Address::Tcp(_)) =
                        (&mut self.connections[slot as usize], &self.settings.address)
                    {
                        connection.skip = bytes;
                    }
                    return true;
                }
                Next::Send => match self.send(slot, handler.outgoing(slot)) {
                    Ok(Sent::Quietly) => return true,
                    Ok(Sent::Reported) => next = handler.sent(slot),
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

    fn on_event<H: Handler>(&mut self, slot: Slot, events: epoll::EventFlags, handler: &mut H) {
        let Some(connection) = &mut self.connections[slot as usize] else { return };
        let has_bytes = events.contains(epoll::EventFlags::IN);
        if connection.is_connecting {
            let result = socket::connect_result(&connection.socket);
            let next = match result.and_then(|()| self.watch(slot, ESTABLISHED)) {
                Ok(()) => {
                    if let Some(connection) = &mut self.connections[slot as usize] {
                        connection.is_connecting = false;
                    }
                    handler.connected(slot)
                }
                Err(_) => handler.failed(slot, IoFailure::Connect),
            };
            if next == Next::Send && has_bytes {
                self.receive_premature(slot, handler);
                return;
            }
            if !self.follow(slot, next, handler) {
                return;
            }
        } else if events.contains(epoll::EventFlags::OUT)
            && let Some(outbox) = connection.outbox.take()
        {
            let next = match self.send_from(slot, outbox, true) {
                Ok(Sent::Quietly) => Next::Nothing,
                Ok(Sent::Reported) => handler.sent(slot),
                // The bytes that wait may be a good answer that the server sent before it stopped reading.
                Err(_) if has_bytes => Next::Nothing,
                Err(_) => handler.failed(slot, IoFailure::Write),
            };
            if !self.follow(slot, next, handler) {
                return;
            }
        }
        let is_gone = events.intersects(GONE);
        if has_bytes || is_gone {
            self.receive(slot, is_gone, handler);
        }
    }

    #[inline]
    fn receive<H: Handler>(&mut self, slot: Slot, to_the_end: bool, handler: &mut H) {
        for _ in 0..MAX_RECEIVES {
            let Some(connection) = &mut self.connections[slot as usize] else { return };
            let skip = usize::try_from(std::mem::take(&mut connection.skip)).unwrap_or(usize::MAX);
            let result = match skip {
                0 => socket::receive(&connection.socket, &mut self.buffer),
                skip => socket::skip(&connection.socket, skip.min(MAX_SKIPPED_BYTES)),
            };
            let (next, more) = match result {
                Ok(0) => (handler.ended(slot), false),
                Ok(skipped) if skip > 0 => {
                    (handler.skipped(slot, skipped as u64), to_the_end || skipped == skip.min(MAX_SKIPPED_BYTES))
                }
                Ok(received) => {
                    let next = handler.received(slot, &self.buffer[..received]);
                    // A short read has emptied the socket; only its end may follow.
                    (next, to_the_end || received == self.buffer.len())
                }
                Err(Errno::AGAIN) => {
                    connection.skip = skip as u64;
                    return;
                }
                Err(Errno::INTR) => (Next::Nothing, true),
                Err(_) => (handler.failed(slot, IoFailure::Read), false),
            };
            if !self.follow(slot, next, handler) || !more {
                return;
            }
        }
        if let Some(connection) = &mut self.connections[slot as usize]
            && !std::mem::replace(&mut connection.is_unread, true)
        {
            self.unread.push(slot);
        }
    }

    /// Reads on where reading was broken off.
    #[cold]
    fn receive_unread<H: Handler>(&mut self, handler: &mut H) {
        for slot in std::mem::take(&mut self.unread) {
            let connection = self.connections[slot as usize].as_mut();
            // If it has been closed meanwhile, the slot's next connection is not meant.
            if connection.is_some_and(|connection| std::mem::take(&mut connection.is_unread)) {
                self.receive(slot, true, handler);
            }
        }
    }

    /// Waits for events and handles them. Returns whether there were any.
    fn wait_for<H: Handler>(&mut self, wait_ns: u64, handler: &mut H) -> io::Result<bool> {
        let has_unread = !self.unread.is_empty();
        let wait_ns = if has_unread { 0 } else { wait_ns };
        // Both parts of a time that fits into 64 bits of ns fit as well.
        let time = Timespec { tv_sec: (wait_ns / 1_000_000_000) as i64, tv_nsec: (wait_ns % 1_000_000_000) as i64 };
        self.events.clear();
        match epoll::wait(&self.set, spare_capacity(&mut self.events), Some(&time)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        handler.batch(clock::monotonic_ns());
        for index in 0..self.events.len() {
            let epoll::Event { flags, data } = self.events[index];
            // Events carry only slots.
            self.on_event(data.u64() as Slot, flags, handler);
        }
        if has_unread {
            self.receive_unread(handler);
        }
        Ok(has_unread || !self.events.is_empty())
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
}

fn event_data(slot: Slot) -> epoll::EventData {
    epoll::EventData::new_u64(u64::from(slot))
}

impl Io for Epoll {
    fn new(settings: &IoSettings) -> io::Result<Self> {
        Ok(Self {
            set: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            settings: settings.clone(),
            address: settings.address.to_socket_address()?,
            connections: (0..settings.connections).map(|_| None).collect(),
            events: Vec::with_capacity(EVENTS),
            unread: Vec::new(),
            buffer: vec![0; BUFFER_BYTES],
        })
    }

    fn open(&mut self, slot: Slot) -> io::Result<Opened> {
        let (socket, opened) = socket::connect(&self.address)?;
        let is_connecting = opened == Opened::InProgress;
        let events = if is_connecting { WITH_WRITING } else { ESTABLISHED };
        epoll::add(&self.set, &socket, event_data(slot), events)?;
        self.connections[slot as usize] =
            Some(Connection { socket, is_connecting, outbox: None, skip: 0, is_unread: false });
        Ok(opened)
    }

    fn apply<H: Handler>(&mut self, slot: Slot, next: Next, handler: &mut H) {
        self.follow(slot, next, handler);
    }

    fn close(&mut self, slot: Slot) {
        // Closing the last descriptor of a socket takes it out of the set.
        self.connections[slot as usize] = None;
    }

    fn wait<H: Handler>(&mut self, until_ns: u64, handler: &mut H) -> io::Result<()> {
        let wait_ns = until_ns.saturating_sub(clock::monotonic_ns());
        self.wait_for(wait_ns, handler).map(drop)
    }

    fn poll<H: Handler>(&mut self, handler: &mut H) -> io::Result<bool> {
        self.wait_for(0, handler)
    }
}
