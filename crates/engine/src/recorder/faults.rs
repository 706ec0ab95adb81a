//! What servers did wrong, with the section of the RFC that says so.

use serde::Serialize;
use std::collections::BTreeMap;

/// One way to do wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ServerFault {
    pub rfc: &'static str,
    pub section: &'static str,
    pub what: &'static str,
    /// The frame that it was, or the reason that the server gave.
    pub detail: Option<&'static str>,
}

/// How often, since the lane began.
#[derive(Debug, Clone, Default)]
pub struct ServerFaults(BTreeMap<ServerFault, u64>);

impl ServerFaults {
    #[cold]
    pub fn add(&mut self, fault: ServerFault) {
        *self.0.entry(fault).or_default() += 1;
    }

    pub fn merge(&mut self, other: &Self) {
        for (&fault, times) in &other.0 {
            *self.0.entry(fault).or_default() += times;
        }
    }

    /// Those that occurred, the most frequent first.
    pub fn by_frequency(&self) -> Vec<(ServerFault, u64)> {
        let mut faults: Vec<_> = self.0.iter().map(|(&fault, &times)| (fault, times)).collect();
        faults.sort_by_key(|&(_, times)| std::cmp::Reverse(times));
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_comes_first() {
        let fault = |section| ServerFault { rfc: "RFC 9113", section, what: "something", detail: None };
        let (mut first, mut second) = (ServerFaults::default(), ServerFaults::default());
        for section in ["4.2", "4.2", "6.9"] {
            first.add(fault(section));
        }
        (0..3).for_each(|_| second.add(fault("6.9")));
        first.merge(&second);
        assert_eq!(first.by_frequency(), [(fault("6.9"), 4), (fault("4.2"), 2)]);
    }
}
