//! The clocks that the origin reads.

use rustix::time::{ClockId, Timespec, clock_gettime};

fn nanoseconds(time: Timespec) -> u64 {
    // Neither clock is ever negative: both count from the start of the machine or of the thread.
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// CLOCK_MONOTONIC.
pub fn monotonic_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

/// CPU time of the calling thread.
pub fn thread_cpu_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::ThreadCPUTime))
}

/// Seconds since 1970 by the coarse clock: cheap enough to be read at every turn of the loop, for the Date field alone.
pub fn wall_s() -> u64 {
    clock_gettime(ClockId::RealtimeCoarse).tv_sec.max(0) as u64
}
