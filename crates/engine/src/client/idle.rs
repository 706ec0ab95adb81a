//! The idle connections, in the order in which they became idle, so that load goes round all of them.

use crate::io::Slot;

const NONE: Slot = Slot::MAX;

/// A queue that any member can leave, without allocation.
#[derive(Debug)]
pub(super) struct Idle {
    /// Before and after each slot; the last entry is the head of the ring.
    links: Vec<(Slot, Slot)>,
}

impl Idle {
    /// An empty queue for slots below `slots`.
    pub(super) fn new(slots: u32) -> Self {
        let mut links = vec![(NONE, NONE); slots as usize + 1];
        links[slots as usize] = (slots, slots);
        Self { links }
    }

    fn head(&self) -> Slot {
        // There is always the head's own entry, and slots are numbered in 32 bits.
        (self.links.len() - 1) as Slot
    }

    /// The slot that has been idle for longest.
    #[inline]
    pub(super) fn first(&self) -> Option<Slot> {
        let head = self.head();
        let (_, first) = self.links[head as usize];
        (first != head).then_some(first)
    }

    /// The slot becomes idle. It must not be in the queue.
    #[inline]
    pub(super) fn push(&mut self, slot: Slot) {
        let head = self.head();
        let (last, _) = self.links[head as usize];
        debug_assert_eq!(self.links[slot as usize], (NONE, NONE), "it is in the queue already");
        self.links[slot as usize] = (last, head);
        self.links[last as usize].1 = slot;
        self.links[head as usize].0 = slot;
    }

    /// The slot leaves the queue if it is there.
    #[inline]
    pub(super) fn remove(&mut self, slot: Slot) {
        let (before, after) = std::mem::replace(&mut self.links[slot as usize], (NONE, NONE));
        if before != NONE {
            self.links[before as usize].1 = after;
            self.links[after as usize].0 = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn it_is_a_queue_that_can_be_left(steps in prop::collection::vec((0_u32..5, any::<bool>()), 0..100)) {
            let mut idle = Idle::new(5);
            let mut model = VecDeque::new();
            for (slot, comes) in steps {
                let there = model.contains(&slot);
                if comes && !there {
                    idle.push(slot);
                    model.push_back(slot);
                } else if !comes {
                    idle.remove(slot);
                    model.retain(|&other| other != slot);
                }
                prop_assert_eq!(idle.first(), model.front().copied());
            }
        }
    }
}
