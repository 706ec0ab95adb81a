//! Stopping early: SIGINT and SIGTERM only set a flag, so that whatever is frozen gets thawed by whoever froze it.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

extern "C" fn note(_signal: libc::c_int) {
    STOP.store(true, Ordering::Relaxed);
}

/// Has SIGINT and SIGTERM set the flag. Waiting calls are interrupted, not restarted.
pub fn stop_on_signals() -> io::Result<()> {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: all zeroes is a valid sigaction, and the handler only stores to an atomic, which a handler may do.
        let result = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = note as *const () as libc::sighandler_t;
            libc::sigaction(signal, &raw const action, std::ptr::null_mut())
        };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
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
