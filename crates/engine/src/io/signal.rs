//! Stopping early: SIGINT and SIGTERM only set a flag, so that the session thaws what it has frozen.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::register;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// Makes SIGINT and SIGTERM set the flag. A signal ends a wait for events, so the flag is soon looked at.
pub fn stop_on_signals() -> io::Result<()> {
    for signal in [SIGINT, SIGTERM] {
        // SAFETY: the handler only stores to an atomic, which a signal handler may do.
        unsafe { register(signal, request_stop) }?;
    }
    Ok(())
}

/// Whether a signal asked to stop. A plain load: nothing on the way of a request ever writes it.
#[inline]
pub fn stop_requested() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Stops as a signal would.
pub fn request_stop() {
    STOP.store(true, Ordering::Relaxed);
}
