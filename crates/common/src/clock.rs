//! The clocks that measure: none of them can be set.

use rustix::time::{ClockId, clock_gettime};

#[expect(clippy::disallowed_methods, reason = "the one place that measures time; no caller names another clock")]
fn read_ns(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    // Never negative: these clocks count from the start of the machine, the process or the thread.
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// CLOCK_MONOTONIC in nanoseconds.
#[inline]
pub fn monotonic_ns() -> u64 {
    read_ns(ClockId::Monotonic)
}

/// The CPU time of this process: all its threads, dead ones included.
pub fn process_cpu_ns() -> u64 {
    read_ns(ClockId::ProcessCPUTime)
}

/// The CPU time of the calling thread.
pub fn thread_cpu_ns() -> u64 {
    read_ns(ClockId::ThreadCPUTime)
}
