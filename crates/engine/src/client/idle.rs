//! The idle exchanges, in the order in which they became idle, so that load goes round all connections.

use super::exchanges::ExchangeId;

const NONE: ExchangeId = ExchangeId::MAX;

/// A queue that any member can leave, without allocation.
#[derive(Debug)]
pub(super) struct Idle {
    /// Before and after each exchange; the last entry is the head of the ring.
    links: Vec<(ExchangeId, ExchangeId)>,
}

impl Idle {
    /// An empty queue for exchanges below `exchanges`.
    pub(super) fn new(exchanges: u32) -> Self {
        let mut links = vec![(NONE, NONE); exchanges as usize + 1];
        links[exchanges as usize] = (exchanges, exchanges);
        Self { links }
    }

    fn head(&self) -> ExchangeId {
        // There is always the head's own entry, and exchanges are numbered in 32 bits.
        (self.links.len() - 1) as ExchangeId
    }

    /// The exchange that has been idle for longest.
    #[inline]
    pub(super) fn first(&self) -> Option<ExchangeId> {
        let head = self.head();
        let (_, first) = self.links[head as usize];
        (first != head).then_some(first)
    }

    /// The exchange becomes idle. It must not be in the queue.
    #[inline]
    pub(super) fn push(&mut self, id: ExchangeId) {
        let head = self.head();
        let (last, _) = self.links[head as usize];
        debug_assert_eq!(self.links[id as usize], (NONE, NONE), "it is in the queue already");
        self.links[id as usize] = (last, head);
        self.links[last as usize].1 = id;
        self.links[head as usize].0 = id;
    }

    /// Whether the exchange is in the queue.
    pub(super) fn has(&self, id: ExchangeId) -> bool {
        self.links[id as usize].0 != NONE
    }

    /// The exchange leaves the queue if it is there.
    #[inline]
    pub(super) fn remove(&mut self, id: ExchangeId) {
        let (before, after) = std::mem::replace(&mut self.links[id as usize], (NONE, NONE));
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
            for (id, comes) in steps {
                let there = model.contains(&id);
                prop_assert_eq!(idle.has(id), there);
                if comes && !there {
                    idle.push(id);
                    model.push_back(id);
                } else if !comes {
                    idle.remove(id);
                    model.retain(|&other| other != id);
                }
                prop_assert_eq!(idle.first(), model.front().copied());
            }
        }
    }
}
