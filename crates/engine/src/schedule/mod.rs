//! When a request is due. Pure: no clock is read here, time comes in as a number.
//!
//! A schedule belongs to an arm, not to a connection: any free connection takes the next due request. Threads share it
//! by [`Turns`].

mod closed;
mod constant;
mod curve;
mod poisson;
mod trace;
mod turns;

pub use closed::ClosedLoop;
pub use constant::Constant;
pub use curve::{AFTER_ITS_END, RateCurve};
pub use poisson::{Poisson, Share};
pub use trace::Trace;
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

/// Where a request stands in its schedule, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Among the requests of its thread.
    pub count: u64,
    /// Among those of all threads.
    pub number: u64,
}

/// When the requests of an arm are due.
pub trait Schedule: Clone {
    /// When the request with this number (from 0) is due. The answer depends on the number alone. A schedule may answer
    /// faster if the numbers come in order.
    fn due(&mut self, count: u64) -> Due;

    /// Whether requests are due at times of their own (an open loop).
    fn is_open(&self) -> bool;

    /// Where the request with this number stands.
    #[inline]
    fn place(&self, count: u64) -> Place {
        Place { count, number: count }
    }
}

/// When requests are due, in all forms that a plan or a command line can ask for.
#[derive(Debug, Clone)]
pub enum Arrivals {
    /// Whenever a connection is free.
    Closed(ClosedLoop),
    /// As even as the rate allows.
    Constant(Constant),
    /// At random times, independent of each other.
    Poisson(Poisson),
    /// When they were in a log.
    Trace(Trace),
}

impl Schedule for Arrivals {
    #[inline]
    fn due(&mut self, count: u64) -> Due {
        match self {
            Self::Closed(schedule) => schedule.due(count),
            _ => self.due_in_open_loop(count),
        }
    }

    fn is_open(&self) -> bool {
        !matches!(self, Self::Closed(_))
    }
}

impl Arrivals {
    /// Not inlined, so that [`Schedule::due`] is: of the closed loop it is one comparison.
    #[inline(never)]
    fn due_in_open_loop(&mut self, count: u64) -> Due {
        match self {
            Self::Closed(schedule) => schedule.due(count),
            Self::Constant(schedule) => schedule.due(count),
            Self::Poisson(schedule) => schedule.due(count),
            Self::Trace(schedule) => schedule.due(count),
        }
    }

    const fn requests(&mut self) -> &mut Option<u64> {
        match self {
            Self::Closed(schedule) => &mut schedule.requests,
            Self::Constant(schedule) => &mut schedule.requests,
            Self::Poisson(schedule) => &mut schedule.requests,
            Self::Trace(schedule) => &mut schedule.requests,
        }
    }

    fn curve(&mut self) -> Option<&mut RateCurve> {
        match self {
            Self::Closed(_) | Self::Trace(_) => None,
            Self::Constant(schedule) => Some(&mut schedule.curve),
            Self::Poisson(schedule) => Some(&mut schedule.curve),
        }
    }

    /// Whether the schedule ends by itself. Then it begins with what is measured.
    pub fn is_limited(&self) -> bool {
        self.clone().requests().is_some() || self.length_ns().is_some()
    }

    /// How long it takes until its last request is due, if its shape says so.
    pub fn length_ns(&self) -> Option<u64> {
        match self {
            Self::Closed(_) => None,
            Self::Constant(schedule) => schedule.curve.length_ns(),
            Self::Poisson(schedule) => schedule.curve.length_ns(),
            Self::Trace(trace) => (!trace.repeats).then(|| trace.length_ns()),
        }
    }

    /// Of steps, the one of this round: the last is followed by the first.
    pub fn step(&self, round: u32) -> Option<Self> {
        let mut arrivals = self.clone();
        let RateCurve::Steps(steps) = arrivals.curve()? else { return None };
        let step = steps.get(round as usize % steps.len().max(1))?;
        let curve = RateCurve::steps([(step.rate_per_s, step.length_ns)]);
        match &mut arrivals {
            Self::Poisson(schedule) => *schedule = schedule.another(u64::from(round), curve),
            _ => *arrivals.curve()? = curve,
        }
        Some(arrivals)
    }

    /// What loads an arm before it is measured: the same without end, at the rate at which it begins.
    #[must_use]
    pub fn without_end(&self) -> Self {
        let mut endless = self.clone();
        *endless.requests() = None;
        if let Some(curve) = endless.curve() {
            *curve = RateCurve::Constant(curve.first_per_s());
        }
        if let Self::Trace(trace) = &mut endless {
            trace.repeats = true;
        }
        endless
    }

    /// The share of a generator that makes this load with others; `None` if it cannot be shared: constant arrivals would be
    /// as even as the generators' clocks agree, and a trace has an order.
    #[must_use]
    pub fn shared(&self, share: Share) -> Option<Self> {
        match self {
            Self::Poisson(schedule) => Some(Self::Poisson(schedule.shared(share))),
            Self::Closed(_) => Some(self.clone()),
            Self::Constant(_) | Self::Trace(_) => None,
        }
    }

    /// The mean rate between two times of the schedule; `None` in the closed loop.
    pub fn mean_per_s(&self, from_ns: u64, until_ns: u64) -> Option<f64> {
        let requests_before = |ns| match self {
            Self::Closed(_) => None,
            Self::Constant(schedule) => Some(schedule.curve.requests_before(ns)),
            Self::Poisson(schedule) => Some(schedule.curve.requests_before(ns)),
            Self::Trace(trace) => Some(trace.requests_before(ns) as f64),
        };
        let requests = requests_before(until_ns)? - requests_before(from_ns)?;
        Some(requests * 1e9 / until_ns.saturating_sub(from_ns).max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn a_shape_has_an_end_and_what_goes_before_it_has_none() {
        let ramp = Arrivals::Constant(Constant { curve: RateCurve::ramp(100.0, 300.0, 10 * S), requests: None });
        let trace = Arrivals::Trace(Trace::new([0, S].into(), 2 * S, None));
        for (mut arrivals, length_ns, after) in [(ramp, 10 * S, AFTER_ITS_END), (trace, 2 * S, Due::Never)] {
            assert_eq!((arrivals.is_limited(), arrivals.length_ns()), (true, Some(length_ns)));
            assert_eq!(arrivals.due(1_000_000), after);
            let mut before = arrivals.without_end();
            assert_eq!((before.is_limited(), before.length_ns()), (false, None));
            assert!(matches!(before.due(1_000_000), Due::At(ns) if ns <= 1_000_000 * S));
        }
        assert!(!Arrivals::Constant(Constant::new(1.0, None)).is_limited());
        assert!(Arrivals::Constant(Constant::new(1.0, Some(3))).is_limited());
    }

    #[test]
    fn steps_one_by_one() {
        let curve = RateCurve::steps([(10.0, S), (40.0, 2 * S)]);
        let steps = Arrivals::Constant(Constant { curve: curve.clone(), requests: None });
        for (round, per_s, length_ns) in [(0, 10.0, S), (1, 40.0, 2 * S), (2, 10.0, S), (3, 40.0, 2 * S)] {
            let step = steps.step(round).expect("it has steps");
            assert_eq!((step.mean_per_s(0, S), step.length_ns()), (Some(per_s), Some(length_ns)));
        }
        assert!(Arrivals::Constant(Constant::new(1.0, None)).step(0).is_none());
        let steps = Arrivals::Poisson(Poisson::along(curve, 7, None));
        let first = |round| steps.step(round).expect("it has steps").due(0);
        assert_ne!(first(0), first(2), "the same rate again, and not the same arrivals");
    }

    #[test]
    fn the_rate_as_a_function_of_time() {
        let ramp = Arrivals::Constant(Constant { curve: RateCurve::ramp(100.0, 300.0, 10 * S), requests: None });
        let steps = Arrivals::Poisson(Poisson::along(RateCurve::steps([(10.0, S), (40.0, S)]), 1, None));
        let trace = Arrivals::Trace(Trace::new([0, S, S + 1, S + 2].into(), 2 * S, None));
        for (arrivals, from_ns, until_ns, mean_per_s) in
            [(&ramp, 0, 10 * S, 200.0), (&ramp, 0, S, 110.0), (&steps, S / 2, 3 * S / 2, 25.0), (&trace, S, 2 * S, 3.0)]
        {
            let mean = arrivals.mean_per_s(from_ns, until_ns).expect("an open loop");
            assert!((mean - mean_per_s).abs() < 1e-9, "{mean} {mean_per_s}");
        }
        assert_eq!(Arrivals::Closed(ClosedLoop::default()).mean_per_s(0, S), None);
    }
}
