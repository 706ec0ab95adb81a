//! One schedule shared by several threads: thread `t` of `T` takes the requests `t`, `t + T`, `t + 2T` and so on.

use super::{Due, Place, Schedule};

#[derive(Debug, Clone, Copy)]
pub struct Turns<S> {
    whole: S,
    thread: u64,
    threads: u64,
}

impl<S: Schedule> Turns<S> {
    /// The requests of the thread with this number, from 0.
    pub const fn new(whole: S, thread: usize, threads: usize) -> Self {
        Self { whole, thread: thread as u64, threads: threads as u64 }
    }
}

impl<S: Schedule> Schedule for Turns<S> {
    #[inline]
    fn due(&mut self, count: u64) -> Due {
        self.whole.due(self.place(count).number)
    }

    fn is_open(&self) -> bool {
        self.whole.is_open()
    }

    #[inline]
    fn place(&self, count: u64) -> Place {
        Place { count, number: self.thread + count * self.threads }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Arrivals, ClosedLoop, Constant, Poisson};
    use super::*;
    use proptest::prelude::*;

    fn all(mut schedule: impl Schedule) -> Vec<Due> {
        (0..).map(|count| schedule.due(count)).take_while(|&due| due != Due::Never).collect()
    }

    proptest! {
        #[test]
        fn threads_together_have_the_whole_schedule(threads in 1_usize..9, requests in 0_u64..200, seed: u64) {
            for whole in [
                Arrivals::Closed(ClosedLoop { requests: Some(requests) }),
                Arrivals::Constant(Constant::new(1e4, Some(requests))),
                Arrivals::Poisson(Poisson::new(1e4, seed, Some(requests))),
            ] {
                let parts: Vec<Vec<Due>> =
                    (0..threads).map(|thread| all(Turns::new(whole.clone(), thread, threads))).collect();
                let longest = parts.iter().map(Vec::len).max().unwrap_or(0);
                prop_assert!(parts.iter().all(|part| longest - part.len() <= 1));
                let together: Vec<Due> =
                    (0..longest).flat_map(|at| parts.iter().filter_map(move |part| part.get(at).copied())).collect();
                prop_assert_eq!(together, all(whole));
            }
        }
    }
}
