//! How long a thread had to wait for its core although it was ready to run. Meanwhile its answers lie unread and look
//! slower than they were.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

/// The run delay of the thread that opened it.
///
/// The kernel's scheduler keeps it, in ns. Being woken on an idle core adds 0.2 us or so: without other programs 0.4 %
/// of the time at 22,000 wake-ups per second.
#[derive(Debug)]
pub(super) struct RunDelay(Option<File>);

impl RunDelay {
    pub(super) fn of_this_thread() -> Self {
        Self(File::open("/proc/thread-self/schedstat").ok())
    }

    /// Since the thread began. `None` if the kernel does not say.
    pub(super) fn read_ns(&self) -> Option<u64> {
        let mut buffer = [0_u8; 64];
        let length = self.0.as_ref()?.read_at(&mut buffer, 0).ok()?;
        parse_ns(std::str::from_utf8(&buffer[..length]).ok()?)
    }
}

/// The line is `CPU_TIME RUN_DELAY TIMESLICES`. A kernel that does not count says `0 0 0`.
fn parse_ns(text: &str) -> Option<u64> {
    let mut fields = text.split_ascii_whitespace().map(str::parse::<u64>);
    let (cpu_ns, delay_ns) = (fields.next()?.ok()?, fields.next()?.ok()?);
    (cpu_ns > 0).then_some(delay_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_field_if_the_kernel_counts() {
        assert_eq!(parse_ns("1204 78 9\n"), Some(78));
        for unknown in ["0 0 0\n", "", "12", "a b c"] {
            assert_eq!(parse_ns(unknown), None, "{unknown:?}");
        }
    }

    #[test]
    fn it_only_grows() {
        let delay = RunDelay::of_this_thread();
        if let (Some(before), Some(after)) = (delay.read_ns(), delay.read_ns()) {
            assert!(before <= after);
        }
    }
}
