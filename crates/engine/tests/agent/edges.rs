//! Edges by an agent, asked for one by one.

use super::papers::Papers;
use super::party::{Agent, Guest, Sleeper, arm, order};
use serde_json::{Value, json};

fn ns(message: &Value, key: &str) -> u64 {
    message[key].as_u64().unwrap_or_else(|| panic!("{key} of {message}"))
}

struct Scene {
    agent: Agent,
    leader: Guest,
    sleepers: [Sleeper; 2],
    _papers: Papers,
}

/// An agent of two arms, all frozen.
fn scene() -> Scene {
    let papers = Papers::new();
    let sleepers = [Sleeper::start(), Sleeper::start()];
    let mut agent = Agent::start(&order(&papers, &[arm("a", sleepers[0].id()), arm("b", sleepers[1].id())]));
    let mut leader = Guest::lead(&agent, &papers);
    agent.line("leader");
    for arm in [0, 1] {
        let frozen = leader.ask(json!({"kind": "freeze", "arm": arm}));
        assert_eq!((&frozen["thawed_ns"], &frozen["due_ns"]), (&Value::Null, &Value::Null), "{frozen}");
    }
    assert!(sleepers.iter().all(Sleeper::is_stopped));
    Scene { agent, leader, sleepers, _papers: papers }
}

#[test]
fn the_agents_timer_ends_a_slice() {
    let Scene { agent, mut leader, sleepers, .. } = scene();
    let slice = leader.send(json!({"kind": "slice", "arm": 1, "length_ns": 200_000_000}));
    let thawed = leader.next();
    assert_eq!((&thawed["kind"], &thawed["id"], &thawed["arm"]), (&json!("thawed"), &json!(slice), &json!(1)));
    assert!(sleepers[0].is_stopped(), "the other one stays as it is");
    let ping = leader.ask(json!({"kind": "ping"}));
    assert_eq!(ping["kind"], "pong", "in the midst of a slice: {ping}");
    assert!(ns(&ping, "received_ns") <= ns(&ping, "sent_ns"));
    let frozen = leader.next();
    assert_eq!((&frozen["kind"], &frozen["id"], &frozen["arm"]), (&json!("frozen"), &json!(slice), &json!(1)));
    assert!(sleepers[1].is_stopped());
    let [received, thawed_ns, due, freeze, at, sent] =
        ["received_ns", "thawed_ns", "due_ns", "freeze_ns", "frozen_ns", "sent_ns"].map(|key| ns(&frozen, key));
    assert_eq!((thawed_ns, due), (ns(&thawed, "thawed_ns"), thawed_ns + 200_000_000));
    assert!(received <= thawed_ns && due <= freeze && freeze <= at && at <= sent, "{frozen}");
    for message in [&thawed, &frozen] {
        let arms = message["cpu_ns"].as_array().expect("by arm");
        assert!(arms.len() == 2 && arms.iter().all(|hops| hops[0][0].as_u64().is_some()), "{message}");
    }
    assert_eq!(leader.ask(json!({"kind": "bye"}))["kind"], "bye");
    assert!(!sleepers.iter().any(Sleeper::is_stopped));
    drop(agent);
}

#[test]
fn a_slice_may_end_before_its_time() {
    let Scene { agent, mut leader, sleepers, .. } = scene();
    // One that is not under way is ended without a word.
    assert_eq!(leader.ask(json!({"kind": "stop"}))["kind"], "stopped");
    let slice = leader.send(json!({"kind": "slice", "arm": 0, "length_ns": 600_000_000_000_u64}));
    assert_eq!(leader.next()["kind"], "thawed");
    assert!(!sleepers[0].is_stopped());
    assert_eq!(leader.ask(json!({"kind": "stop"}))["kind"], "stopped");
    let frozen = leader.next();
    assert_eq!((&frozen["id"], &frozen["due_ns"]), (&json!(slice), &Value::Null), "{frozen}");
    assert!(sleepers[0].is_stopped());
    drop(agent);
}

#[test]
fn the_leader_may_say_when() {
    let Scene { agent, mut leader, sleepers, .. } = scene();
    let thawed = leader.ask(json!({"kind": "thaw", "arm": 0}));
    assert!(!sleepers[0].is_stopped() && sleepers[1].is_stopped());
    let counters = leader.ask(json!({"kind": "read"}));
    assert_eq!(counters["cpu_ns"].as_array().map(Vec::len), Some(2), "{counters}");
    let frozen = leader.ask(json!({"kind": "freeze", "arm": 0}));
    assert_eq!((&frozen["thawed_ns"], &frozen["due_ns"]), (&thawed["thawed_ns"], &Value::Null));
    assert!(sleepers[0].is_stopped());
    drop(agent);
}

#[test]
fn what_comes_right_behind_a_hello_is_answered() {
    let (papers, sleeper) = (Papers::new(), Sleeper::start());
    let agent = Agent::start(&order(&papers, &[arm("a", sleeper.id())]));
    let mut guest = Guest::connect(&agent, &papers.issue(&["g1"]));
    let hello = guest.hello(&agent);
    guest.send(hello);
    guest.send(json!({"kind": "ping"}));
    assert_eq!([guest.next()["kind"].clone(), guest.next()["kind"].clone()], ["welcome", "pong"]);
}

#[test]
fn nothing_else_happens_in_a_slice() {
    for message in [
        json!({"kind": "read"}),
        json!({"kind": "thaw", "arm": 1}),
        json!({"kind": "freeze", "arm": 0}),
        json!({"kind": "slice", "arm": 1, "length_ns": 1}),
    ] {
        let Scene { agent, mut leader, sleepers, .. } = scene();
        leader.send(json!({"kind": "slice", "arm": 0, "length_ns": 600_000_000_000_u64}));
        assert_eq!(leader.next()["kind"], "thawed");
        leader.is_refused(message, "order");
        agent.end("order", 1);
        assert!(!sleepers.iter().any(Sleeper::is_stopped));
    }
}

#[test]
fn a_hop_whose_process_is_gone_has_no_cpu_time() {
    let papers = Papers::new();
    let [gone, alive] = [Sleeper::start(), Sleeper::start()];
    let arm = json!({
        "name": "a", "freeze": {"signal": [alive.id()]},
        "hops": [
            {"name": "gone", "cpu": {"processes": [gone.id()]}}, {"name": "alive", "cpu": {"processes": [alive.id()]}},
        ],
    });
    let agent = Agent::start(&order(&papers, &[arm]));
    drop(gone);
    let counters = Guest::lead(&agent, &papers).ask(json!({"kind": "read"}));
    assert!(counters["cpu_ns"][0][0].is_null() && counters["cpu_ns"][0][1][0].is_u64(), "{counters}");
}
