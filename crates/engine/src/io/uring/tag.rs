//! How a completion says what it belongs to.

use super::super::Slot;

/// What a completion belongs to: its operation, slot, and which of the connections that the slot has had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Receive,
    Send,
    /// Making a socket, and connecting it. The first one that fails says so.
    Connect,
    /// Receiving without keeping the bytes.
    Skip,
    Timer,
    /// A send that also reports success.
    LongSend,
    /// Operations whose result does not matter: closing, cancelling.
    Other,
}

pub(super) const fn tag(operation: Operation, generation: u16, slot: Slot) -> u64 {
    (operation as u64) << 48 | (generation as u64) << 32 | slot as u64
}

pub(super) fn untag(tag: u64) -> (Operation, u16, Slot) {
    let operation = match tag >> 48 {
        0 => Operation::Receive,
        1 => Operation::Send,
        2 => Operation::Connect,
        3 => Operation::Skip,
        4 => Operation::Timer,
        5 => Operation::LongSend,
        _ => Operation::Other,
    };
    // Truncation takes the tag apart as `tag` put it together.
    (operation, (tag >> 32) as u16, tag as Slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_come_apart_as_they_were_put_together() {
        use Operation::{Connect, LongSend, Other, Receive, Send, Skip, Timer};
        for operation in [Receive, Send, Connect, Skip, Timer, LongSend, Other] {
            for (generation, slot) in [(0, 0), (u16::MAX, 3), (7, Slot::MAX)] {
                assert_eq!(untag(tag(operation, generation, slot)), (operation, generation, slot));
            }
        }
    }
}
