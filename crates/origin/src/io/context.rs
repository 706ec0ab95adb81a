//! What a connection uses of its thread while the thread works on it.

use super::output::Queue;
use super::timers::Timers;
use crate::answer::delay;
use crate::answer::work::Work;
use crate::answer::{Fault, Queue as RequestQueue, QueueSettings, Route};
use crate::log::{Counts, RequestLog};
use hopcost_common::clock;
use hopcost_common::seeds::Sequence;
use rustix::time::{ClockId, clock_gettime};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

/// Seconds since 1970 by the coarse clock: cheap enough to be read at every turn of the loop, for the Date field alone.
#[expect(clippy::disallowed_methods, reason = "the Date field tells the time of day")]
fn wall_s() -> u64 {
    clock_gettime(ClockId::RealtimeCoarse).tv_sec.max(0) as u64
}

const INPUT_BYTES: usize = 64 << 10;

/// What the command line says, the same for all threads.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The seed of the delays.
    pub seed: u64,
    /// Whether a connection gets an answer before its first request.
    pub greet: bool,
    /// How many answers a connection gets; the last one closes it.
    pub requests_per_connection: Option<u64>,
    /// The calibrated loop.
    pub work: Work,
    /// How many rounds of it run before each answer.
    pub work_rounds: u64,
    /// The virtual servers that requests queue for.
    pub queue: Option<QueueSettings>,
    /// The route that every path stands for, whatever its query.
    pub any_path: Option<Route>,
    /// The Content-Type of answers; without it that of their route.
    pub content_type: Option<&'static str>,
}

/// Counts requests with a fault over all threads, so that `every=N` means each Nth request of the server.
#[derive(Debug, Default)]
struct Turns([AtomicU64; Fault::ALL.len()]);

impl Turns {
    fn hits(&self, fault: Fault, every: u64) -> bool {
        every == 1 || (self.0[fault as usize].fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(every)
    }
}

/// What all threads of the server take turns at.
#[derive(Debug)]
pub struct Common {
    turns: Turns,
    queue: Option<Mutex<RequestQueue>>,
}

impl Common {
    /// At the start of the server.
    pub fn new(queue: Option<QueueSettings>) -> Self {
        let queue = queue.map(|settings| Mutex::new(RequestQueue::new(settings, clock::monotonic_ns())));
        Self { turns: Turns::default(), queue }
    }
}

/// What belongs to one thread.
#[derive(Debug)]
pub struct Context {
    pub settings: Settings,
    pub counts: Vec<Counts>,
    pub requests: Option<RequestLog>,
    pub random: Sequence,
    pub timers: Timers,
    /// The buffer for reading. Its bytes mean nothing between two uses.
    pub input: Vec<u8>,
    /// Lent to the connection that the thread works on, so that idle connections hold no memory.
    pub queue: Queue,
    /// The Date field, as of the start of this turn of the loop.
    pub date: String,
    /// How long to work once this turn's answers have been sent.
    pub owed_ns: u64,
    common: Arc<Common>,
    date_s: u64,
}

impl Context {
    pub fn new(
        settings: Settings,
        thread: usize,
        listeners: usize,
        requests: Option<RequestLog>,
        common: Arc<Common>,
    ) -> Self {
        let mut context = Self {
            settings,
            counts: vec![Counts::default(); listeners],
            requests,
            random: delay::random(settings.seed, thread as u64),
            timers: Timers::default(),
            input: vec![0; INPUT_BYTES],
            queue: Queue::default(),
            date: String::new(),
            owed_ns: 0,
            common,
            date_s: u64::MAX,
        };
        context.turn();
        context
    }

    /// Begins a turn of the loop.
    pub fn turn(&mut self) {
        let now_s = wall_s();
        if now_s != self.date_s {
            self.date_s = now_s;
            // A time that the Date field cannot express comes from a wrong clock; 1970 is as good then.
            let moment = UNIX_EPOCH.checked_add(Duration::from_secs(now_s.min(253_402_300_799)));
            self.date = httpdate::fmt_http_date(moment.unwrap_or(UNIX_EPOCH));
        }
    }

    pub fn fault_hits(&self, fault: Fault, every: u64) -> bool {
        self.common.turns.hits(fault, every)
    }

    /// Puts a request into the queue, if there is one: the present moment, which is its arrival, and its completion.
    pub fn enter_queue(&self) -> Option<(u64, u64)> {
        // Another thread's panic leaves the queue whole: an entry is one assignment.
        let mut queue = self.common.queue.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        // Read under the lock, so that requests stand in the queue in the order of their arrivals.
        let arrival_ns = clock::monotonic_ns();
        Some((arrival_ns, queue.completion_ns(arrival_ns)))
    }
}
