//! What the leader and the agent say to each other. docs/reference/agent-protocol.md has the meaning of every key.

use super::cpu::CpuReading;
use crate::io::process::Scheduling;
use serde::{Deserialize, Serialize};

/// Raised when a message changes.
pub(super) const PROTOCOL: u32 = 1;

/// The longest frame from the leader.
pub(super) const MOST_BYTES_TO_AGENT: u32 = 65_536;
/// The longest frame from the agent: the CPU time of all processes is in it.
pub(super) const MOST_BYTES_TO_LEADER: u32 = 1_048_576;

/// What the leader wants. Every message has a number, which its answers repeat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Request {
    Hello {
        id: u64,
        protocol: u32,
        version: String,
        /// Of the binary.
        sha256: String,
    },
    Ping {
        id: u64,
    },
    /// Every arm's CPU time.
    Read {
        id: u64,
    },
    Thaw {
        id: u64,
        arm: usize,
    },
    Freeze {
        id: u64,
        arm: usize,
    },
    /// Thaw, and freeze after this time of the agent's clock.
    Slice {
        id: u64,
        arm: usize,
        length_ns: u64,
    },
    /// End the slice that is under way.
    Stop {
        id: u64,
    },
    /// Whether all generators say so.
    Agree {
        id: u64,
        vote: bool,
    },
    Bye {
        id: u64,
    },
}

impl Request {
    pub(super) const fn id(&self) -> u64 {
        match self {
            Self::Hello { id, .. }
            | Self::Ping { id }
            | Self::Read { id }
            | Self::Thaw { id, .. }
            | Self::Freeze { id, .. }
            | Self::Slice { id, .. }
            | Self::Stop { id }
            | Self::Agree { id, .. }
            | Self::Bye { id } => *id,
        }
    }

    /// Whether it is done once, for all generators together.
    pub(super) const fn is_common(&self) -> bool {
        matches!(
            self,
            Self::Thaw { .. } | Self::Freeze { .. } | Self::Slice { .. } | Self::Agree { .. } | Self::Bye { .. }
        )
    }

    /// Whether two generators want the same.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Thaw { arm: own, .. }, Self::Thaw { arm, .. })
            | (Self::Freeze { arm: own, .. }, Self::Freeze { arm, .. }) => own == arm,
            (Self::Slice { arm: own, length_ns: own_ns, .. }, Self::Slice { arm, length_ns, .. }) => {
                (own, own_ns) == (arm, length_ns)
            }
            (Self::Agree { .. }, Self::Agree { .. }) | (Self::Bye { .. }, Self::Bye { .. }) => true,
            _ => false,
        }
    }
}

/// When the question was there, and when its answer left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamps {
    pub(super) received_ns: u64,
    pub(super) sent_ns: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Answer {
    Welcome {
        id: u64,
        received_ns: u64,
        sent_ns: u64,
        protocol: u32,
        version: String,
        sha256: String,
        scheduling: Scheduling,
        lease_ns: u64,
        /// Which of the generators it welcomes, from 0 (the leader), and how many there are.
        member: usize,
        members: usize,
        arms: Vec<ArmFacts>,
    },
    Pong {
        id: u64,
        received_ns: u64,
        sent_ns: u64,
    },
    Counters {
        id: u64,
        received_ns: u64,
        sent_ns: u64,
        cpu_ns: Vec<CpuReading>,
    },
    Thawed {
        id: u64,
        received_ns: u64,
        sent_ns: u64,
        arm: usize,
        thawed_ns: u64,
        cpu_ns: Vec<CpuReading>,
    },
    Frozen {
        id: u64,
        received_ns: u64,
        sent_ns: u64,
        arm: usize,
        /// `None` if it was frozen all the while.
        thawed_ns: Option<u64>,
        /// When the timer was to end the slice; `None` if it did not.
        due_ns: Option<u64>,
        freeze_ns: u64,
        frozen_ns: u64,
        cpu_ns: Vec<CpuReading>,
    },
    Stopped {
        id: u64,
        received_ns: u64,
        sent_ns: u64,
    },
    Agreed {
        id: u64,
        received_ns: u64,
        sent_ns: u64,
        /// Whether all do.
        vote: bool,
    },
    Bye {
        id: u64,
        received_ns: u64,
        sent_ns: u64,
    },
    Error {
        id: Option<u64>,
        error: ErrorKind,
        message: String,
    },
}

impl Answer {
    /// The number of the question; `None` if it had none.
    pub(super) const fn id(&self) -> Option<u64> {
        match self {
            Self::Welcome { id, .. }
            | Self::Pong { id, .. }
            | Self::Counters { id, .. }
            | Self::Thawed { id, .. }
            | Self::Frozen { id, .. }
            | Self::Stopped { id, .. }
            | Self::Agreed { id, .. }
            | Self::Bye { id, .. } => Some(*id),
            Self::Error { id, .. } => *id,
        }
    }

    /// `None` for an error.
    pub(super) const fn stamps(&self) -> Option<Stamps> {
        match *self {
            Self::Welcome { received_ns, sent_ns, .. }
            | Self::Pong { received_ns, sent_ns, .. }
            | Self::Counters { received_ns, sent_ns, .. }
            | Self::Thawed { received_ns, sent_ns, .. }
            | Self::Frozen { received_ns, sent_ns, .. }
            | Self::Stopped { received_ns, sent_ns, .. }
            | Self::Agreed { received_ns, sent_ns, .. }
            | Self::Bye { received_ns, sent_ns, .. } => Some(Stamps { received_ns, sent_ns }),
            Self::Error { .. } => None,
        }
    }
}

/// What the agent knows of an arm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ArmFacts {
    pub(super) name: String,
    /// How it is frozen; `None` is never.
    pub(super) freezer: Option<FreezerKind>,
    /// Whether it is frozen outside its own slices, and no other arm thaws some of it there.
    pub(super) stands_still: bool,
    pub(super) hops: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FreezerKind {
    Cgroup2,
    Cgroup1,
    Signal,
}

/// Why the agent refuses somebody or something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ErrorKind {
    /// Not TLS 1.3, or broken.
    Tls,
    /// Signed by another authority, expired, or none.
    Certificate,
    /// The certificate has none of the names that may come.
    Name,
    /// May come, and not lead.
    Role,
    /// Another protocol, version or build.
    Version,
    /// There is a leader.
    Busy,
    /// Too long, no JSON, or nothing known.
    Frame,
    /// Out of turn.
    Order,
    /// An arm cannot be thawed or frozen.
    Edge,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn as_sent<M: Serialize>(message: &M) -> Value {
        serde_json::to_value(message).expect("plain values")
    }

    #[test]
    fn the_messages_of_the_documentation() {
        let slice = json!({"kind": "slice", "id": 7, "arm": 0, "length_ns": 600_000_000});
        let request: Request = serde_json::from_value(slice.clone()).expect("as documented");
        assert_eq!(request, Request::Slice { id: 7, arm: 0, length_ns: 600_000_000 });
        assert_eq!((as_sent(&request), request.id()), (slice, 7));
        let frozen = json!({
            "kind": "frozen", "id": 7, "received_ns": 90_000, "sent_ns": 600_260_000, "arm": 0, "thawed_ns": 95_000,
            "due_ns": 600_095_000, "freeze_ns": 600_098_400, "frozen_ns": 600_215_000,
            "cpu_ns": [[[500_120, 700_340], null]],
        });
        let answer: Answer = serde_json::from_value(frozen.clone()).expect("as documented");
        let Answer::Frozen { cpu_ns, .. } = &answer else { panic!("{answer:?}") };
        assert_eq!(*cpu_ns, [vec![Some(vec![500_120, 700_340]), None]]);
        assert_eq!(answer.stamps(), Some(Stamps { received_ns: 90_000, sent_ns: 600_260_000 }));
        assert_eq!(as_sent(&answer), frozen);
        let error = json!({"kind": "error", "id": null, "error": "frame", "message": "m"});
        let answer: Answer = serde_json::from_value(error).expect("as documented");
        assert_eq!((answer.id(), answer.stamps()), (None, None));
    }

    #[test]
    fn generators_want_the_same_or_not() {
        let slice = |id, arm, length_ns| Request::Slice { id, arm, length_ns };
        let vote = |id, vote| Request::Agree { id, vote };
        assert!(slice(1, 0, 5).is_like(&slice(9, 0, 5)) && vote(1, true).is_like(&vote(2, false)));
        for (own, other) in [
            (slice(1, 0, 5), slice(1, 1, 5)),
            (slice(1, 0, 5), slice(1, 0, 6)),
            (Request::Thaw { id: 1, arm: 0 }, Request::Freeze { id: 1, arm: 0 }),
            (Request::Bye { id: 1 }, vote(1, true)),
            (Request::Ping { id: 1 }, Request::Ping { id: 1 }),
        ] {
            assert!(!own.is_like(&other), "{own:?} {other:?}");
        }
    }

    #[test]
    fn what_is_no_message() {
        for text in [
            r#"{"kind": "ping"}"#,
            r#"{"kind": "ping", "id": 1, "arm": 0}"#,
            r#"{"kind": "pong", "id": 1}"#,
            r#"{"kind": "slice", "id": 1, "arm": -1, "length_ns": 1}"#,
            r#"{"id": 1}"#,
            "[]",
            "",
        ] {
            assert!(serde_json::from_str::<Request>(text).is_err(), "{text}");
        }
    }
}
