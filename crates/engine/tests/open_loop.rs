//! Open loops and their accounts against the embedded origin, which counts for itself. Exact counts, on both backends.

mod origin;

use base64::Engine as _;
use hdrhistogram::serialization::Deserializer;
use hopcost_engine::check::{ExpectedBody, ExpectedStatus};
use hopcost_engine::io::Backend;
use hopcost_engine::io::{Address, process, uring};
use hopcost_engine::lines::Line;
use hopcost_engine::plan::{Beside, CpuSource, FreezeBy, Hop, Target, WarmUp};
use hopcost_engine::recorder::ErrorKind;
use hopcost_engine::requests::{RequestMix, RequestSpec, WireSettings};
use hopcost_engine::schedule::{Arrivals, ClosedLoop, Constant, Poisson, RateCurve, Schedule as _};
use hopcost_engine::session::{ArmResult, Observer, Session, SessionArm};
use origin::Origin;
use std::net::TcpListener;
use std::time::Duration;

/// Long enough that no busy machine makes an answer late.
const LONG_NS: u64 = 60_000_000_000;

#[derive(Default)]
struct Seen {
    /// Arm, due, sent, not sent, errors.
    slices: Vec<(String, u64, u64, u64, u64)>,
    /// Arm, requests in flight over its time, and what their ages grew by.
    in_flight: Vec<(String, u64, i64)>,
    /// Slices, and those whose CPU time is known, of every warm-up.
    warm_ups: Vec<(usize, usize, usize)>,
    plateaus: Vec<bool>,
    /// Arm, answers with a response time, and requests without one, of every slice.
    response_times: Vec<(String, Option<u64>, u64)>,
    reasons: Vec<String>,
    arms: Vec<ArmResult>,
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
fn values(text: &str) -> u64 {
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).expect("base64");
    let histogram: hdrhistogram::Histogram<u64> =
        Deserializer::new().deserialize(&mut bytes.as_slice()).expect("V2 compressed");
    histogram.len()
}

fn backends() -> Vec<Backend> {
    match uring::probe() {
        Ok(_) => vec![Backend::Epoll, Backend::Uring],
        Err(_) => vec![Backend::Epoll],
    }
}

fn target(origin: &Origin, query: &str, connections: u32, arrivals: Arrivals) -> Target {
    let settings = WireSettings { host: "test".into(), ..WireSettings::default() };
    let spec = RequestSpec {
        name: None,
        weight: 1,
        method: "GET".into(),
        target: format!("/hello{query}"),
        headers: Vec::new(),
        body: None,
        status: ExpectedStatus::Exactly(200),
        expected: ExpectedBody::Bytes(b"Hello World\n".as_slice().into()),
    };
    Target {
        address: Address::resolve(&origin.address).expect("an address and a port"),
        connections,
        timeout_ns: LONG_NS,
        requests: RequestMix::new(&settings, &[spec]).expect("a valid request"),
        tls: None,
        arrivals,
    }
}

fn arm(name: &str, target: Target) -> SessionArm {
    SessionArm {
        name: name.into(),
        target,
        slice_ns: None,
        network_namespace: None,
        freeze: None,
        reopening: None,
        closes_each_round: false,
        beside: Beside::default(),
        hops: Vec::new(),
    }
}

fn session(io: Backend, slice_ns: u64, arms: Vec<SessionArm>) -> Session {
    let cores = process::allowed_cores().expect("this process runs on some core");
    Session {
        seed: 1,
        cores: vec![cores[cores.len() - 1]],
        io,
        batch: 1,
        slice_ns,
        slice_jitter: 0.0,
        warm_up_slice_ns: 20_000_000,
        settle_ns: 0,
        rounds: 1,
        shared_cores: true,
        warm_up: None,
        watch: None,
        arms,
    }
}

fn run(session: Session) -> Seen {
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

fn shapes(requests: u64) -> [Arrivals; 3] {
    [
        Arrivals::Closed(ClosedLoop { requests: Some(requests) }),
        Arrivals::Constant(Constant::new(10_000.0, Some(requests))),
        Arrivals::Poisson(Poisson::new(10_000.0, 3, Some(requests))),
    ]
}

#[test]
fn the_accounts_are_those_of_the_origin() {
    for io in backends() {
        for arrivals in shapes(2001) {
            for threads in [1, 2] {
                let origin = Origin::start();
                let is_open = arrivals.is_open();
                let target = target(&origin, "?delay=exponential:1ms", 7, arrivals.clone());
                let mut session = session(io, LONG_NS, vec![arm("arm", target)]);
                session.cores = vec![session.cores[0]; threads];
                let seen = run(session);
                let counts = seen.arms[0].counts;
                assert_eq!((counts.due(), counts.sent, counts.answers, counts.in_flight()), (2001, 2001, 2001, 0));
                assert_eq!((counts.opened, counts.errors.total()), (7, 0));
                let open = seen.arms[0].times.open.as_deref();
                assert_eq!(open.map(|open| open.response.known.len()), is_open.then_some(2001));
                assert_eq!(open.map(|open| open.send_lag.known.len()), is_open.then_some(2001));
                let truth = origin.stop();
                assert_eq!((&truth["requests_received"], &truth["answers_sent"]), (&2001.into(), &2001.into()));
                assert_eq!(truth["sent_bytes"], counts.received_bytes);
                assert_eq!(truth["received_bytes"], counts.sent_bytes);
                assert_eq!(truth["connections_accepted"], 7);
            }
        }
    }
}

#[test]
fn where_several_arms_take_turns_a_slice_is_one_step() {
    let curve = RateCurve::steps([(200.0, 100_000_000), (1000.0, 50_000_000), (0.0, 10_000_000)]);
    let steps = Arrivals::Constant(Constant { curve, requests: None });
    for settle_ns in [0, 20_000_000] {
        let origin = Origin::start();
        let arms = ["a", "b"].map(|name| arm(name, target(&origin, "", 4, steps.clone())));
        let mut session = session(Backend::Auto, LONG_NS, arms.into());
        (session.rounds, session.settle_ns, session.slice_jitter) = (6, settle_ns, 0.5);
        let seen = run(session);
        for name in ["a", "b"] {
            let due: Vec<u64> = seen.slices.iter().filter(|slice| slice.0 == name).map(|slice| slice.1).collect();
            assert_eq!(due, [20, 50, 0, 20, 50, 0], "{name}");
        }
    }
}

#[test]
fn one_arm_alone_has_the_whole_shape_in_a_slice() {
    let curve = RateCurve::ramp(0.0, 2000.0, 200_000_000);
    for (arrivals, due) in [
        (Arrivals::Constant(Constant { curve: curve.clone(), requests: None }), Some(200)),
        (Arrivals::Poisson(Poisson::along(curve, 5, None)), None),
    ] {
        let origin = Origin::start();
        let mut ramp = arm("ramp", target(&origin, "", 4, arrivals));
        ramp.slice_ns = Some(200_000_000);
        let mut session = session(Backend::Auto, LONG_NS, vec![ramp]);
        session.rounds = 2;
        let slices = run(session).slices;
        assert!(due.is_none_or(|due| slices.iter().all(|slice| slice.1 == due)), "{slices:?}");
        assert_eq!(slices[0].1, slices[1].1, "it begins anew");
    }
}

#[test]
fn errors_of_an_open_loop_are_counted_by_their_kind() {
    let table = [
        ("status-500", ErrorKind::Status),
        ("wrong-bytes", ErrorKind::Body),
        ("wrong-length", ErrorKind::Body),
        ("short-body", ErrorKind::Read),
        ("reset-mid-answer", ErrorKind::Read),
        ("half-close", ErrorKind::Read),
        ("huge-head", ErrorKind::Protocol),
    ];
    for io in backends() {
        for (fault, kind) in table {
            for arrivals in shapes(200) {
                let origin = Origin::start();
                let target = target(&origin, &format!("?fault={fault}&every=10"), 4, arrivals);
                let seen = run(session(io, LONG_NS, vec![arm("arm", target)]));
                let counts = seen.arms[0].counts;
                assert_eq!((counts.sent, counts.answers), (200, 180), "{fault}, {io:?}");
                assert_eq!((counts.errors.of(kind), counts.errors.total()), (20, 20), "{fault}, {io:?}");
                let truth = origin.stop();
                assert_eq!((&truth["requests_received"], &truth["faults"][fault]), (&200.into(), &20.into()));
            }
        }
    }
}

/// Nothing like "0 requests, no error".
#[test]
fn of_a_server_that_hangs_every_due_request_is_accounted_for() {
    for io in backends() {
        for timeout_ns in [200_000_000, LONG_NS] {
            let origin = Origin::start();
            let arrivals = Arrivals::Constant(Constant::new(1000.0, None));
            let mut target = target(&origin, "?fault=hang", 8, arrivals);
            target.timeout_ns = timeout_ns;
            let seen = run(session(io, 1_000_000_000, vec![arm("arm", target)]));
            let counts = seen.arms[0].counts;
            let timeouts = counts.errors.of(ErrorKind::Timeout);
            assert_eq!((counts.due(), counts.answers), (1000, 0), "{io:?}");
            assert_eq!((counts.errors.total(), timeouts + counts.in_flight()), (timeouts, counts.sent));
            let open = seen.arms[0].times.open.as_deref().expect("an open loop");
            assert_eq!((open.response.known.len(), open.response.at_least.len()), (0, 1000));
            if timeout_ns == LONG_NS {
                assert_eq!((counts.sent, counts.in_flight(), counts.not_sent), (8, 8, 992));
            } else {
                assert!(timeouts >= 8, "all those that were sent first: {timeouts}");
                let ages = &seen.arms[0].times.service.at_least;
                let at_the_timeout = ages.count_between(timeout_ns * 99 / 100, u64::MAX / 2);
                assert!(at_the_timeout >= timeouts, "a request that timed out took as long as it was waited for");
            }
            assert_eq!(origin.stop()["requests_received"], counts.sent);
        }
    }
}

#[test]
fn a_restart_in_the_middle_is_survived_and_shown() {
    for io in backends() {
        for arrivals in [Arrivals::Closed(ClosedLoop::default()), Arrivals::Constant(Constant::new(500.0, None))] {
            let is_open = arrivals.is_open();
            let first = Origin::start();
            let address = first.address.clone();
            let session =
                session(io, 3_000_000_000, vec![arm("arm", target(&first, "?delay=constant:1ms", 4, arrivals))]);
            let (first, second, seen) = std::thread::scope(|scope| {
                let restart = scope.spawn(move || {
                    std::thread::sleep(Duration::from_millis(700));
                    let counted = first.stop();
                    std::thread::sleep(Duration::from_millis(200));
                    (counted, Origin::at(&address, &[]))
                });
                let seen = run(session);
                let (first, second) = restart.join().expect("both origins started");
                (first, second.stop(), seen)
            });
            let counts = seen.arms[0].counts;
            assert_eq!(seen.arms[0].established, 4, "concurrency came back: {counts:?}");
            assert!(counts.opened >= 8 && counts.errors.of(ErrorKind::Connect) >= 1, "{counts:?}");
            let received = |counted: &serde_json::Value| counted["requests_received"].as_u64().expect("a count");
            assert!(received(&first) > 0 && received(&second) > 0, "load went on");
            let lost = counts.errors.of(ErrorKind::Read) + counts.errors.of(ErrorKind::Write);
            assert_eq!(counts.errors.total(), lost + counts.errors.of(ErrorKind::Connect));
            assert!(counts.sent >= received(&first) + received(&second));
            assert!(counts.sent <= received(&first) + received(&second) + lost + counts.in_flight());
            if is_open {
                assert_eq!(counts.due(), 1500);
            }
        }
    }
}

/// Slices of an open loop have the requests that are due in them, each of them drained before the arm is frozen.
#[test]
fn slices_of_an_open_loop_follow_its_schedule() {
    for io in backends() {
        let origins = [Origin::start(), Origin::start()];
        let mut sleepers: Vec<_> = (0..2)
            .map(|_| std::process::Command::new("sleep").arg("600").spawn().expect("sleep is everywhere"))
            .collect();
        let arms = (origins.iter().zip(&sleepers).zip(["first", "second"])).map(|((origin, sleeper), name)| {
            let arrivals = Arrivals::Constant(Constant::new(1000.0, None));
            let freeze = Some(FreezeBy::Signal(vec![sleeper.id()]));
            SessionArm { freeze, ..arm(name, target(origin, "", 16, arrivals)) }
        });
        let mut session = session(io, 50_000_000, arms.collect());
        session.rounds = 5;
        session.settle_ns = 20_000_000;
        session.warm_up = Some(WarmUp { least_ns: 1, most_ns: 40_000_000, requests: 0 });
        let seen = run(session);
        for sleeper in &mut sleepers {
            sleeper.kill().and_then(|()| sleeper.wait()).expect("it is ours to end");
        }
        assert_eq!(seen.slices.len(), 10);
        for (name, due, sent, not_sent, errors) in &seen.slices {
            assert_eq!((*due, sent + not_sent, *errors), (50, 50, 0), "{name}");
        }
        for (result, origin) in seen.arms.iter().zip(origins) {
            assert_eq!(result.counts.in_flight(), 0, "drained");
            assert_eq!(origin.stop()["requests_received"], result.counts.sent);
        }
    }
}

/// Arms that take turns are drained once more at the end. What does not even come then took at least that long.
#[test]
fn of_arms_that_take_turns_what_hangs_to_the_end_is_in_the_tail() {
    for io in backends() {
        for arrivals in [Arrivals::Closed(ClosedLoop::default()), Arrivals::Constant(Constant::new(100.0, None))] {
            let origins = [Origin::start(), Origin::start()];
            let arms = (origins.iter().zip([("well", ""), ("hangs", "?fault=hang")]))
                .map(|(origin, (name, query))| arm(name, target(origin, query, 4, arrivals.clone())));
            let mut session = session(io, 100_000_000, arms.collect());
            session.rounds = 2;
            let seen = run(session);
            let hanging = &seen.arms[1];
            assert_eq!((hanging.counts.answers, hanging.counts.in_flight()), (0, 4), "{io:?}, {arrivals:?}");
            let ages = &hanging.times.service.at_least;
            assert_eq!(ages.len(), 4, "{io:?}, {arrivals:?}");
            assert!(ages.min() >= 1_000_000_000, "they were waited for");
            assert_eq!(seen.arms[0].times.service.at_least.len(), 0);
        }
    }
}

/// Little's law, to the request: what was in flight, over time, is the service times and what is left of the ages.
#[test]
fn requests_in_flight_over_time_are_the_service_times() {
    let shapes = [Arrivals::Closed(ClosedLoop::default()), Arrivals::Poisson(Poisson::new(2000.0, 3, None))];
    for io in backends() {
        for (arrivals, threads) in shapes.iter().flat_map(|shape| [(shape, 1), (shape, 2)]) {
            let origins = [Origin::start(), Origin::start()];
            let own = std::process::id();
            let arms = (origins.iter().zip(["first", "second"])).map(|(origin, name)| {
                let hops = vec![Hop { name: "origin".into(), cpu: CpuSource::Processes(vec![own]), shared: false }];
                SessionArm { hops, ..arm(name, target(origin, "?delay=exponential:5ms", 16, arrivals.clone())) }
            });
            let mut session = session(io, 60_000_000, arms.collect());
            session.cores = vec![session.cores[0]; threads];
            (session.rounds, session.settle_ns) = (4, 30_000_000);
            session.warm_up = Some(WarmUp { least_ns: 1, most_ns: 40_000_000, requests: 0 });
            let seen = run(session);
            assert_eq!(seen.warm_ups.len(), 2);
            for (answers, elapsed, cpu) in &seen.warm_ups {
                assert!(*answers > 0 && answers == elapsed && elapsed == cpu, "{:?}", seen.warm_ups);
            }
            for result in &seen.arms {
                assert_eq!(result.counts.errors.total(), 0);
                let slices = seen.in_flight.iter().filter(|(name, ..)| *name == result.name);
                let expected: f64 =
                    slices.map(|(_, in_flight_ns, aged_ns)| *in_flight_ns as f64 - *aged_ns as f64).sum();
                let service = &result.times.service.known;
                let served = service.mean() * service.len() as f64;
                assert!((served / expected - 1.0).abs() < 0.005, "{io:?}, {arrivals:?}: {served} of {expected} ns");
            }
        }
    }
}

#[test]
fn connections_that_never_open_are_told_with_two_arms_and_in_an_open_loop() {
    let origin = Origin::start();
    // A queue of a few connections, and nobody who accepts them.
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has free ports");
    rustix::net::listen(&listener, 4).expect("it is bound");
    let address = Address::Tcp(listener.local_addr().expect("it is bound"));
    let open_loop = Arrivals::Constant(Constant::new(100.0, None));
    let full = Target { address, ..target(&origin, "", 16, open_loop) };
    let arms = vec![arm("fine", target(&origin, "", 16, Arrivals::Closed(ClosedLoop::default()))), arm("full", full)];
    let warm_up = Some(WarmUp { least_ns: 0, most_ns: 100_000_000, requests: 0 });
    let seen = run(Session { warm_up, ..session(Backend::Auto, 50_000_000, arms) });
    let all_opened: Vec<Option<bool>> = seen.arms.iter().map(|arm| arm.all_opened).collect();
    assert_eq!(all_opened, [Some(true), Some(false)]);
    assert!(!seen.plateaus[1], "an open loop is not warm without its connections");
    let reasons = seen.reasons.join("; ");
    assert!(reasons.contains("arm `full`: not all of its 16 connections could be opened"), "{reasons}");
}
