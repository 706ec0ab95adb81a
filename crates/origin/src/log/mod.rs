//! What the origin saw: its accounts, and one row per request.

pub mod counts;
pub mod requests;

pub use counts::Counts;
pub use requests::{Outcome, RequestLog, Row};
