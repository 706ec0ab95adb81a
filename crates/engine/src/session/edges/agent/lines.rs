//! What the agent tells the harness, on standard output.

use super::super::messages::ErrorKind;
use crate::io::process::Scheduling;
use serde::Serialize;
use std::io::{self, Write as _};
use std::net::SocketAddr;

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Line<'a> {
    Listening { address: SocketAddr, version: &'a str, sha256: &'a str, protocol: u32, scheduling: Scheduling },
    Leader { name: &'a str, peer: SocketAddr },
    Follower { name: &'a str, peer: SocketAddr },
    Refused { peer: SocketAddr, error: ErrorKind, message: &'a str },
    Left { name: &'a str },
    End { reason: Reason, message: &'a str },
}

/// Why the agent ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Reason {
    /// Standard input has ended.
    Input,
    Signal,
    /// The leader was silent for too long.
    Lease,
    /// The connection ended without a farewell.
    Lost,
    Frame,
    Order,
    Edge,
}

impl Reason {
    pub(super) const fn exit_code(self) -> i32 {
        match self {
            Self::Input | Self::Signal => 0,
            _ => 1,
        }
    }
}

/// Writes a line at once. A harness that reads no more closes standard input too, and that ends the agent.
pub(super) fn tell(line: &Line<'_>) {
    let mut out = io::stdout().lock();
    let _ = serde_json::to_writer(&mut out, line).map_err(io::Error::from).and_then(|()| {
        out.write_all(b"\n")?;
        out.flush()
    });
}
