//! When a request is due. Pure: no clock is read here, time comes in as a number.
//!
//! A schedule belongs to an arm, not to a connection: any free connection takes the next due request. Threads share it
//! by [`Turns`].

mod closed;
mod constant;
mod poisson;
mod turns;

pub use closed::ClosedLoop;
pub use constant::Constant;
pub use poisson::Poisson;
pub use turns::Turns;

/// The answer of a schedule about one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// As soon as a connection is free.
    WhenFree,
    /// At this time of the schedule's clock, whether or not a connection is free.
    At(u64),
    /// Not at all: the schedule has ended.
    Never,
}

/// When the requests of an arm are due.
pub trait Schedule: Clone {
    /// When the request with this number (from 0) is due. The answer depends on the number alone. A schedule may answer
    /// faster if the numbers come in order.
    fn due(&mut self, count: u64) -> Due;

    /// Whether requests are due at times of their own (an open loop).
    fn is_open(&self) -> bool;
}

/// The shapes of load.
#[derive(Debug, Clone)]
pub enum Arrivals {
    /// Whenever a connection is free.
    Closed(ClosedLoop),
    /// At equal distances.
    Constant(Constant),
    /// At random times, independent of each other.
    Poisson(Poisson),
}

impl Schedule for Arrivals {
    #[inline]
    fn due(&mut self, count: u64) -> Due {
        match self {
            Self::Closed(schedule) => schedule.due(count),
            Self::Constant(schedule) => schedule.due(count),
            Self::Poisson(schedule) => schedule.due(count),
        }
    }

    fn is_open(&self) -> bool {
        !matches!(self, Self::Closed(_))
    }
}

impl Arrivals {
    const fn requests(&mut self) -> &mut Option<u64> {
        match self {
            Self::Closed(schedule) => &mut schedule.requests,
            Self::Constant(schedule) => &mut schedule.requests,
            Self::Poisson(schedule) => &mut schedule.requests,
        }
    }

    /// Whether the schedule ends after a number of requests.
    pub fn is_limited(&self) -> bool {
        self.clone().requests().is_some()
    }

    /// The same without end.
    #[must_use]
    pub fn without_end(&self) -> Self {
        let mut endless = self.clone();
        *endless.requests() = None;
        endless
    }
}
