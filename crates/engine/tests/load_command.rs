//! `load` as a process: its output, files and exit codes.

mod origin;

use origin::Origin;
use serde_json::Value;
use std::process::{Command, Output};

fn load(origin: &Origin, target: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hopcost-engine"))
        .arg("load")
        .args(arguments)
        .arg(format!("http://{}{target}", origin.address))
        .output()
        .expect("the engine starts")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

const SCHEDULES: [&[&str]; 3] = [&[], &["-r", "2000"], &["-r", "2000", "--arrivals", "poisson", "--seed", "5"]];

#[test]
fn the_keys_and_the_accounts() {
    let keys = [
        "answers",
        "due",
        "sent",
        "not_sent",
        "in_flight",
        "errors",
        "elapsed_ns",
        "throughput_per_s",
        "offered_per_s",
        "response_time_ns",
        "service_time_ns",
        "send_lag_ns",
        "generator_cpu_ns",
        "validity",
        "reasons",
    ];
    for schedule in SCHEDULES {
        let origin = Origin::start();
        let output = load(&origin, "/hello", &[schedule, &["--json", "-c", "4", "-n", "500"]].concat());
        let result = json(&output);
        for key in keys {
            assert!(result.get(key).is_some(), "{key}");
        }
        for key in ["answers", "due", "sent"] {
            assert_eq!(result[key], 500, "{key}");
        }
        assert_eq!((&result["not_sent"], &result["in_flight"]), (&0.into(), &0.into()));
        let times = if schedule.is_empty() {
            assert!(["offered_per_s", "response_time_ns", "send_lag_ns"].iter().all(|key| result[key].is_null()));
            &["service_time_ns"][..]
        } else {
            assert_eq!(result["offered_per_s"], 2000.0);
            &["service_time_ns", "response_time_ns", "send_lag_ns"]
        };
        for time in times {
            assert_eq!(result[time]["count"], 500);
            for figure in ["mean", "p50", "p90", "p99", "p999", "max"] {
                assert!(result[time][figure].is_u64(), "{time} {figure}");
            }
        }
        assert!(output.stderr.is_empty(), "nothing but JSON where nobody looks");
        assert_eq!(origin.stop()["requests_received"], 500);
    }
}

#[test]
fn requests_of_the_warm_up_are_not_among_those_asked_for() {
    for schedule in SCHEDULES {
        let origin = Origin::start();
        let arguments = [schedule, &["--json", "-c", "4", "-n", "500", "--warm-up", "200ms"]].concat();
        let result = json(&load(&origin, "/hello", &arguments));
        let count = |key: &str| result[key].as_u64().expect("a count");
        assert_eq!((count("sent"), count("in_flight")), (500, 0));
        assert_eq!(count("answers"), 500 + count("in_flight_at_start"));
        assert!(origin.stop()["requests_received"].as_u64() > Some(500));
    }
}

#[test]
fn seconds_add_up() {
    for schedule in SCHEDULES {
        let origin = Origin::start();
        let folder = std::env::temp_dir();
        let csv = folder.join(format!("hopcost-{}-{}.csv", std::process::id(), schedule.len()));
        let path = csv.display().to_string();
        let result = json(&load(
            &origin,
            "/hello",
            &[schedule, &["--json", "-c", "4", "-d", "1300ms", "--csv", &path]].concat(),
        ));
        let text = std::fs::read_to_string(&csv).expect("it was written");
        std::fs::remove_file(&csv).expect("it is ours");
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let head = lines.next().expect("a head");
        let rows: Vec<_> = lines.collect();
        assert!(rows.len() >= 2 && rows.iter().all(|row| row.len() == head.len()));
        let sum = |name: &str| {
            let column = head.iter().position(|&other| other == name).expect(name);
            rows.iter().map(|row| row[column].parse::<u64>().expect("a number")).sum::<u64>()
        };
        for key in ["answers", "due", "sent", "not_sent", "received_bytes"] {
            assert_eq!(result[key], sum(key), "{key}");
        }
        assert_eq!(result["service_time_ns"]["count"], result["answers"], "times are handed over, none is lost");
    }
}

#[test]
fn exit_codes_tell_what_a_run_is_worth() {
    let origin = Origin::start();
    let code = |target: &str, arguments: &[&str]| load(&origin, target, arguments).status.code();
    assert_eq!(code("/hello?fault=status-500", &["-n", "10", "--expect-status", "200"]), Some(1), "no correct answer");
    assert_eq!(code("/hello?fault=hang", &["-d", "200ms", "-r", "100", "-c", "2"]), Some(1));
    for arguments in
        [["-r", "0"], ["-d", "0"], ["-n", "0"], ["-T", "0"], ["-r", "-5"], ["-r", "x"], ["--arrivals", "poisson"]]
    {
        assert_eq!(code("/hello", &arguments), Some(2), "{arguments:?}");
    }
    assert_eq!(code("/hello", &["--csv", "/nowhere/at/all"]), Some(2));
    // One connection that is busy for 50 ms per request cannot carry 1000 requests per second.
    let output = load(&origin, "/hello?delay=constant:50ms", &["-c", "1", "-r", "1000", "-d", "500ms", "--json"]);
    assert_eq!(output.status.code(), Some(4));
    let result = json(&output);
    assert_eq!((&result["validity"], &result["due"]), (&"suspect".into(), &500.into()));
    assert!(result["not_sent"].as_u64() >= Some(485), "{}", result["not_sent"]);
    assert!(result["reasons"].to_string().contains("never sent"), "{}", result["reasons"]);
    assert!(result["response_time_ns"]["p99"].is_null(), "it lies among those never sent");
    assert!(result["response_time_ns"]["above_ns"]["p99"].as_u64() > Some(400_000_000));
}

#[test]
fn the_summary_names_its_numbers_and_the_view_is_not_in_it() {
    let origin = Origin::start();
    let output = load(&origin, "/hello", &["-r", "500", "-d", "1s", "-c", "4"]);
    let summary = String::from_utf8(output.stdout).expect("text");
    for name in ["500 due, ", "response time", "service time", "send lag", "throughput", "errors", "caution"] {
        assert!(summary.contains(name), "{name}: {summary}");
    }
    assert!(summary.lines().count() <= 24, "one screen");
    let view = String::from_utf8(output.stderr).expect("text");
    assert!(view.contains("of 500 /s offered  response time p50"), "{view}");
    assert!(!view.contains('\r'), "plain lines where there is no terminal");
}

#[test]
fn slow_clients_and_idle_connections_have_figures_of_their_own() {
    let origin = Origin::start();
    let beside = ["--slow", "3@50KB/s", "--idle", "4@50ms", "-c", "2", "-d", "300ms"];
    let result = json(&load(&origin, "/bytes/2000", &[&beside[..], &["--json"]].concat()));
    let (slow, idle) = (&result["slow_clients"], &result["idle_connections"]);
    assert_eq!((&slow["number"], &slow["bytes_per_s"], &slow["every_ns"]), (&3.into(), &50_000.into(), &Value::Null));
    assert_eq!((&idle["number"], &idle["every_ns"]), (&4.into(), &50_000_000.into()));
    for figures in [slow, idle] {
        assert!(figures["answers"].as_u64() > Some(0) && figures["errors"] == serde_json::json!({}), "{figures}");
        assert_eq!(figures["time_ns"]["count"], figures["answers"]);
    }
    assert_eq!(result["opening"]["connections"], 9);
    assert_eq!(result["connections"], 2, "the fast ones");
    assert_eq!(origin.stop()["connections_accepted"], 10, "one more finds out whether the server is there");

    let origin = Origin::start();
    let text = String::from_utf8(load(&origin, "/bytes/2000", &beside).stdout).expect("text");
    for words in ["3 at 50 KB/s, beside the others", "4 that each ask once in 0.05 s", "of 9 connections"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let plain = String::from_utf8(load(&origin, "/hello", &["-d", "50ms"]).stdout).expect("text");
    assert!(!plain.contains("slow clients") && !plain.contains("idle connections"), "{plain}");
}

#[test]
fn a_limit_of_open_files_that_is_too_low_is_told_with_a_hint() {
    let origin = Origin::start();
    for (beside, words) in
        [("--slow 500@1KB/s", "500 slow clients, over all arms"), ("--idle 900@1s", "900 connections")]
    {
        let engine = env!("CARGO_BIN_EXE_hopcost-engine");
        let line = format!("ulimit -n 300; exec {engine} load --io auto {beside} http://{}/hello", origin.address);
        let output = Command::new("sh").args(["-c", &line]).output().expect("a shell");
        let text = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(3), "{text}");
        assert!(text.contains("hint: at most ") && text.contains("more than the limit of 300 open files"), "{text}");
        assert!(text.contains(words) || text.contains("connections, slow and idle ones included"), "{text}");
    }
}

#[test]
fn every_request_of_a_mix_has_its_own_figures() {
    let origin = Origin::start();
    let path = std::env::temp_dir().join(format!("hopcost-mix-{}.jsonl", std::process::id()));
    let lines = r#"{"name": "page", "weight": 3, "target": "/hello"}
{"target": "/hello?fault=status-500"}
"#;
    std::fs::write(&path, lines).expect("a temporary folder is there");
    let requests = path.display().to_string();
    for schedule in SCHEDULES {
        let arguments = [schedule, &["--json", "-c", "4", "-n", "400", "--warm-up", "100ms", "--requests", &requests]];
        let result = json(&load(&origin, "/", &arguments.concat()));
        let by_request = result["requests"].as_array().expect("a list");
        let names: Vec<_> = by_request.iter().map(|request| &request["request"]).collect();
        assert_eq!(names, ["page", "GET /hello?fault=status-500"]);
        for key in ["answers", "sent", "not_sent", "in_flight"] {
            let sum: u64 = by_request.iter().map(|request| request[key].as_u64().expect("a count")).sum();
            assert_eq!(result[key], sum, "{key}");
        }
        assert_eq!((&by_request[0]["sent"], &by_request[1]["sent"]), (&300.into(), &100.into()));
        assert_eq!((&by_request[0]["errors"], &by_request[1]["errors"]), (&serde_json::json!({}), &result["errors"]));
        assert_eq!(by_request[0]["service_time_ns"]["count"], by_request[0]["answers"]);
        assert_eq!(by_request[0]["response_time_ns"].is_null(), schedule.is_empty());
    }
    let summary = String::from_utf8(load(&origin, "/", &["-n", "40", "--requests", &requests]).stdout).expect("text");
    std::fs::remove_file(&path).expect("it is ours");
    assert!(summary.contains("by request") && summary.contains("page: 30 correct"), "{summary}");
    assert!(summary.contains("fault=status-500: 0 correct, errors: status 10"), "{summary}");
}

/// A log of the origin's targets: three that can be sent, in two seconds, and two that cannot.
const LOG: &str = r#"203.0.113.9 - - [10/Oct/2000:13:55:36 +0000] "GET /hello HTTP/1.1" 200 12 "-" "x"
203.0.113.9 - - [10/Oct/2000:13:55:36 +0000] "POST /hello HTTP/1.1" 200 12 "-" "x"
203.0.113.9 - - [10/Oct/2000:13:55:36 +0000] "GET /hello?fault=status-500 HTTP/1.1" 404 12 "-" "x"
203.0.113.9 - - [10/Oct/2000:13:55:36 +0000] "\x16\x03\x01" 400 0 "-" "-"
203.0.113.9 - - [10/Oct/2000:13:55:37 +0000] "GET /hello HTTP/2.0" 304 0 "-" "x"
"#;

#[test]
fn a_log_is_sent_as_it_was() {
    let origin = Origin::start();
    let path = std::env::temp_dir().join(format!("hopcost-access-{}.log", std::process::id()));
    std::fs::write(&path, LOG).expect("a temporary folder is there");
    let log = path.display().to_string();
    for options in [&[][..], &["--timed"], &["--order", "shuffled"], &["-r", "1000"]] {
        let result = json(&load(&origin, "/", &[options, &["--json", "-c", "2", "--from", &log]].concat()));
        assert_eq!((&result["sent"], &result["answers"]), (&3.into(), &2.into()), "each line once");
        assert_eq!(result["errors"], serde_json::json!({"status": 1}), "the log has another status");
        assert_eq!(result["requests"][0]["answers"], 2);
        let receipt = &result["log"];
        assert_eq!(
            (&receipt["lines"], &receipt["sent_lines"], &receipt["requests"]),
            (&5.into(), &3.into(), &2.into())
        );
        let left_out = serde_json::json!([
            {"what": "POST", "lines": 1, "first_line": 2}, {"what": "binary", "lines": 1, "first_line": 4},
        ]);
        assert_eq!(receipt["left_out"], left_out);
    }
    let posted = json(&load(&origin, "/", &["--json", "-c", "1", "--from", &log, "--methods", "POST", "-n", "3"]));
    assert_eq!((&posted["sent"], &posted["answers"]), (&3.into(), &3.into()), "over and over");
    let summary = String::from_utf8(load(&origin, "/", &["--from", &log, "-q"]).stdout).expect("text");
    for words in ["3 of 5 lines, 2 distinct requests", "left out", "1 POST (first on line 2)"] {
        assert!(summary.contains(words), "{summary}");
    }
    for arguments in [&["--timed"][..], &["--from", &log, "--timed", "-r", "5"], &["--from", "/nowhere/at/all"]] {
        assert_eq!(load(&origin, "/", arguments).status.code(), Some(2), "{arguments:?}");
    }
    assert_eq!(load(&origin, "/hello", &["--from", &log]).status.code(), Some(2), "the log has the targets");
    std::fs::remove_file(&path).expect("it is ours");
}

#[test]
fn a_rate_that_changes_has_as_many_requests_as_it_says() {
    let origin = Origin::start();
    for (arguments, due, shape) in [
        (&["--ramp", "0..400", "-d", "500ms"][..], 100, "0 to 400 /s"),
        (&["--steps", "100,300", "-d", "1s"], 200, "steps of 100, 300 /s"),
        (&["--steps", "100@200ms,0@100ms,1000@100ms"], 120, "steps of 100, 0, 1000 /s"),
    ] {
        let result = json(&load(&origin, "/hello", &[arguments, &["--json", "-c", "4"]].concat()));
        assert_eq!((&result["due"], &result["shape"]), (&due.into(), &shape.into()), "{arguments:?}");
    }
    for arguments in [&["--steps", "100,300"][..], &["--ramp", "5"], &["--ramp", "1..9", "-r", "5"], &["-r", "1e9"]] {
        let output = load(&origin, "/hello", arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("hint: "), "{arguments:?}");
    }
}
