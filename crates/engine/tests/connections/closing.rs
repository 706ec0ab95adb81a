//! Connections that live for one turn: a server that serves one connection at a time is there for every arm.

use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// More than a ring ends operations of in one call, and more than a low load uses in a slice.
const CONNECTIONS: u64 = 64;
const ROUNDS: u64 = 4;
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nHello World\n";
const LAST_ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 12\r\n\r\nHello World\n";

/// One worker. It stays with a connection until that is closed, or closes each after its answer.
struct OneWorker {
    address: String,
    accepted: Arc<AtomicU64>,
    answered: Arc<AtomicU64>,
}

impl OneWorker {
    fn start(answer: &'static [u8]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has free ports");
        let address = listener.local_addr().expect("it is bound").to_string();
        let (accepted, answered) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let counts = (Arc::clone(&accepted), Arc::clone(&answered));
        // It ends with the test's process.
        thread::spawn(move || {
            for stream in listener.incoming() {
                counts.0.fetch_add(1, Ordering::SeqCst);
                serve(stream.expect("a connection"), answer, &counts.1);
            }
        });
        Self { address, accepted, answered }
    }
}

fn serve(mut stream: TcpStream, answer: &[u8], answered: &AtomicU64) {
    let (mut request, mut buffer) = (Vec::new(), [0; 512]);
    while let Ok(length @ 1..) = stream.read(&mut buffer) {
        request.extend_from_slice(&buffer[..length]);
        if request.ends_with(b"\r\n\r\n") {
            request.clear();
            answered.fetch_add(1, Ordering::SeqCst);
            if stream.write_all(answer).is_err() || answer == LAST_ANSWER {
                return;
            }
        }
    }
}

/// The lines of a run of two arms at the same server.
fn run(io: &str, server: &OneWorker, reopening: &str, arrivals: &Value) -> Vec<Value> {
    let own = std::process::id();
    let arm = |name: &str| {
        json!({
            "name": name,
            "address": {"tcp": server.address},
            "connections": CONNECTIONS,
            "timeout_ns": 60_000_000_000_u64,
            "reopen_each_round": reopening,
            "close_each_round": true,
            "arrivals": arrivals,
            "request": {"method": "GET", "target": "/", "headers": []},
            "expect": {"status": 200},
            "freeze": null,
            "hops": [{"name": "own", "cpu": {"processes": [own]}}],
        })
    };
    let cores = hopcost_engine::io::process::allowed_cores().expect("this process runs on some core");
    let plan = json!({
        "seed": 1, "cores": [cores[0]], "io": io, "batch": 1, "slice_ns": 20_000_000, "settle_ns": 5_000_000,
        "rounds": ROUNDS, "shared_cores": true, "warm_up": {"least_ns": 0, "most_ns": 100_000_000},
        "arms": [arm("first"), arm("second")],
    });
    let mut engine = Command::new(env!("CARGO_BIN_EXE_hopcost-engine"))
        .arg("run")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    let mut stdin = engine.stdin.take().expect("a pipe was asked for");
    stdin.write_all(plan.to_string().as_bytes()).expect("the engine reads its plan");
    drop(stdin);
    let output = engine.wait_with_output().expect("a child");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

fn backends() -> Vec<&'static str> {
    let uring = hopcost_engine::io::uring::probe().is_ok();
    if uring { vec!["uring", "epoll"] } else { vec!["epoll"] }
}

/// Every slice has answers, and the accounts of both arms are those of the server.
fn check(lines: &[Value], server: &OneWorker, what: &str) {
    let of = |kind: &'static str| lines.iter().filter(move |line| line["kind"] == kind);
    let number = |line: &Value, key: &str| line[key].as_u64().unwrap_or_else(|| panic!("{key} of {line}"));
    assert_eq!(of("slice").count() as u64, 2 * ROUNDS, "{what}");
    for slice in of("slice") {
        assert!(number(slice, "answers") > 0, "{what}: {slice}");
    }
    let mut answers = 0;
    for totals in of("arm") {
        assert_eq!((&totals["errors"], &totals["in_flight"]), (&json!({}), &json!(0)), "{what}: {totals}");
        assert_eq!((&totals["sent"], &totals["established"]), (&totals["answers"], &json!(0)), "{what}: {totals}");
        // The first time, and for each round; a reconnect that was due when all were closed is one of the next round.
        let (opened, reconnects) = (number(totals, "opened"), number(totals, "reconnects"));
        let anew = (1 + ROUNDS) * CONNECTIONS;
        assert!(opened == anew || (reconnects > 0 && (anew..=anew + reconnects).contains(&opened)), "{what}: {totals}");
        answers += number(totals, "answers");
    }
    assert_eq!(server.answered.load(Ordering::SeqCst), answers, "{what}");
    assert!(server.accepted.load(Ordering::SeqCst) >= 2 * (1 + ROUNDS) * CONNECTIONS, "{what}");
}

#[test]
fn one_worker_serves_the_arms_in_turn() {
    for io in backends() {
        for reopening in ["spread", "burst"] {
            let server = OneWorker::start(ANSWER);
            check(&run(io, &server, reopening, &Value::Null), &server, &format!("{io} {reopening}"));
        }
    }
}

#[test]
fn one_worker_that_closes_each_connection_carries_a_lower_load_too() {
    let poisson = json!({"poisson": {"rate_per_s": 1000}});
    for io in backends() {
        for arrivals in [Value::Null, poisson.clone()] {
            let server = OneWorker::start(LAST_ANSWER);
            check(&run(io, &server, "burst", &arrivals), &server, &format!("{io} {arrivals}"));
        }
    }
}
