//! One arm on one thread: its connections and the backend that moves their bytes.

use super::watch::Watched;
use super::{ArmClock, Client};
use crate::io::{Handler as _, Io, IoFailure, Opened, signal};
use crate::plan::Reopening;
use crate::schedule::Schedule;
use hopcost_common::clock;
use std::io;

/// This long before a request of an open loop is due, the lane stops sleeping and polls: waking up takes 5 to 50 us,
/// and not the same each time. A longer margin, learned from late wakings, took 39 to 64 % of a core at 10,000/s
/// instead of 8 % and made the gaps no more even.
const SPIN_NS: u64 = 50_000;

/// A stretch of polling that found nothing.
#[derive(Debug)]
struct Spin {
    begin_cpu_ns: u64,
    /// The wall time of the polls.
    vain_ns: u64,
}

impl Spin {
    fn begin() -> Self {
        Self { begin_cpu_ns: clock::thread_cpu_ns(), vain_ns: 0 }
    }

    /// The CPU time that was spent in vain. Wall time is too much if the thread lost its core meanwhile, and the
    /// thread's CPU time is too much if it sent requests meanwhile.
    fn end_ns(self) -> u64 {
        self.vain_ns.min(clock::thread_cpu_ns() - self.begin_cpu_ns)
    }
}

#[derive(Debug)]
pub struct Lane<I, S> {
    io: I,
    pub client: Client<S>,
    watch: Option<Watched>,
    finished: bool,
    /// How long before a request of an open loop is due it polls.
    spin_ns: u64,
}

impl<I: Io, S: Schedule> Lane<I, S> {
    pub fn new(io: I, client: Client<S>, watch: Option<Watched>) -> Self {
        Self { io, client, watch, finished: false, spin_ns: SPIN_NS }
    }

    /// A lane beside the fast ones. It never polls: that would cost those their core.
    pub fn beside(io: I, client: Client<S>) -> Self {
        Self { spin_ns: 0, ..Self::new(io, client, None) }
    }

    /// The arm is thawed. For a backend that keeps a pace, besides [`Client::set_clock`].
    pub fn set_clock(&mut self, clock: ArmClock) {
        self.io.thawed(clock.offset_ns());
        self.client.set_clock(clock);
    }

    /// Runs load until this reading of CLOCK_MONOTONIC, a stop signal, or the end of the schedule. Requests in flight
    /// stay in flight.
    pub fn drive(&mut self, until_ns: u64) -> io::Result<()> {
        // In a closed loop: on connections that were opened while nothing was sent.
        self.send_due();
        let mut spin: Option<Spin> = None;
        loop {
            if self.duty_ns() <= self.client.monotonic_ns() {
                self.attend();
            }
            if self.client.is_open_loop() {
                self.send_due();
            }
            let now_ns = self.client.monotonic_ns();
            // In the closed loop, never.
            let send_ns = self.client.next_send_ns();
            let is_over = now_ns >= until_ns || self.client.is_finished() || signal::stop_requested();
            let is_far = send_ns.saturating_sub(now_ns) > self.spin_ns;
            if (is_over || is_far)
                && let Some(stretch) = spin.take()
            {
                self.client.recorder.counts.spin_ns += stretch.end_ns();
            }
            if is_over {
                return Ok(());
            }
            if is_far {
                let wake_ns = until_ns.min(self.duty_ns()).min(send_ns.saturating_sub(self.spin_ns));
                self.io.wait(wake_ns, &mut self.client)?;
            } else {
                let mut stretch = spin.take().unwrap_or_else(Spin::begin);
                if self.io.poll(&mut self.client)? {
                    self.client.recorder.counts.spin_ns += stretch.end_ns();
                } else {
                    stretch.vain_ns += clock::monotonic_ns() - now_ns;
                    spin = Some(stretch);
                }
            }
        }
    }

    /// When there is more to do than to send, CLOCK_MONOTONIC.
    #[inline]
    fn duty_ns(&self) -> u64 {
        self.client.next_duty_ns().min(self.watch.as_ref().map_or(u64::MAX, Watched::next_ns))
    }

    /// Sends what is due on free connections. Each request has a clock reading of its own.
    fn send_due(&mut self) {
        loop {
            self.client.batch(clock::monotonic_ns());
            let Some(slot) = self.client.send_due() else { return };
            let next = self.client.send(slot);
            self.io.apply(slot, next, &mut self.client);
        }
    }

    /// Opens all connections anew, except those whose request is still unanswered after a drain.
    pub fn open_again(&mut self, reopening: Reopening) {
        let Self { io, client, .. } = self;
        client.close_idle(|slot| io.close(slot));
        client.open_again(reopening);
    }

    /// Closes all connections, those in use after their answers; those without one until then (CLOCK_MONOTONIC) stay open.
    pub fn close_all(&mut self, until_ns: u64) -> io::Result<()> {
        let Self { io, client, .. } = self;
        client.close_all(|slot| io.close(slot));
        self.drive(until_ns)?;
        // The backend may only have queued what is to be closed, and the next wait comes with the arm's next slice. The
        // kernel ends a few operations in each call (20 of a ring in Linux 6.18), and a socket lives as long as its own.
        while self.io.poll(&mut self.client)? {}
        Ok(())
    }

    /// Reports period by period from this reading of CLOCK_MONOTONIC on.
    pub fn begin_watch(&mut self, start_ns: u64) {
        if let Some(watch) = &mut self.watch {
            watch.begin(start_ns, self.client.recorder.counts);
        }
    }

    /// Ends the lane: records the ages of what is in flight, and reports the last period.
    pub fn finish(&mut self) {
        if !std::mem::replace(&mut self.finished, true) {
            self.client.record_ages();
            if let Some(watch) = &mut self.watch {
                watch.end(&mut self.client);
            }
        }
    }

    pub fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    /// Closes what has timed out and opens what is due.
    #[cold]
    fn attend(&mut self) {
        let Self { io, client, watch, .. } = self;
        if let Some(watch) = watch
            && watch.next_ns() <= client.monotonic_ns()
        {
            watch.report(client);
        }
        client.tick(|slot| io.close(slot));
        client.give_up(|slot| io.close(slot));
        while let Some(slot) = client.next_to_send() {
            let next = client.send(slot);
            io.apply(slot, next, client);
        }
        while let Some(slot) = client.open_next() {
            let next = match io.open(slot) {
                Ok(Opened::InProgress) => continue,
                Ok(Opened::Connected) => client.connected(slot),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => client.queue_full(slot),
                Err(error) if error.kind() == io::ErrorKind::AddrNotAvailable => {
                    client.failed(slot, IoFailure::NoLocalPort)
                }
                Err(_) => client.failed(slot, IoFailure::Connect),
            };
            io.apply(slot, next, client);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{Next, Opened, Slot};
    use crate::requests::{RequestMix, WireSettings};
    use crate::schedule::Constant;
    use std::time::Duration;

    /// Connects at once, never answers, and loses its core in every poll.
    struct Preempted;

    const PREEMPTED_NS: u64 = 20_000_000;

    impl Io for Preempted {
        fn new(_: &crate::io::IoSettings) -> io::Result<Self> {
            Ok(Self)
        }
        fn open(&mut self, _: Slot) -> io::Result<Opened> {
            Ok(Opened::Connected)
        }
        fn apply<H: crate::io::Handler>(&mut self, _: Slot, _: Next, _: &mut H) {}
        fn close(&mut self, _: Slot) {}
        fn wait<H: crate::io::Handler>(&mut self, _: u64, handler: &mut H) -> io::Result<()> {
            handler.batch(clock::monotonic_ns());
            Ok(())
        }
        fn poll<H: crate::io::Handler>(&mut self, handler: &mut H) -> io::Result<bool> {
            std::thread::sleep(Duration::from_nanos(PREEMPTED_NS));
            handler.batch(clock::monotonic_ns());
            Ok(false)
        }
    }

    #[test]
    fn time_without_a_core_is_not_spent_spinning() {
        let requests = RequestMix::new(&WireSettings::default(), &[crate::client::tests::spec()]).expect("valid");
        // Every request is due within the time for which a lane polls.
        let client = Client::new(Constant::new(25_000.0, None), requests, 1000, u64::MAX / 2);
        let mut lane = Lane::new(Preempted, client, None);
        let begin_ns = clock::monotonic_ns();
        let cpu_ns = clock::thread_cpu_ns();
        lane.client.set_clock(super::super::ArmClock::thawed(begin_ns, 0, 0));
        lane.client.batch(begin_ns);
        lane.client.load(begin_ns + 1_000_000_000);
        // Connections are open after the first turn, so that there is something to poll for.
        lane.drive(begin_ns + 3 * PREEMPTED_NS).expect("nothing can fail");
        let used_ns = clock::thread_cpu_ns() - cpu_ns;
        let spin_ns = lane.client.recorder.counts.spin_ns;
        assert!(lane.client.recorder.counts.sent > 0);
        assert!(0 < spin_ns && spin_ns <= used_ns, "{spin_ns} ns of {used_ns} ns");
    }
}
