//! Virtual servers that requests queue for: each request takes the same time of one of them, first come, first served.
//! A pure function from arrivals to completions; it reads no clock and burns no CPU.

use super::delay;
use std::str::FromStr;

/// Servers that do nothing at the beginning of each period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    length_ns: u64,
    period_ns: u64,
}

impl Pause {
    /// Working time that has passed at a moment.
    fn worked_ns(self, moment_ns: u64) -> u64 {
        let (periods, rest_ns) = (moment_ns / self.period_ns, moment_ns % self.period_ns);
        periods * (self.period_ns - self.length_ns) + rest_ns.saturating_sub(self.length_ns)
    }

    /// The first moment at which this much working time has passed.
    fn moment_ns(self, worked_ns: u64) -> u64 {
        let working_ns = self.period_ns - self.length_ns;
        match (worked_ns / working_ns, worked_ns % working_ns) {
            (periods, 0) => periods * self.period_ns,
            (periods, rest_ns) => periods * self.period_ns + self.length_ns + rest_ns,
        }
    }
}

impl FromStr for Pause {
    type Err = &'static str;

    /// Reads `50ms@1s`: the first 50 ms of each second.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (length, period) = text.split_once('@').ok_or("expected TIME@PERIOD, as in 50ms@1s")?;
        let time_ns = |text| delay::duration_ns(text).ok_or("expected times such as 50ms, as in 50ms@1s");
        let (length_ns, period_ns) = (time_ns(length)?, time_ns(period)?);
        if length_ns == 0 || length_ns >= period_ns {
            return Err("the pause must be longer than 0 and shorter than its period");
        }
        Ok(Self { length_ns, period_ns })
    }
}

/// What the command line says about the virtual servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueSettings {
    /// Time that a request takes of its server.
    pub time_ns: u64,
    /// How many servers there are.
    pub servers: u16,
    /// When none of them works.
    pub pause: Option<Pause>,
}

/// The virtual servers and what they have to do.
#[derive(Clone, Debug)]
pub struct Queue {
    settings: QueueSettings,
    start_ns: u64,
    /// For each server the working time at which it has done all that it was given.
    free_ns: Vec<u64>,
}

impl Queue {
    /// Idle servers; periods of pauses count from `start_ns`.
    pub fn new(settings: QueueSettings, start_ns: u64) -> Self {
        Self { settings, start_ns, free_ns: vec![0; usize::from(settings.servers)] }
    }

    /// Gives a request to the server that is free first, and returns when the request is done:
    /// max(its arrival, what the server did before) + the time of a request, in working time.
    pub fn completion_ns(&mut self, arrival_ns: u64) -> u64 {
        let Self { settings, start_ns, free_ns } = self;
        let since_start_ns = arrival_ns.saturating_sub(*start_ns);
        let arrival_ns = settings.pause.map_or(since_start_ns, |pause| pause.worked_ns(since_start_ns));
        // There is a server: the command line takes no fewer.
        let server_ns = free_ns.iter_mut().min().expect("one server at least");
        *server_ns = arrival_ns.max(*server_ns) + settings.time_ns;
        *start_ns + settings.pause.map_or(*server_ns, |pause| pause.moment_ns(*server_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const START_NS: u64 = 1_000_000;

    fn completions(time_ns: u64, servers: u16, pause: Option<(u64, u64)>, arrivals_ns: &[u64]) -> Vec<u64> {
        let pause = pause.map(|(length_ns, period_ns)| Pause { length_ns, period_ns });
        let mut queue = Queue::new(QueueSettings { time_ns, servers, pause }, START_NS);
        arrivals_ns.iter().map(|arrival_ns| queue.completion_ns(START_NS + arrival_ns) - START_NS).collect()
    }

    #[test]
    fn one_server_does_one_request_after_the_other() {
        for (arrivals_ns, expected_ns) in [
            (&[0, 0, 0][..], &[10, 20, 30][..]),
            (&[0, 10, 20], &[10, 20, 30]),
            (&[0, 5, 30, 31], &[10, 20, 40, 50]),
            (&[7, 100, 101, 102, 200], &[17, 110, 120, 130, 210]),
        ] {
            assert_eq!(completions(10, 1, None, arrivals_ns), expected_ns, "{arrivals_ns:?}");
        }
    }

    #[test]
    fn a_request_takes_the_server_that_is_free_first() {
        for (servers, arrivals_ns, expected_ns) in [
            (2, &[0, 0, 0, 0][..], &[10, 10, 20, 20][..]),
            (2, &[0, 5, 5, 5, 40], &[10, 15, 20, 25, 50]),
            (3, &[0, 1, 2, 3, 4], &[10, 11, 12, 20, 21]),
        ] {
            assert_eq!(completions(10, servers, None, arrivals_ns), expected_ns, "{servers}: {arrivals_ns:?}");
        }
    }

    #[test]
    fn work_stands_still_in_the_first_20_of_each_100() {
        for (arrivals_ns, expected_ns) in [
            // In the pause: from its end on.
            (&[0, 0][..], &[30, 40][..]),
            (&[19, 20, 21], &[30, 40, 50]),
            // Between pauses: as without.
            (&[50, 60], &[60, 70]),
            // Done just when the pause begins, and 20 later when it is not.
            (&[90, 190, 191], &[100, 200, 230]),
            (&[95, 350], &[125, 360]),
        ] {
            assert_eq!(completions(10, 1, Some((20, 100)), arrivals_ns), expected_ns, "{arrivals_ns:?}");
        }
        assert_eq!(completions(200, 2, Some((20, 100)), &[0, 40]), [260, 280], "a request may outlast pauses");
    }

    #[test]
    fn pauses_are_read() {
        let pause = Pause { length_ns: 50_000_000, period_ns: 1_000_000_000 };
        assert_eq!("50ms@1s".parse(), Ok(pause));
        for text in ["50ms", "@1s", "50ms@", "0ms@1s", "1s@1s", "2s@1s", "50@1000", "50ms@1s@1s"] {
            assert!(text.parse::<Pause>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_busy_server_does_exactly_what_fits_into_its_working_time(
            (length_ns, period_ns) in (1u64..1000).prop_flat_map(|length| (Just(length), length + 1..5000)),
            time_ns in 1u64..3000,
        ) {
            let all = completions(time_ns, 1, Some((length_ns, period_ns)), &[0; 100]);
            for (index, completion_ns) in all.into_iter().enumerate() {
                let pause = Pause { length_ns, period_ns };
                prop_assert_eq!(pause.worked_ns(completion_ns), time_ns * (index as u64 + 1));
                prop_assert!(pause.worked_ns(completion_ns - 1) < time_ns * (index as u64 + 1));
            }
        }
    }
}
