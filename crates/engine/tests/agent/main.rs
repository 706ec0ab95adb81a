//! The agent as a process, over TLS on loopback: whom it refuses, its edges, whole runs of the engine, and who is lost.

mod edges;
mod lost;
#[path = "../origin/mod.rs"]
mod origin;
mod papers;
mod party;
mod refused;
mod runs;
mod several;
