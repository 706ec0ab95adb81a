//! Whole sessions against a scripted server, on both backends, with exact counts.

mod answers;
#[path = "../plain/mod.rs"]
mod plain;
mod run;
#[path = "../server/mod.rs"]
mod server;
mod sessions;
