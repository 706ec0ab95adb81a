//! HTTP/1.1 and 1.0, the server's side (RFC 9112).

mod answer;
mod chunked;
mod receive;

pub(crate) use answer::encode;
pub(crate) use receive::Http;
