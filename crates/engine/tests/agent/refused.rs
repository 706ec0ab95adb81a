//! Whom and what the agent refuses, and how it says so.

use super::papers::Papers;
use super::party::{Agent, Guest, Sleeper, arm, order};
use serde_json::{Value, json};

/// An agent with one arm, of which this is the process.
fn agent(papers: &Papers, sleeper: &Sleeper) -> Agent {
    Agent::start(&order(papers, &[arm("a", sleeper.id())]))
}

#[test]
fn a_foreign_certificate_is_refused_within_tls() {
    let (papers, foreign, sleeper) = (Papers::new(), Papers::new(), Sleeper::start());
    let mut agent = agent(&papers, &sleeper);
    let mut credentials = foreign.issue(&["g1"]);
    credentials.ca_file = papers.ca_file();
    let mut guest = Guest::connect(&agent, &credentials);
    guest.send(guest.hello(&agent));
    guest.try_next().expect_err("the agent does not speak to it");
    assert_eq!(agent.line("refused")["error"], "certificate");
    // It goes on for those who may come.
    Guest::lead(&agent, &papers).ask(json!({"kind": "bye"}));
    agent.line("leader");
    agent.line("left");
    agent.close_input();
    agent.end("input", 0);
}

#[test]
fn names_and_roles_are_those_of_the_order() {
    let (papers, sleeper) = (Papers::new(), Sleeper::start());
    let mut agent = agent(&papers, &sleeper);
    let stranger = Guest::connect(&agent, &papers.issue(&["g3"]));
    // It is refused before it has said anything.
    let answer = stranger.next();
    assert_eq!((&answer["error"], &answer["id"]), (&json!("name"), &Value::Null), "{answer}");
    assert_eq!(agent.line("refused")["error"], "name");
    let mut follower = Guest::connect(&agent, &papers.issue(&["g2"]));
    let hello = follower.hello(&agent);
    follower.is_refused(hello, "role");
    assert_eq!(agent.line("refused")["error"], "role");
    stranger.try_next().expect_err("the connection has ended");
}

#[test]
fn another_build_is_refused() {
    let (papers, sleeper) = (Papers::new(), Sleeper::start());
    let mut agent = agent(&papers, &sleeper);
    for (key, value) in [("protocol", json!(2)), ("version", json!("0.0.0")), ("sha256", json!("00"))] {
        let mut guest = Guest::connect(&agent, &papers.issue(&["g1"]));
        let mut hello = guest.hello(&agent);
        hello[key] = value;
        guest.is_refused(hello, "version");
        assert_eq!(agent.line("refused")["error"], "version", "{key}");
    }
    let mut any = order(&papers, &[arm("a", sleeper.id())]);
    any["builds"] = json!("any");
    let agent = Agent::start(&any);
    let mut guest = Guest::connect(&agent, &papers.issue(&["g1"]));
    let mut hello = guest.hello(&agent);
    hello["sha256"] = json!("00");
    assert_eq!(guest.ask(hello)["kind"], "welcome");
}

#[test]
fn one_leader_at_a_time() {
    let (papers, sleeper) = (Papers::new(), Sleeper::start());
    let mut agent = agent(&papers, &sleeper);
    let mut leader = Guest::lead(&agent, &papers);
    agent.line("leader");
    let mut second = Guest::connect(&agent, &papers.issue(&["g1"]));
    let hello = second.hello(&agent);
    second.is_refused(hello, "busy");
    assert_eq!(agent.line("refused")["error"], "busy");
    assert_eq!(leader.ask(json!({"kind": "ping"}))["kind"], "pong", "the first one goes on");
    assert_eq!(leader.ask(json!({"kind": "bye"}))["kind"], "bye");
    assert_eq!(agent.line("left")["name"], "g1");
    Guest::lead(&agent, &papers);
    agent.line("leader");
}

#[test]
fn a_guest_that_sends_no_message_is_refused_and_the_agent_goes_on() {
    let (papers, sleeper) = (Papers::new(), Sleeper::start());
    let mut agent = agent(&papers, &sleeper);
    let long = vec![b' '; 65_537];
    for (bytes, error) in [
        (b"no JSON".as_slice(), "frame"),
        (br#"{"kind": "ping", "id": 1, "more": 2}"#.as_slice(), "frame"),
        (br#"{"kind": "ping", "id": 1}"#.as_slice(), "order"),
        (long.as_slice(), "frame"),
    ] {
        let guest = Guest::connect(&agent, &papers.issue(&["g1"]));
        guest.send_bytes(bytes);
        assert_eq!(guest.next()["error"], error);
        assert_eq!(agent.line("refused")["error"], error);
    }
    Guest::lead(&agent, &papers);
}

#[test]
fn a_long_frame_takes_no_memory() {
    const FRAME: usize = 64 << 20;
    let (papers, sleeper) = (Papers::new(), Sleeper::start());
    let mut agent = agent(&papers, &sleeper);
    let before_kib = agent.peak_kib();
    let guest = Guest::connect(&agent, &papers.issue(&["g1"]));
    // The agent refuses it by its head, and may close before all of it has been sent.
    let _ = guest.try_send_bytes(&vec![b' '; FRAME]);
    assert_eq!(agent.line("refused")["error"], "frame");
    let more_kib = agent.peak_kib() - before_kib;
    assert!(more_kib < FRAME as u64 / 4 / 1024, "{more_kib} KiB");
    Guest::lead(&agent, &papers);
}

#[test]
fn a_leader_that_sends_no_message_is_lost_and_nothing_stays_frozen() {
    let papers = Papers::new();
    let long = vec![b' '; 65_537];
    for (bytes, reason) in [
        (b"no JSON".as_slice(), "frame"),
        (long.as_slice(), "frame"),
        (br#"{"kind": "freeze", "id": 9, "arm": 1}"#.as_slice(), "order"),
        (br#"{"kind": "hello", "id": 9, "protocol": 1, "version": "", "sha256": ""}"#.as_slice(), "order"),
    ] {
        let sleeper = Sleeper::start();
        let mut agent = agent(&papers, &sleeper);
        let mut leader = Guest::lead(&agent, &papers);
        agent.line("leader");
        assert_eq!(leader.ask(json!({"kind": "freeze", "arm": 0}))["kind"], "frozen");
        assert!(sleeper.is_stopped());
        leader.send_bytes(bytes);
        assert_eq!(leader.next()["error"], reason);
        agent.end(reason, 1);
        assert!(!sleeper.is_stopped());
    }
}
