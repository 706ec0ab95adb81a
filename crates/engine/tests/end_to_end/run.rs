//! A session of one arm against a scripted server: what came of it, and that its accounts add up.

use super::plain::{self, HELLO, LONG_NS, arm, get, only};
use super::server::{Act, answer};
use hopcost_engine::io::{Address, Backend};
use hopcost_engine::lines::{Line, Validity};
use hopcost_engine::plan::Target;
use hopcost_engine::recorder::{Counts, ErrorKind, Errors};
use hopcost_engine::schedule::{Arrivals, ClosedLoop};
use hopcost_engine::session::{ArmResult, Observer, Session};

#[derive(Default)]
pub struct Seen {
    pub slices: Vec<(String, u32, usize, u64)>,
    /// Of the same slices.
    pub elapsed_ns: Vec<u64>,
    pub warm_ups: Vec<String>,
    pub arms: Vec<ArmResult>,
    pub end: Option<(Validity, Vec<String>)>,
}

impl Observer for Seen {
    fn line(&mut self, line: &Line<'_>) -> std::io::Result<()> {
        match line {
            Line::Slice(slice) => {
                self.slices.push((slice.arm.to_owned(), slice.round, slice.place, slice.answers));
                self.elapsed_ns.push(slice.elapsed_ns);
            }
            Line::WarmUp(warm_up) => self.warm_ups.push(warm_up.arm.to_owned()),
            Line::End(end) => self.end = Some((end.validity, end.reasons.clone())),
            Line::Start(_) | Line::Opening(_) | Line::Arm(_) => {}
        }
        Ok(())
    }

    fn arm(&mut self, result: ArmResult) -> std::io::Result<()> {
        self.arms.push(result);
        Ok(())
    }
}

pub fn target(address: &Address, connections: u32, requests: Option<u64>) -> Target {
    let arrivals = Arrivals::Closed(ClosedLoop { requests });
    let requests = only(get("/", HELLO));
    Target { address: address.clone(), connections, timeout_ns: LONG_NS, requests, tls: None, arrivals }
}

pub fn session(io: Backend, target: Target) -> Session {
    plain::session(io, LONG_NS, vec![arm("arm", target)])
}

pub fn run(session: Session) -> Seen {
    let mut seen = Seen::default();
    session.run(&mut seen).expect("the session runs");
    seen
}

pub fn counts(seen: &Seen) -> Counts {
    let counts = seen.arms[0].counts;
    let after_sending: u64 =
        ErrorKind::ALL.iter().filter(|kind| kind.after_sending()).map(|&kind| counts.errors.of(kind)).sum();
    assert_eq!(counts.sent, counts.answers + counts.in_flight() + after_sending);
    assert_eq!(seen.arms[0].times.service.known.len(), counts.answers);
    counts
}

pub fn errors(kind: ErrorKind, count: u64) -> Errors {
    let mut errors = Errors::default();
    (0..count).for_each(|_| errors.add(kind));
    errors
}

pub fn good() -> Act {
    Act::Answer(answer(200, HELLO))
}
