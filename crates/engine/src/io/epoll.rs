//! The backend that every Linux has: epoll, edge-triggered.
//!
//! Edge-triggered, because a level-triggered set asks every socket again after each answer. After a short read the
//! socket is known to be empty, so one receive per answer is enough.

use super::{
    Address, Handler, Io, IoFailure, IoSettings, MessageId, Next, Opened, Outgoing, REPORTED_BYTES, Slot, socket,
};
use hopcost_common::clock;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Events taken per wait.
const EVENTS: usize = 256;
/// Received at once at most.
const BUFFER_BYTES: usize = 65_536;
/// Skipped at once at most.
const SKIPPED_BYTES_MOST: usize = 1 << 30;

const ESTABLISHED: u32 = (libc::EPOLLIN | libc::EPOLLRDHUP | libc::EPOLLET) as u32;
const WITH_WRITING: u32 = ESTABLISHED | libc::EPOLLOUT as u32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Connecting,
    Established,
    /// So many bytes have been sent; there was no room for more.
    Sending(Source, usize),
}

/// What is being sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Message(MessageId),
    /// The connection's own bytes.
    Own,
}

/// How far sending came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    /// All of it, or as much as there was room for; nobody asks.
    Quietly,
    /// All of it, and the handler wants to know.
    Reported,
}

#[derive(Debug)]
struct Connection {
    socket: OwnedFd,
    phase: Phase,
    /// What [`Outgoing::Bytes`] gave, until all of it has left.
    own: Vec<u8>,
    /// So many of the next bytes are only counted.
    skip: u64,
}

/// The sockets of one lane, watched by epoll.
#[derive(Debug)]
pub struct Epoll {
    set: OwnedFd,
    settings: IoSettings,
    connections: Vec<Option<Connection>>,
    events: Vec<libc::epoll_event>,
    buffer: Vec<u8>,
}

impl Epoll {
    fn control(&self, operation: libc::c_int, socket: &OwnedFd, slot: Slot, events: u32) -> io::Result<()> {
        let mut event = libc::epoll_event { events, u64: u64::from(slot) };
        // SAFETY: the pointer is to a local that outlives the call; both descriptors are open.
        match unsafe { libc::epoll_ctl(self.set.as_raw_fd(), operation, socket.as_raw_fd(), &raw mut event) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Watches, or stops watching, for room to write. On Unix sockets every read of the peer is such an event.
    fn watch(&self, slot: Slot, events: u32) -> io::Result<()> {
        match &self.connections[slot as usize] {
            Some(connection) => self.control(libc::EPOLL_CTL_MOD, &connection.socket, slot, events),
            None => Ok(()),
        }
    }

    /// Begins to send.
    fn send(&mut self, slot: Slot, outgoing: Outgoing) -> io::Result<Sent> {
        let Some(connection) = &mut self.connections[slot as usize] else { return Ok(Sent::Quietly) };
        match (outgoing, connection.phase) {
            (Outgoing::Bytes(bytes), Phase::Sending(Source::Own, _)) => {
                connection.own.extend_from_slice(&bytes);
                Ok(Sent::Quietly)
            }
            // The server answers what it has not read: two messages must not get mixed up.
            (_, Phase::Sending(..)) => Err(io::ErrorKind::ResourceBusy.into()),
            (Outgoing::Bytes(bytes), _) => {
                connection.own = bytes;
                self.send_from(slot, Source::Own, 0)
            }
            (Outgoing::Message(id), _) => self.send_from(slot, Source::Message(id), 0),
        }
    }

    #[inline]
    fn send_from(&mut self, slot: Slot, source: Source, sent: usize) -> io::Result<Sent> {
        let Some(connection) = &mut self.connections[slot as usize] else { return Ok(Sent::Quietly) };
        let mut sent = sent;
        let resumed = matches!(connection.phase, Phase::Sending(..));
        let bytes: &[u8] = match source {
            Source::Message(id) => &self.settings.messages[id as usize],
            Source::Own => &connection.own,
        };
        let reported = source == Source::Own || bytes.len() > REPORTED_BYTES;
        while sent < bytes.len() {
            match socket::send(&connection.socket, &bytes[sent..]) {
                Ok(more) => sent += more,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    connection.phase = Phase::Sending(source, sent);
                    if !resumed {
                        self.watch(slot, WITH_WRITING)?;
                    }
                    return Ok(Sent::Quietly);
                }
                Err(error) => return Err(error),
            }
        }
        connection.phase = Phase::Established;
        if source == Source::Own {
            connection.own = Vec::new();
        }
        if resumed {
            self.watch(slot, ESTABLISHED)?;
        }
        Ok(if reported { Sent::Reported } else { Sent::Quietly })
    }

    /// Does what the handler wants. False where the connection is closed.
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

    fn on_event<H: Handler>(&mut self, slot: Slot, events: u32, handler: &mut H) {
        let Some(connection) = &self.connections[slot as usize] else { return };
        match connection.phase {
            Phase::Established => {}
            Phase::Connecting => {
                let result = socket::connect_result(connection.socket.as_raw_fd());
                let next = match result.and_then(|()| self.watch(slot, ESTABLISHED)) {
                    Ok(()) => {
                        if let Some(connection) = &mut self.connections[slot as usize] {
                            connection.phase = Phase::Established;
                        }
                        handler.connected(slot)
                    }
                    Err(_) => handler.failed(slot, IoFailure::Connect),
                };
                if next == Next::Send && events & libc::EPOLLIN as u32 != 0 {
                    self.receive_premature(slot, handler);
                    return;
                }
                if !self.follow(slot, next, handler) {
                    return;
                }
            }
            Phase::Sending(source, sent) if events & libc::EPOLLOUT as u32 != 0 => {
                let next = match self.send_from(slot, source, sent) {
                    Ok(Sent::Quietly) => Next::Nothing,
                    Ok(Sent::Reported) => handler.sent(slot),
                    // What the server said before it stopped reading may be a good answer, if one is waiting.
                    Err(_) if events & libc::EPOLLIN as u32 != 0 => Next::Nothing,
                    Err(_) => handler.failed(slot, IoFailure::Write),
                };
                if !self.follow(slot, next, handler) {
                    return;
                }
            }
            Phase::Sending(..) => {}
        }
        let gone = (libc::EPOLLRDHUP | libc::EPOLLHUP | libc::EPOLLERR) as u32;
        if events & (libc::EPOLLIN as u32 | gone) != 0 {
            self.receive(slot, events & gone != 0, handler);
        }
    }

    #[inline]
    fn receive<H: Handler>(&mut self, slot: Slot, to_the_end: bool, handler: &mut H) {
        loop {
            let Some(connection) = &mut self.connections[slot as usize] else { return };
            let skip = usize::try_from(std::mem::take(&mut connection.skip)).unwrap_or(usize::MAX);
            let result = match skip {
                0 => socket::receive(&connection.socket, &mut self.buffer),
                skip => socket::skip(&connection.socket, skip.min(SKIPPED_BYTES_MOST)),
            };
            let (next, more) = match result {
                Ok(0) => (handler.ended(slot), false),
                Ok(skipped) if skip > 0 => {
                    (handler.skipped(slot, skipped as u64), to_the_end || skipped == skip.min(SKIPPED_BYTES_MOST))
                }
                Ok(received) => {
                    let next = handler.received(slot, &self.buffer[..received]);
                    // A short read has emptied the socket; only its end may follow.
                    (next, to_the_end || received == self.buffer.len())
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    connection.skip = skip as u64;
                    return;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (Next::Nothing, true),
                Err(_) => (handler.failed(slot, IoFailure::Read), false),
            };
            if !self.follow(slot, next, handler) || !more {
                return;
            }
        }
    }

    /// Waits for events and handles them; whether there were any.
    fn wait_for<H: Handler>(&mut self, wait_ns: u64, handler: &mut H) -> io::Result<bool> {
        let count = match self.wait_for_events(wait_ns) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            Err(error) => return Err(error),
        };
        handler.batch(clock::monotonic_ns());
        for index in 0..count {
            let libc::epoll_event { events, u64: slot } = self.events[index];
            // Only slots were ever given to epoll_ctl.
            self.on_event(slot as Slot, events, handler);
        }
        Ok(count > 0)
    }

    /// There were bytes before the request, which is then not sent.
    #[cold]
    fn receive_premature<H: Handler>(&mut self, slot: Slot, handler: &mut H) {
        let Some(connection) = &self.connections[slot as usize] else { return };
        let next = match socket::receive(&connection.socket, &mut self.buffer) {
            Ok(0) => handler.ended(slot),
            Ok(received) => handler.premature(slot, &self.buffer[..received]),
            Err(_) => handler.failed(slot, IoFailure::Read),
        };
        self.follow(slot, next, handler);
    }

    /// Waits for events; how many there are.
    fn wait_for_events(&mut self, wait_ns: u64) -> io::Result<usize> {
        let time = libc::timespec {
            tv_sec: (wait_ns / 1_000_000_000) as libc::time_t,
            tv_nsec: (wait_ns % 1_000_000_000) as libc::c_long,
        };
        // SAFETY: the buffer has room for as many events as are asked for; no signal mask is passed. The call is newer
        // (Linux 5.11) than many C libraries, hence by its number.
        let count = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                self.set.as_raw_fd(),
                self.events.as_mut_ptr(),
                EVENTS as libc::c_int,
                &raw const time,
                std::ptr::null::<libc::sigset_t>(),
                0_usize,
            )
        };
        usize::try_from(count).map_err(|_| io::Error::last_os_error())
    }
}

impl Io for Epoll {
    fn new(settings: &IoSettings) -> io::Result<Self> {
        // SAFETY: no pointers are passed.
        let fd = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self {
            // SAFETY: the descriptor is new and nobody else's.
            set: unsafe { OwnedFd::from_raw_fd(fd) },
            settings: settings.clone(),
            connections: (0..settings.connections).map(|_| None).collect(),
            events: vec![libc::epoll_event { events: 0, u64: 0 }; EVENTS],
            buffer: vec![0; BUFFER_BYTES],
        })
    }

    fn open(&mut self, slot: Slot) -> io::Result<Opened> {
        let (socket, opened) = socket::connect(&self.settings.address)?;
        let (phase, events) = match opened {
            Opened::Connected => (Phase::Established, ESTABLISHED),
            Opened::InProgress => (Phase::Connecting, WITH_WRITING),
        };
        self.control(libc::EPOLL_CTL_ADD, &socket, slot, events)?;
        self.connections[slot as usize] = Some(Connection { socket, phase, own: Vec::new(), skip: 0 });
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
