//! Clocks: the monotonic one, and how much CPU time a process has used.

use std::io;
use std::mem::MaybeUninit;

fn read(clock: libc::clockid_t) -> io::Result<u64> {
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: the pointer is to a local of the right type.
    if unsafe { libc::clock_gettime(clock, time.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call has succeeded, so it has filled the structure.
    let time = unsafe { time.assume_init() };
    // Neither clock is ever negative.
    Ok(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

/// CLOCK_MONOTONIC in nanoseconds.
#[inline]
pub fn monotonic_ns() -> u64 {
    // Every Linux has this clock.
    read(libc::CLOCK_MONOTONIC).expect("CLOCK_MONOTONIC is always there")
}

/// The CPU time of this process, all its threads, dead ones included.
pub fn own_cpu_ns() -> u64 {
    // Every Linux has this clock.
    read(libc::CLOCK_PROCESS_CPUTIME_ID).expect("the own process's clock is always there")
}

/// The CPU clock of another process.
#[derive(Debug, Clone, Copy)]
pub struct ProcessClock(libc::clockid_t);

impl ProcessClock {
    /// The clock of the process with this id.
    pub fn of(process: u32) -> io::Result<Self> {
        let process = libc::pid_t::try_from(process).map_err(|_| io::Error::from_raw_os_error(libc::ESRCH))?;
        let mut clock = 0;
        // SAFETY: the pointer is to a local of the right type.
        match unsafe { libc::clock_getcpuclockid(process, &raw mut clock) } {
            0 => Ok(Self(clock)),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }

    /// The CPU time of the process: all its threads, dead ones included. Fails once the process is gone.
    pub fn read_ns(self) -> io::Result<u64> {
        read(self.0)
    }
}
