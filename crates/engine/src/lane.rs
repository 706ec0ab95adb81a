//! One arm on one thread: its connections and the backend that moves their bytes.

use crate::client::Client;
use crate::io::{Handler as _, Io, IoFailure, Next, Opened, clock, signal};
use crate::schedule::Schedule;
use std::io;

/// One arm on one thread.
#[derive(Debug)]
pub struct Lane<I, S> {
    io: I,
    /// The connections and their accounts.
    pub client: Client<S>,
}

impl<I: Io, S: Schedule> Lane<I, S> {
    /// A lane at rest.
    pub fn new(io: I, client: Client<S>) -> Self {
        Self { io, client }
    }

    /// Runs load until this reading of CLOCK_MONOTONIC, a stop signal, or the end of the schedule. Requests in flight
    /// stay in flight.
    pub fn drive(&mut self, until_ns: u64) -> io::Result<()> {
        self.client.batch(clock::monotonic_ns());
        loop {
            if self.client.next_duty_ns() <= self.client.monotonic_ns() {
                self.attend();
            }
            let now_ns = self.client.monotonic_ns();
            if now_ns >= until_ns || self.client.is_finished() || signal::stop_requested() {
                return Ok(());
            }
            self.io.wait(until_ns.min(self.client.next_duty_ns()), &mut self.client)?;
        }
    }

    /// Closes what has timed out and opens what is due.
    #[cold]
    fn attend(&mut self) {
        let Self { io, client } = self;
        client.tick(|slot| io.close(slot));
        while let Some(slot) = client.to_continue() {
            io.apply(slot, Next::Send, client);
        }
        while let Some(slot) = client.to_open() {
            let next = match io.open(slot) {
                Ok(Opened::InProgress) => continue,
                Ok(Opened::Connected) => client.connected(slot),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    client.queue_full(slot);
                    continue;
                }
                Err(_) => client.failed(slot, IoFailure::Connect),
            };
            io.apply(slot, next, client);
        }
    }
}
