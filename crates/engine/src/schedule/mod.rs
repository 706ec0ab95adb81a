//! When a request is due. Pure: no clock is read here, time comes in as a number.
//!
//! A schedule belongs to an arm, not to a connection: any free connection takes the next due request.

mod closed;

pub use closed::ClosedLoop;

/// The answer of a schedule about one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// As soon as a connection is free.
    WhenFree,
    /// At this many nanoseconds of the arm's clock, whether or not a connection is free.
    At(u64),
    /// Not at all: the schedule has ended.
    Never,
}

/// When the requests of an arm are due.
pub trait Schedule {
    /// When the request with this number (from 0) is due. It must not depend on when it is asked.
    fn due(&self, count: u64) -> Due;
}
