//! Sessions from the first connection to the last line: all requests, threads, links, time-outs, turns of arms.

use super::plain::{HELLO, backends, get, only};
use super::run::{counts, errors, good, run, session, target};
use super::server::{self, Act, Server, answer};
use hopcost_engine::lines::Validity;
use hopcost_engine::plan::{Beside, CpuSource, FreezeBy, Hop, WarmUp};
use hopcost_engine::recorder::{ErrorKind, Errors};
use hopcost_engine::requests::RequestSpec;
use hopcost_engine::session::{Session, SessionArm};

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
fn a_long_request_is_sent_whole() {
    let padding = "x".repeat(3_000_000);
    for io in backends() {
        let server = Server::tcp(|_| good());
        let mut target = target(&server.address, 3, Some(12));
        target.requests = only(RequestSpec { headers: vec![("X".into(), padding.clone())], ..get("/", HELLO) });
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
