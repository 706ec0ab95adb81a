//! A session of arms against the embedded origin: what came of it, and that its accounts add up.

use super::origin::Origin;
use super::plain::{HELLO, LONG_NS, get, only};
use base64::Engine as _;
use hdrhistogram::serialization::Deserializer;
use hopcost_engine::io::Address;
use hopcost_engine::lines::Line;
use hopcost_engine::plan::Target;
use hopcost_engine::schedule::{Arrivals, ClosedLoop, Constant, Poisson};
use hopcost_engine::session::{ArmResult, Observer, Session};

#[derive(Default)]
pub struct Seen {
    /// Arm, due, sent, not sent, errors.
    pub slices: Vec<(String, u64, u64, u64, u64)>,
    /// Arm, requests in flight over its time, and what their ages grew by.
    pub in_flight: Vec<(String, u64, i64)>,
    /// Slices, and those whose CPU time is known, of every warm-up.
    pub warm_ups: Vec<(usize, usize, usize)>,
    pub plateaus: Vec<bool>,
    /// Arm, answers with a response time, and requests without one, of every slice.
    pub response_times: Vec<(String, Option<u64>, u64)>,
    pub reasons: Vec<String>,
    pub arms: Vec<ArmResult>,
}

impl Observer for Seen {
    fn line(&mut self, line: &Line<'_>) -> std::io::Result<()> {
        if let Line::Slice(slice) = line {
            let errors = slice.errors.total();
            self.slices.push((slice.arm.to_owned(), slice.due, slice.sent, slice.not_sent, errors));
            let times = (slice.response_time.as_deref(), slice.response_unanswered.as_deref());
            self.response_times.push((slice.arm.to_owned(), times.0.map(values), times.1.map_or(0, values)));
            self.in_flight.push((slice.arm.to_owned(), slice.in_flight_ns, slice.aged_ns));
        }
        if let Line::WarmUp(warm_up) = line {
            let known = warm_up.cpu_ns.iter().filter(|ns| ns.is_some()).count();
            self.warm_ups.push((warm_up.answers.len(), warm_up.slices_elapsed_ns.len(), known));
            self.plateaus.push(warm_up.plateau);
        }
        if let Line::End(end) = line {
            self.reasons.clone_from(&end.reasons);
        }
        Ok(())
    }

    fn arm(&mut self, result: ArmResult) -> std::io::Result<()> {
        self.arms.push(result);
        Ok(())
    }
}

/// How many values a histogram holds.
pub fn values(text: &str) -> u64 {
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).expect("base64");
    let histogram: hdrhistogram::Histogram<u64> =
        Deserializer::new().deserialize(&mut bytes.as_slice()).expect("V2 compressed");
    histogram.len()
}

pub fn target(origin: &Origin, query: &str, connections: u32, arrivals: Arrivals) -> Target {
    Target {
        address: Address::resolve(&origin.address).expect("an address and a port"),
        connections,
        timeout_ns: LONG_NS,
        requests: only(get(&format!("/hello{query}"), HELLO)),
        tls: None,
        arrivals,
    }
}

pub fn run(session: Session) -> Seen {
    let mut seen = Seen::default();
    session.run(&mut seen).expect("the session runs");
    for arm in &seen.arms {
        let (counts, times) = (arm.counts, &arm.times);
        assert_eq!(counts.due(), counts.sent + counts.not_sent);
        let of_slices = || seen.response_times.iter().filter(|(name, ..)| *name == arm.name);
        assert_eq!(counts.sent, counts.answers + counts.in_flight() + counts.errors.after_sending());
        if let Some(open) = times.open.as_deref() {
            assert_eq!(open.response.known.len(), times.service.known.len());
            let known: Option<u64> = of_slices().map(|(_, known, _)| *known).sum();
            assert_eq!(known, Some(open.response.known.len()), "what the slices have, the arm has");
            // What was in flight after a drain is in its slice, and was answered later.
            let unanswered: u64 = of_slices().map(|(.., unanswered)| unanswered).sum();
            assert!(unanswered >= open.response.at_least.len());
            assert_eq!(open.response.at_least.len(), times.service.at_least.len() + open.send_lag.at_least.len());
        } else {
            assert!(of_slices().all(|(_, known, unanswered)| known.is_none() && *unanswered == 0));
        }
    }
    seen
}

pub fn shapes(requests: u64) -> [Arrivals; 3] {
    [
        Arrivals::Closed(ClosedLoop { requests: Some(requests) }),
        Arrivals::Constant(Constant::new(10_000.0, Some(requests))),
        Arrivals::Poisson(Poisson::new(10_000.0, 3, Some(requests))),
    ]
}
