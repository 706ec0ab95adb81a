//! One leader, from its welcome to its end. The thread sleeps until the next edge, the next message or the end of the
//! lease.

use super::super::messages::{Answer, ErrorKind, MOST_BYTES_TO_AGENT, Request};
use super::arms::{Arms, Refusal};
use super::lines::Reason;
use super::{lock, sleep_until};
use crate::io::control::{FrameTooLong, Received, Secure};
use hopcost_common::clock;
use std::io;
use std::sync::Mutex;

/// So long before an edge the thread looks at nothing else, and sleeps a little at a time: waking from a short sleep is
/// punctual.
const NEAR_NS: u64 = 200_000;

/// How it ended.
#[derive(Debug)]
pub(super) enum End {
    /// The leader said goodbye, and waits for the answer.
    Bye { id: u64, received_ns: u64 },
    /// The leader is lost.
    Lost { reason: Reason, message: String },
    /// What the leader wanted is refused.
    Refused { id: Option<u64>, refusal: Refusal },
}

/// A slice that the timer ends.
#[derive(Debug, Clone, Copy)]
struct Slice {
    id: u64,
    arm: usize,
    received_ns: u64,
    due_ns: u64,
}

#[derive(Debug)]
pub(super) struct Serving<'a> {
    secure: &'a Secure,
    arms: &'a Mutex<Arms>,
    lease_ns: u64,
    last_word_ns: u64,
    slice: Option<Slice>,
}

impl<'a> Serving<'a> {
    pub(super) fn new(secure: &'a Secure, arms: &'a Mutex<Arms>, lease_ns: u64) -> Self {
        Self { secure, arms, lease_ns, last_word_ns: clock::monotonic_ns(), slice: None }
    }

    /// Does what the leader wants until its end.
    pub(super) fn serve(&mut self) -> End {
        loop {
            if let Err(end) = self.turn() {
                return end;
            }
        }
    }

    fn turn(&mut self) -> Result<(), End> {
        let due_ns = self.slice.map(|slice| slice.due_ns);
        if let Some(due_ns) = due_ns.filter(|due_ns| clock::monotonic_ns().saturating_add(NEAR_NS) >= *due_ns) {
            sleep_until(due_ns);
            return self.end_slice(Some(due_ns));
        }
        let lease_ends_ns = self.last_word_ns.saturating_add(self.lease_ns);
        let look_ns = due_ns.map_or(u64::MAX, |due_ns| due_ns - NEAR_NS);
        if self.secure.wait(lease_ends_ns.min(look_ns)).map_err(|error| lost(&error))? {
            return self.receive();
        }
        if clock::monotonic_ns() < lease_ends_ns {
            return Ok(());
        }
        let message = format!("the leader was silent for {} s", self.lease_ns as f64 / 1e9);
        Err(End::Lost { reason: Reason::Lease, message })
    }

    fn receive(&mut self) -> Result<(), End> {
        let received_ns = clock::monotonic_ns();
        let received = self.secure.receive().map_err(|error| lost(&error))?;
        while let Some(frame) = self.secure.take_frame().map_err(too_long)? {
            self.last_word_ns = received_ns;
            let request: Request = serde_json::from_slice(&frame).map_err(|error| {
                let refusal = Refusal::new(ErrorKind::Frame, format!("what was sent is no message: {error}"));
                End::Refused { id: None, refusal }
            })?;
            let id = request.id();
            self.handle(request, received_ns).map_err(|problem| match problem {
                Problem::Refused(refusal) => End::Refused { id: Some(id), refusal },
                Problem::Ended(end) => end,
            })?;
        }
        match received {
            Received::Bytes => Ok(()),
            Received::End => {
                let message = "the leader closed the connection without a farewell".to_owned();
                Err(End::Lost { reason: Reason::Lost, message })
            }
        }
    }

    fn handle(&mut self, request: Request, received_ns: u64) -> Result<(), Problem> {
        let is_allowed = matches!(request, Request::Ping { .. } | Request::Stop { .. } | Request::Bye { .. });
        if let Some(slice) = self.slice.filter(|_| !is_allowed) {
            let what = format!("a slice of arm {} is under way: `ping`, `stop` and `bye` alone", slice.arm);
            return Err(Refusal::new(ErrorKind::Order, what).into());
        }
        match request {
            Request::Hello { .. } => {
                return Err(Refusal::new(ErrorKind::Order, "`hello` is the first message alone").into());
            }
            Request::Ping { id } => self.answer(|sent_ns| Answer::Pong { id, received_ns, sent_ns })?,
            Request::Read { id } => {
                let cpu_ns = lock(self.arms).read();
                self.answer(|sent_ns| Answer::Counters { id, received_ns, sent_ns, cpu_ns })?;
            }
            Request::Thaw { id, arm } => {
                self.thaw(id, arm, received_ns)?;
            }
            Request::Slice { id, arm, length_ns } => {
                let thawed_ns = self.thaw(id, arm, received_ns)?;
                self.slice = Some(Slice { id, arm, received_ns, due_ns: thawed_ns.saturating_add(length_ns) });
            }
            Request::Freeze { id, arm } => self.freeze(id, arm, received_ns, None)?,
            Request::Stop { id } => {
                self.answer(|sent_ns| Answer::Stopped { id, received_ns, sent_ns })?;
                self.end_slice(None)?;
            }
            Request::Bye { id } => return Err(End::Bye { id, received_ns }.into()),
        }
        Ok(())
    }

    /// Returns when.
    fn thaw(&self, id: u64, arm: usize, received_ns: u64) -> Result<u64, Problem> {
        let (thawed_ns, cpu_ns) = lock(self.arms).thaw(arm)?;
        self.answer(|sent_ns| Answer::Thawed { id, received_ns, sent_ns, arm, thawed_ns, cpu_ns })?;
        Ok(thawed_ns)
    }

    fn freeze(&self, id: u64, arm: usize, received_ns: u64, due_ns: Option<u64>) -> Result<(), Problem> {
        let frozen = lock(self.arms).freeze(arm)?;
        self.answer(|sent_ns| Answer::Frozen {
            id,
            received_ns,
            sent_ns,
            arm,
            thawed_ns: frozen.thawed_ns,
            due_ns,
            freeze_ns: frozen.freeze_ns,
            frozen_ns: frozen.frozen_ns,
            cpu_ns: frozen.cpu_ns,
        })?;
        Ok(())
    }

    /// Ends the slice that is under way, if there is one.
    fn end_slice(&mut self, due_ns: Option<u64>) -> Result<(), End> {
        let Some(Slice { id, arm, received_ns, .. }) = self.slice.take() else { return Ok(()) };
        self.freeze(id, arm, received_ns, due_ns).map_err(|problem| match problem {
            Problem::Refused(refusal) => End::Refused { id: Some(id), refusal },
            Problem::Ended(end) => end,
        })
    }

    fn answer(&self, answer: impl FnOnce(u64) -> Answer) -> Result<(), End> {
        send(self.secure, answer).map_err(|error| lost(&error))
    }
}

/// Why a message is the last one.
enum Problem {
    Refused(Refusal),
    Ended(End),
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<End> for Problem {
    fn from(end: End) -> Self {
        Self::Ended(end)
    }
}

/// Sends what the answer is, given the time.
pub(super) fn send(secure: &Secure, answer: impl FnOnce(u64) -> Answer) -> io::Result<()> {
    secure.send(&serde_json::to_vec(&answer(clock::monotonic_ns()))?)
}

/// In words what is wrong with the length.
pub(super) fn too_long_refusal(too_long: FrameTooLong) -> Refusal {
    let FrameTooLong { announced_bytes, .. } = too_long;
    let message = format!("a frame of {announced_bytes} bytes: {MOST_BYTES_TO_AGENT} are the most");
    Refusal::new(ErrorKind::Frame, message)
}

fn too_long(too_long: FrameTooLong) -> End {
    End::Refused { id: None, refusal: too_long_refusal(too_long) }
}

fn lost(error: &io::Error) -> End {
    End::Lost { reason: Reason::Lost, message: format!("the connection to the leader broke: {error}") }
}
