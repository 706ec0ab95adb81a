//! How wide a terminal is.

use std::os::fd::AsRawFd;

/// The columns of the terminal behind a descriptor; `None` where there is none, or it does not say.
pub fn columns(descriptor: &impl AsRawFd) -> Option<usize> {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the call fills the structure that it is given, or fails.
    let result = unsafe { libc::ioctl(descriptor.as_raw_fd(), libc::TIOCGWINSZ, &raw mut size) };
    (result == 0 && size.ws_col > 0).then_some(usize::from(size.ws_col))
}
