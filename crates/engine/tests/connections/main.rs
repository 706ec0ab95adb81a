//! Connections: opened before load, opened anew before each round, closed behind a turn.

mod closing;
mod opening;
#[path = "../origin/mod.rs"]
mod origin;
mod reopening;
