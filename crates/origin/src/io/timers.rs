//! When to look at a connection again: a heap of moments. A moment that means nothing any more stays in the heap: a
//! connection that is looked at too early goes on waiting.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Moments in ns of CLOCK_MONOTONIC, each with the token to wake.
#[derive(Debug, Default)]
pub(crate) struct Timers(BinaryHeap<Reverse<(u64, u64)>>);

impl Timers {
    /// Wakes `token` at `at_ns`.
    pub fn push(&mut self, at_ns: u64, token: u64) {
        self.0.push(Reverse((at_ns, token)));
    }

    pub fn next_ns(&self) -> Option<u64> {
        self.0.peek().map(|Reverse((at_ns, _))| *at_ns)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets the moments of all tokens but these.
    pub fn keep(&mut self, wanted: impl Fn(u64) -> bool) {
        self.0.retain(|Reverse((_, token))| wanted(*token));
    }

    /// Takes out a token whose moment has come.
    pub fn due(&mut self, now_ns: u64) -> Option<u64> {
        self.next_ns().filter(|at_ns| *at_ns <= now_ns)?;
        self.0.pop().map(|Reverse((_, token))| token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_come_in_order_and_not_early() {
        let mut timers = Timers::default();
        for (at_ns, token) in [(30, 3), (10, 1), (20, 2)] {
            timers.push(at_ns, token);
        }
        assert_eq!((timers.next_ns(), timers.due(9)), (Some(10), None));
        assert_eq!((timers.due(25), timers.due(25), timers.due(25)), (Some(1), Some(2), None));
        assert_eq!(timers.next_ns(), Some(30));
    }
}
