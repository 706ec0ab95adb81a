//! The load engine of hopcost.
//!
//! Four rooms: [`schedule`] says when a request is due, [`wire`] what bytes mean, [`io`] moves bytes, [`recorder`] keeps
//! the accounts. A [`lane`] joins them for one arm on one thread; a [`session`] goes round the arms slice by slice.
#![deny(unsafe_code)]

pub mod check;
pub mod client;
pub mod floor;
pub mod io;
pub mod lane;
pub mod lines;
pub mod load;
pub mod plan;
pub mod random;
pub mod recorder;
pub mod requests;
pub mod schedule;
pub mod session;
pub mod watch;
pub mod wire;
