//! Freezing arms, and thawing them whatever happens.

use crate::io::process::Process;
use crate::plan::FreezeBy;
use hopcost_common::clock;
use hopcost_common::failure::Failure;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Mutex, Once};
use std::time::Duration;

/// Freezing takes microseconds. An arm that is not frozen after this never will be: one of its processes waits
/// uninterruptibly.
const MAX_FREEZE_NS: u64 = 5_000_000_000;
/// The state is polled without a pause for this long, then with pauses, because the arm may share this core.
const SPIN_NS: u64 = 20_000;
const PAUSE: Duration = Duration::from_micros(20);

#[derive(Debug)]
pub struct Freezer {
    arm: String,
    by: By,
}

#[derive(Debug)]
enum By {
    Nothing,
    Cgroup2 { control: File, events: File },
    Cgroup1 { state: File },
    Signal(Vec<Process>),
}

impl Freezer {
    pub fn new(arm: &str, by: Option<&FreezeBy>) -> Result<Self, Failure> {
        let open = |directory: &Path, file: &str, write: bool| {
            let path = directory.join(file);
            OpenOptions::new().read(true).write(write).open(&path).map_err(|error| {
                Failure::machine(format!("arm `{arm}`: {}: {error}", path.display()))
                    .hint("without a writable cgroup, freeze by signals: \"freeze\": {\"signal\": [pid, ...]}")
            })
        };
        let by = match by {
            // Another machine freezes it.
            None | Some(FreezeBy::Agent(_)) => By::Nothing,
            Some(FreezeBy::Cgroup2(directory)) => By::Cgroup2 {
                control: open(directory, "cgroup.freeze", true)?,
                events: open(directory, "cgroup.events", false)?,
            },
            Some(FreezeBy::Cgroup1(directory)) => By::Cgroup1 { state: open(directory, "freezer.state", true)? },
            Some(FreezeBy::Signal(numbers)) => {
                // One that is gone has nothing to be frozen.
                let processes = numbers.iter().filter_map(|&number| match Process::open(number) {
                    Err(error) if is_gone(&error) => None,
                    process => Some(process),
                });
                By::Signal(processes.collect::<io::Result<_>>().map_err(|error| {
                    Failure::machine(format!("arm `{arm}`: its processes cannot be held (pidfd_open): {error}"))
                })?)
            }
        };
        Ok(Self { arm: arm.to_owned(), by })
    }

    /// The name of what it freezes.
    pub fn arm(&self) -> &str {
        &self.arm
    }

    /// Freezes the arm and waits until it is.
    pub fn freeze(&self) -> Result<(), Failure> {
        let failed = |error: io::Error| Failure::run(format!("arm `{}` cannot be frozen: {error}", self.arm));
        match &self.by {
            By::Nothing => Ok(()),
            By::Cgroup2 { control, .. } => control.write_all_at(b"1", 0),
            By::Cgroup1 { state } => state.write_all_at(b"FROZEN", 0),
            By::Signal(processes) => processes.iter().try_for_each(|process| gone_is_fine(process.stop())),
        }
        .map_err(failed)?;
        let begin_ns = clock::monotonic_ns();
        while !self.is_frozen().map_err(failed)? {
            let waited_ns = clock::monotonic_ns() - begin_ns;
            if waited_ns > MAX_FREEZE_NS {
                return Err(failed(io::Error::from(io::ErrorKind::TimedOut)));
            }
            if waited_ns > SPIN_NS {
                std::thread::sleep(PAUSE);
            }
        }
        Ok(())
    }

    pub fn thaw(&self) -> io::Result<()> {
        match &self.by {
            By::Nothing => Ok(()),
            By::Cgroup2 { control, .. } => control.write_all_at(b"0", 0),
            By::Cgroup1 { state } => state.write_all_at(b"THAWED", 0),
            By::Signal(processes) => {
                // All of them, also if one fails.
                let resume = |result: io::Result<()>, process: &Process| result.and(gone_is_fine(process.resume()));
                processes.iter().fold(Ok(()), resume)
            }
        }
    }

    fn is_frozen(&self) -> io::Result<bool> {
        let has_line = |file: &File, line: &[u8]| {
            let mut buffer = [0_u8; 512];
            let length = file.read_at(&mut buffer, 0)?;
            Ok(buffer[..length].split(|&byte| byte == b'\n').any(|other| other == line))
        };
        match &self.by {
            By::Nothing => Ok(true),
            By::Cgroup2 { events, .. } => has_line(events, b"frozen 1"),
            By::Cgroup1 { state } => has_line(state, b"FROZEN"),
            By::Signal(processes) => {
                processes.iter().try_fold(true, |frozen, process| Ok(frozen && is_stopped(process)?))
            }
        }
    }
}

/// A process that has ended uses no CPU, so it counts as frozen. That an arm lost a process shows elsewhere.
fn gone_is_fine(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if is_gone(&error) => Ok(()),
        result => result,
    }
}

fn is_gone(error: &io::Error) -> bool {
    error.raw_os_error() == Some(3) // ESRCH
}

/// Whether every thread of the process is stopped, or gone.
fn is_stopped(process: &Process) -> io::Result<bool> {
    // What is read by its number may be a stranger's, unless it has not ended afterwards.
    Ok(threads_are_stopped(process.number())? || process.has_ended())
}

fn threads_are_stopped(process: i32) -> io::Result<bool> {
    let threads = match std::fs::read_dir(format!("/proc/{process}/task")) {
        Ok(threads) => threads,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    };
    for thread in threads {
        let Ok(thread) = thread else { continue };
        let Ok(stat) = std::fs::read_to_string(thread.path().join("stat")) else { continue };
        // The name, in parentheses, may hold anything; the state follows its last parenthesis.
        let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
        if !matches!(state, Some('T' | 't' | 'Z' | 'X' | 'x')) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The freezers of a run. Dropping them thaws every arm; so does a panic, which aborts the process without dropping.
#[derive(Debug)]
pub struct Freezers(&'static [Freezer]);

static PANIC_HOOK: Once = Once::new();
static TO_THAW: Mutex<&'static [Freezer]> = Mutex::new(&[]);

impl Freezers {
    /// The freezers live as long as the process, for the panic hook and for signals.
    pub fn new(freezers: Vec<Freezer>) -> Self {
        let freezers: &'static [Freezer] = freezers.leak();
        if let Ok(mut thaws) = TO_THAW.lock() {
            *thaws = freezers;
        }
        PANIC_HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                if let Ok(freezers) = TO_THAW.try_lock() {
                    thaw_all(&freezers);
                }
                before(panic);
            }));
        });
        Self(freezers)
    }

    pub fn of(&self, arm: usize) -> &'static Freezer {
        &self.0[arm]
    }

    pub fn freeze_all(&self) -> Result<(), Failure> {
        self.0.iter().try_for_each(Freezer::freeze)
    }

    pub fn thaw_all(&self) {
        thaw_all(self.0);
    }
}

impl Drop for Freezers {
    fn drop(&mut self) {
        thaw_all(self.0);
    }
}

fn thaw_all(freezers: &[Freezer]) {
    for freezer in freezers {
        if let Err(error) = freezer.thaw() {
            eprintln!("error: arm `{}` cannot be thawed: {error}", freezer.arm);
        }
    }
}

/// Thaws every arm and nothing else. A signal handler may call it: it neither allocates nor waits.
pub(in crate::session) fn thaw_in_signal_handler() {
    if let Ok(freezers) = TO_THAW.try_lock() {
        for freezer in freezers.iter() {
            // Nobody could be told.
            let _ = freezer.thaw();
        }
    }
}
