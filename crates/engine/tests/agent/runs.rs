//! Whole runs of the engine with an agent: the embedded origin is the stack, a process that the agent freezes by signals.

use super::origin::Origin;
use super::papers::{Papers, text};
use super::party::{Agent, Engine, arm, is_stopped, order};
use hopcost_engine::io::control::Credentials;
use hopcost_engine::io::{process, uring};
use rustix::process::Signal;
use serde_json::{Value, json};

pub const SLICE_NS: u64 = 100_000_000;

/// A plan of these origins, each an arm of the agent, in three rounds.
pub fn plan(papers: &Papers, agent: &Agent, origins: &[&Origin]) -> Value {
    let Credentials { ca_file, cert_file, key_file } = papers.issue(&["g1"]);
    let cores = process::allowed_cores().expect("this process runs on some core");
    let arm = |(number, origin): (usize, &&Origin)| {
        json!({
            "name": format!("arm {number}"), "address": {"tcp": origin.address}, "connections": 4,
            "timeout_ns": 60_000_000_000_u64, "request": {"method": "GET", "target": "/", "headers": []},
            "expect": {"status": 200}, "freeze": {"agent": number},
            "hops": [{"name": "hop", "cpu": {"agent": number}}],
        })
    };
    json!({
        "seed": 1, "cores": [cores[cores.len() - 1]], "io": "auto", "batch": 1, "slice_ns": SLICE_NS, "rounds": 3,
        "warm_up": {"least_ns": 0, "most_ns": 100_000_000}, "shared_cores": true,
        "agent": {
            "address": agent.address, "server_name": "s", "ca_file": text(&ca_file), "cert_file": text(&cert_file),
            "key_file": text(&key_file), "patience_ns": 60_000_000_000_u64,
        },
        "arms": origins.iter().enumerate().map(arm).collect::<Vec<_>>(),
    })
}

pub fn agent_of(papers: &Papers, origins: &[&Origin]) -> Agent {
    let arms: Vec<Value> = origins.iter().map(|origin| arm("origin", origin.id())).collect();
    let named = |(number, mut arm): (usize, Value)| {
        arm["name"] = json!(format!("origin {number}"));
        arm
    };
    Agent::start(&order(papers, &arms.into_iter().enumerate().map(named).collect::<Vec<_>>()))
}

/// The lines of a run that ends well, and those of them of this kind.
fn run(plan: &Value) -> Vec<Value> {
    let (lines, words, status) = Engine::start(plan).end();
    assert!(status.success(), "{words}");
    lines
}

fn of<'a>(lines: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    lines.iter().filter(move |line| line["kind"] == kind)
}

fn ns(value: &Value) -> i128 {
    value.as_i64().unwrap_or_else(|| panic!("a number: {value}")).into()
}

/// Behind the line of its warm-up an arm is frozen, until its first slice begins.
pub fn wait_for_thaw(origin: &Origin) {
    while is_stopped(origin.id()) {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// What every slice with an agent says, whatever the load.
fn check_slice(slice: &Value) {
    for edge in ["thaw", "freeze"] {
        let clocks = &slice["agent"][edge];
        // It is one machine, so the true offset is 0.
        assert!(ns(&clocks["offset_ns"]).abs() <= ns(&clocks["bound_ns"]), "{slice}");
        assert!(ns(&clocks["round_trip_ns"]) > 0, "{slice}");
    }
    assert!(ns(&slice["answers"]) > 0 && slice["errors"] == json!({}), "{slice}");
    assert!(ns(&slice["cpu_ns"]["hop"]) > 0, "{slice}");
    assert!(ns(&slice["elapsed_ns"]) >= i128::from(SLICE_NS), "{slice}");
    assert!(ns(&slice["freeze_ns"]) <= ns(&slice["elapsed_ns"]), "{slice}");
    assert!(ns(&slice["frozen_ns"]) > 0, "{slice}");
}

/// All that was sent was answered, and by the origin's own count.
fn check_totals(lines: &[Value], origins: Vec<Origin>) {
    for (arm, origin) in of(lines, "arm").zip(origins) {
        assert!(!is_stopped(origin.id()), "thawed at the end");
        assert_eq!((&arm["sent"], &arm["in_flight"]), (&arm["answers"], &json!(0)), "{arm}");
        assert_eq!(origin.stop()["requests_received"], arm["sent"], "{arm}");
    }
}

fn backends() -> Vec<&'static str> {
    if uring::probe().is_ok() { vec!["uring", "epoll"] } else { vec!["epoll"] }
}

#[test]
fn a_closed_loop_is_frozen_by_the_agents_timer() {
    let papers = Papers::new();
    for io in backends() {
        let origins = vec![Origin::start(), Origin::start()];
        let both: Vec<&Origin> = origins.iter().collect();
        let mut agent = agent_of(&papers, &both);
        let mut plan = plan(&papers, &agent, &both);
        (plan["io"], plan["settle_ns"]) = (json!(io), json!(20_000_000));
        // Two threads, so that each has to find the end of a slice by itself.
        let core = plan["cores"][0].clone();
        plan["cores"] = json!([core, core]);
        let lines = run(&plan);
        let start = of(&lines, "start").next().expect("the first line");
        assert_eq!(
            (&start["agent"]["address"], &start["agent"]["sha256"]),
            (&json!(agent.address), &json!(agent.sha256))
        );
        assert_eq!(of(&lines, "slice").count(), 6);
        for slice in of(&lines, "slice") {
            check_slice(slice);
            assert!(ns(&slice["agent"]["late_ns"]) >= 0 && ns(&slice["agent"]["read_on_ns"]) > 0, "{slice}");
            assert!(slice["drain_ns"].is_null(), "{slice}");
        }
        let end = lines.last().expect("lines");
        assert_eq!(end["kind"], "end");
        assert!(!end["reasons"].to_string().contains("clocks"), "it is one machine with one clock: {end}");
        check_totals(&lines, origins);
        assert_eq!(agent.line("leader")["name"], "g1");
        agent.line("left");
        agent.close_input();
        agent.end("input", 0);
    }
}

#[test]
fn an_open_loop_is_drained_before_the_agent_is_told_to_freeze() {
    let papers = Papers::new();
    for io in backends() {
        let origins = vec![Origin::start()];
        let agent = agent_of(&papers, &[&origins[0]]);
        let mut plan = plan(&papers, &agent, &[&origins[0]]);
        plan["io"] = json!(io);
        plan["arms"][0]["arrivals"] = json!({"constant": {"rate_per_s": 200}});
        // One for each request: on a busy machine all of them may be late, and none waits for a connection.
        plan["arms"][0]["connections"] = json!(20);
        let lines = run(&plan);
        assert_eq!(of(&lines, "slice").count(), 3);
        for slice in of(&lines, "slice") {
            check_slice(slice);
            // 200 per second in 100 ms.
            assert_eq!((&slice["due"], &slice["answers"]), (&json!(20), &json!(20)), "{slice}");
            assert!(slice["agent"]["late_ns"].is_null() && ns(&slice["drain_ns"]) >= 0, "{slice}");
        }
        check_totals(&lines, origins);
    }
}

#[test]
fn connections_are_opened_anew_and_beside() {
    let papers = Papers::new();
    let origins = [Origin::start()];
    let agent = agent_of(&papers, &[&origins[0]]);
    let mut plan = plan(&papers, &agent, &[&origins[0]]);
    plan["arms"][0]["reopen_each_round"] = json!("burst");
    plan["arms"][0]["idle_connections"] = json!({"number": 3, "every_ns": 20_000_000});
    let lines = run(&plan);
    of(&lines, "slice").for_each(check_slice);
    let arm = of(&lines, "arm").next().expect("its accounts");
    assert_eq!(arm["opened"], 4 * (1 + 3), "{arm}");
    assert!(ns(&arm["idle_connections"]["answers"]) > 0, "{arm}");
}

#[test]
fn several_engines_lead_one_after_the_other() {
    let papers = Papers::new();
    let origin = Origin::start();
    let mut agent = agent_of(&papers, &[&origin]);
    let plan = plan(&papers, &agent, &[&origin]);
    for _ in 0..2 {
        assert_eq!(of(&run(&plan), "slice").count(), 3);
        agent.line("leader");
        agent.line("left");
    }
}

#[test]
fn the_first_signal_ends_the_slice_and_the_run() {
    let papers = Papers::new();
    let origin = Origin::start();
    let mut agent = agent_of(&papers, &[&origin]);
    let mut plan = plan(&papers, &agent, &[&origin]);
    plan["slice_ns"] = json!(3_600_000_000_000_u64);
    let mut engine = Engine::start(&plan);
    engine.until("warm_up");
    agent.line("leader");
    wait_for_thaw(&origin);
    engine.signal(Signal::INT);
    let (lines, words, status) = engine.end();
    assert!(status.success(), "{words}");
    let slice = of(&lines, "slice").next().expect("what there was of it");
    assert!(slice["agent"]["late_ns"].is_null(), "the timer did not end it: {slice}");
    assert_eq!(slice["agent"]["read_on_ns"], 0, "the threads had ended: {slice}");
    assert!(lines.last().expect("lines")["reasons"].to_string().contains("ended early"));
    agent.line("left");
    assert!(!is_stopped(origin.id()));
}

#[test]
fn a_plan_that_is_not_the_agents_is_refused() {
    let papers = Papers::new();
    let origin = Origin::start();
    let agent = agent_of(&papers, &[&origin]);
    let good = plan(&papers, &agent, &[&origin]);
    type Change = fn(&mut Value);
    let table: [(&str, i32, Change); 4] = [
        ("the agent has no arm 1, but 1", 2, |plan| {
            plan["arms"][0]["freeze"] = json!({"agent": 1});
            plan["arms"][0]["hops"] = json!([]);
        }),
        ("its hops are [\"go\"], and those of the agent's arm 0 are [\"hop\"]", 2, |plan| {
            plan["arms"][0]["hops"][0]["name"] = json!("go");
        }),
        ("cannot be reached", 3, |plan| plan["agent"]["server_name"] = json!("another")),
        ("cannot be reached", 3, |plan| plan["agent"]["address"] = json!("127.0.0.1:1")),
    ];
    for (message, code, change) in table {
        let mut plan = good.clone();
        change(&mut plan);
        let (lines, words, status) = Engine::start(&plan).end();
        assert!(words.contains(message), "{words}");
        assert_eq!((lines.len(), status.code()), (0, Some(code)), "{words}");
    }
}

#[test]
fn an_engine_says_why_it_was_refused() {
    let papers = Papers::new();
    let origin = Origin::start();
    let agent = agent_of(&papers, &[&origin]);
    let good = plan(&papers, &agent, &[&origin]);
    let foreign = Papers::new();
    for (names, papers, message) in [
        ("g1", &foreign, "refuses this machine's certificate"),
        ("g2", &papers, "may not lead"),
        ("g3", &papers, "none of"),
    ] {
        let Credentials { cert_file, key_file, .. } = papers.issue(&[names]);
        let mut plan = good.clone();
        (plan["agent"]["cert_file"], plan["agent"]["key_file"]) = (json!(text(&cert_file)), json!(text(&key_file)));
        let (lines, words, status) = Engine::start(&plan).end();
        assert!(words.contains(message) && words.contains("hint: "), "{words}");
        assert_eq!((lines.len(), status.code()), (0, Some(3)), "{words}");
    }
}
