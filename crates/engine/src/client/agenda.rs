//! How far a schedule has been worked off, on the arm's clock. Pure.

use super::clock::ArmClock;
use crate::schedule::{Due, Place, Schedule};

/// What a client does at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Opens its connections and sends nothing.
    Opening,
    /// Opens its connections; in the closed loop each sends from the moment it is open.
    Arriving,
    /// Sends what is due.
    Loading,
    /// Sends nothing more, and waits for what is in flight.
    Draining,
    /// The same, and no connection stays open behind its answer.
    Closing,
}

/// The requests that are still to be sent.
#[derive(Debug)]
pub(super) struct Agenda<S> {
    schedule: S,
    /// The number of the next request.
    count: u64,
    /// When it is due, on the schedule's clock.
    next: Due,
    /// The same schedule at the first request that is not due yet.
    ahead: S,
    ahead_count: u64,
    clock: ArmClock,
    /// Requests from this time on belong to a later slice.
    end_ns: u64,
    mode: Mode,
}

impl<S: Schedule> Agenda<S> {
    pub(super) fn new(mut schedule: S) -> Self {
        let next = schedule.due(0);
        let ahead = schedule.clone();
        Self {
            schedule,
            count: 0,
            next,
            ahead,
            ahead_count: 0,
            clock: ArmClock::default(),
            end_ns: u64::MAX,
            mode: Mode::Loading,
        }
    }

    /// Sends from now on what is due before `end_ns`.
    pub(super) fn load(&mut self, clock: ArmClock, end_ns: u64) {
        (self.clock, self.end_ns, self.mode) = (clock, end_ns, Mode::Loading);
    }

    pub(super) fn pause(&mut self, mode: Mode) {
        self.mode = mode;
    }

    #[inline]
    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether connections are opened no faster than a server takes them.
    #[inline]
    pub(super) fn is_opening(&self) -> bool {
        matches!(self.mode, Mode::Opening | Mode::Arriving)
    }

    /// Whether the schedule has no further request.
    pub(super) fn is_exhausted(&self) -> bool {
        self.next == Due::Never
    }

    /// Whether nothing more will be sent.
    #[inline]
    pub(super) fn has_ended(&self) -> bool {
        matches!(self.mode, Mode::Draining | Mode::Closing) || self.is_exhausted()
    }

    /// When the next request is to be sent: now, at a time of the arm's clock, or never within this slice.
    #[inline]
    pub(super) fn next_ns(&self) -> u64 {
        match self.next {
            Due::WhenFree if matches!(self.mode, Mode::Loading | Mode::Arriving) => 0,
            Due::At(due_ns) if self.mode == Mode::Loading && self.clock.due_ns(due_ns) < self.end_ns => {
                self.clock.due_ns(due_ns)
            }
            _ => u64::MAX,
        }
    }

    /// Takes the next request if it is due. Returns its intended start.
    #[inline]
    pub(super) fn take(&mut self, now_ns: u64) -> Option<u64> {
        let next_ns = self.next_ns();
        if next_ns > now_ns {
            return None;
        }
        let intended_ns = if self.next == Due::WhenFree { now_ns } else { next_ns };
        self.step();
        Some(intended_ns)
    }

    /// The request that [`Agenda::take`] returned last.
    #[inline]
    pub(super) fn taken(&self) -> Place {
        self.schedule.place(self.count.saturating_sub(1))
    }

    /// The last request was not sent after all. Only in the closed loop.
    pub(super) fn untake(&mut self) {
        // If nothing was taken, the request belongs to the schedule before this one.
        self.count = self.count.saturating_sub(1);
        self.next = self.schedule.due(self.count);
    }

    #[inline]
    fn step(&mut self) {
        self.count += 1;
        self.next = self.schedule.due(self.count);
    }

    /// Requests of an open loop that are due and not sent.
    pub(super) fn waiting(&mut self, now_ns: u64) -> u64 {
        self.ahead_count = self.ahead_count.max(self.count);
        let until_ns = self.end_ns.min(now_ns.saturating_add(1));
        while let Due::At(due_ns) = self.ahead.due(self.ahead_count)
            && self.clock.due_ns(due_ns) < until_ns
        {
            self.ahead_count += 1;
        }
        self.ahead_count - self.count
    }

    /// Ends the slice: calls `never_sent` with each request that was due and not sent, and its age.
    pub(super) fn close(&mut self, now_ns: u64, mut never_sent: impl FnMut(Place, u64)) {
        let until_ns = self.end_ns.min(now_ns.saturating_add(1));
        while let Due::At(due_ns) = self.next
            && self.clock.due_ns(due_ns) < until_ns
        {
            never_sent(self.schedule.place(self.count), until_ns - self.clock.due_ns(due_ns));
            self.step();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{ClosedLoop, Constant, Poisson};
    use proptest::prelude::*;

    fn starting_at(arm_ns: u64) -> ArmClock {
        ArmClock::default().with_schedule_from(arm_ns)
    }

    #[test]
    fn a_slice_has_the_requests_of_its_time_and_no_others() {
        let mut agenda = Agenda::new(Constant::new(1e8, None));
        agenda.load(starting_at(1000), 1030);
        assert_eq!((agenda.take(999), agenda.take(1000)), (None, Some(1000)));
        assert_eq!(agenda.next_ns(), 1010);
        assert_eq!((agenda.waiting(1009), agenda.waiting(1010), agenda.waiting(5000)), (0, 1, 2));
        assert_eq!(agenda.take(1025), Some(1010), "late, but its start was intended earlier");
        let mut ages = Vec::new();
        assert_eq!(agenda.taken(), Place { count: 1, number: 1 });
        agenda.close(5000, |place, age| ages.push((place.count, age)));
        assert_eq!((ages, agenda.take(5000)), (vec![(2, 10)], None));
        // The arm was drained for 70 and frozen; the schedule goes on from there.
        agenda.load(starting_at(1070), 1130);
        assert_eq!((agenda.take(1099), agenda.take(1100)), (None, Some(1100)));
    }

    #[test]
    fn nothing_is_sent_while_opening_or_draining() {
        let mut agenda = Agenda::new(ClosedLoop { requests: Some(1) });
        for mode in [Mode::Opening, Mode::Draining, Mode::Closing] {
            agenda.pause(mode);
            assert_eq!(agenda.take(u64::MAX - 1), None);
        }
        agenda.load(ArmClock::default(), u64::MAX);
        assert!(!agenda.has_ended());
        assert_eq!(agenda.take(7), Some(7));
        assert!(agenda.has_ended());
    }

    proptest! {
        #[test]
        fn what_is_due_is_sent_or_counted_as_not_sent(
            seed: u64, lengths in prop::collection::vec((1_u64..1000, 0_u64..1000, 0_u64..20), 1..20)
        ) {
            let schedule = Poisson::new(1e8, seed, None);
            let mut agenda = Agenda::new(schedule.clone());
            let (mut arm_ns, mut schedule_ns, mut sent, mut not_sent) = (0, 0, 0_u64, 0_u64);
            for (length_ns, drain_ns, most) in lengths {
                agenda.load(starting_at(arm_ns - schedule_ns), arm_ns + length_ns);
                sent += (0..most).map_while(|_| agenda.take(arm_ns + length_ns)).count() as u64;
                let waiting = agenda.waiting(arm_ns + length_ns);
                let before = not_sent;
                agenda.close(arm_ns + length_ns, |_, age| {
                    assert!(age <= length_ns);
                    not_sent += 1;
                });
                prop_assert_eq!(not_sent - before, waiting);
                arm_ns += length_ns + drain_ns;
                schedule_ns += length_ns;
            }
            let mut whole = schedule;
            let due = (0..).take_while(|&count| matches!(whole.due(count), Due::At(ns) if ns < schedule_ns)).count();
            prop_assert_eq!(sent + not_sent, due as u64);
        }
    }
}
