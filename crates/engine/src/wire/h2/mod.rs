//! HTTP/2 as a client speaks it (RFC 9113): bytes in, events and bytes out. No sockets and no clock.
//!
//! ```text
//! frame        the nine bytes before each frame; types, flags, numbers
//! violation    how a server can break the protocol, each way with its section
//! hpack        fields in header blocks
//! settings     what the two sides announce
//! flow         how much either side may still send
//! head         what the fields of an answer say, and whether they may
//! request      requests, made once before any load
//! streams      the exchanges that are open on a connection
//! connection   all of it together
//! ```
//!
//! The server is bound in what it may cost: heads and header blocks have a longest length, answers of ours that it does
//! not read a largest number, and so have frames without any use.

mod connection;
mod flow;
mod frame;
mod head;
pub mod hpack;
mod request;
mod settings;
mod streams;
mod violation;

pub use connection::{Connection, Event};
pub use frame::{ErrorCode, Kind};
pub use head::Heads;
pub use request::Requests;
pub use settings::STREAMS_BEFORE_SETTINGS;
pub use streams::Place;
pub use violation::Violation;

#[cfg(test)]
mod tests;
