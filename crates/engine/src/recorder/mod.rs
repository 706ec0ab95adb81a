//! Counts and histograms. One recorder per lane, merged at the end: no atomics, no locks, no allocation while load runs.

mod accounts;
mod counts;
mod errors;
mod faults;
mod gaps;
mod handshakes;
mod times;

pub use accounts::{Account, AccountId, MAX_ACCOUNTS};
pub use counts::{Counts, LATE_NS};
pub use errors::{ErrorKind, Errors};
pub use faults::{ServerFault, ServerFaults};
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
    /// What the server did wrong, also while not measuring.
    pub faults: ServerFaults,
    /// Of the requests of a mix while measuring; empty for one request alone, whose account is the whole.
    pub accounts: Box<[Account]>,
    /// The response times up to the end of the last slice.
    before_slice: Option<Box<Distribution>>,
    measuring: bool,
    has_measured: bool,
}

impl Recorder {
    /// A recorder with this many accounts of single requests.
    pub fn new(is_open: bool, accounts: usize) -> Self {
        Self {
            counts: Counts::default(),
            times: Times::new(is_open),
            handshakes: Handshakes::default(),
            faults: ServerFaults::default(),
            accounts: (0..accounts).map(|_| Account::new(is_open)).collect(),
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

    /// The account of a request, if it has one and it is measured.
    #[inline]
    fn account(&mut self, account: AccountId) -> Option<&mut Account> {
        // Of one request alone there are none.
        self.accounts.get_mut(usize::from(account)).filter(|_| self.measuring)
    }

    /// A request was sent now, `lag_ns` after its intended start; `is_late` if the generator alone is to blame.
    #[inline]
    pub fn sent(&mut self, now_ns: u64, lag_ns: u64, is_late: bool, account: AccountId) {
        self.counts.sent += 1;
        if let Some(account) = self.account(account) {
            account.sent += 1;
        }
        if let Some(open) = &mut self.times.open {
            self.counts.late += u64::from(is_late);
            if self.measuring {
                open.sent(now_ns, lag_ns);
            }
        }
    }

    /// A request that [`Recorder::sent`] entered had not been sent after all.
    #[cold]
    pub fn unsend(&mut self, lag_ns: u64, account: AccountId) {
        self.counts.sent -= 1;
        if let Some(account) = self.account(account) {
            // It may have been sent before the slice.
            account.sent = account.sent.saturating_sub(1);
        }
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
    pub fn answer(&mut self, service_ns: u64, response_ns: u64, account: AccountId) {
        self.counts.answers += 1;
        if let Some(account) = self.account(account) {
            account.answer(service_ns, response_ns);
        }
        if self.measuring {
            self.times.service.known.saturating_record(service_ns);
            if let Some(open) = &mut self.times.open {
                open.response.known.saturating_record(response_ns);
            }
        }
    }

    /// A request got no answer for this long since it was sent and since its intended start.
    pub fn unanswered(&mut self, service_ns: u64, response_ns: u64, account: AccountId) {
        if let Some(account) = self.account(account) {
            account.unanswered(service_ns, response_ns);
        }
        if self.measuring {
            self.times.service.at_least.saturating_record(service_ns);
            if let Some(open) = &mut self.times.open {
                open.response.at_least.saturating_record(response_ns);
            }
        }
    }

    /// A request failed, or a connection: then it is in no request's account.
    pub fn error(&mut self, kind: ErrorKind, account: Option<AccountId>) {
        self.counts.errors.add(kind);
        if let Some(account) = account.and_then(|account| self.account(account)) {
            account.error(kind);
        }
    }

    /// A request is in flight at the end, for this long since it was sent and since its intended start.
    pub fn left_in_flight(&mut self, service_ns: u64, response_ns: u64, account: AccountId) {
        self.unanswered(service_ns, response_ns, account);
        if let Some(account) = self.account(account) {
            account.in_flight += 1;
        }
    }

    /// A request that was due this long ago and will not be sent.
    pub fn not_sent(&mut self, age_ns: u64, account: AccountId) {
        self.counts.not_sent += 1;
        if let Some(account) = self.account(account) {
            account.not_sent(age_ns);
        }
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
        let mut recorder = Recorder::new(true, 0);
        recorder.answer(1, 5, 0);
        recorder.measure(true);
        let mut lengths = Vec::new();
        for answers in [3, 0, 2] {
            (0..answers).for_each(|_| recorder.answer(1, 1000 * answers, 0));
            recorder.not_sent(7, 0);
            let slice = recorder.response_times_of_slice().expect("it is an open loop");
            lengths.push((slice.known.len(), slice.known.max() / 1000, slice.at_least.len()));
        }
        assert_eq!(lengths, [(3, 3, 1), (0, 0, 1), (2, 2, 1)]);
        let whole = &recorder.times.open.as_ref().expect("it is an open loop").response;
        assert_eq!((whole.known.len(), whole.at_least.len()), (5, 3), "the arm keeps all");
        assert!(Recorder::new(false, 0).response_times_of_slice().is_none());
    }

    #[test]
    fn warming_up_counts_but_leaves_no_times() {
        let mut recorder = Recorder::new(false, 0);
        recorder.answer(5, 5, 0);
        recorder.unanswered(5, 5, 0);
        recorder.measure(true);
        recorder.answer(7, 7, 0);
        recorder.answer(u64::MAX, u64::MAX, 0);
        let times = &recorder.times.service;
        assert_eq!((recorder.counts.answers, times.known.len(), times.at_least.len()), (3, 2, 0));
        assert_eq!(times.known.min(), 7);
        assert!(times.known.max() >= MAX_TIME_NS, "too long counts as the longest, it is not lost");
    }

    #[test]
    fn an_open_loop_has_three_times_and_none_of_a_request_is_lost() {
        let mut recorder = Recorder::new(true, 0);
        recorder.measure(true);
        recorder.sent(0, 3, false, 0);
        recorder.sent(9, 4, true, 0);
        recorder.answer(10, 13, 0);
        recorder.unanswered(20, 24, 0);
        recorder.not_sent(50, 0);
        let counts = recorder.counts;
        assert_eq!((counts.due(), counts.sent, counts.not_sent, counts.late), (3, 2, 1, 1));
        let open = recorder.times.open.as_deref().expect("an open loop");
        assert_eq!((open.response.known.max(), open.response.known.len()), (13, 1));
        assert_eq!((open.response.at_least.min(), open.response.at_least.max()), (24, 50));
        assert_eq!((open.send_lag.known.len(), open.send_lag.at_least.max()), (2, 50));
        assert_eq!(recorder.times.service.at_least.max(), 20);
    }

    #[test]
    fn every_request_of_a_mix_has_its_own_account_of_the_measured_time() {
        let mut recorder = Recorder::new(true, 2);
        recorder.sent(0, 3, false, 0);
        recorder.answer(1, 2, 0);
        recorder.measure(true);
        for (account, answers) in [(0, 3), (1, 2)] {
            (0..answers).for_each(|_| recorder.sent(0, 3, false, account));
            (0..answers).for_each(|_| recorder.answer(10 + u64::from(account), 20, account));
        }
        recorder.error(ErrorKind::Status, Some(1));
        recorder.error(ErrorKind::Connect, None);
        recorder.not_sent(7, 1);
        recorder.unsend(3, 0);
        recorder.left_in_flight(5, 6, 0);
        let [first, second] = &*recorder.accounts else { panic!("there are two") };
        assert_eq!((first.sent, first.answers, first.not_sent, first.in_flight, first.errors.total()), (2, 3, 0, 1, 0));
        assert_eq!((second.sent, second.answers, second.not_sent, second.errors.of(ErrorKind::Status)), (2, 2, 1, 1));
        assert_eq!((first.service.known.max(), second.service.known.max()), (10, 11));
        let response = |account: &Account| account.response.as_deref().expect("an open loop").at_least.len();
        assert_eq!((response(first), response(second)), (1, 1));
        assert_eq!((recorder.counts.answers, recorder.counts.errors.total()), (6, 2), "the whole has the warm-up too");
        let mut sum = first.clone();
        sum.merge(second);
        assert_eq!((sum.answers, sum.service.known.len(), sum.errors.total()), (5, 5, 1));
    }
}
