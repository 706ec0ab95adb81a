//! How wide a terminal is.

use std::os::fd::AsFd;

/// The columns of the terminal behind a descriptor; `None` if it is no terminal, or does not say.
pub fn columns(descriptor: &impl AsFd) -> Option<usize> {
    let columns = rustix::termios::tcgetwinsize(descriptor).ok()?.ws_col;
    (columns > 0).then_some(usize::from(columns))
}
