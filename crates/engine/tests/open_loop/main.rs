//! Open loops against the embedded origin, and over HTTP/2 against a server that knows frames; both count for themselves.
//! Exact counts, on both backends.

mod accounts;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../server/frames.rs"]
mod frames;
mod http2;
#[path = "../origin/mod.rs"]
mod origin;
#[path = "../plain/mod.rs"]
mod plain;
mod run;
mod turns;
