//! Stopping early. The first signal only sets a flag, so that the session thaws what it has frozen and ends with its
//! lines. The second one leaves at once: the first may wait behind a reader that reads no more.

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::{exit, register};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

static STOP: AtomicBool = AtomicBool::new(false);
static SIGNALLED: AtomicBool = AtomicBool::new(false);
static IS_REGISTERED: Mutex<bool> = Mutex::new(false);

/// Makes SIGHUP, SIGINT, SIGQUIT and SIGTERM set the flag. A signal ends a wait for events, so the flag is soon looked
/// at. At the second signal the process calls `before_leaving`, in a signal handler, and exits.
///
/// SIGHUP and SIGQUIT stay ignored if they were (nohup).
pub fn stop_on_signals(before_leaving: fn()) -> io::Result<()> {
    let mut is_registered = IS_REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    if *is_registered {
        return Ok(());
    }
    for signal in that_end() {
        let handler = move || {
            request_stop();
            if SIGNALLED.swap(true, Ordering::Relaxed) {
                before_leaving();
                exit(128 + signal);
            }
        };
        // SAFETY: the handler touches atomics, exits, and calls what is meant for a signal handler.
        unsafe { register(signal, handler) }?;
    }
    *is_registered = true;
    Ok(())
}

/// The signals that end a process in order. SIGHUP and SIGQUIT are none of them if they were ignored (nohup).
fn that_end() -> impl Iterator<Item = i32> {
    let ignored = ignored_signals();
    let may_be_ignored = move |signal| [SIGHUP, SIGQUIT].contains(&signal) && ignored & (1 << (signal - 1)) != 0;
    [SIGINT, SIGTERM, SIGHUP, SIGQUIT].into_iter().filter(move |signal| !may_be_ignored(*signal))
}

/// From now on the signals that end a process in order do not end it: they wait until somebody takes them.
pub fn hold_back() -> io::Result<Held> {
    Signals::new(that_end()).map(Held)
}

/// The signals that have come and not ended the process.
pub struct Held(Signals);

impl Held {
    /// Waits until a signal comes, and returns its number; `None` if none can come any more.
    pub fn wait(&mut self) -> Option<i32> {
        self.0.forever().next()
    }
}

/// The signals that this process ignores, signal 1 in the lowest bit; none if the kernel does not tell.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Whether a signal asked to stop. A plain load: nothing on the way of a request ever writes it.
#[inline]
pub fn stop_requested() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Stops as the first signal would.
pub fn request_stop() {
    STOP.store(true, Ordering::Relaxed);
}
