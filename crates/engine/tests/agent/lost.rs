//! Who is lost: each side finds out, nothing stays frozen, and no slice is counted by half.

use super::origin::Origin;
use super::papers::Papers;
use super::party::{Agent, Engine, Guest, Sleeper, arm, is_stopped, order};
use super::runs::{agent_of, plan, wait_for_thaw};
use rustix::process::Signal;
use serde_json::{Value, json};

/// An agent that waits for so long, with its one arm frozen.
fn frozen(papers: &Papers, lease_ns: u64) -> (Agent, Guest, Sleeper) {
    let sleeper = Sleeper::start();
    let mut order = order(papers, &[arm("a", sleeper.id())]);
    order["lease_ns"] = json!(lease_ns);
    let mut agent = Agent::start(&order);
    let mut leader = Guest::lead(&agent, papers);
    agent.line("leader");
    assert_eq!(leader.ask(json!({"kind": "freeze", "arm": 0}))["kind"], "frozen");
    assert!(sleeper.is_stopped());
    (agent, leader, sleeper)
}

const MINUTE_NS: u64 = 60_000_000_000;

#[test]
fn a_leader_that_is_silent_is_lost() {
    let papers = Papers::new();
    let (agent, leader, sleeper) = frozen(&papers, 2_000_000_000);
    let end = agent.end("lease", 1);
    assert!(end["message"].to_string().contains("silent for 2 s"), "{end}");
    assert!(!sleeper.is_stopped());
    leader.try_next().expect_err("the agent has ended");
}

#[test]
fn a_leader_that_goes_without_a_farewell_is_lost() {
    let papers = Papers::new();
    let (agent, leader, sleeper) = frozen(&papers, MINUTE_NS);
    drop(leader);
    agent.end("lost", 1);
    assert!(!sleeper.is_stopped());
}

#[test]
fn the_agent_ends_with_its_input_and_by_a_signal() {
    let papers = Papers::new();
    let (mut agent, leader, sleeper) = frozen(&papers, MINUTE_NS);
    agent.close_input();
    agent.end("input", 0);
    assert!(!sleeper.is_stopped());
    leader.try_next().expect_err("the agent has ended");
    for signal in [Signal::TERM, Signal::INT] {
        let (agent, _leader, sleeper) = frozen(&papers, MINUTE_NS);
        agent.signal(signal);
        agent.end("signal", 0);
        assert!(!sleeper.is_stopped());
    }
}

#[test]
fn an_agent_that_listens_handles_signals() {
    let (papers, sleeper) = (Papers::new(), Sleeper::start());
    for _ in 0..20 {
        let agent = Agent::start(&order(&papers, &[arm("a", sleeper.id())]));
        let handled = [Signal::TERM, Signal::INT].map(|signal| agent.handles(signal));
        assert_eq!(handled, [true, true]);
    }
}

/// An engine in the midst of a slice without end.
fn in_a_slice(papers: &Papers, origin: &Origin, change: impl FnOnce(&mut Value)) -> (Agent, Engine) {
    let mut agent = agent_of(papers, &[origin]);
    let mut plan = plan(papers, &agent, &[origin]);
    plan["slice_ns"] = json!(3_600_000_000_000_u64);
    change(&mut plan);
    let mut engine = Engine::start(&plan);
    engine.until("warm_up");
    agent.line("leader");
    wait_for_thaw(origin);
    (agent, engine)
}

#[test]
fn an_engine_that_is_killed_is_lost() {
    let (papers, origin) = (Papers::new(), Origin::start());
    let (agent, engine) = in_a_slice(&papers, &origin, |_| ());
    engine.signal(Signal::KILL);
    agent.end("lost", 1);
    assert!(!is_stopped(origin.id()));
}

/// No line but those before, one error, and exit code 1.
fn is_ended_by_its_agent(engine: Engine, message: &str) {
    let (lines, words, status) = engine.end();
    assert!(lines.is_empty(), "no slice, no accounts, no end: {lines:?}");
    assert!(words.contains(message) && words.contains("hint: "), "{words}");
    assert_eq!(status.code(), Some(1), "{words}");
}

#[test]
fn an_agent_that_is_killed_ends_the_run() {
    let (papers, origin) = (Papers::new(), Origin::start());
    let (agent, engine) = in_a_slice(&papers, &origin, |_| ());
    agent.signal(Signal::KILL);
    is_ended_by_its_agent(engine, "is lost");
}

#[test]
fn an_agent_that_is_killed_ends_an_open_loop_too() {
    let (papers, origin) = (Papers::new(), Origin::start());
    let (agent, engine) = in_a_slice(&papers, &origin, |plan| {
        plan["arms"][0]["arrivals"] = json!({"poisson": {"rate_per_s": 50}});
    });
    agent.signal(Signal::KILL);
    is_ended_by_its_agent(engine, "is lost");
}

#[test]
fn an_agent_that_ends_in_a_slice_ends_the_run() {
    let (papers, origin) = (Papers::new(), Origin::start());
    let (mut agent, engine) = in_a_slice(&papers, &origin, |_| ());
    agent.close_input();
    agent.end("input", 0);
    is_ended_by_its_agent(engine, "is lost");
    assert!(!is_stopped(origin.id()));
}

#[test]
fn an_agent_that_is_silent_ends_the_run() {
    let (papers, origin) = (Papers::new(), Origin::start());
    let (agent, engine) = in_a_slice(&papers, &origin, |plan| plan["agent"]["patience_ns"] = json!(2_000_000_000));
    agent.signal(Signal::STOP);
    is_ended_by_its_agent(engine, "no word for 2 s");
}

#[test]
fn an_engine_that_hangs_is_lost_and_says_so_when_it_goes_on() {
    let (papers, origin) = (Papers::new(), Origin::start());
    let sleeper = Sleeper::start();
    let mut order = order(&papers, &[arm("a", sleeper.id())]);
    order["lease_ns"] = json!(2_000_000_000);
    let mut agent = Agent::start(&order);
    let mut plan = plan(&papers, &agent, &[&origin]);
    plan["slice_ns"] = json!(3_600_000_000_000_u64);
    let mut engine = Engine::start(&plan);
    engine.until("warm_up");
    agent.line("leader");
    engine.signal(Signal::STOP);
    agent.end("lease", 1);
    assert!(!sleeper.is_stopped());
    engine.signal(Signal::CONT);
    is_ended_by_its_agent(engine, "is lost");
}
