//! Slow clients and idle connections beside fast ones, against the embedded origin, which counts for itself. Times have
//! only the bounds that a busy machine cannot break: nothing is faster than its pace.

#[allow(dead_code, reason = "other tests use the rest")]
#[path = "server/frames.rs"]
mod frames;
mod origin;
#[allow(dead_code, reason = "other tests use the rest")]
mod plain;

use frames::Manner;
use hopcost_engine::check::ExpectedBody;
use hopcost_engine::io::{Address, Backend};
use hopcost_engine::lines::{BesideSlice, Line};
use hopcost_engine::plan::{Beside, IdleConnections, SlowClients, Target, WarmUp};
use hopcost_engine::recorder::{Counts, Errors};
use hopcost_engine::requests::{RequestMix, RequestSpec, WireSettings};
use hopcost_engine::schedule::{Arrivals, ClosedLoop, Constant};
use hopcost_engine::session::{ArmResult, BesideResult, Observer, Session, SessionArm};
use hopcost_engine::wire::Wire;
use origin::Origin;
use plain::{LONG_NS, backends, get, only, session};

const MS: u64 = 1_000_000;

#[derive(Default)]
struct Seen {
    /// Of every slice: arm, its time, slow clients, idle connections.
    slices: Vec<(String, u64, [Option<BesideSlice>; 2])>,
    /// Connections that were to be opened, and that were, at the end of the opening of each arm.
    openings: Vec<(u32, u32)>,
    reasons: Vec<String>,
    arms: Vec<ArmResult>,
}

impl Observer for Seen {
    fn line(&mut self, line: &Line<'_>) -> std::io::Result<()> {
        match line {
            Line::Slice(slice) => {
                let beside = [slice.slow_clients, slice.idle_connections];
                self.slices.push((slice.arm.to_owned(), slice.elapsed_ns, beside));
            }
            Line::Opening(opening) if opening.done => self.openings.push((opening.connections, opening.established)),
            Line::End(end) => self.reasons.clone_from(&end.reasons),
            _ => {}
        }
        Ok(())
    }

    fn arm(&mut self, result: ArmResult) -> std::io::Result<()> {
        self.arms.push(result);
        Ok(())
    }
}

/// Bytes as the origin sends them under /bytes/N.
fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index % 251) as u8).collect()
}

fn pattern_of(bytes: usize) -> RequestSpec {
    get(&format!("/bytes/{bytes}"), &pattern(bytes))
}

/// Two fast connections in a closed loop, and what is beside them.
fn arm(name: &str, origin: &Origin, spec: RequestSpec, beside: Beside) -> SessionArm {
    let target = Target {
        address: Address::resolve(&origin.address).expect("an address and a port"),
        connections: 2,
        timeout_ns: LONG_NS,
        requests: only(spec),
        tls: None,
        arrivals: Arrivals::Closed(ClosedLoop::default()),
    };
    SessionArm { beside, ..plain::arm(name, target) }
}

fn run(io: Backend, slice_ns: u64, rounds: u32, arms: Vec<SessionArm>) -> Seen {
    let warm_up = Some(WarmUp { least_ns: 20 * MS, most_ns: 40 * MS, requests: 0 });
    let mut seen = Seen::default();
    Session { rounds, warm_up, ..session(io, slice_ns, arms) }.run(&mut seen).expect("the session runs");
    seen
}

fn slow(number: u32, bytes_per_s: u64) -> Beside {
    Beside { slow: Some(SlowClients { number, bytes_per_s }), idle: None }
}

fn idle(number: u32, every_ns: u64) -> Beside {
    Beside { slow: None, idle: Some(IdleConnections { number, every_ns }) }
}

fn of_slow(result: &ArmResult) -> &BesideResult {
    result.beside[0].as_ref().expect("accounts of slow clients")
}

fn of_idle(result: &ArmResult) -> &BesideResult {
    result.beside[1].as_ref().expect("accounts of idle connections")
}

/// All that was sent reached the origin, but for requests in flight at the end: a ring may not have submitted them yet.
fn assert_accounts(result: &ArmResult, log: &serde_json::Value) {
    let all = || result.beside.iter().flatten().map(|beside| &beside.counts).chain([&result.counts]);
    let (sent, in_flight): (u64, u64) = (all().map(|of| of.sent).sum(), all().map(Counts::in_flight).sum());
    let received = log["requests_received"].as_u64().expect("a count");
    assert!(sent - in_flight <= received && received <= sent, "{received} of {sent}, {in_flight} in flight");
    for counts in result.beside.iter().flatten().map(|beside| &beside.counts) {
        assert_eq!(counts.sent, counts.answers + counts.in_flight() + counts.errors.after_sending());
    }
}

#[test]
fn slow_clients_keep_their_pace_and_have_their_own_accounts() {
    let origin = Origin::start();
    let seen = run(Backend::Auto, 600 * MS, 1, vec![arm("arm", &origin, pattern_of(3000), slow(5, 20_000))]);
    let log = origin.stop();
    let result = &seen.arms[0];
    let beside = of_slow(result);
    assert_eq!((beside.number, beside.established, beside.counts.opened), (5, 5, 5));
    assert_eq!((log["connections_accepted"].clone(), seen.openings[0]), (7.into(), (7, 7)));
    assert_accounts(result, &log);
    assert!(beside.counts.answers > 0 && beside.counts.errors == Errors::default(), "{:?}", beside.counts);
    assert_eq!(beside.counts.compared, beside.counts.answers, "every byte is compared");
    // 3,000 bytes and their head at 20,000 a second: a piece of 2,000, and 100 ms later the rest.
    let fastest_ns = beside.times.service.known.min();
    assert!(fastest_ns >= 85 * MS, "{fastest_ns}");
    let (_, elapsed_ns, [slice, none]) = &seen.slices[0];
    let received_bytes = slice.expect("slow clients").received_bytes;
    let most = 5.0 * (20_000.0 * (*elapsed_ns as f64 / 1e9 + 0.01) + 2000.0);
    assert!(0 < received_bytes && received_bytes as f64 <= most, "{received_bytes} of {most} in {elapsed_ns} ns");
    assert!(slice.expect("slow clients").cpu_ns > 0 && none.is_none());
}

#[test]
fn a_server_meets_the_back_pressure_of_slow_clients() {
    let origin = Origin::start();
    let mut arm = arm("arm", &origin, pattern_of(64 << 20), slow(1, 100_000));
    // Nothing is fast here: one request, which the time-out ends.
    arm.target.arrivals = Arrivals::Constant(Constant::new(0.001, None));
    arm.target.timeout_ns = 1000 * MS;
    let seen = run(Backend::Auto, 1600 * MS, 1, vec![arm]);
    let log = origin.stop();
    let beside = of_slow(&seen.arms[0]);
    assert_eq!(beside.counts.errors, Errors::default(), "the time that bytes take at their pace is no time-out");
    assert_eq!((beside.counts.sent, beside.counts.answers), (1, 0));
    assert_eq!(beside.times.service.at_least.len(), 1, "in flight at the end");
    assert!(log["answers_sent"] == 0 || log["answers_lost"].as_u64() >= Some(1), "{log}");
    let fast_bytes = seen.arms[0].counts.received_bytes;
    let kept = log["sent_bytes"].as_u64().expect("a count") - fast_bytes - beside.counts.received_bytes;
    assert!(kept < 48 << 20, "{kept} bytes wait in buffers of the kernel: a pace there is none for the server");
}

#[test]
fn slow_clients_write_slowly_too() {
    let origin = Origin::start();
    let upload = RequestSpec {
        method: "POST".into(),
        target: "/echo-length".into(),
        body: Some(vec![b'x'; 5000].into()),
        expected: ExpectedBody::Bytes(b"5000\n".as_slice().into()),
        ..pattern_of(0)
    };
    let seen = run(Backend::Auto, 800 * MS, 1, vec![arm("arm", &origin, upload, slow(3, 20_000))]);
    let log = origin.stop();
    let beside = of_slow(&seen.arms[0]);
    assert!(beside.counts.answers > 0 && beside.counts.errors == Errors::default(), "{:?}", beside.counts);
    // Two pieces of 2,000 bytes are ahead of the last one.
    let fastest_ns = beside.times.service.known.min();
    assert!(fastest_ns >= 185 * MS, "{fastest_ns}");
    let answered = log["requests_received"].as_u64().expect("a count");
    let sent = seen.arms[0].counts.sent + beside.counts.sent;
    let in_flight = seen.arms[0].counts.in_flight() + beside.counts.in_flight();
    assert!(
        sent - in_flight <= answered && answered <= sent,
        "{answered} of {sent}: uploads under way are no requests"
    );
}

#[test]
fn idle_connections_ask_in_turn_and_are_opened_again_when_the_server_closes_them() {
    for io in backends() {
        for (options, reopened) in [(&[][..], false), (&["--requests-per-connection", "1"], true)] {
            let origin = Origin::at("127.0.0.1:0", options);
            let mut arm = arm("arm", &origin, pattern_of(10), idle(20, 200 * MS));
            arm.target.arrivals = Arrivals::Constant(Constant::new(50.0, None));
            let seen = run(io, 600 * MS, 1, vec![arm]);
            let log = origin.stop();
            let result = &seen.arms[0];
            let beside = of_idle(result);
            assert_accounts(result, &log);
            assert_eq!((beside.number, beside.counts.errors), (20, Errors::default()));
            // One each 10 ms, for 620 to 640 ms and what the edges of slices take.
            assert!(beside.counts.due() >= 60, "{io:?}: {:?}", beside.counts);
            assert_eq!(beside.counts.due(), beside.counts.sent + beside.counts.not_sent);
            let closed = if reopened { beside.counts.answers } else { 0 };
            assert_eq!((beside.counts.reconnects, beside.counts.opened >= 20), (closed, true));
            let times = beside.times.open.as_ref().expect("each has its time");
            assert!(!times.response.known.is_empty());
            assert!(result.beside[0].is_none());
        }
    }
}

#[test]
fn arms_that_take_turns_have_their_slow_clients_and_idle_connections_apart() {
    let (with, without) = (Origin::start(), Origin::start());
    let both = Beside { slow: slow(2, 10_000).slow, idle: idle(4, 40 * MS).idle };
    let longer =
        SessionArm { slice_ns: Some(300 * MS), ..arm("without", &without, pattern_of(500), Beside::default()) };
    let arms = vec![arm("with", &with, pattern_of(500), both), longer];
    let seen = run(Backend::Auto, 60 * MS, 3, arms);
    for (origin, result) in [with, without].into_iter().zip(&seen.arms) {
        assert_accounts(result, &origin.stop());
    }
    assert!(seen.arms[1].beside.iter().all(Option::is_none));
    assert_eq!(seen.openings, [(8, 8), (2, 2)]);
    for (name, _, beside) in &seen.slices {
        assert_eq!(beside.iter().all(Option::is_some), name == "with");
    }
    let answers = |kind: usize| {
        let of_slices: u64 = seen.slices.iter().filter_map(|slice| slice.2[kind]).map(|slice| slice.answers).sum();
        (of_slices, seen.arms[0].beside[kind].as_ref().expect("accounts").counts.answers)
    };
    for kind in [0, 1] {
        let (measured, all) = answers(kind);
        assert!(0 < measured && measured <= all, "{measured} of {all}");
    }
    // One request each 10 ms of the arm's own time, warm-up and drain included: not of the other's 900 ms.
    let elapsed_ns: u64 = seen.slices.iter().filter(|slice| slice.0 == "with").map(|slice| slice.1).sum();
    let (due, most) = (of_idle(&seen.arms[0]).counts.due(), (elapsed_ns + 500 * MS) / (10 * MS));
    assert!(due <= most, "{due} requests of {most}");
}

#[test]
fn in_an_open_loop_and_in_one_with_an_end_they_run_as_long_as_the_fast_ones() {
    for arrivals in
        [Arrivals::Constant(Constant::new(500.0, None)), Arrivals::Closed(ClosedLoop { requests: Some(20) })]
    {
        let is_limited = arrivals.is_limited();
        let origin = Origin::start();
        let mut arm = arm("arm", &origin, pattern_of(100), idle(10, 50 * MS));
        arm.target.arrivals = arrivals;
        // The one with an end ends long before.
        let slice_ns = if is_limited { LONG_NS } else { 200 * MS };
        let seen = run(Backend::Auto, slice_ns, 1, vec![arm]);
        assert_accounts(&seen.arms[0], &origin.stop());
        assert!(!seen.reasons.iter().any(|reason| reason.contains("idle")), "{:?}", seen.reasons);
        assert!(of_idle(&seen.arms[0]).counts.answers > 0);
    }
}

/// Two fast connections with three requests at a time over HTTP/2, five slow clients and ten idle connections.
fn http2_arm(server: &frames::Server, body: &[u8]) -> SessionArm {
    let settings = WireSettings { wire: Wire::Http2, host: "test".into(), streams: Some(3), ..WireSettings::default() };
    let target = Target {
        address: server.address.clone(),
        connections: 2,
        timeout_ns: LONG_NS,
        requests: RequestMix::new(&settings, &[get("/", body)]).expect("a valid request"),
        tls: None,
        arrivals: Arrivals::Closed(ClosedLoop::default()),
    };
    let beside = Beside { slow: slow(5, 20_000).slow, idle: idle(10, 100 * MS).idle };
    SessionArm { beside, ..plain::arm("arm", target) }
}

#[test]
fn over_http2_they_keep_their_pace_and_have_their_own_accounts() {
    for io in backends() {
        let server = frames::Server::start(Manner::Answers, &pattern(3000));
        let seen = run(io, 600 * MS, 1, vec![http2_arm(&server, &pattern(3000))]);
        let counted = server.finish();
        let result = &seen.arms[0];
        let (slow, idle) = (of_slow(result), of_idle(result));
        assert_eq!((counted.connections, seen.openings[0]), (17, (17, 17)), "{io:?}");
        let all = [&result.counts, &slow.counts, &idle.counts];
        for counts in all {
            assert!(counts.answers > 0 && counts.errors == Errors::default(), "{io:?}: {counts:?}");
            assert_eq!((counts.compared, counts.sent), (counts.answers, counts.answers + counts.in_flight()));
        }
        assert_eq!((slow.number, slow.counts.opened, idle.number, idle.counts.opened), (5, 5, 10, 10));
        assert_eq!(idle.counts.due(), idle.counts.sent + idle.counts.not_sent);
        let (sent, in_flight): (u64, u64) =
            (all.iter().map(|of| of.sent).sum(), all.iter().map(|of| of.in_flight()).sum());
        assert!(counted.requests <= sent && sent <= counted.requests + in_flight, "{counted:?}, {sent}, {in_flight}");
        // 3,000 bytes at 20,000 a second: a piece of 2,000, and 100 ms later the rest.
        let fastest_ns = slow.times.service.known.min();
        assert!(fastest_ns >= 85 * MS, "{io:?}: {fastest_ns}");
    }
}

#[test]
fn over_http2_each_of_them_has_one_request_at_a_time() {
    let server = frames::Server::start(Manner::Hangs, b"");
    let seen = run(Backend::Auto, 300 * MS, 1, vec![http2_arm(&server, b"")]);
    let (result, counted) = (&seen.arms[0], server.finish());
    let (slow, idle) = (&of_slow(result).counts, &of_idle(result).counts);
    assert_eq!([result.counts.sent, slow.sent, idle.sent], [6, 5, 10]);
    assert_eq!([result.counts.in_flight(), slow.in_flight(), idle.in_flight()], [6, 5, 10]);
    assert!(idle.not_sent > 0 && idle.due() == idle.sent + idle.not_sent, "{idle:?}");
    assert_eq!((counted.requests, counted.answers), (21, 0));
}
