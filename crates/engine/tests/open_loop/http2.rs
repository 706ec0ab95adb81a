//! The accounts over HTTP/2, where a connection has several requests at a time: as the server counted them.

use super::frames::{Counts, Manner, Server, Site, converse};
use super::plain::{HELLO, LONG_NS, arm, backends, get, session};
use super::run::{run, shapes};
use hopcost_engine::io::Address;
use hopcost_engine::plan::Target;
use hopcost_engine::recorder::ErrorKind;
use hopcost_engine::requests::{RequestMix, WireSettings};
use hopcost_engine::schedule::{Arrivals, ClosedLoop, Constant, Schedule as _};
use hopcost_engine::wire::Wire;
use std::time::Duration;

fn target(server: &Server, connections: u32, streams: u32, arrivals: Arrivals) -> Target {
    let settings =
        WireSettings { wire: Wire::Http2, host: "test".into(), streams: Some(streams), ..WireSettings::default() };
    Target {
        address: server.address.clone(),
        connections,
        timeout_ns: LONG_NS,
        requests: RequestMix::new(&settings, &[get("/", HELLO)]).expect("a valid request"),
        tls: None,
        arrivals,
    }
}

#[test]
fn the_accounts_are_those_of_the_server() {
    for io in backends() {
        for arrivals in shapes(2001) {
            for threads in [1, 2] {
                let server = Server::start(Manner::Answers, HELLO);
                let is_open = arrivals.is_open();
                let mut session = session(io, LONG_NS, vec![arm("arm", target(&server, 7, 3, arrivals.clone()))]);
                session.cores = vec![session.cores[0]; threads];
                let seen = run(session);
                let counts = seen.arms[0].counts;
                assert_eq!((counts.due(), counts.sent, counts.answers, counts.in_flight()), (2001, 2001, 2001, 0));
                assert_eq!((counts.opened, counts.errors.total()), (7, 0));
                let open = seen.arms[0].times.open.as_deref();
                assert_eq!(open.map(|open| open.response.known.len()), is_open.then_some(2001));
                assert_eq!(open.map(|open| open.send_lag.known.len()), is_open.then_some(2001));
                let Counts { connections, requests, answers, received_bytes, sent_bytes, .. } = server.finish();
                assert_eq!((connections, requests, answers), (7, 2001, 2001));
                assert_eq!((sent_bytes, received_bytes), (counts.received_bytes, counts.sent_bytes));
            }
        }
    }
}

#[test]
fn of_a_server_that_hangs_every_due_request_is_accounted_for() {
    for io in backends() {
        for timeout_ns in [100_000_000, LONG_NS] {
            let server = Server::start(Manner::Hangs, HELLO);
            let arrivals = Arrivals::Constant(Constant::new(1000.0, None));
            let target = Target { timeout_ns, ..target(&server, 4, 2, arrivals) };
            let seen = run(session(io, 300_000_000, vec![arm("arm", target)]));
            let counts = seen.arms[0].counts;
            let timeouts = counts.errors.of(ErrorKind::Timeout);
            assert_eq!((counts.due(), counts.answers, counts.opened), (300, 0, 4), "{io:?}");
            assert_eq!((counts.errors.total(), timeouts + counts.in_flight()), (timeouts, counts.sent));
            let open = seen.arms[0].times.open.as_deref().expect("an open loop");
            assert_eq!((open.response.known.len(), open.response.at_least.len()), (0, 300));
            if timeout_ns == LONG_NS {
                assert_eq!((counts.sent, counts.in_flight(), counts.not_sent), (8, 8, 292));
            } else {
                assert!(timeouts >= 8, "all those that were sent first: {timeouts}");
            }
            assert_eq!(server.finish().requests, counts.sent);
        }
    }
}

#[test]
fn a_restart_in_the_middle_is_survived_and_shown() {
    for io in backends() {
        for arrivals in [Arrivals::Closed(ClosedLoop::default()), Arrivals::Constant(Constant::new(500.0, None))] {
            let is_open = arrivals.is_open();
            let first = Server::start(Manner::Answers, HELLO);
            let Address::Tcp(address) = first.address else { panic!("it listens on TCP") };
            let session = session(io, 1_000_000_000, vec![arm("arm", target(&first, 4, 3, arrivals))]);
            let (first, second, seen) = std::thread::scope(|scope| {
                let restart = scope.spawn(move || {
                    std::thread::sleep(Duration::from_millis(300));
                    let counted = first.break_off();
                    std::thread::sleep(Duration::from_millis(100));
                    let site = Site::new(Manner::Answers, HELLO);
                    (counted, Server::at(address, site, |socket, site| converse(socket, site)))
                });
                let seen = run(session);
                let (first, second) = restart.join().expect("both servers started");
                (first, second.finish(), seen)
            });
            let counts = seen.arms[0].counts;
            assert_eq!(seen.arms[0].established, 4, "concurrency came back: {counts:?}");
            assert!(counts.opened >= 8 && counts.errors.of(ErrorKind::Connect) >= 1, "{counts:?}");
            assert!(first.requests > 0 && second.requests > 0, "load went on");
            let lost = counts.errors.of(ErrorKind::Read) + counts.errors.of(ErrorKind::Write);
            assert_eq!(counts.errors.total(), lost + counts.errors.of(ErrorKind::Connect));
            let received = first.requests + second.requests;
            assert!(counts.sent >= received && counts.sent <= received + lost + counts.in_flight(), "{counts:?}");
            assert!(counts.answers <= first.answers + second.answers, "{counts:?}");
            if is_open {
                assert_eq!(counts.due(), 500);
            }
        }
    }
}
