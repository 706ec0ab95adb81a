//! What bytes mean. No sockets and no clock here: bytes in, events out.

mod chunked;
mod head;
mod request;
mod response;

pub use head::{Framing, HEAD_BYTES_MOST, Head};
pub use request::request_bytes;
pub use response::{Event, Response};

/// How the peer broke the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Violation {
    /// The head is not HTTP/1.
    Head,
    /// The head, or a trailer section, is longer than [`HEAD_BYTES_MOST`].
    HeadTooLong,
    /// The length of the body is said twice, differently, or not as a number.
    Length,
    /// A chunk's size, its end or a trailer is malformed.
    Chunk,
    /// An upgrade nobody asked for (101).
    Upgrade,
    /// The connection ended before the answer did.
    Truncated,
}
