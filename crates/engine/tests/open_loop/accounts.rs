//! Each request that was due is accounted for, as the origin counted it: answered, failed, in flight, not sent.

use super::origin::Origin;
use super::plain::{LONG_NS, arm, backends, session};
use super::run::{run, shapes, target};
use hopcost_engine::recorder::ErrorKind;
use hopcost_engine::schedule::{Arrivals, ClosedLoop, Constant, Schedule as _};
use std::time::Duration;

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
