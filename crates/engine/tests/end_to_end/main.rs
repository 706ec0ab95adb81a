//! Whole sessions against a scripted server, on both backends, with exact counts.

mod answers;
mod run;
#[path = "../server/mod.rs"]
mod server;
mod sessions;
