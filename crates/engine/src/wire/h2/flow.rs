//! Flow control (RFC 9113, section 5.2): how much either side may still send.

use super::Violation;
use super::frame::MAX_31_BITS;

/// What the server may still send, on one stream or on all. It begins as large as can be, and is filled up again when
/// half is used: a request costs no WINDOW_UPDATE.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReceiveWindow {
    left_bytes: u32,
}

impl ReceiveWindow {
    pub(super) const fn new() -> Self {
        Self { left_bytes: MAX_31_BITS }
    }

    /// The server sent this much. Returns by how much the window is to grow, if it is.
    #[inline]
    pub(super) fn take(&mut self, bytes: u32) -> Result<Option<u32>, Violation> {
        self.left_bytes = self.left_bytes.checked_sub(bytes).ok_or(Violation::WindowExceeded)?;
        if self.left_bytes > MAX_31_BITS / 2 {
            return Ok(None);
        }
        let used_bytes = MAX_31_BITS - self.left_bytes;
        self.left_bytes = MAX_31_BITS;
        Ok(Some(used_bytes))
    }
}

/// What we may still send, on one stream or on all. A change of the settings can make it negative (section 6.9.2).
#[derive(Debug, Clone, Copy)]
pub(super) struct SendWindow {
    left_bytes: i64,
}

impl SendWindow {
    pub(super) fn new(bytes: u32) -> Self {
        Self { left_bytes: bytes.into() }
    }

    /// How much may be sent now.
    pub(super) fn room(self) -> usize {
        usize::try_from(self.left_bytes).unwrap_or(0)
    }

    pub(super) fn take(&mut self, bytes: usize) {
        // It is at most what there was room for, which is below 2^31.
        self.left_bytes -= bytes as i64;
    }

    /// WINDOW_UPDATE (section 6.9).
    pub(super) fn grow(&mut self, bytes: u32) -> Result<(), Violation> {
        if bytes == 0 {
            return Err(Violation::ZeroIncrement);
        }
        self.shift(bytes.into())
    }

    /// The settings change by so much what streams begin with.
    pub(super) fn shift(&mut self, bytes: i64) -> Result<(), Violation> {
        let left_bytes = self.left_bytes + bytes;
        if left_bytes > i64::from(MAX_31_BITS) {
            return Err(Violation::WindowOverflow);
        }
        self.left_bytes = left_bytes;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_filled_up_at_half() {
        let mut window = ReceiveWindow::new();
        assert_eq!(window.take(1000), Ok(None));
        assert_eq!(window.take(MAX_31_BITS / 2 - 1000), Ok(None), "one byte more than half is left");
        assert_eq!(window.take(1), Ok(Some(MAX_31_BITS / 2 + 1)));
        assert_eq!(window.left_bytes, MAX_31_BITS);
        assert_eq!(window.take(MAX_31_BITS + 1), Err(Violation::WindowExceeded));
    }

    #[test]
    fn what_may_be_sent() {
        let mut window = SendWindow::new(10);
        window.take(10);
        assert_eq!(window.shift(-15), Ok(()));
        assert_eq!((window.room(), window.left_bytes), (0, -15));
        assert_eq!(window.grow(20), Ok(()));
        assert_eq!(window.room(), 5);
        assert_eq!(window.grow(0), Err(Violation::ZeroIncrement));
        assert_eq!(window.grow(MAX_31_BITS - 4), Err(Violation::WindowOverflow));
        assert_eq!(window.grow(MAX_31_BITS - 5), Ok(()));
    }
}
