//! Moving bytes: one epoll loop per thread, edge-triggered, with its connections and its timers.
//!
//! The first thread accepts connections and deals them to all threads in turn, so that their numbers differ by 1 at
//! most.

mod accept;
mod connection;
mod context;
mod event_loop;
mod output;
mod timers;

pub use accept::{Inbox, Listener};
pub use context::{Common, Settings};
pub use event_loop::{EventLoop, Shared};
