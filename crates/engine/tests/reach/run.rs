//! One arm, one slice: what came of it.

use crate::plain::{LONG_NS, arm, session};
use hopcost_engine::io::{Address, Backend};
use hopcost_engine::lines::{Line, Validity};
use hopcost_engine::plan::Target;
use hopcost_engine::recorder::{Counts, ErrorKind, Errors};
use hopcost_engine::requests::{RequestMix, RequestSpec, WireSettings};
use hopcost_engine::schedule::{Arrivals, ClosedLoop};
use hopcost_engine::session::{ArmResult, Observer};
use hopcost_engine::wire::Wire;

#[derive(Default)]
struct Seen {
    arm: Option<ArmResult>,
    validity: Option<Validity>,
}

impl Observer for Seen {
    fn line(&mut self, line: &Line<'_>) -> std::io::Result<()> {
        if let Line::End(end) = line {
            self.validity = Some(end.validity);
        }
        Ok(())
    }

    fn arm(&mut self, result: ArmResult) -> std::io::Result<()> {
        self.arm = Some(result);
        Ok(())
    }
}

pub fn settings(wire: Wire) -> WireSettings {
    WireSettings { wire, host: "test".into(), ..WireSettings::default() }
}

/// Four connections, so many requests.
pub fn target(address: &Address, settings: &WireSettings, spec: RequestSpec, requests: u64) -> Target {
    Target {
        address: address.clone(),
        connections: 4,
        timeout_ns: LONG_NS,
        requests: RequestMix::new(settings, &[spec]).expect("a valid request"),
        tls: None,
        arrivals: Arrivals::Closed(ClosedLoop { requests: Some(requests) }),
    }
}

/// The accounts, which add up.
pub fn run(io: Backend, target: Target) -> ArmResult {
    run_for(io, target, LONG_NS)
}

pub fn run_for(io: Backend, target: Target, slice_ns: u64) -> ArmResult {
    let mut seen = Seen::default();
    session(io, slice_ns, vec![arm("arm", target)]).run(&mut seen).expect("the session runs");
    let result = seen.arm.expect("accounts of the arm");
    let counts = &result.counts;
    let after_sending: u64 =
        ErrorKind::ALL.iter().filter(|kind| kind.after_sending()).map(|&kind| counts.errors.of(kind)).sum();
    assert_eq!(counts.sent, counts.answers + counts.in_flight() + after_sending);
    assert_eq!(result.times.service.known.len(), counts.answers);
    result
}

pub fn errors(kind: ErrorKind, count: u64) -> Errors {
    let mut errors = Errors::default();
    (0..count).for_each(|_| errors.add(kind));
    errors
}

pub fn assert_all_correct(counts: &Counts, requests: u64, what: &str) {
    assert_eq!((counts.sent, counts.answers, counts.errors), (requests, requests, Errors::default()), "{what}");
}
