//! How long the connections of an arm may take to open. Pure.
//!
//! All connections of an arm are opened before it is loaded. Connections that open under load compete with it for the
//! server, whose queue of new connections then overflows.

/// Time limit for opening all connections of an arm, plus [`EACH_NS`] per connection.
const MAX_NS: u64 = 5_000_000_000;
/// About as much as a TLS handshake costs a server.
const EACH_NS: u64 = 1_000_000;
/// The longest slice of opening. Progress is reported after each.
pub(in crate::session) const SLICE_NS: u64 = 1_000_000_000;
/// After this many slices without a new connection there will be none.
const SLICES_IN_VAIN: usize = 2;

/// Whether to stop. `were_open` is the number of connections that have been open, after each slice.
pub(super) fn is_over(connections: u32, elapsed_ns: u64, were_open: &[u32]) -> bool {
    let last = were_open.last().copied().unwrap_or(0);
    let before = were_open.len().checked_sub(SLICES_IN_VAIN + 1).map(|index| were_open[index]);
    let in_vain = before == Some(last) || (last == 0 && were_open.len() >= SLICES_IN_VAIN);
    in_vain || elapsed_ns >= MAX_NS + EACH_NS * u64::from(connections)
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
