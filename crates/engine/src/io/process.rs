//! This process and others: cores, CPU clocks, signals, whether anybody reads the output.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity, set_current_timer_slack};
use serde::{Deserialize, Serialize};
use std::io;
use std::num::NonZeroU64;

/// Keeps the calling thread on one core.
pub fn pin_to_core(core: usize) -> io::Result<()> {
    pin_to_cores(&[core])
}

/// Keeps the calling thread on these cores.
pub fn pin_to_cores(cores: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    for &core in cores {
        if core >= CpuSet::MAX_CPU {
            return Err(Errno::INVAL.into());
        }
        set.set(core);
    }
    Ok(sched_setaffinity(None, &set)?)
}

/// Has the kernel wake the calling thread when it asked to be woken, and not up to 50 us later.
pub fn wake_in_time() -> io::Result<()> {
    Ok(set_current_timer_slack(Some(NonZeroU64::MIN))?)
}

/// How the kernel schedules the calling thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scheduling {
    /// Before every thread that is not of real time (`SCHED_FIFO`).
    Fifo,
    Other,
}

/// Has the calling thread go before all that are not of real time, if this process may ask for that.
pub fn go_first() -> Scheduling {
    // Above kernel threads that have the lowest one, and below those that serve interrupts (50).
    let priority: libc::c_int = 10;
    // Not by the C library's function: musl's refuses.
    // SAFETY: the kernel reads one int, the priority, from a pointer to a local.
    let result = unsafe {
        libc::syscall(
            libc::SYS_sched_setscheduler,
            0,
            libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK,
            &raw const priority,
        )
    };
    if result == 0 { Scheduling::Fifo } else { Scheduling::Other }
}

/// The cores that the calling thread may use.
pub fn allowed_cores() -> io::Result<Vec<usize>> {
    let cores = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&core| cores.is_set(core)).collect())
}

/// Waits until the reader of standard output (a pipe or a socket) has gone away. Never returns if it is a file.
pub fn wait_until_output_is_closed() {
    let output = io::stdout();
    // A signal interrupts the call.
    while !poll(&mut [PollFd::new(&output, PollFlags::empty())], None).is_ok_and(|ready| ready > 0) {}
}

/// Another process, held by a descriptor: once it has ended, its number may be a stranger's.
#[derive(Debug)]
pub struct Process {
    id: Pid,
    descriptor: OwnedFd,
}

impl Process {
    /// The process that has this number now. Fails with ESRCH if there is none.
    pub fn open(number: u32) -> io::Result<Self> {
        let id = i32::try_from(number).ok().and_then(Pid::from_raw).ok_or(Errno::SRCH)?;
        Ok(Self { id, descriptor: pidfd_open(id, PidfdFlags::empty())? })
    }

    /// Its number, which is a stranger's if [`Process::has_ended`] afterwards.
    pub fn number(&self) -> i32 {
        self.id.as_raw_nonzero().get()
    }

    pub fn stop(&self) -> io::Result<()> {
        Ok(pidfd_send_signal(&self.descriptor, Signal::STOP)?)
    }

    pub fn resume(&self) -> io::Result<()> {
        Ok(pidfd_send_signal(&self.descriptor, Signal::CONT)?)
    }

    pub fn has_ended(&self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        // It does not fail: the descriptor is open, and nothing is waited for.
        poll(&mut [PollFd::new(&self.descriptor, PollFlags::IN)], Some(&now)).is_ok_and(|ready| ready > 0)
    }

    /// The CPU time of the process: all its threads, dead ones included. Fails once it has ended.
    #[expect(clippy::disallowed_methods, reason = "reads the CPU clock of another process, and no other")]
    pub fn cpu_ns(&self) -> io::Result<u64> {
        // As clock_getcpuclockid makes it: the clock of a process (no thread), as its scheduler counts.
        let clock = (!self.number() << 3) | 2;
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the pointer is to a local of the right type.
        if unsafe { libc::clock_gettime(clock, &raw mut time) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // Only now is it known whose clock that was.
        if self.has_ended() {
            return Err(Errno::SRCH.into());
        }
        // CPU time is never negative.
        Ok(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    fn sleeper() -> Child {
        Command::new("sleep").arg("1000").spawn().expect("sleep is everywhere")
    }

    fn state(number: u32) -> String {
        std::fs::read_to_string(format!("/proc/{number}/stat")).expect("a child that was not waited for")
    }

    #[test]
    fn a_process_that_has_ended_has_no_cpu_time() {
        let mut child = sleeper();
        let process = Process::open(child.id()).expect("it runs");
        assert!(!process.has_ended());
        assert!(process.cpu_ns().is_ok());
        child.kill().expect("it is a child");
        // Nobody waits for it yet, so its number and its clock stay.
        while !process.has_ended() {
            std::thread::yield_now();
        }
        assert_eq!(process.cpu_ns().expect_err("it has ended").raw_os_error(), Some(libc::ESRCH));
        child.wait().expect("it is a child");
    }

    #[test]
    fn a_stranger_with_the_same_number_is_neither_stopped_nor_counted() {
        let mut child = sleeper();
        let number = child.id();
        let process = Process::open(number).expect("it runs");
        child.kill().expect("it is a child");
        child.wait().expect("it is a child");
        let Some(mut stranger) = stranger_with(number) else {
            eprintln!("skipped: numbers of processes cannot be chosen here");
            return;
        };
        let results = (process.stop(), process.cpu_ns());
        let state = state(number);
        stranger.kill().expect("it is a child");
        stranger.wait().expect("it is a child");
        assert!(results.0.is_err() && results.1.is_err(), "{results:?}");
        assert!(!state.contains(") T "), "{state}");
    }

    /// A child with this number, if the kernel lets it be chosen and nobody else takes it.
    fn stranger_with(number: u32) -> Option<Child> {
        for _ in 0..20 {
            std::fs::write("/proc/sys/kernel/ns_last_pid", (number - 1).to_string()).ok()?;
            let mut child = sleeper();
            if child.id() == number {
                return Some(child);
            }
            child.kill().expect("it is a child");
            child.wait().expect("it is a child");
        }
        None
    }
}
