//! What happens, period by period, while load runs.
//!
//! Once per period a lane hands over what it has recorded and goes on with empty histograms. So nothing is recorded
//! twice, and no request touches the lock. Only [`crate::load`] watches.

use super::Client;
use crate::recorder::{Counts, Times};
use crate::schedule::Schedule;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What one lane, or all of them, saw in one period.
#[derive(Debug)]
pub struct Period {
    pub elapsed_ns: u64,
    pub counts: Counts,
    /// Requests in flight at its end.
    pub in_flight: u64,
    /// Requests that are due and wait for a connection at its end.
    pub waiting: u64,
    pub times: Times,
}

#[derive(Debug, Default)]
struct State {
    /// The periods of each lane that were handed over and not yet taken.
    handed_over: Vec<VecDeque<Period>>,
    ended: Vec<bool>,
    spare: Vec<Times>,
}

/// The place where lanes hand over and the watcher takes.
#[derive(Debug)]
pub struct Watch {
    period_ns: u64,
    state: Mutex<State>,
    changed: Condvar,
}

impl Watch {
    pub fn new(lanes: usize, period_ns: u64) -> Self {
        let state = State {
            handed_over: (0..lanes).map(|_| VecDeque::new()).collect(),
            ended: vec![false; lanes],
            spare: Vec::new(),
        };
        Self { period_ns, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A thread that panicked has aborted the process.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next period that all lanes have handed over. `None` when all have ended.
    pub fn next(&self) -> Option<Period> {
        let mut state = self.lock();
        while !state.handed_over.iter().zip(&state.ended).all(|(periods, &ended)| ended || !periods.is_empty()) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let mut parts = state.handed_over.iter_mut().filter_map(VecDeque::pop_front);
        let mut whole = parts.next()?;
        let others: Vec<Period> = parts.collect();
        drop(state);
        for part in others {
            whole.elapsed_ns = whole.elapsed_ns.max(part.elapsed_ns);
            whole.counts.merge(&part.counts);
            whole.in_flight += part.in_flight;
            whole.waiting += part.waiting;
            whole.times.merge(&part.times);
            self.recycle(part.times);
        }
        Some(whole)
    }

    /// Takes back the memory of a period.
    pub fn recycle(&self, mut times: Times) {
        times.clear();
        self.lock().spare.push(times);
    }

    pub fn end(&self) {
        self.lock().ended.fill(true);
        self.changed.notify_all();
    }

    fn hand_over(&self, lane: usize, period: Period, ended: bool) {
        let mut state = self.lock();
        state.handed_over[lane].push_back(period);
        state.ended[lane] |= ended;
        drop(state);
        self.changed.notify_all();
    }
}

/// A lane's side of a watch.
#[derive(Debug)]
pub struct Watched {
    watch: Arc<Watch>,
    lane: usize,
    last_ns: u64,
    next_ns: u64,
    last: Counts,
}

impl Watched {
    /// Nothing is reported before [`Watched::begin`].
    pub fn new(watch: Arc<Watch>, lane: usize) -> Self {
        Self { watch, lane, last_ns: 0, next_ns: u64::MAX, last: Counts::default() }
    }

    /// When the next report is due, CLOCK_MONOTONIC.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Periods begin here, CLOCK_MONOTONIC, with these counts.
    pub fn begin(&mut self, start_ns: u64, counts: Counts) {
        self.last_ns = start_ns;
        self.next_ns = start_ns + self.watch.period_ns;
        self.last.merge(&counts);
    }

    /// Reports the last period.
    pub fn report<S: Schedule>(&mut self, client: &mut Client<S>) {
        let end_ns = self.next_ns;
        self.next_ns += self.watch.period_ns;
        self.hand_over(client, end_ns, false);
    }

    /// Reports what is left, if load had begun.
    pub fn end<S: Schedule>(&mut self, client: &mut Client<S>) {
        if self.next_ns < u64::MAX {
            self.next_ns = u64::MAX;
            self.hand_over(client, client.monotonic_ns(), true);
        }
    }

    fn hand_over<S: Schedule>(&mut self, client: &mut Client<S>, end_ns: u64, ended: bool) {
        let spare = self.watch.lock().spare.pop();
        let empty = spare.unwrap_or_else(|| Times::new(client.is_open_loop()));
        let counts = client.recorder.counts.since(&self.last);
        let period = Period {
            elapsed_ns: end_ns.saturating_sub(self.last_ns),
            counts,
            in_flight: u64::from(client.in_flight()),
            waiting: client.waiting(),
            times: std::mem::replace(&mut client.recorder.times, empty),
        };
        self.last.merge(&counts);
        self.last_ns = end_ns;
        self.watch.hand_over(self.lane, period, ended);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(sent: u64, service_ns: u64) -> Period {
        let mut times = Times::new(false);
        times.service.known.record(service_ns).expect("within bounds");
        Period { elapsed_ns: 1, counts: Counts { sent, ..Counts::default() }, in_flight: 1, waiting: 0, times }
    }

    #[test]
    fn a_period_is_that_of_all_lanes_and_none_is_lost() {
        let watch = Watch::new(2, 1);
        watch.hand_over(0, period(1, 5), false);
        watch.hand_over(0, period(2, 6), false);
        watch.hand_over(1, period(4, 7), true);
        let first = watch.next().expect("both lanes have handed one over");
        assert_eq!((first.counts.sent, first.in_flight, first.times.service.known.len()), (5, 2, 2));
        let second = watch.next().expect("the second lane has ended");
        assert_eq!((second.counts.sent, second.times.service.known.max()), (2, 6));
        watch.end();
        assert!(watch.next().is_none());
    }
}
