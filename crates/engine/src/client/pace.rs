//! How fast connections are opened before load.
//!
//! A server takes new connections out of its listener's queue (128 to 4096 places), and nothing tells how full it is.
//! Handshakes succeed without the server until the queue overflows. Then the next one is dropped, and the kernel tries it
//! again after one second and after two more. So connections are opened no faster than a server is likely to take them.
//! A connection that does not open at once is given up and opened later, and from then on all are opened more slowly.

use crate::io::Slot;
use std::collections::VecDeque;

/// Connections that may be opening at the same time. Listen queues are as short as 128 places.
pub(super) const MAX_CONNECTING: u32 = 64;
/// The gap between two connections at first. A server needs 5 to 40 us to take one.
pub(super) const MIN_GAP_NS: u64 = 20_000;
/// The gap between two connections that come as clients do. In it a worker has accepted the one before and serves it.
const SPREAD_GAP_NS: u64 = 200_000;
/// The gap for a server that takes them very slowly.
const MAX_GAP_NS: u64 = 1_000_000;
/// Connections opened at a time at first, because waking up costs more than opening one.
pub(super) const MAX_BURST: u64 = 16;
/// The factor by which an overflow makes the gap longer and the burst shorter.
const SLOWER: u64 = 4;
/// A handshake that takes longer was dropped, or the server is far away. The second try is given more time.
pub(super) const MIN_PATIENCE_NS: u64 = 100_000_000;
/// Beyond this time the kernel has tried again by itself.
const MAX_PATIENCE_NS: u64 = 800_000_000;
/// The pause after an overflow, in which the server may empty its queue.
const PAUSE_NS: u64 = 20_000_000;

/// When the next connection may be opened, and which one to give up.
#[derive(Debug)]
pub(super) struct Pace {
    gap_ns: u64,
    burst: u64,
    patience_ns: u64,
    /// When the next connection would be opened if there were no bursts.
    next_ns: u64,
    /// Connections that are opening, by when they began.
    underway: VecDeque<(u64, Slot)>,
    /// A connection that began before this is no reason to slow down again.
    slowed_ns: u64,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self {
            gap_ns: MIN_GAP_NS,
            burst: MAX_BURST,
            patience_ns: MIN_PATIENCE_NS,
            next_ns: 0,
            underway: VecDeque::new(),
            slowed_ns: 0,
        }
    }

    /// One connection after the other, as clients come.
    pub(super) fn spread() -> Self {
        Self { gap_ns: SPREAD_GAP_NS, burst: 1, ..Self::new() }
    }

    /// One connection after the other, so that opening so many takes this long.
    pub(super) fn over(length_ns: u64, connections: u32) -> Self {
        Self { gap_ns: length_ns / u64::from(connections.max(1)), ..Self::spread() }
    }

    /// As many at a time as may be opening.
    pub(super) fn burst() -> Self {
        Self { burst: u64::from(MAX_CONNECTING), ..Self::new() }
    }

    /// Forgets connections that are no longer opening. `is_underway` takes the begin of an opening and its slot.
    pub(super) fn forget(&mut self, is_underway: impl Fn(u64, Slot) -> bool) {
        self.underway.retain(|&(since_ns, slot)| is_underway(since_ns, slot));
    }

    /// The next connection that takes too long.
    pub(super) fn give_up(&mut self, now_ns: u64) -> Option<Slot> {
        let &(since_ns, slot) = self.underway.front().filter(|(since_ns, _)| now_ns >= since_ns + self.patience_ns)?;
        self.underway.pop_front();
        if since_ns >= self.slowed_ns {
            self.slowed_ns = now_ns;
            self.gap_ns = (self.gap_ns * SLOWER).min(MAX_GAP_NS);
            self.burst = (self.burst / SLOWER).max(1);
            self.next_ns = now_ns + PAUSE_NS + self.ahead_ns();
        }
        Some(slot)
    }

    /// After a round of giving up: later connections are given more time.
    pub(super) fn be_patient(&mut self) {
        self.patience_ns = (self.patience_ns * 2).min(MAX_PATIENCE_NS);
    }

    /// By how much a burst runs ahead of the even pace.
    fn ahead_ns(&self) -> u64 {
        (self.burst - 1) * self.gap_ns
    }

    pub(super) fn permits(&self, now_ns: u64) -> bool {
        now_ns + self.ahead_ns() >= self.next_ns
    }

    pub(super) fn begin(&mut self, now_ns: u64, slot: Slot) {
        self.underway.push_back((now_ns, slot));
        self.next_ns = self.next_ns.max(now_ns) + self.gap_ns;
    }

    /// When a whole burst may be opened.
    pub(super) fn next_burst_ns(&self) -> u64 {
        self.next_ns
    }

    /// When a connection may have taken too long.
    pub(super) fn next_look_ns(&self) -> u64 {
        self.underway.front().map_or(u64::MAX, |(since_ns, _)| since_ns + self.patience_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that takes one connection each `takes_ns` out of a queue of so many places. How long until all are open.
    fn opened_after_ns(connections: usize, places: u64, takes_ns: u64) -> u64 {
        let mut pace = Pace::new();
        let (mut now_ns, mut opened_ns, mut waiting, mut last_taken_ns) = (0, 0, 0_u64, 0);
        let mut closed: Vec<Slot> = (0..connections as Slot).collect();
        let mut dropped = Vec::new();
        while !(closed.is_empty() && dropped.is_empty()) {
            let taken = ((now_ns - last_taken_ns) / takes_ns).min(waiting);
            waiting -= taken;
            last_taken_ns = if waiting == 0 { now_ns } else { last_taken_ns + taken * takes_ns };
            pace.forget(|_, slot| dropped.contains(&slot));
            let mut any = false;
            while let Some(slot) = pace.give_up(now_ns) {
                dropped.retain(|&other| other != slot);
                closed.push(slot);
                any = true;
            }
            if any {
                pace.be_patient();
            }
            while pace.permits(now_ns)
                && dropped.len() < MAX_CONNECTING as usize
                && let Some(slot) = closed.pop()
            {
                pace.begin(now_ns, slot);
                opened_ns = now_ns;
                if waiting < places { waiting += 1 } else { dropped.push(slot) }
            }
            let may_open = !closed.is_empty() && dropped.len() < MAX_CONNECTING as usize;
            let burst_ns = if may_open { pace.next_burst_ns() } else { u64::MAX };
            now_ns = burst_ns.min(pace.next_look_ns()).max(now_ns + 1000);
        }
        opened_ns
    }

    #[test]
    fn ten_thousand_are_soon_opened_at_a_quick_server() {
        let ms = |connections, places, takes_ns| opened_after_ns(connections, places, takes_ns) / 1_000_000;
        assert_eq!(ms(10_000, 128, 10_000), 199, "one each 20 us");
        assert!((300..1000).contains(&ms(10_000, 512, 30_000)), "{}", ms(10_000, 512, 30_000));
        assert!(ms(10_000, 128, 100_000) < 5000, "{}", ms(10_000, 128, 100_000));
        assert!(ms(64, 4, 1_000_000) < 3000, "{}", ms(64, 4, 1_000_000));
    }

    #[test]
    fn a_burst_at_a_time() {
        let mut pace = Pace::new();
        for slot in 0..MAX_BURST {
            assert!(pace.permits(0));
            pace.begin(0, slot as Slot);
        }
        assert!(!pace.permits(0));
        assert_eq!(pace.next_burst_ns(), MAX_BURST * MIN_GAP_NS);
    }

    #[test]
    fn an_overflow_counts_once() {
        let mut pace = Pace::new();
        for (slot, now_ns) in [(0, 0), (1, 10), (2, 20)] {
            pace.begin(now_ns, slot);
        }
        assert_eq!(pace.next_look_ns(), MIN_PATIENCE_NS);
        let now_ns = MIN_PATIENCE_NS + 10;
        assert_eq!((pace.give_up(now_ns), pace.give_up(now_ns), pace.give_up(now_ns)), (Some(0), Some(1), None));
        assert_eq!((pace.gap_ns, pace.burst), (SLOWER * MIN_GAP_NS, MAX_BURST / SLOWER));
        assert!(!pace.permits(now_ns + PAUSE_NS - 1));
        assert!(pace.permits(now_ns + PAUSE_NS));
    }
}
