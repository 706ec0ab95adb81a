//! The closed loop: every connection sends its next request when it has its answer.

use super::{Due, Schedule};

/// Requests are due whenever a connection is free, up to an optional number.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClosedLoop {
    /// `None` is without end.
    pub requests: Option<u64>,
}

impl Schedule for ClosedLoop {
    #[inline]
    fn due(&mut self, count: u64) -> Due {
        match self.requests {
            Some(requests) if count >= requests => Due::Never,
            _ => Due::WhenFree,
        }
    }

    fn is_open(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replays a schedule on a virtual clock: `connections` that are each busy for `busy_ns` per request.
    fn replay(mut schedule: impl Schedule, connections: usize, busy_ns: u64, end_ns: u64) -> Vec<u64> {
        let mut free_at = vec![0_u64; connections];
        let mut starts = Vec::new();
        loop {
            let connection = (0..connections).min_by_key(|&c| free_at[c]).expect("at least one");
            let start = match schedule.due(starts.len() as u64) {
                Due::Never => return starts,
                Due::WhenFree => free_at[connection],
                Due::At(ns) => free_at[connection].max(ns),
            };
            if start >= end_ns {
                return starts;
            }
            free_at[connection] = start + busy_ns;
            starts.push(start);
        }
    }

    #[test]
    fn a_free_connection_sends_at_once() {
        assert_eq!(replay(ClosedLoop::default(), 2, 10, 30), [0, 0, 10, 10, 20, 20]);
    }

    #[test]
    fn with_no_free_connection_a_due_request_waits() {
        let constant = super::super::Constant::new(1e8, Some(6));
        assert_eq!(replay(constant.clone(), 1, 5, 1000), [0, 10, 20, 30, 40, 50]);
        assert_eq!(replay(constant.clone(), 1, 15, 1000), [0, 15, 30, 45, 60, 75], "late, and none is left out");
        assert_eq!(replay(constant, 2, 15, 1000), [0, 10, 20, 30, 40, 50]);
    }

    #[test]
    fn it_ends_after_the_requests_asked_for() {
        assert_eq!(replay(ClosedLoop { requests: Some(3) }, 2, 10, 1000), [0, 0, 10]);
        assert_eq!(ClosedLoop { requests: Some(0) }.due(0), Due::Never);
    }
}
