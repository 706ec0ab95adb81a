//! What the load engine and the embedded origin share: [`clock`], [`limits`], [`failure`], [`durations`], [`seeds`].
//!
//! No protocol belongs here. The engine and the origin read HTTP/1.1 and FastCGI independently, so that a mistake in
//! one of them shows as a difference between their counts.
#![forbid(unsafe_code)]

pub mod clock;
pub mod durations;
pub mod failure;
pub mod limits;
pub mod seeds;
