//! Counts and histograms. One recorder per lane, merged at the end: no atomics, no locks, no allocation while load runs.

mod counts;
mod errors;
mod gaps;
mod handshakes;
mod times;

pub use counts::{Counts, LATE_NS};
pub use errors::{ErrorKind, Errors};
pub use gaps::Gaps;
pub use handshakes::{Handshakes, TlsReceipt};
pub use times::{Distribution, MAX_TIME_NS, OpenTimes, Times, encode, time_histogram};

/// The recorder of one lane.
#[derive(Debug)]
pub struct Recorder {
    /// Everything since the lane began.
    pub counts: Counts,
    /// Times recorded while measuring.
    pub times: Times,
    /// TLS handshakes, also while not measuring.
    pub handshakes: Handshakes,
    /// The response times up to the end of the last slice.
    before_slice: Option<Box<Distribution>>,
    measuring: bool,
    has_measured: bool,
}

impl Recorder {
    pub fn new(is_open: bool) -> Self {
        Self {
            counts: Counts::default(),
            times: Times::new(is_open),
            handshakes: Handshakes::default(),
            before_slice: None,
            measuring: false,
            has_measured: false,
        }
    }

    /// The response times of the slice that has ended: what was entered since the last call. `None` in the closed loop.
    /// Takes some 100 us, so it is for the time between slices. Not while times are handed over meanwhile.
    pub fn response_times_of_slice(&mut self) -> Option<Distribution> {
        let now = &self.times.open.as_ref()?.response;
        let before = self.before_slice.get_or_insert_default();
        let slice = now.since(before);
        before.as_mut().clone_from(now);
        Some(slice)
    }

    /// Whether times go into the histograms from now on. They do not while warming up.
    pub fn measure(&mut self, measuring: bool) {
        self.measuring = measuring;
        self.has_measured |= measuring;
    }

    /// Requests in flight at the end belong to the measured slices, though they were drained afterwards.
    pub fn measure_what_is_left(&mut self) {
        self.measuring = self.has_measured;
    }

    /// A request was sent now, `lag_ns` after its intended start; `is_late` if the generator alone is to blame.
    #[inline]
    pub fn sent(&mut self, now_ns: u64, lag_ns: u64, is_late: bool) {
        self.counts.sent += 1;
        if let Some(open) = &mut self.times.open {
            self.counts.late += u64::from(is_late);
            if self.measuring {
                open.send_lag.known.saturating_record(lag_ns);
                open.gaps.sent(now_ns);
            }
        }
    }

    /// A request that [`Recorder::sent`] entered had not been sent after all.
    #[cold]
    pub fn unsend(&mut self, lag_ns: u64) {
        self.counts.sent -= 1;
        if self.measuring
            && let Some(open) = &mut self.times.open
        {
            let mut entered = time_histogram();
            entered.saturating_record(lag_ns);
            // It was handed over meanwhile, or not measured.
            let _ = open.send_lag.known.subtract(&entered);
        }
    }

    /// A correct answer came, this long after its request was sent and after its intended start.
    #[inline]
    pub fn answer(&mut self, service_ns: u64, response_ns: u64) {
        self.counts.answers += 1;
        if self.measuring {
            self.times.service.known.saturating_record(service_ns);
            if let Some(open) = &mut self.times.open {
                open.response.known.saturating_record(response_ns);
            }
        }
    }

    /// A request got no answer for this long since it was sent and since its intended start.
    pub fn unanswered(&mut self, service_ns: u64, response_ns: u64) {
        if self.measuring {
            self.times.service.at_least.saturating_record(service_ns);
            if let Some(open) = &mut self.times.open {
                open.response.at_least.saturating_record(response_ns);
            }
        }
    }

    /// A request that was due this long ago and will not be sent.
    pub fn not_sent(&mut self, age_ns: u64) {
        self.counts.not_sent += 1;
        if self.measuring
            && let Some(open) = &mut self.times.open
        {
            open.response.at_least.saturating_record(age_ns);
            open.send_lag.at_least.saturating_record(age_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_has_its_own_response_times() {
        let mut recorder = Recorder::new(true);
        recorder.answer(1, 5);
        recorder.measure(true);
        let mut lengths = Vec::new();
        for answers in [3, 0, 2] {
            (0..answers).for_each(|_| recorder.answer(1, 1000 * answers));
            recorder.not_sent(7);
            let slice = recorder.response_times_of_slice().expect("it is an open loop");
            lengths.push((slice.known.len(), slice.known.max() / 1000, slice.at_least.len()));
        }
        assert_eq!(lengths, [(3, 3, 1), (0, 0, 1), (2, 2, 1)]);
        let whole = &recorder.times.open.as_ref().expect("it is an open loop").response;
        assert_eq!((whole.known.len(), whole.at_least.len()), (5, 3), "the arm keeps all");
        assert!(Recorder::new(false).response_times_of_slice().is_none());
    }

    #[test]
    fn warming_up_counts_but_leaves_no_times() {
        let mut recorder = Recorder::new(false);
        recorder.answer(5, 5);
        recorder.unanswered(5, 5);
        recorder.measure(true);
        recorder.answer(7, 7);
        recorder.answer(u64::MAX, u64::MAX);
        let times = &recorder.times.service;
        assert_eq!((recorder.counts.answers, times.known.len(), times.at_least.len()), (3, 2, 0));
        assert_eq!(times.known.min(), 7);
        assert!(times.known.max() >= MAX_TIME_NS, "too long counts as the longest, it is not lost");
    }

    #[test]
    fn an_open_loop_has_three_times_and_none_of_a_request_is_lost() {
        let mut recorder = Recorder::new(true);
        recorder.measure(true);
        recorder.sent(0, 3, false);
        recorder.sent(9, 4, true);
        recorder.answer(10, 13);
        recorder.unanswered(20, 24);
        recorder.not_sent(50);
        let counts = recorder.counts;
        assert_eq!((counts.due(), counts.sent, counts.not_sent, counts.late), (3, 2, 1, 1));
        let open = recorder.times.open.as_deref().expect("an open loop");
        assert_eq!((open.response.known.max(), open.response.known.len()), (13, 1));
        assert_eq!((open.response.at_least.min(), open.response.at_least.max()), (24, 50));
        assert_eq!((open.send_lag.known.len(), open.send_lag.at_least.max()), (2, 50));
        assert_eq!(recorder.times.service.at_least.max(), 20);
    }
}
