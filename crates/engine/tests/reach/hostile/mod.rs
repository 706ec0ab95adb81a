//! Servers that break HTTP/2 on purpose, over sockets: each breach is counted for what it is, and none takes time, bytes
//! or memory without bound. What every frame means in every state is tried on bytes alone, in `wire::h2`.

mod scripts;
mod server;

use self::scripts::{Row, bombs_of_hpack, endless, endless_body, farewell, once, out_of_place, windows};
use self::server::{Hostile, MOST_SENT_BYTES};
use crate::frames::{self, Manner};
use crate::plain::{HELLO, backends, get};
use crate::run::{errors, run, run_for, settings, target};
use hopcost_engine::io::Address;
use hopcost_engine::recorder::ErrorKind;
use hopcost_engine::requests::{RequestSpec, WireSettings};
use hopcost_engine::wire::Wire;
use std::process::Command;

const REQUESTS: u64 = 8;

fn over_http2() -> WireSettings {
    WireSettings { streams: Some(1), ..settings(Wire::Http2) }
}

/// Every request fails as it should, the server's fault is told as often, and it could not send without end.
fn assert_counted(rows: Vec<Row>, spec: &RequestSpec) {
    for (name, script, kind, told) in rows {
        for io in backends() {
            let hostile = Hostile::serve(script);
            let result = run(io, target(&hostile.server.address, &over_http2(), spec.clone(), REQUESTS));
            let what = format!("{name}, {io:?}");
            assert_eq!(result.counts.errors, errors(kind, REQUESTS), "{what}");
            assert_eq!((result.counts.sent, result.counts.answers), (REQUESTS, 0), "{what}");
            let faults = result.faults.by_frequency().into_iter();
            let faults: Vec<_> = faults.map(|(fault, times)| (fault.what, fault.detail, times)).collect();
            let expected = told.map(|(words, detail)| (words, detail, REQUESTS));
            assert_eq!(faults, Vec::from_iter(expected), "{what}");
            let sent_bytes = hostile.end();
            assert!(sent_bytes < MOST_SENT_BYTES, "{what}: {sent_bytes}");
        }
    }
}

#[test]
fn frames_out_of_place() {
    assert_counted(out_of_place(), &get("/", HELLO));
}

#[test]
fn blocks_that_mean_more_than_they_are() {
    assert_counted(bombs_of_hpack(), &get("/", HELLO));
}

#[test]
fn frames_without_end() {
    assert_counted(endless(), &get("/", HELLO));
}

#[test]
fn windows_that_lie() {
    assert_counted(windows(), &get("/", HELLO));
}

#[test]
fn windows_of_one_byte_before_an_upload() {
    let upload = RequestSpec { method: "POST".into(), body: Some(vec![7; 1 << 20].into()), ..get("/", HELLO) };
    assert_counted(vec![scripts::windows_of_one_byte()], &upload);
}

#[test]
fn a_body_without_end_is_given_up_in_time() {
    for io in backends() {
        let hostile = Hostile::serve(endless_body());
        let mut target = target(&hostile.server.address, &over_http2(), get("/", HELLO), 4);
        target.timeout_ns = 300_000_000;
        let counts = run(io, target).counts;
        assert_eq!((counts.errors, counts.sent, counts.answers), (errors(ErrorKind::Timeout, 4), 4, 0), "{io:?}");
        hostile.end();
    }
}

/// Nothing is processed, so nothing fails. The connections are opened again, ever more slowly.
#[test]
fn who_goes_away_from_every_connection_is_not_hammered() {
    for io in backends() {
        let hostile = Hostile::serve(once(|_| farewell(0)));
        let target = target(&hostile.server.address, &over_http2(), get("/", HELLO), REQUESTS);
        let counts = run_for(io, target, 200_000_000).counts;
        assert_eq!((counts.errors.total(), counts.answers), (0, 0), "{io:?}");
        let connections = hostile.server.counts().connections;
        assert!((4..=60).contains(&connections), "{io:?}: {connections}");
        hostile.end();
    }
}

/// As much as four connections could send is more than what is allowed.
#[test]
fn memory_stays_as_it_is() {
    let usual_bytes = peak_of_load(&frames::Server::start(Manner::Answers, HELLO).address);
    let rows = endless().into_iter().chain(bombs_of_hpack()).map(|(name, script, ..)| (name, script));
    for (name, script) in rows.chain([("a body without end", endless_body())]) {
        let hostile = Hostile::serve(script);
        let peak_bytes = peak_of_load(&hostile.server.address);
        assert!(peak_bytes < usual_bytes + MOST_SENT_BYTES, "{name}: {peak_bytes}, usually {usual_bytes}");
        hostile.end();
    }
}

/// Runs `load` over four connections; the most memory that a child of this process has had so far, in bytes.
fn peak_of_load(address: &Address) -> u64 {
    let Address::Tcp(address) = address else { panic!("it listens on TCP") };
    let output = Command::new(env!("CARGO_BIN_EXE_hopcost-engine"))
        .args(["load", "--json", "--http2", "-c", "4", "-n", "8", "-T", "1s", "-d", "20s"])
        .arg(format!("http://{address}/"))
        .output()
        .expect("the engine starts");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!((&json["sent"], &json["in_flight"]), (&REQUESTS.into(), &0.into()), "{json}");
    // SAFETY: all zeros are a rusage, and the call writes no more than one.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage), 0);
        usage
    };
    u64::try_from(usage.ru_maxrss).expect("kibibytes") * 1024
}
