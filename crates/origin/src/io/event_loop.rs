//! The loop of one thread.

use super::accept::{Accepted, Inbox, Listener};
use super::connection::{Connection, Fate, Origin};
use super::context::{Common, Context, Settings};
use crate::log::requests::RequestFile;
use crate::log::{Counts, Outcome, RequestLog};
use hopcost_common::clock;
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::fd::{AsFd, OwnedFd};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const EVENTS: usize = 256;
/// How many connections are accepted at once. The open ones have their turn then.
const ACCEPTS: usize = 64;
/// How long accepting rests if no descriptors are left.
const ACCEPT_REST_NS: u64 = 10_000_000;
/// The loop does not sleep during the last stretch before a timer: waking an idle core took 25 to 80 µs on a virtual
/// machine, and every scripted delay would be longer by that.
const SPIN_NS: u64 = 80_000;
/// Tokens below are `generation << 32 | slot`; a generation stays below 2³¹.
const LISTENER_TOKEN: u64 = 1 << 63;
const BELL_TOKEN: u64 = u64::MAX;

/// What the threads of a server share.
#[derive(Debug)]
pub struct Shared {
    /// The listeners of all threads.
    pub listeners: Vec<Listener>,
    /// One inbox per thread.
    pub inboxes: Vec<Inbox>,
    stop: AtomicBool,
    common: Arc<Common>,
}

impl Shared {
    /// What this many threads share.
    pub fn new(listeners: Vec<Listener>, threads: usize, common: Common) -> rustix::io::Result<Self> {
        let inboxes = (0..threads).map(|_| Inbox::new()).collect::<Result<_, _>>()?;
        Ok(Self { listeners, inboxes, stop: AtomicBool::new(false), common: Arc::new(common) })
    }

    /// Ends all loops.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Release);
        self.inboxes.iter().for_each(Inbox::ring);
    }
}

/// A place for a connection. The generation tells apart the connections that the place has had.
#[derive(Debug, Default)]
struct Slot {
    generation: u32,
    connection: Option<Box<Connection>>,
}

/// See the module.
#[derive(Debug)]
pub struct EventLoop {
    epoll: OwnedFd,
    shared: Arc<Shared>,
    thread: usize,
    slots: Vec<Slot>,
    free: Vec<u32>,
    again: Vec<u64>,
    accepted: u32,
    context: Context,
}

impl EventLoop {
    /// The loop of thread `thread`.
    pub fn new(
        shared: Arc<Shared>,
        thread: usize,
        settings: Settings,
        file: Option<RequestFile>,
    ) -> rustix::io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let inbox = &shared.inboxes[thread];
        epoll::add(&epoll, inbox.bell(), epoll::EventData::new_u64(BELL_TOKEN), epoll::EventFlags::IN)?;
        let common = shared.common.clone();
        let context = Context::new(settings, thread, shared.listeners.len(), file.map(RequestLog::new), common);
        let mut event_loop = Self {
            epoll,
            shared,
            thread,
            slots: Vec::new(),
            free: Vec::new(),
            again: Vec::new(),
            accepted: 0,
            context,
        };
        if thread == 0 {
            for listener in 0..event_loop.shared.listeners.len() {
                event_loop.watch_listener(listener)?;
            }
        }
        Ok(event_loop)
    }

    fn watch_listener(&mut self, index: usize) -> rustix::io::Result<()> {
        let token = epoll::EventData::new_u64(LISTENER_TOKEN | index as u64);
        epoll::add(&self.epoll, self.shared.listeners[index].socket(), token, epoll::EventFlags::IN)
    }

    /// Serves until [`Shared::stop`]. Returns the counts per listener.
    pub fn run(mut self) -> std::io::Result<Vec<Counts>> {
        // The usual slack of 50 µs would lengthen every scripted delay. If this fails, delays are less exact.
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        let mut events: Vec<epoll::Event> = Vec::with_capacity(EVENTS);
        while !self.shared.stop.load(Ordering::Acquire) {
            events.clear();
            let timeout = self.timeout();
            match epoll::wait(&self.epoll, spare_capacity(&mut events), timeout.as_ref()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            self.context.turn();
            for event in &events {
                self.happened(event.data.u64(), event.flags)?;
            }
            for token in std::mem::take(&mut self.again) {
                self.look(token, |_| {})?;
            }
            self.wake_due()?;
            let owed_ns = std::mem::take(&mut self.context.owed_ns);
            self.context.settings.work.burn_ns(owed_ns);
        }
        self.end()
    }

    /// How long to sleep; `None` until something happens.
    fn timeout(&self) -> Option<Timespec> {
        let wait_ns = if self.again.is_empty() {
            self.context.timers.next_ns()?.saturating_sub(clock::monotonic_ns() + SPIN_NS)
        } else {
            0
        };
        // At most an hour, as all scripted times: both parts fit.
        Some(Timespec { tv_sec: (wait_ns / 1_000_000_000) as i64, tv_nsec: (wait_ns % 1_000_000_000) as i64 })
    }

    fn happened(&mut self, token: u64, flags: epoll::EventFlags) -> rustix::io::Result<()> {
        use epoll::EventFlags as Flags;
        if token == BELL_TOKEN {
            for (socket, listener, number) in self.shared.clone().inboxes[self.thread].take() {
                self.adopt(socket, listener, number)?;
            }
            return Ok(());
        }
        if token & LISTENER_TOKEN != 0 {
            return self.accept((token & !LISTENER_TOKEN) as usize);
        }
        let hung_up = flags.intersects(Flags::HUP | Flags::ERR);
        let ending = hung_up || flags.contains(Flags::RDHUP);
        let readable = ending || flags.contains(Flags::IN);
        self.look(token, |connection| connection.notice(readable, ending, hung_up))
    }

    fn wake_due(&mut self) -> rustix::io::Result<()> {
        if self.context.timers.next_ns().is_none() {
            return Ok(());
        }
        let now_ns = clock::monotonic_ns();
        while let Some(token) = self.context.timers.due(now_ns) {
            if token & LISTENER_TOKEN == 0 {
                self.look(token, |_| {})?;
            } else {
                self.watch_listener((token & !LISTENER_TOKEN) as usize)?;
            }
        }
        // Closed connections leave their timers behind. Delays may be long, so timers are dropped before they are due.
        if self.context.timers.len() > 4 * self.slots.len() + 1024 {
            let slots = &self.slots;
            let connection_of =
                |token: u64| slots.get(token as u32 as usize).and_then(|place| place.connection.as_ref());
            self.context.timers.keep(|token| {
                token & LISTENER_TOKEN != 0
                    || connection_of(token).is_some_and(|connection| connection.token() == token)
            });
        }
        Ok(())
    }

    fn accept(&mut self, index: usize) -> rustix::io::Result<()> {
        let shared = self.shared.clone();
        for _ in 0..ACCEPTS {
            let socket = match shared.listeners[index].accept() {
                Accepted::Socket(socket) => socket,
                Accepted::Nothing => break,
                Accepted::NotNow => {
                    // The listener stays readable, and would keep the loop spinning.
                    epoll::delete(&self.epoll, shared.listeners[index].socket())?;
                    self.context.timers.push(clock::monotonic_ns() + ACCEPT_REST_NS, LISTENER_TOKEN | index as u64);
                    break;
                }
            };
            self.context.counts[index].connections_accepted += 1;
            let number = self.accepted;
            self.accepted = number.wrapping_add(1);
            let thread = number as usize % shared.inboxes.len();
            if thread == self.thread {
                self.adopt(socket, index as u16, number)?;
            } else {
                shared.inboxes[thread].put(socket, index as u16, number);
            }
        }
        Ok(())
    }

    fn adopt(&mut self, socket: OwnedFd, index: u16, number: u32) -> rustix::io::Result<()> {
        let listener = &self.shared.listeners[usize::from(index)];
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() as u32 - 1
        });
        let place = &mut self.slots[slot as usize];
        place.generation = (place.generation + 1) & 0x7fff_ffff;
        let token = u64::from(place.generation) << 32 | u64::from(slot);
        let origin = Origin { listener: index, number, tcp: listener.is_tcp() };
        let mut connection = Box::new(Connection::new(socket, origin, token, listener.listen.protocol));
        if epoll::add(&self.epoll, connection.socket(), epoll::EventData::new_u64(token), INTEREST).is_err() {
            // The kernel's limit of watches or memory is reached: drop this connection, and go on with the others.
            self.free.push(slot);
            return Ok(());
        }
        let greet = self.context.settings.greet;
        if greet {
            connection.greet(&mut self.context);
        }
        place.connection = Some(connection);
        if greet { self.look(token, |_| {}) } else { Ok(()) }
    }

    /// Works on a connection, if it is still there.
    fn look(&mut self, token: u64, notice: impl FnOnce(&mut Connection)) -> rustix::io::Result<()> {
        let slot = token as u32;
        let Some(place) = self.slots.get_mut(slot as usize) else {
            return Ok(());
        };
        let Some(connection) = place.connection.as_mut().filter(|connection| connection.token() == token) else {
            return Ok(());
        };
        notice(connection);
        match connection.drive(&mut self.context) {
            Fate::Waits => {}
            Fate::WaitsForRoom => {
                // Watched only now: a Unix socket reports room after every byte that the client reads.
                let room = INTEREST | epoll::EventFlags::OUT;
                epoll::modify(&self.epoll, connection.socket().as_fd(), epoll::EventData::new_u64(token), room)?;
            }
            Fate::Again => self.again.push(token),
            Fate::Over => {
                place.connection = None;
                self.free.push(slot);
            }
        }
        Ok(())
    }

    fn end(mut self) -> std::io::Result<Vec<Counts>> {
        for place in &mut self.slots {
            if let Some(mut connection) = place.connection.take() {
                connection.give_up(&mut self.context, Outcome::InFlight);
            }
        }
        if let Some(requests) = self.context.requests {
            requests.end()?;
        }
        Ok(self.context.counts)
    }
}

const INTEREST: epoll::EventFlags = epoll::EventFlags::IN.union(epoll::EventFlags::RDHUP).union(epoll::EventFlags::ET);
