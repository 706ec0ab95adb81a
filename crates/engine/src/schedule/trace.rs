//! A trace: requests that are due when they were in a log.

use super::{Due, Schedule};
use std::sync::Arc;

/// Requests at given times.
#[derive(Debug, Clone)]
pub struct Trace {
    /// Since the trace's beginning, in ascending order; not empty.
    times_ns: Arc<[u64]>,
    /// From the beginning until it could begin again.
    length_ns: u64,
    /// Whether it begins again when it has ended.
    pub repeats: bool,
    /// `None` is all of them.
    pub requests: Option<u64>,
}

impl Trace {
    /// A trace that ends after its last request. Its times are ascending and below its length.
    pub fn new(times_ns: Arc<[u64]>, length_ns: u64, requests: Option<u64>) -> Self {
        Self { times_ns, length_ns, repeats: false, requests }
    }

    pub fn length_ns(&self) -> u64 {
        self.length_ns
    }

    /// How many of its requests are due before this time.
    pub fn requests_before(&self, ns: u64) -> usize {
        self.times_ns.partition_point(|&time_ns| time_ns < ns)
    }
}

impl Schedule for Trace {
    #[inline]
    fn due(&mut self, count: u64) -> Due {
        if self.requests.is_some_and(|requests| count >= requests) {
            return Due::Never;
        }
        let length = self.times_ns.len() as u64;
        match self.times_ns.get(count as usize) {
            Some(&time_ns) => Due::At(time_ns),
            // Not empty.
            None if self.repeats => {
                Due::At((count / length).saturating_mul(self.length_ns) + self.times_ns[(count % length) as usize])
            }
            None => Due::Never,
        }
    }

    fn is_open(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(mut trace: Trace, counts: impl IntoIterator<Item = u64>) -> Vec<Due> {
        counts.into_iter().map(|count| trace.due(count)).collect()
    }

    #[test]
    fn requests_are_due_when_they_were() {
        let trace = Trace::new([0, 5, 5, 30].into(), 40, None);
        assert_eq!(due(trace.clone(), 0..5), [Due::At(0), Due::At(5), Due::At(5), Due::At(30), Due::Never]);
        assert_eq!((trace.requests_before(5), trace.requests_before(6), trace.requests_before(99)), (1, 3, 4));
        let again = Trace { repeats: true, ..trace.clone() };
        assert_eq!(due(again, [3, 4, 7, 8]), [Due::At(30), Due::At(40), Due::At(70), Due::At(80)]);
        let cut = Trace { requests: Some(2), ..trace };
        assert_eq!(due(cut, 1..3), [Due::At(5), Due::Never]);
    }
}
