//! What the origin saw: its accounts, and one row per request.

mod counts;
pub(crate) mod requests;

pub use counts::Counts;
pub(crate) use requests::{Outcome, RequestLog, Row};
