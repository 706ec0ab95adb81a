//! Those who make the load, from their welcome to their end. The thread sleeps until the next edge, the next message or the
//! end of a lease.
//!
//! What all of them want is done once, when all have asked for it: so one thaw opens the load for all, and one freeze
//! closes it.

use super::super::messages::{Answer, ErrorKind, MOST_BYTES_TO_AGENT, Request};
use super::arms::{Arms, Refusal};
use super::gate::Guest;
use super::lines::Reason;
use super::{lock, sleep_until};
use crate::io::control::{FrameTooLong, Received, Secure};
use hopcost_common::clock;
use std::io;
use std::sync::Mutex;

/// So long before an edge the thread looks at nothing else, and sleeps a little at a time: waking from a short sleep is
/// punctual.
const NEAR_NS: u64 = 200_000;

/// The number of a question, and when it was there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    pub(super) id: u64,
    pub(super) received_ns: u64,
}

/// How it ended.
#[derive(Debug)]
pub(super) enum End {
    /// All of them said goodbye, and wait for the answer.
    Bye(Vec<Asked>),
    /// One of them is lost.
    Lost { reason: Reason, message: String },
    /// What one of them wanted is refused.
    Refused { member: usize, id: Option<u64>, refusal: Refusal },
}

/// A slice that the timer ends.
#[derive(Debug)]
struct Slice {
    arm: usize,
    due_ns: u64,
    asked: Vec<Asked>,
}

#[derive(Debug)]
struct Member<'a> {
    name: &'a str,
    secure: &'a Secure,
    last_word_ns: u64,
    /// What it wants that is done for all, and when that was there.
    wants: Option<(Request, u64)>,
}

#[derive(Debug)]
pub(super) struct Serving<'a> {
    members: Vec<Member<'a>>,
    arms: &'a Mutex<Arms>,
    lease_ns: u64,
    slice: Option<Slice>,
}

impl<'a> Serving<'a> {
    pub(super) fn new(guests: &'a [Guest], arms: &'a Mutex<Arms>, lease_ns: u64) -> Self {
        let last_word_ns = clock::monotonic_ns();
        let member = |guest: &'a Guest| Member { name: &guest.name, secure: &guest.secure, last_word_ns, wants: None };
        Self { members: guests.iter().map(member).collect(), arms, lease_ns, slice: None }
    }

    /// Does what they want until their end.
    pub(super) fn serve(&mut self) -> End {
        // What came right behind a hello has been received, so that nothing wakes this thread for it.
        let mut step = (0..self.members.len()).try_for_each(|member| self.take_messages(member, clock::monotonic_ns()));
        loop {
            match step {
                Ok(()) => step = self.turn(),
                Err(end) => return end,
            }
        }
    }

    fn turn(&mut self) -> Result<(), End> {
        let due_ns = self.slice.as_ref().map(|slice| slice.due_ns);
        if let Some(due_ns) = due_ns.filter(|due_ns| clock::monotonic_ns().saturating_add(NEAR_NS) >= *due_ns) {
            sleep_until(due_ns);
            return self.end_slice(Some(due_ns), 0);
        }
        let lease_ends_ns = |member: &Member<'_>| member.last_word_ns.saturating_add(self.lease_ns);
        let look_ns = due_ns.map_or(u64::MAX, |due_ns| due_ns - NEAR_NS);
        let until_ns = self.members.iter().map(lease_ends_ns).fold(look_ns, u64::min);
        let ready = Secure::wait_for(self.members.iter().map(|member| member.secure), until_ns).map_err(|error| {
            End::Lost { reason: Reason::Lost, message: format!("the connections cannot be waited for: {error}") }
        })?;
        for &member in &ready {
            self.receive(member)?;
        }
        let now_ns = clock::monotonic_ns();
        // Who has something to say that has not been read yet is not silent.
        let mut quiet = self.members.iter().enumerate().filter(|(number, _)| !ready.contains(number));
        match quiet.find(|(_, member)| now_ns >= member.last_word_ns.saturating_add(self.lease_ns)) {
            None => Ok(()),
            Some((_, member)) => {
                let message = format!("`{}` was silent for {} s", member.name, self.lease_ns as f64 / 1e9);
                Err(End::Lost { reason: Reason::Lease, message })
            }
        }
    }

    fn receive(&mut self, member: usize) -> Result<(), End> {
        let received_ns = clock::monotonic_ns();
        let Member { name, secure, .. } = self.members[member];
        let received = secure.receive().map_err(|error| broken(name, &error))?;
        self.take_messages(member, received_ns)?;
        match received {
            Received::Bytes => Ok(()),
            Received::End => {
                let message = format!("`{name}` closed the connection without a farewell");
                Err(End::Lost { reason: Reason::Lost, message })
            }
        }
    }

    fn take_messages(&mut self, member: usize, received_ns: u64) -> Result<(), End> {
        let secure = self.members[member].secure;
        let refused = |id, refusal| End::Refused { member, id, refusal };
        let too_long = |error| refused(None, too_long_refusal(error));
        while let Some(frame) = secure.take_frame().map_err(too_long)? {
            self.members[member].last_word_ns = received_ns;
            let request: Request = serde_json::from_slice(&frame).map_err(|error| {
                refused(None, Refusal::new(ErrorKind::Frame, format!("what was sent is no message: {error}")))
            })?;
            let id = request.id();
            self.handle(member, request, received_ns).map_err(|problem| match problem {
                Problem::Refused(refusal) => refused(Some(id), refusal),
                Problem::Ended(end) => end,
            })?;
        }
        Ok(())
    }

    fn handle(&mut self, member: usize, request: Request, received_ns: u64) -> Result<(), Problem> {
        let is_allowed = matches!(request, Request::Ping { .. } | Request::Stop { .. } | Request::Bye { .. });
        if let Some(slice) = self.slice.as_ref().filter(|_| !is_allowed) {
            let what = format!("a slice of arm {} is under way: `ping`, `stop` and `bye` alone", slice.arm);
            return Err(Refusal::new(ErrorKind::Order, what).into());
        }
        if request.is_common() {
            return self.want(member, request, received_ns);
        }
        match request {
            Request::Ping { id } => self.answer(member, |sent_ns| Answer::Pong { id, received_ns, sent_ns })?,
            Request::Read { id } => {
                let cpu_ns = lock(self.arms).read();
                self.answer(member, |sent_ns| Answer::Counters { id, received_ns, sent_ns, cpu_ns })?;
            }
            Request::Stop { id } => {
                self.answer(member, |sent_ns| Answer::Stopped { id, received_ns, sent_ns })?;
                self.end_slice(None, member)?;
            }
            _ => return Err(Refusal::new(ErrorKind::Order, "`hello` is the first message alone").into()),
        }
        Ok(())
    }

    /// Notes what a member wants. The last one to want it has it done, for all.
    fn want(&mut self, member: usize, request: Request, received_ns: u64) -> Result<(), Problem> {
        if let Some((wanted, _)) = self.members.iter().find_map(|other| other.wants.as_ref())
            && !wanted.is_like(&request)
        {
            let what = format!("one generator wants {wanted:?}, and another one {request:?}");
            return Err(Refusal::new(ErrorKind::Order, what).into());
        }
        if self.members[member].wants.replace((request.clone(), received_ns)).is_some() {
            return Err(Refusal::new(ErrorKind::Order, format!("{request:?} again, before its answer")).into());
        }
        if self.members.iter().any(|member| member.wants.is_none()) {
            return Ok(());
        }
        let wants: Vec<(Request, u64)> = self.members.iter_mut().filter_map(|member| member.wants.take()).collect();
        let asked = wants.iter().map(|(wanted, received_ns)| Asked { id: wanted.id(), received_ns: *received_ns });
        self.do_for_all(&request, &wants, asked.collect())
    }

    fn do_for_all(&mut self, request: &Request, wants: &[(Request, u64)], asked: Vec<Asked>) -> Result<(), Problem> {
        match *request {
            Request::Thaw { arm, .. } => self.thaw(arm, &asked).map(|_| ()),
            Request::Slice { arm, length_ns, .. } => {
                let thawed_ns = self.thaw(arm, &asked)?;
                self.slice = Some(Slice { arm, due_ns: thawed_ns.saturating_add(length_ns), asked });
                Ok(())
            }
            Request::Freeze { arm, .. } => self.freeze(arm, &asked, None),
            Request::Agree { .. } => {
                let vote = wants.iter().all(|(wanted, _)| matches!(wanted, Request::Agree { vote: true, .. }));
                self.answer_all(&asked, |Asked { id, received_ns }, sent_ns| Answer::Agreed {
                    id,
                    received_ns,
                    sent_ns,
                    vote,
                })
            }
            _ => Err(End::Bye(asked).into()),
        }
    }

    /// Returns when.
    fn thaw(&self, arm: usize, asked: &[Asked]) -> Result<u64, Problem> {
        let (thawed_ns, cpu_ns) = lock(self.arms).thaw(arm)?;
        self.answer_all(asked, |Asked { id, received_ns }, sent_ns| {
            let cpu_ns = cpu_ns.clone();
            Answer::Thawed { id, received_ns, sent_ns, arm, thawed_ns, cpu_ns }
        })?;
        Ok(thawed_ns)
    }

    fn freeze(&self, arm: usize, asked: &[Asked], due_ns: Option<u64>) -> Result<(), Problem> {
        let frozen = lock(self.arms).freeze(arm)?;
        self.answer_all(asked, |Asked { id, received_ns }, sent_ns| Answer::Frozen {
            id,
            received_ns,
            sent_ns,
            arm,
            thawed_ns: frozen.thawed_ns,
            due_ns,
            freeze_ns: frozen.freeze_ns,
            frozen_ns: frozen.frozen_ns,
            cpu_ns: frozen.cpu_ns.clone(),
        })
    }

    /// Ends the slice that is under way, if there is one. A failure is told to this member by the number of its question.
    fn end_slice(&mut self, due_ns: Option<u64>, member: usize) -> Result<(), End> {
        let Some(Slice { arm, asked, .. }) = self.slice.take() else { return Ok(()) };
        self.freeze(arm, &asked, due_ns).map_err(|problem| match problem {
            Problem::Refused(refusal) => End::Refused { member, id: Some(asked[member].id), refusal },
            Problem::Ended(end) => end,
        })
    }

    fn answer(&self, member: usize, answer: impl FnOnce(u64) -> Answer) -> Result<(), End> {
        let Member { name, secure, .. } = self.members[member];
        send(secure, answer).map_err(|error| broken(name, &error))
    }

    fn answer_all(&self, asked: &[Asked], answer: impl Fn(Asked, u64) -> Answer) -> Result<(), Problem> {
        for (member, asked) in asked.iter().enumerate() {
            self.answer(member, |sent_ns| answer(*asked, sent_ns))?;
        }
        Ok(())
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

fn broken(name: &str, error: &io::Error) -> End {
    End::Lost { reason: Reason::Lost, message: format!("the connection to `{name}` broke: {error}") }
}
