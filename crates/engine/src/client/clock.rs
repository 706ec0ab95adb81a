//! The three clocks of an arm.
//!
//! - CLOCK_MONOTONIC never stands still. Backends, slices and wake-ups use it.
//! - The arm's clock stands still while the arm is frozen. Answers are timed on it, and time-outs run on it.
//! - The schedule's clock also stands still while the arm opens its connections or is drained. Requests are due on it.
//!
//! ```text
//! monotonic = arm + offset_ns        arm = schedule + zero_ns
//! ```

/// How the clocks of an arm relate to each other until it is frozen again.
#[derive(Debug, Clone, Copy, Default)]
pub struct ArmClock {
    offset_ns: u64,
    zero_ns: u64,
}

impl ArmClock {
    /// The clocks of an arm that is thawed at `monotonic_ns`, when its own clocks show `arm_ns` and `schedule_ns`.
    pub const fn thawed(monotonic_ns: u64, arm_ns: u64, schedule_ns: u64) -> Self {
        Self { offset_ns: monotonic_ns.saturating_sub(arm_ns), zero_ns: arm_ns - schedule_ns }
    }

    /// The same with a new schedule, which begins at this time of the arm's clock.
    #[must_use]
    pub const fn with_schedule_from(self, arm_ns: u64) -> Self {
        Self { zero_ns: arm_ns, ..self }
    }

    /// CLOCK_MONOTONIC on the arm's clock.
    #[inline]
    pub const fn arm_ns(self, monotonic_ns: u64) -> u64 {
        monotonic_ns.saturating_sub(self.offset_ns)
    }

    /// The arm's clock as CLOCK_MONOTONIC. `u64::MAX` (never) stays what it is.
    #[inline]
    pub const fn monotonic_ns(self, arm_ns: u64) -> u64 {
        arm_ns.saturating_add(self.offset_ns)
    }

    /// How far the arm's clock is behind CLOCK_MONOTONIC.
    pub const fn offset_ns(self) -> u64 {
        self.offset_ns
    }

    /// The schedule's clock on the arm's clock.
    #[inline]
    pub const fn due_ns(self, schedule_ns: u64) -> u64 {
        schedule_ns + self.zero_ns
    }
}

#[cfg(test)]
mod tests {
    use super::ArmClock;

    #[test]
    fn one_time_on_three_clocks() {
        let clock = ArmClock::thawed(1000, 300, 200);
        assert_eq!((clock.arm_ns(1005), clock.monotonic_ns(305), clock.due_ns(205)), (305, 1005, 305));
        assert_eq!(clock.with_schedule_from(300).due_ns(5), 305);
        assert_eq!((clock.monotonic_ns(u64::MAX), clock.arm_ns(0)), (u64::MAX, 0));
    }
}
