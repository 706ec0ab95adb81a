//! What the engine reaches, over both backends and with exact counts: every fault of the embedded origin over every link,
//! uploads, TLS, and the command line.

mod command;
mod faults;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../server/frames.rs"]
mod frames;
mod hostile;
mod http2;
mod hyper;
mod origin;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../plain/mod.rs"]
mod plain;
mod run;
mod tls;
mod uploads;
