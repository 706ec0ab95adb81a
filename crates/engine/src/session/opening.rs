//! All connections of an arm are opened before it is loaded. Connections that open under load compete with it for the
//! server, whose queue of new connections then overflows.

use super::Observer;
use super::leader::{Leader, output_failed};
use super::worker::Stage;
use crate::io::{Io, signal};
use crate::lines::{self, Line};
use hopcost_common::failure::Failure;

/// Time limit for opening all connections of an arm, plus [`EACH_NS`] per connection.
const MAX_NS: u64 = 5_000_000_000;
/// About as much as a TLS handshake costs a server.
const EACH_NS: u64 = 1_000_000;
/// The longest slice of opening. Progress is reported after each.
pub(super) const SLICE_NS: u64 = 1_000_000_000;
/// After this many slices without a new connection there will be none.
const SLICES_IN_VAIN: usize = 2;

/// Whether to stop. `were_open` is the number of connections that have been open, after each slice.
fn is_over(connections: u32, elapsed_ns: u64, were_open: &[u32]) -> bool {
    let last = were_open.last().copied().unwrap_or(0);
    let before = were_open.len().checked_sub(SLICES_IN_VAIN + 1).map(|index| were_open[index]);
    let in_vain = before == Some(last) || (last == 0 && were_open.len() >= SLICES_IN_VAIN);
    in_vain || elapsed_ns >= MAX_NS + EACH_NS * u64::from(connections)
}

impl<I: Io> Leader<'_, I> {
    /// Opens as many connections of an arm as the server takes.
    pub(super) fn open(&mut self, arm: usize, observer: &mut dyn Observer) -> Result<(), Failure> {
        let connections = self.session.arms[arm].target.connections;
        let mut were_open = Vec::new();
        let mut is_done = false;
        while !is_done && !signal::stop_requested() {
            self.slice(arm, Stage::Open)?;
            let state = &self.arms[arm];
            were_open.push(state.were_open);
            is_done = state.established == connections || is_over(connections, state.clock_ns, &were_open);
            let line = lines::Opening {
                arm: &self.session.arms[arm].name,
                elapsed_ns: state.clock_ns,
                connections,
                established: state.established,
                done: is_done,
                errors: state.counts.errors,
            };
            observer.line(&Line::Opening(line)).map_err(output_failed)?;
        }
        self.arms[arm].opening_ns = self.arms[arm].clock_ns;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ends_when_nothing_comes_of_it() {
        for (were_open, over) in [
            (&[][..], false),
            (&[0], false),
            (&[0, 0], true),
            (&[0, 1], false),
            (&[500, 500], false),
            (&[500, 500, 500], true),
            (&[499, 500, 500], false),
            (&[500, 500, 501], false),
        ] {
            assert_eq!(is_over(1000, 0, were_open), over, "{were_open:?}");
        }
        assert!(!is_over(1000, MAX_NS + 1000 * EACH_NS - 1, &[1, 2, 3]));
        assert!(is_over(1000, MAX_NS + 1000 * EACH_NS, &[1, 2, 3]), "slowly, but not for ever");
    }
}
