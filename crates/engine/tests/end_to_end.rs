//! Whole sessions against a scripted server, on both backends, with exact counts.

mod server;

use hopcost_engine::check::{ExpectedBody, ExpectedStatus, MaskedBody};
use hopcost_engine::io::Backend;
use hopcost_engine::io::{Address, process, uring};
use hopcost_engine::lines::{Line, Validity};
use hopcost_engine::plan::{Beside, CpuSource, FreezeBy, Hop, Target, WarmUp};
use hopcost_engine::recorder::{Counts, ErrorKind, Errors};
use hopcost_engine::requests::{RequestMix, RequestSpec, WireSettings};
use hopcost_engine::schedule::{Arrivals, ClosedLoop};
use hopcost_engine::session::{ArmResult, Observer, Session, SessionArm};
use server::{Act, Server, answer, chunked};

/// Long enough that no busy machine makes an answer late.
const LONG_NS: u64 = 60_000_000_000;

#[derive(Default)]
struct Seen {
    slices: Vec<(String, u32, usize, u64)>,
    /// Of the same slices.
    elapsed_ns: Vec<u64>,
    warm_ups: Vec<String>,
    arms: Vec<ArmResult>,
    end: Option<(Validity, Vec<String>)>,
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

fn backends() -> Vec<Backend> {
    match uring::probe() {
        Ok(_) => vec![Backend::Epoll, Backend::Uring],
        Err(error) => {
            eprintln!("io_uring is not to be had here ({error}): epoll only");
            vec![Backend::Epoll]
        }
    }
}

fn spec() -> RequestSpec {
    RequestSpec {
        name: None,
        weight: 1,
        method: "GET".into(),
        target: "/".into(),
        headers: Vec::new(),
        body: None,
        status: ExpectedStatus::Exactly(200),
        expected: ExpectedBody::Bytes(b"Hello World\n".as_slice().into()),
    }
}

fn request_mix(spec: RequestSpec) -> RequestMix {
    let settings = WireSettings { host: "test".into(), ..WireSettings::default() };
    RequestMix::new(&settings, &[spec]).expect("a valid request")
}

fn target(address: &Address, connections: u32, requests: Option<u64>) -> Target {
    let arrivals = Arrivals::Closed(ClosedLoop { requests });
    let requests = request_mix(spec());
    Target { address: address.clone(), connections, timeout_ns: LONG_NS, requests, tls: None, arrivals }
}

fn session(io: Backend, target: Target) -> Session {
    let cores = process::allowed_cores().expect("this process runs on some core");
    Session {
        seed: 1,
        cores: vec![cores[cores.len() - 1]],
        io,
        batch: 1,
        settle_ns: 0,
        slice_ns: LONG_NS,
        slice_jitter: 0.0,
        warm_up_slice_ns: 1,
        rounds: 1,
        shared_cores: true,
        warm_up: None,
        watch: None,
        arms: vec![SessionArm {
            name: "arm".into(),
            target,
            slice_ns: None,
            network_namespace: None,
            freeze: None,
            reopening: None,
            closes_each_round: false,
            beside: Beside::default(),
            hops: Vec::new(),
        }],
    }
}

fn run(session: Session) -> Seen {
    let mut seen = Seen::default();
    session.run(&mut seen).expect("the session runs");
    seen
}

fn counts(seen: &Seen) -> Counts {
    let counts = seen.arms[0].counts;
    let after_sending: u64 =
        ErrorKind::ALL.iter().filter(|kind| kind.after_sending()).map(|&kind| counts.errors.of(kind)).sum();
    assert_eq!(counts.sent, counts.answers + counts.in_flight() + after_sending);
    assert_eq!(seen.arms[0].times.service.known.len(), counts.answers);
    counts
}

fn errors(kind: ErrorKind, count: u64) -> Errors {
    let mut errors = Errors::default();
    (0..count).for_each(|_| errors.add(kind));
    errors
}

fn good() -> Act {
    Act::Answer(answer(200, b"Hello World\n"))
}

#[test]
fn every_request_is_answered_and_counted() {
    for io in backends() {
        for batch in [1, 8] {
            let server = Server::tcp(|_| good());
            let mut session = session(io, target(&server.address, 32, Some(3000)));
            session.batch = batch;
            let seen = run(session);
            let counts = counts(&seen);
            assert_eq!((counts.sent, counts.answers, counts.compared, counts.in_flight()), (3000, 3000, 3000, 0));
            assert_eq!(counts.received_bytes, 3000 * answer(200, b"Hello World\n").len() as u64);
            assert_eq!((counts.errors, counts.reconnects), (Errors::default(), 0));
            assert_eq!(server.requests(), 3000);
            let (validity, reasons) = seen.end.expect("the session ends");
            // A hypervisor may take time from the core: that is the machine's, and no fault of the accounts.
            let ours: Vec<_> = reasons.iter().filter(|reason| !reason.contains("the hypervisor kept")).collect();
            assert!(ours.is_empty(), "{ours:?}");
            assert!(!reasons.is_empty() || validity == Validity::Valid, "{validity:?}");
        }
    }
}

#[test]
fn unix_sockets_and_two_threads() {
    for io in backends() {
        let server = Server::unix(|_| good());
        let mut session = session(io, target(&server.address, 5, Some(501)));
        session.cores = vec![session.cores[0]; 2];
        let seen = run(session);
        assert_eq!((counts(&seen).answers, server.requests()), (501, 501));
    }
}

/// Every tenth request meets a fault, the others are answered well.
#[test]
fn faults_are_counted_by_their_kind() {
    type Fault = fn() -> Act;
    let table: [(&str, ErrorKind, Fault); 13] = [
        ("another status", ErrorKind::Status, || Act::Answer(answer(500, b"Hello World\n"))),
        ("another body", ErrorKind::Body, || Act::Answer(answer(200, b"Hello Wurld\n"))),
        ("a shorter body", ErrorKind::Body, || Act::Answer(answer(200, b"Hello World"))),
        ("a longer body", ErrorKind::Body, || Act::Answer(answer(200, b"Hello World\n\n"))),
        ("no body", ErrorKind::Body, || Act::Answer(answer(200, b""))),
        ("a longer chunked body", ErrorKind::Body, || Act::Answer(chunked(&[b"Hello World\n", b"x"]))),
        ("a cut body", ErrorKind::Read, || Act::AnswerAndClose(answer(200, b"Hello World\n")[..60].to_vec())),
        ("no answer", ErrorKind::Read, || Act::AnswerAndClose(vec![])),
        ("a reset", ErrorKind::Read, || Act::Reset),
        ("trailing bytes", ErrorKind::Protocol, || {
            Act::Answer([answer(200, b"Hello World\n"), b"x".to_vec()].concat())
        }),
        ("two answers", ErrorKind::Protocol, || Act::Answer(answer(200, b"Hello World\n").repeat(2))),
        ("no HTTP", ErrorKind::Protocol, || Act::Answer(b"220 ready\r\n".to_vec())),
        ("a bad chunk", ErrorKind::Protocol, || {
            Act::Answer(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".to_vec())
        }),
    ];
    for io in backends() {
        for (name, kind, fault) in table {
            let server = Server::tcp(move |number| if number % 10 == 3 { fault() } else { good() });
            let seen = run(session(io, target(&server.address, 4, Some(100))));
            let counts = counts(&seen);
            assert_eq!(counts.errors, errors(kind, 10), "{name}, {io:?}");
            assert_eq!((counts.sent, counts.answers, server.requests()), (100, 90, 100), "{name}, {io:?}");
        }
    }
}

/// A token is another one in each answer; in every tenth a byte beside it is wrong too, or the token is longer.
#[test]
fn bodies_that_change_under_a_mask_are_correct_and_no_others() {
    let masked = || {
        let body = MaskedBody::new(b"token=00000000;\n", &[(6, 14)]).expect("a range of the body");
        RequestSpec { expected: ExpectedBody::Masked(body.into()), ..spec() }
    };
    let faults: [fn(u64) -> String; 2] =
        [|number| format!("token={number:08}:\n"), |number| format!("token={number:09};\n")];
    for io in backends() {
        for fault in faults {
            for piece_bytes in [1, 4096] {
                let server = Server::tcp(move |number| {
                    let body = if number % 10 == 3 { fault(number) } else { format!("token={number:08};\n") };
                    Act::InPieces(answer(200, body.as_bytes()), piece_bytes)
                });
                let target = target(&server.address, 4, Some(100));
                let seen = run(session(io, Target { requests: request_mix(masked()), ..target }));
                let counts = counts(&seen);
                assert_eq!((counts.answers, counts.compared), (90, 90), "{io:?}");
                assert_eq!(counts.errors, errors(ErrorKind::Body, 10), "{io:?}");
            }
        }
    }
}

#[test]
fn answers_that_close_their_connection_are_correct() {
    type Way = fn() -> Act;
    let table: [(&str, Way); 3] = [
        ("announced", || {
            let text = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 12\r\n\r\nHello World\n";
            Act::AnswerAndClose(text.to_vec())
        }),
        ("close-delimited", || Act::AnswerAndClose(b"HTTP/1.1 200 OK\r\n\r\nHello World\n".to_vec())),
        ("HTTP/1.0", || Act::AnswerAndClose(b"HTTP/1.0 200 OK\r\nContent-Length: 12\r\n\r\nHello World\n".to_vec())),
    ];
    for io in backends() {
        for (name, way) in table {
            let server = Server::tcp(move |_| way());
            let counts = counts(&run(session(io, target(&server.address, 4, Some(200)))));
            assert_eq!((counts.answers, counts.reconnects, counts.errors.total()), (200, 200, 0), "{name}, {io:?}");
            assert_eq!(server.requests(), 200);
        }
    }
}

#[test]
fn more_connections_come_and_go_at_once_than_a_queue_has_places() {
    for io in backends() {
        for batch in [1, 16] {
            let server = Server::tcp(|_| {
                Act::AnswerAndClose(
                    b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 12\r\n\r\nHello World\n".to_vec(),
                )
            });
            let session = Session { batch, ..session(io, target(&server.address, 100, Some(3000))) };
            let counts = counts(&run(session));
            assert_eq!((counts.answers, counts.reconnects, counts.errors), (3000, 3000, Errors::default()), "{io:?}");
            assert_eq!(server.requests(), 3000);
        }
    }
}

#[test]
fn answers_in_all_shapes() {
    type Shape = fn() -> Act;
    let table: [(&str, Shape); 4] = [
        ("chunked", || Act::Answer(chunked(&[b"Hello", b" ", b"World\n"]))),
        ("interim", || {
            Act::Answer([b"HTTP/1.1 103 Early Hints\r\n\r\n".to_vec(), answer(200, b"Hello World\n")].concat())
        }),
        ("single bytes", || Act::InPieces(answer(200, b"Hello World\n"), 1)),
        ("a head in two pieces", || Act::InPieces(answer(200, b"Hello World\n"), 20)),
    ];
    for io in backends() {
        for (name, shape) in table {
            let server = Server::tcp(move |_| shape());
            let counts = counts(&run(session(io, target(&server.address, 2, Some(40)))));
            assert_eq!((counts.answers, counts.compared, counts.errors.total()), (40, 40, 0), "{name}, {io:?}");
        }
    }
}

#[test]
fn long_bodies_have_their_length_checked_always_and_their_bytes_sometimes() {
    let body: Vec<u8> = (0..1_000_000_u32).map(|i| i.to_le_bytes()[0]).collect();
    let sent = answer(200, &body);
    for io in backends() {
        for known in [true, false] {
            let sent = sent.clone();
            let server = Server::tcp(move |_| Act::Answer(sent.clone()));
            let mut target = target(&server.address, 4, Some(64));
            let expected = if known {
                ExpectedBody::Bytes(body.as_slice().into())
            } else {
                ExpectedBody::First(Default::default())
            };
            target.requests = request_mix(RequestSpec { expected, ..spec() });
            let counts = counts(&run(session(io, target)));
            assert_eq!((counts.answers, counts.errors.total()), (64, 0), "{io:?}");
            assert!(
                (4..=8).contains(&counts.compared),
                "one in sixteen, or one of the first four: {}",
                counts.compared
            );
        }
    }
}

#[test]
fn an_answer_to_head_has_no_body() {
    for io in backends() {
        let server = Server::tcp(|_| Act::Answer(b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n".to_vec()));
        let mut target = target(&server.address, 2, Some(20));
        target.requests = request_mix(RequestSpec { method: "HEAD".into(), ..spec() });
        assert_eq!(counts(&run(session(io, target))).answers, 20);
    }
}

#[test]
fn a_long_request_is_sent_whole() {
    let padding = "x".repeat(3_000_000);
    for io in backends() {
        let server = Server::tcp(|_| good());
        let mut target = target(&server.address, 3, Some(12));
        target.requests = request_mix(RequestSpec { headers: vec![("X".into(), padding.clone())], ..spec() });
        assert_eq!((counts(&run(session(io, target))).answers, server.requests()), (12, 12));
    }
}

#[test]
fn a_server_that_hangs_is_not_silence() {
    for io in backends() {
        let server = Server::tcp(|number| if number % 4 == 3 { Act::Hang } else { good() });
        let mut with_timeout = target(&server.address, 4, Some(20));
        with_timeout.timeout_ns = 1_500_000_000;
        let seen = run(session(io, with_timeout));
        assert_eq!((counts(&seen).answers, counts(&seen).errors), (15, errors(ErrorKind::Timeout, 5)), "{io:?}");

        let server = Server::tcp(|_| Act::Hang);
        let mut session = session(io, target(&server.address, 4, None));
        session.slice_ns = 500_000_000;
        let seen = run(session);
        let counts = counts(&seen);
        assert_eq!((counts.sent, counts.answers, counts.in_flight(), counts.errors.total()), (4, 0, 4, 0));
        assert_eq!(seen.arms[0].times.service.at_least.len(), 4);
    }
}

#[test]
fn nobody_listens() {
    for io in backends() {
        let (address, _socket) = server::bound_but_deaf();
        let mut session = session(io, target(&address, 2, None));
        session.slice_ns = 100_000_000;
        let seen = run(session);
        assert_eq!(counts(&seen).sent, 0);
        assert!(counts(&seen).errors.of(ErrorKind::Connect) >= 2);
        assert_eq!(seen.end.map(|(validity, _)| validity), Some(Validity::Suspect));
    }
}

/// The order of a run: warm-ups first, then rounds that hold every arm once; and everything runs on at the end.
#[test]
fn arms_take_turns_and_are_thawed_at_the_end() {
    for io in backends() {
        let server = Server::tcp(|_| good());
        let mut sleepers: Vec<_> = (0..2)
            .map(|_| std::process::Command::new("sleep").arg("600").spawn().expect("sleep is everywhere"))
            .collect();
        let mut session = session(io, target(&server.address, 2, None));
        session.slice_ns = 20_000_000;
        session.warm_up_slice_ns = 20_000_000;
        session.slice_jitter = 0.5;
        session.rounds = 4;
        session.warm_up = Some(WarmUp { least_ns: 1, most_ns: 40_000_000, requests: 0 });
        session.arms = (sleepers.iter().zip(["first", "second"]))
            .map(|(sleeper, name)| SessionArm {
                name: name.into(),
                target: target(&server.address, 2, None),
                slice_ns: (name == "second").then_some(40_000_000),
                network_namespace: None,
                freeze: Some(FreezeBy::Signal(vec![sleeper.id()])),
                reopening: None,
                closes_each_round: false,
                beside: Beside::default(),
                hops: vec![Hop { name: "sleep".into(), cpu: CpuSource::Processes(vec![sleeper.id()]), shared: false }],
            })
            .collect();
        let seen = run(session);
        assert_eq!(seen.warm_ups, ["first", "second"]);
        assert_eq!(seen.slices.len(), 8);
        for (index, round) in seen.slices.chunks(2).enumerate() {
            let mut names: Vec<&str> = round.iter().map(|(name, ..)| name.as_str()).collect();
            names.sort_unstable();
            assert_eq!(names, ["first", "second"]);
            assert!(
                round.iter().enumerate().all(|(at, (_, round, place, _))| (*round as usize, *place) == (index, at))
            );
        }
        let of = |name| seen.slices.iter().zip(&seen.elapsed_ns).filter(move |(slice, _)| slice.0 == name);
        for (name, least_us) in
            [("first", [12_500, 17_500, 22_500, 27_500]), ("second", [25_000, 35_000, 45_000, 55_000])]
        {
            let mut elapsed_us: Vec<u64> = of(name).map(|(_, elapsed_ns)| elapsed_ns / 1000).collect();
            elapsed_us.sort_unstable();
            assert!(elapsed_us.iter().zip(least_us).all(|(took, least)| *took >= least), "{name}: {elapsed_us:?}");
        }
        for sleeper in &mut sleepers {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", sleeper.id())).expect("it is alive");
            let stopped = stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'));
            sleeper.kill().and_then(|()| sleeper.wait()).expect("it is ours to end");
            assert!(!stopped, "left stopped");
        }
    }
}
