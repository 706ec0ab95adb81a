//! The load engine of hopcost: four rooms and a hall.
//!
//! ```text
//! schedule   when a request is due            pure: time comes in as a number
//! wire       what bytes mean                  pure: bytes in, events out
//! io         moving bytes                     sockets, TLS and system calls; it does not know what the bytes mean
//! recorder   counts and histograms            no locks, no allocation while load runs
//!
//! client     the hall: the connections of one arm on one thread, where the four rooms meet;
//!            client/lane is the hall with a backend
//! session    goes round the lanes of all arms, slice by slice; freezes, thaws and reads CPU time:
//!            session/edges does, or an agent on the arms' machine, which is `session::agent`
//! ```
//!
//! Beside the hall: [`requests`] (put into bytes once, before any load), [`check`] (whether an answer is the expected
//! one). In front: [`plan`] (JSON in), [`lines`] (JSON out), [`load`] (one URL from the command line; [`load::floor`]
//! moves the same bytes and does nothing else).
//!
//! Arrows go one way: session → client → the rooms. No room knows another.
#![deny(unsafe_code)]
// Only this package's binary and tests use the library. Names say what comments on every field would repeat.
#![allow(missing_docs)]

pub mod check;
mod client;
pub mod io;
pub mod lines;
pub mod load;
pub mod plan;
pub mod recorder;
pub mod requests;
pub mod schedule;
pub mod session;
pub mod wire;
