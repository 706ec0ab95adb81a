//! Connections that are opened anew before each round: what the origin accepted, and accounts that add up.

use super::origin::Origin;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Command, Stdio};

const CONNECTIONS: u64 = 8;
const ROUNDS: u64 = 3;

/// The lines of a run of one arm beside one that keeps its connections.
fn run(io: &str, origins: [&Origin; 2], reopening: &str, arrivals: &Value) -> Vec<Value> {
    let own = std::process::id();
    let arm = |name: &str, origin: &Origin, reopening: Value| {
        json!({
            "name": name,
            "address": {"tcp": origin.address},
            "connections": CONNECTIONS,
            "timeout_ns": 60_000_000_000_u64,
            "reopen_each_round": reopening,
            "arrivals": arrivals,
            "request": {"method": "GET", "target": "/", "headers": []},
            "expect": {"status": 200},
            "freeze": null,
            "hops": [
                {"name": "two", "cpu": {"processes": [own, own]}},
                {"name": "one", "cpu": {"processes": [own]}},
            ],
        })
    };
    let cores = hopcost_engine::io::process::allowed_cores().expect("this process runs on some core");
    let plan = json!({
        "seed": 1, "cores": [cores[0]], "io": io, "batch": 1, "slice_ns": 20_000_000, "settle_ns": 5_000_000,
        "rounds": ROUNDS, "warm_up": {"least_ns": 0, "most_ns": 100_000_000},
        "arms": [arm("kept", origins[0], Value::Null), arm("reopened", origins[1], json!(reopening))],
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

#[test]
fn every_round_has_connections_of_its_own() {
    let poisson = json!({"poisson": {"rate_per_s": 2000}});
    for io in backends() {
        for (reopening, arrivals) in [("spread", &Value::Null), ("burst", &Value::Null), ("spread", &poisson)] {
            let origins = [Origin::start(), Origin::start()];
            let lines = run(io, [&origins[0], &origins[1]], reopening, arrivals);
            let what = format!("{io} {reopening} {arrivals}");
            for (arm, openings) in [("kept", 1), ("reopened", 1 + ROUNDS)] {
                let of =
                    |kind: &'static str| lines.iter().filter(move |line| line["kind"] == kind && line["arm"] == arm);
                let totals = of("arm").next().expect("its accounts");
                assert_eq!(totals["opened"], openings * CONNECTIONS, "{what}: {totals}");
                assert_eq!((&totals["errors"], &totals["reconnects"]), (&json!({}), &json!(0)), "{what}");
                assert_eq!((&totals["sent"], &totals["in_flight"]), (&totals["answers"], &json!(0)), "{what}");
                let slices: Vec<_> = of("slice").collect();
                assert_eq!(slices.len() as u64, ROUNDS);
                // On a busy machine a slice of 20 ms may pass before the origin has its core.
                let answers: u64 = slices.iter().filter_map(|slice| slice["answers"].as_u64()).sum();
                assert!(answers > 0, "{what}: {totals}");
                for slice in slices {
                    let processes = &slice["process_cpu_ns"];
                    let by_process = processes["two"].as_array().map(Vec::len);
                    assert_eq!(by_process, (arm == "reopened").then_some(2), "{slice}");
                    assert!(processes.get("one").is_none(), "one process has no share: {slice}");
                }
            }
            let accepted = origins.map(|origin| origin.stop()["connections_accepted"].clone());
            assert_eq!(accepted, [json!(CONNECTIONS), json!(CONNECTIONS * (1 + ROUNDS))], "{what}");
        }
    }
}
