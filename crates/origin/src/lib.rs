//! The embedded origin of hopcost: an HTTP/1.1 and FastCGI server that is cheap enough to calibrate with, exact
//! enough to test against, and that delays, works and misbehaves as the query of a request asks it to.
//!
//! - [`answer`]: what a request is answered with; knows neither wires nor sockets.
//! - [`wire`]: what bytes mean, HTTP/1.1 and FastCGI: bytes in, requests out; answers in, bytes out.
//! - [`io`]: one epoll loop per thread, its connections and its timers.
//! - [`log`]: the accounts, and one row per request.
//! - [`server`]: listeners and threads, from start to stop.
#![forbid(unsafe_code)]

pub mod answer;
pub mod arguments;
pub mod io;
pub mod link;
pub mod log;
pub mod server;
pub mod wire;
