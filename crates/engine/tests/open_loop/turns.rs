//! Slices: which part of a schedule falls into one, and what stays in flight when arms take turns.

use super::origin::Origin;
use super::plain::{LONG_NS, arm, backends, session};
use super::run::{run, target};
use hopcost_engine::io::{Address, Backend};
use hopcost_engine::plan::{CpuSource, FreezeBy, Hop, Target, WarmUp};
use hopcost_engine::schedule::{Arrivals, ClosedLoop, Constant, Poisson, RateCurve};
use hopcost_engine::session::{Session, SessionArm};
use std::net::TcpListener;

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
