//! The accounts of a listener. At any quiet moment
//! `requests_received = answers_sent + answers_cut + answers_withheld + answers_lost + answers_in_flight`.

use crate::answer::Fault;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::ops::AddAssign;

macro_rules! counts {
    ($($name:ident $what:literal;)*) => {
        /// Counts of one listener in one thread, or sums of them.
        #[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
        pub struct Counts {
            $(#[doc = $what] pub $name: u64,)*
            /// Faults done, by kind.
            pub faults: Faults,
        }

        impl AddAssign<&Counts> for Counts {
            fn add_assign(&mut self, other: &Counts) {
                $(self.$name += other.$name;)*
                for (sum, count) in self.faults.0.iter_mut().zip(other.faults.0) {
                    *sum += count;
                }
            }
        }

        impl Counts {
            /// Every count and what it means, for the documentation.
            pub const WHAT: &[(&str, &str)] = &[$((stringify!($name), $what),)*];
        }
    };
}

counts! {
    connections_accepted "connections accepted";
    requests_received "requests that arrived completely and were understood";
    answers_sent "answers to them whose last byte the kernel took, wrong ones included";
    answers_cut "answers cut off by a fault (short-body over HTTP, reset-mid-answer)";
    answers_withheld "requests that a fault left without an answer (hang, half-close)";
    answers_lost "answers not sent because the connection broke or the request was taken back";
    answers_in_flight "requests whose answer was not complete when the origin stopped";
    requests_refused "requests that broke the protocol or a limit; not in requests_received";
    requests_aborted "FastCGI requests taken back before they had arrived; not in requests_received";
    body_bytes_in "body bytes of requests_received, framing excluded";
    body_bytes_out "body bytes of answers_sent and answers_cut, framing and surplus excluded";
    received_bytes "bytes read from the connections";
    sent_bytes "bytes that the kernel took";
}

/// Faults done, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults([u64; Fault::ALL.len()]);

impl Faults {
    /// One more of this kind.
    pub fn count(&mut self, fault: Fault) {
        self.0[fault as usize] += 1;
    }

    /// How many of this kind.
    pub fn of(&self, fault: Fault) -> u64 {
        self.0[fault as usize]
    }
}

impl Serialize for Faults {
    /// Only the kinds that occurred.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for fault in Fault::ALL.iter().copied().filter(|fault| self.of(*fault) > 0) {
            map.serialize_entry(fault.name(), &self.of(fault))?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_their_json() {
        let mut one = Counts { requests_received: 2, ..Counts::default() };
        one.faults.count(Fault::Hang);
        let mut sum = one.clone();
        sum += &one;
        assert_eq!((sum.requests_received, sum.faults.of(Fault::Hang)), (4, 2));
        let json = serde_json::to_value(&sum).expect("counts are plain data");
        assert_eq!(json["faults"], serde_json::json!({"hang": 2}));
        assert_eq!(json["answers_sent"], 0);
    }
}
