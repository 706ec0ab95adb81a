//! This process and others: cores, limits, signals, whether anybody reads the output.

use std::io;
use std::mem;

fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Keeps the calling thread on one core.
pub fn pin_to_core(core: usize) -> io::Result<()> {
    if core >= libc::CPU_SETSIZE as usize {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    // SAFETY: all zeroes is the empty set; the core is within it; the size is that of the set.
    check(unsafe {
        let mut set: libc::cpu_set_t = mem::zeroed();
        libc::CPU_SET(core, &mut set);
        libc::sched_setaffinity(0, mem::size_of_val(&set), &raw const set)
    })
}

/// Has the calling thread woken when it asked to be, and not up to 50 us later.
pub fn wake_in_time() -> io::Result<()> {
    // SAFETY: no pointers are passed.
    check(unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1_u64) })
}

/// The cores that the calling thread may use.
pub fn allowed_cores() -> io::Result<Vec<usize>> {
    // SAFETY: all zeroes is the empty set, which the call fills; the size is that of the set.
    unsafe {
        let mut set: libc::cpu_set_t = mem::zeroed();
        check(libc::sched_getaffinity(0, mem::size_of_val(&set), &raw mut set))?;
        Ok((0..libc::CPU_SETSIZE as usize).filter(|&core| libc::CPU_ISSET(core, &set)).collect())
    }
}

/// Raises the limit of open files as far as it goes, and says how far that is.
pub fn raise_open_files() -> io::Result<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointers are to a local of the right type.
    unsafe {
        check(libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit))?;
        limit.rlim_cur = limit.rlim_max;
        check(libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit))?;
    }
    Ok(limit.rlim_cur)
}

/// Sends SIGSTOP to a process.
pub fn stop(process: u32) -> io::Result<()> {
    kill(process, libc::SIGSTOP)
}

/// Sends SIGCONT to a process.
pub fn resume(process: u32) -> io::Result<()> {
    kill(process, libc::SIGCONT)
}

fn kill(process: u32, signal: libc::c_int) -> io::Result<()> {
    match libc::pid_t::try_from(process) {
        // 0 would be the own process group.
        // SAFETY: no pointers are passed.
        Ok(process) if process > 0 => check(unsafe { libc::kill(process, signal) }),
        _ => Err(io::Error::from_raw_os_error(libc::ESRCH)),
    }
}

/// Waits until the reader of standard output (a pipe or a socket) has gone away. Never returns where it is a file.
pub fn wait_until_output_is_closed() {
    loop {
        let mut poll = libc::pollfd { fd: libc::STDOUT_FILENO, events: 0, revents: 0 };
        // SAFETY: one structure, which outlives the call.
        if unsafe { libc::poll(&raw mut poll, 1, -1) } > 0 {
            return;
        }
    }
}
