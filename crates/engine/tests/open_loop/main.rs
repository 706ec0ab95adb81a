//! Open loops against the embedded origin, which counts for itself. Exact counts, on both backends.

mod accounts;
#[path = "../origin/mod.rs"]
mod origin;
#[path = "../plain/mod.rs"]
mod plain;
mod run;
mod turns;
