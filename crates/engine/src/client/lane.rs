//! One arm on one thread: its connections and the backend that moves their bytes.

use super::Client;
use super::watch::Watched;
use crate::io::{Handler as _, Io, IoFailure, Next, Opened, signal};
use crate::schedule::Schedule;
use hopcost_common::clock;
use std::io;

/// This long before a request of an open loop is due, the lane stops sleeping and polls: waking up takes 5 to 50 us,
/// and not the same each time. A longer margin, learned from late wakings, took 39 to 64 % of a core at 10,000/s
/// instead of 8 % and made the gaps no more even.
const SPIN_NS: u64 = 50_000;

#[derive(Debug)]
pub struct Lane<I, S> {
    io: I,
    pub client: Client<S>,
    watch: Option<Watched>,
    finished: bool,
}

impl<I: Io, S: Schedule> Lane<I, S> {
    pub fn new(io: I, client: Client<S>, watch: Option<Watched>) -> Self {
        Self { io, client, watch, finished: false }
    }

    /// Runs load until this reading of CLOCK_MONOTONIC, a stop signal, or the end of the schedule. Requests in flight
    /// stay in flight.
    pub fn drive(&mut self, until_ns: u64) -> io::Result<()> {
        // In a closed loop: on connections that were opened while nothing was sent.
        self.send_due();
        loop {
            if self.duty_ns() <= self.client.monotonic_ns() {
                self.attend();
            }
            if self.client.is_open_loop() {
                self.send_due();
            }
            let now_ns = self.client.monotonic_ns();
            if now_ns >= until_ns || self.client.is_finished() || signal::stop_requested() {
                return Ok(());
            }
            // In the closed loop, never.
            let send_ns = self.client.next_send_ns();
            if send_ns.saturating_sub(now_ns) > SPIN_NS {
                let wake_ns = until_ns.min(self.duty_ns()).min(send_ns.saturating_sub(SPIN_NS));
                self.io.wait(wake_ns, &mut self.client)?;
            } else if !self.io.poll(&mut self.client)? {
                self.client.recorder.counts.spin_ns += clock::monotonic_ns() - now_ns;
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
            self.io.apply(slot, Next::Send, &mut self.client);
        }
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
        while let Some(slot) = client.continue_next() {
            io.apply(slot, Next::Send, client);
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
