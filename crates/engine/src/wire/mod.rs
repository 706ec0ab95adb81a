//! What bytes mean. No sockets and no clock here: bytes in, events out.
//!
//! The codecs share no code with the origin's, on purpose: two independent readings of RFC 9112 and of the FastCGI
//! specification make "counts equal to the origin's own" a proof.

mod chunked;
pub mod fastcgi;
pub mod h2;
mod head;
mod reader;
mod request;
mod response;

pub use head::{Framing, Head, MAX_HEAD_BYTES};
pub use reader::Reader;
pub use request::{Request, http_bytes};
pub use response::{Event, Response};

use serde::Deserialize;

#[cfg(test)]
mod hostile;

/// The protocol to an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wire {
    #[default]
    Http,
    /// HTTP/2.
    Http2,
    /// FastCGI, as a proxy speaks it.
    FastCgi,
}

/// How the peer broke the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Violation {
    /// The head is not HTTP/1, or not CGI's.
    Head,
    /// A head or a trailer section is longer than [`MAX_HEAD_BYTES`].
    HeadTooLong,
    /// The length of the body contradicts itself, is no number, or (FastCGI) is not kept.
    Length,
    /// A chunk's size, its end or a trailer is malformed.
    Chunk,
    /// A FastCGI record of another version, type, request or order than is due.
    Record,
    /// FastCGI's END_REQUEST says that the request was refused.
    Refused,
    /// An upgrade that was not requested (101).
    Upgrade,
    /// The connection ended before the answer did.
    Truncated,
}
