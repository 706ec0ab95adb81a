//! Several generators make one load: what all of them want is done once, when all have asked.

use super::origin::Origin;
use super::papers::{Papers, text};
use super::party::{Agent, Engine, Guest, Sleeper, arm, is_stopped, order};
use super::runs::plan;
use hopcost_engine::io::control::Credentials;
use rustix::process::Signal;
use serde_json::{Value, json};

fn agent_of_two(papers: &Papers, process: u32) -> Agent {
    let mut order = order(papers, &[arm("a", process)]);
    order["followers"] = json!(["g2"]);
    Agent::start(&order)
}

/// Both have come, and been welcomed.
fn both(papers: &Papers, agent: &mut Agent) -> [Guest; 2] {
    let guests = ["g1", "g2"].map(|name| {
        let mut guest = Guest::connect(agent, &papers.issue(&[name]));
        let hello = guest.hello(agent);
        guest.send(hello);
        guest
    });
    for (member, guest) in guests.iter().enumerate() {
        let welcome = guest.next();
        assert_eq!((&welcome["member"], &welcome["members"]), (&json!(member), &json!(2)), "{welcome}");
    }
    // They shake hands side by side.
    let mut kinds = ["leader", "follower"].map(|_| agent.any_line()["kind"].to_string());
    kinds.sort_unstable();
    assert_eq!(kinds, ["\"follower\"", "\"leader\""]);
    guests
}

#[test]
fn one_thaw_is_for_all_and_one_freeze() {
    let (papers, sleeper) = (Papers::new(), Sleeper::start());
    let mut agent = agent_of_two(&papers, sleeper.id());
    let [mut leader, mut follower] = both(&papers, &mut agent);
    let freeze = json!({"kind": "freeze", "arm": 0});
    leader.send(freeze.clone());
    // It has been read: the next answer is that to a later question.
    assert_eq!(leader.ask(json!({"kind": "ping"}))["kind"], "pong");
    assert!(!sleeper.is_stopped(), "the other one has not asked");
    assert_eq!(follower.ask(freeze)["kind"], "frozen");
    assert_eq!(leader.next()["kind"], "frozen");
    assert!(sleeper.is_stopped());
    let slice = json!({"kind": "slice", "arm": 0, "length_ns": 50_000_000});
    leader.send(slice.clone());
    follower.send(slice);
    let [own, other] = [&leader, &follower].map(|guest| {
        let [thawed, frozen] = [guest.next(), guest.next()];
        assert_eq!((&thawed["kind"], &frozen["kind"]), (&json!("thawed"), &json!("frozen")));
        assert_eq!(thawed["thawed_ns"], frozen["thawed_ns"]);
        frozen
    });
    for key in ["thawed_ns", "due_ns", "freeze_ns", "frozen_ns", "cpu_ns"] {
        assert_eq!(own[key], other[key], "{key}");
    }
    for (votes, all) in [([true, true], true), ([true, false], false), ([false, true], false)] {
        leader.send(json!({"kind": "agree", "vote": votes[0]}));
        assert_eq!(follower.ask(json!({"kind": "agree", "vote": votes[1]}))["vote"], all);
        assert_eq!(leader.next()["vote"], all);
    }
    leader.send(json!({"kind": "bye"}));
    assert_eq!(follower.ask(json!({"kind": "bye"}))["kind"], "bye");
    assert_eq!(leader.next()["kind"], "bye");
    assert!(!sleeper.is_stopped());
    agent.line("left");
    agent.close_input();
    agent.end("input", 0);
}

#[test]
fn generators_that_want_different_things_are_refused() {
    let (papers, sleeper) = (Papers::new(), Sleeper::start());
    let mut agent = agent_of_two(&papers, sleeper.id());
    let [mut leader, mut follower] = both(&papers, &mut agent);
    leader.send(json!({"kind": "freeze", "arm": 0}));
    assert_eq!(leader.ask(json!({"kind": "ping"}))["kind"], "pong");
    follower.is_refused(json!({"kind": "thaw", "arm": 0}), "order");
    let told = leader.next();
    assert_eq!((&told["error"], &told["id"]), (&json!("order"), &Value::Null), "the other one hears it too: {told}");
    agent.end("order", 1);
    assert!(!sleeper.is_stopped());
}

/// The plan of a generator of this name.
fn plan_of(papers: &Papers, agent: &Agent, origin: &Origin, name: &str, arrivals: &Value) -> Value {
    let mut plan = plan(papers, agent, &[origin]);
    let Credentials { cert_file, key_file, .. } = papers.issue(&[name]);
    (plan["agent"]["cert_file"], plan["agent"]["key_file"]) = (json!(text(&cert_file)), json!(text(&key_file)));
    plan["arms"][0]["arrivals"] = arrivals.clone();
    // More than there are requests in a slice of the open loop: none waits for a connection, however busy the machine.
    plan["arms"][0]["connections"] = json!(100);
    plan
}

fn slices(lines: &[Value]) -> Vec<&Value> {
    lines.iter().filter(|line| line["kind"] == "slice").collect()
}

/// What engines of these names came to that make one load, and what the origin has received.
fn run(names: &[&str], arrivals: &Value) -> (Vec<Vec<Value>>, Value) {
    let (papers, origin) = (Papers::new(), Origin::start());
    let mut order = order(&papers, &[arm("a", origin.id())]);
    order["followers"] = json!(names[1..]);
    let agent = Agent::start(&order);
    let start = |name: &&str| Engine::start(&plan_of(&papers, &agent, &origin, name, arrivals));
    let engines: Vec<Engine> = names.iter().map(start).collect();
    let end = |engine: Engine| {
        let (lines, words, status) = engine.end();
        assert!(status.success(), "{words}");
        lines
    };
    let lines = engines.into_iter().map(end).collect();
    (lines, origin.stop()["requests_received"].clone())
}

#[test]
fn a_poisson_load_is_shared_request_by_request() {
    let arrivals = json!({"poisson": {"rate_per_s": 500}});
    let (alone, received) = run(&["g1"], &arrivals);
    let (shared, received_of_both) = run(&["g1", "g2"], &arrivals);
    assert_eq!(received, received_of_both, "the same numbered schedule");
    let due = |lines: &[Value]| slices(lines).iter().map(|slice| slice["due"].as_u64()).collect::<Vec<_>>();
    let sums: Vec<Option<u64>> =
        due(&shared[0]).into_iter().zip(due(&shared[1])).map(|(own, other)| Some(own? + other?)).collect();
    assert_eq!(sums, due(&alone[0]));
    assert_eq!(sums.len(), 3);
    for (own, other) in slices(&shared[0]).into_iter().zip(slices(&shared[1])) {
        for key in ["elapsed_ns", "freeze_ns", "cpu_ns"] {
            assert_eq!(own[key], other[key], "{key} is the stack's");
        }
        assert!(own["due"].as_u64() > Some(0) && other["due"].as_u64() > Some(0), "{own} {other}");
    }
    let starts = [&shared[0][0]["agent"], &shared[1][0]["agent"]];
    assert_eq!(
        starts.map(|agent| (agent["member"].clone(), agent["members"].clone())),
        [(json!(0), json!(2)), (json!(1), json!(2)),]
    );
}

#[test]
fn a_closed_loop_has_the_connections_of_all() {
    let (lines, _) = run(&["g1", "g2"], &Value::Null);
    for (own, other) in slices(&lines[0]).into_iter().zip(slices(&lines[1])) {
        assert_eq!(own["elapsed_ns"], other["elapsed_ns"]);
        assert!(own["answers"].as_u64() > Some(0) && other["answers"].as_u64() > Some(0), "{own} {other}");
    }
    assert_eq!(slices(&lines[0]).len(), 3);
}

#[test]
fn constant_arrivals_need_one_generator() {
    let (papers, origin) = (Papers::new(), Origin::start());
    let agent = agent_of_two(&papers, origin.id());
    let arrivals = json!({"constant": {"rate_per_s": 500}});
    let engines = ["g1", "g2"].map(|name| Engine::start(&plan_of(&papers, &agent, &origin, name, &arrivals)));
    for engine in engines {
        let (lines, words, status) = engine.end();
        assert!(words.contains("2 generators load it, and its arrivals cannot be shared"), "{words}");
        assert_eq!((lines.len(), status.code()), (0, Some(2)));
    }
}

#[test]
fn a_follower_that_is_killed_ends_the_run_of_all() {
    let (papers, origin) = (Papers::new(), Origin::start());
    let agent = agent_of_two(&papers, origin.id());
    let [mut leader, follower] = ["g1", "g2"].map(|name| {
        let mut plan = plan_of(&papers, &agent, &origin, name, &Value::Null);
        plan["slice_ns"] = json!(3_600_000_000_000_u64);
        Engine::start(&plan)
    });
    leader.until("warm_up");
    follower.signal(Signal::KILL);
    let (lines, words, status) = leader.end();
    assert!(lines.is_empty() && words.contains("is lost"), "{lines:?} {words}");
    assert_eq!(status.code(), Some(1));
    assert!(!is_stopped(origin.id()));
}
