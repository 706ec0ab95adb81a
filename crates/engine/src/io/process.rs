//! This process and others: cores, CPU clocks, signals, whether anybody reads the output.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity, set_current_timer_slack};
use std::io;
use std::num::NonZeroU64;

/// Keeps the calling thread on one core.
pub fn pin_to_core(core: usize) -> io::Result<()> {
    if core >= CpuSet::MAX_CPU {
        return Err(Errno::INVAL.into());
    }
    let mut cores = CpuSet::new();
    cores.set(core);
    Ok(sched_setaffinity(None, &cores)?)
}

/// Has the kernel wake the calling thread when it asked to be woken, and not up to 50 us later.
pub fn wake_in_time() -> io::Result<()> {
    Ok(set_current_timer_slack(Some(NonZeroU64::MIN))?)
}

/// The cores that the calling thread may use.
pub fn allowed_cores() -> io::Result<Vec<usize>> {
    let cores = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&core| cores.is_set(core)).collect())
}

pub fn stop(process: u32) -> io::Result<()> {
    Ok(kill_process(id(process)?, Signal::STOP)?)
}

pub fn resume(process: u32) -> io::Result<()> {
    Ok(kill_process(id(process)?, Signal::CONT)?)
}

/// The process id as the kernel takes it. 0 would be the own process group.
fn id(process: u32) -> io::Result<Pid> {
    Ok(i32::try_from(process).ok().and_then(Pid::from_raw).ok_or(Errno::SRCH)?)
}

/// Waits until the reader of standard output (a pipe or a socket) has gone away. Never returns if it is a file.
pub fn wait_until_output_is_closed() {
    let output = io::stdout();
    // A signal interrupts the call.
    while !poll(&mut [PollFd::new(&output, PollFlags::empty())], None).is_ok_and(|ready| ready > 0) {}
}

/// The CPU clock of another process.
#[derive(Debug, Clone, Copy)]
pub struct ProcessClock(libc::clockid_t);

impl ProcessClock {
    pub fn of(process: u32) -> io::Result<Self> {
        let mut clock = 0;
        // SAFETY: the pointer is to a local of the right type.
        match unsafe { libc::clock_getcpuclockid(id(process)?.as_raw_nonzero().get(), &raw mut clock) } {
            0 => Ok(Self(clock)),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }

    /// The CPU time of the process: all its threads, dead ones included. Fails once the process is gone.
    #[expect(clippy::disallowed_methods, reason = "reads the CPU clock of another process, and no other")]
    pub fn read_ns(self) -> io::Result<u64> {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the pointer is to a local of the right type.
        if unsafe { libc::clock_gettime(self.0, &raw mut time) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // CPU time is never negative.
        Ok(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
    }
}
