//! Plans as they come in.

use super::*;
use crate::schedule::{AFTER_ITS_END, Arrivals, ClosedLoop, Due, Schedule as _};

const PLAN: &str = r#"{"seed": 7, "cores": [1], "io": "auto", "batch": 1, "slice_ns": 100000000, "rounds": 6,
    "warm_up": {"least_ns": 300000000, "most_ns": 3000000000},
    "arms": [{"name": "a", "address": {"tcp": "127.0.0.1:20001"}, "connections": 64, "timeout_ns": 10000000000,
        "request": {"method": "GET", "target": "/", "headers": [["Host", "h"]], "body_base64": null},
        "expect": {"status": 200, "body_base64": "SGVsbG8gV29ybGQK"},
        "freeze": {"cgroup2": "/sys/fs/cgroup/unified/hopcost/stack-1"},
        "hops": [{"name": "nginx", "cpu": {"processes": [4711, 4712]}}]}]}"#;

#[test]
fn the_plan_of_the_documentation() {
    let target = Plan::parse(PLAN).expect("valid").arms[0].target(7).expect("valid");
    assert_eq!(*target.requests.messages[0], *b"GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_eq!(target.requests.answer_bytes, Some(12));
    let fastcgi = PLAN.replace(r#""connections": 64"#, r#""connections": 64, "wire": "fastcgi""#);
    let target = Plan::parse(&fastcgi).expect("valid").arms[0].target(7).expect("valid");
    assert_eq!(target.requests.messages[0][..8], [1, 1, 0, 1, 0, 8, 0, 0], "BEGIN_REQUEST");
}

#[test]
fn what_every_answer_has_to_be() {
    let expected = |text: &str| {
        let plan = PLAN.replace(r#""body_base64": "SGVsbG8gV29ybGQK""#, text);
        Plan::parse(&plan).expect("valid so far").arms[0].target(7)
    };
    let answer_bytes = |text: &str| expected(text).expect("valid").requests.answer_bytes;
    assert_eq!(answer_bytes(r#""body_base64": null"#), None, "any body");
    assert_eq!(answer_bytes(r#""body_base64": null, "length": 7"#), Some(7));
    assert_eq!(
        answer_bytes(r#""body_base64": "SGVsbG8gV29ybGQK", "length": 12, "masked": [[6, 11], [0, 1]]"#),
        Some(12)
    );
    let table = [
        (r#""body_base64": null, "masked": [[0, 1]]"#, "`masked` without `body_base64`"),
        (r#""body_base64": null, "length": 1, "masked": [[0, 1]]"#, "`masked` without `body_base64`"),
        (r#""body_base64": "SGVsbG8gV29ybGQK", "masked": [[0, 13]]"#, "`masked`: [0, 13] is no range of a body of 12"),
        (r#""body_base64": "SGVsbG8gV29ybGQK", "length": 11"#, "`length` is 11, and `body_base64` has 12 bytes"),
    ];
    for (text, message) in table {
        let failure = expected(text).expect_err("must be refused");
        assert!(failure.message.contains("arm `a`: `expect`: ") && failure.message.contains(message), "{failure:?}");
    }
}

#[test]
fn shapes_of_load() {
    let arrivals = |text: &str| {
        let plan = PLAN.replace(r#""name": "a""#, &format!(r#""name": "a", "arrivals": {text}"#));
        Plan::parse(&plan).expect("valid").arms[0].target(7).expect("valid").arrivals
    };
    assert!(matches!(arrivals("null"), Arrivals::Closed(ClosedLoop { requests: None })));
    let mut constant = arrivals(r#"{"constant": {"rate_per_s": 2000}}"#);
    assert!(matches!(constant, Arrivals::Constant(_)) && constant.due(1) == Due::At(500_000));
    assert!(matches!(arrivals(r#"{"poisson": {"rate_per_s": 0.5}}"#), Arrivals::Poisson(_)));
    let ramp = r#"{"ramp": {"from_per_s": 0, "to_per_s": 4, "length_ns": 2000000000}}"#;
    let mut constant = arrivals(&format!(r#"{{"constant": {ramp}}}"#));
    assert_eq!((constant.due(1), constant.length_ns()), (Due::At(1_000_000_000), Some(2_000_000_000)));
    assert!(matches!(arrivals(&format!(r#"{{"poisson": {ramp}}}"#)), Arrivals::Poisson(_)));
    let steps =
        r#"{"constant": {"steps": [{"rate_per_s": 2, "length_ns": 1000000000}, {"rate_per_s": 9, "length_ns": 5}]}}"#;
    assert_eq!((arrivals(steps).due(3), arrivals(steps).length_ns()), (AFTER_ITS_END, Some(1_000_000_005)));
    assert_eq!(arrivals(r#"{"trace": {"due_ns": [3, 4], "length_ns": 9}}"#).due(1), Due::At(4));
}

#[test]
fn shapes_that_are_none() {
    let refused = |arms: usize, text: &str| {
        let mut plan: serde_json::Value = serde_json::from_str(PLAN).expect("valid");
        let mut arm = plan["arms"][0].take();
        arm["arrivals"] = serde_json::from_str(text).expect("JSON");
        let with_name = |number| {
            let mut arm = arm.clone();
            arm["name"] = format!("arm {number}").into();
            arm
        };
        plan["arms"] = (0..arms).map(with_name).collect();
        let failure = Plan::parse(&plan.to_string()).expect_err(text);
        assert!(failure.hint.is_some() && failure.exit_code() == 2, "{failure}");
        failure.message
    };
    let step = |rate_per_s: &str, length_ns| format!(r#"{{"rate_per_s": {rate_per_s}, "length_ns": {length_ns}}}"#);
    let steps = |steps: &[String]| format!(r#"{{"constant": {{"steps": [{}]}}}}"#, steps.join(", "));
    let ramp = |from: &str, to: &str, length_ns: u64| {
        format!(r#"{{"poisson": {{"ramp": {{"from_per_s": {from}, "to_per_s": {to}, "length_ns": {length_ns}}}}}}}"#)
    };
    for (arms, text, message) in [
        (1, r#"{"constant": {}}"#.to_owned(), "not one of `rate_per_s`, `ramp` and `steps`"),
        (1, r#"{"constant": {"steps": []}}"#.to_owned(), "not one of"),
        (1, r#"{"constant": {"rate_per_s": 1e9}}"#.to_owned(), "`rate_per_s` is 1000000000, not above 0"),
        (1, ramp("0", "0", 9), "all its rates are 0"),
        (1, ramp("-1", "5", 9), "`rate_per_s` is -1"),
        (1, ramp("1", "5", 0), "`length_ns` is 0"),
        (2, ramp("1", "5", 9), "a ramp, and several arms take turns"),
        (1, steps(&[step("5", 0)]), "`length_ns` is 0"),
        (1, steps(&[step("5", 9), step("1e9", 9)]), "`rate_per_s` is 1000000000"),
        (2, steps(&vec![step("5", 9); 4]), "no multiple of the number of its steps"),
        (1, r#"{"trace": {"due_ns": [], "length_ns": 9}}"#.to_owned(), "empty"),
        (1, r#"{"trace": {"due_ns": [5, 4], "length_ns": 9}}"#.to_owned(), "not ascending"),
        (1, r#"{"trace": {"due_ns": [9], "length_ns": 9}}"#.to_owned(), "beyond"),
        (2, r#"{"trace": {"due_ns": [3], "length_ns": 9}}"#.to_owned(), "several arms"),
    ] {
        let found = refused(arms, &text);
        assert!(found.contains("arm `arm 0`: `arrivals`: ") && found.contains(message), "{found}");
    }
}

/// The plan with a mix in place of its request.
fn with_mix(mix: &str) -> String {
    let plan = PLAN.replace(
        r#""request": {"method": "GET", "target": "/", "headers": [["Host", "h"]], "body_base64": null},"#,
        &format!(r#""mix": {mix},"#),
    );
    plan.replace(r#""expect": {"status": 200, "body_base64": "SGVsbG8gV29ybGQK"},"#, "")
}

fn mixed(name: &str, weight: u32, target: &str, status: u16) -> String {
    format!(
        r#"{{"name": "{name}", "weight": {weight}, "request": {{"method": "GET", "target": "{target}", "headers": []}},
            "expect": {{"status": {status}, "body_base64": null}}}}"#
    )
}

#[test]
fn a_mix_has_weights_and_names() {
    let mix = format!("[{}, {}]", mixed("page", 3, "/p", 200), mixed("missing", 1, "/m", 404));
    let target = Plan::parse(&with_mix(&mix)).expect("valid").arms[0].target(7).expect("valid");
    assert_eq!(*target.requests.accounts, ["page", "missing"]);
    let schedule = ClosedLoop::default();
    let missing = (0..8).filter(|&count| target.requests.at(schedule.place(count)) == 1).count();
    assert_eq!((missing, target.requests.messages.len()), (2, 2));
}

#[test]
fn a_mix_that_is_none() {
    let parse = |mix: &str| Plan::parse(&with_mix(mix));
    let page = mixed("page", 1, "/", 200);
    for (mix, message) in [
        ("[]".to_owned(), "an empty `mix` is none"),
        (format!("[{page}, {page}]"), "two requests of `mix` have the name `page`"),
        (format!(r#"[{page}], "request": {{"method": "GET", "target": "/", "headers": []}}"#), "nor `mix` alone"),
        (r#"[{"name": "page"}]"#.to_owned(), "missing field `weight`"),
    ] {
        let failure = parse(&mix).expect_err("refused");
        assert!(failure.message.contains(message) && failure.exit_code() == 2, "{failure}");
    }
    let refused = |mix: &str| parse(mix).expect("valid so far").arms[0].target(7).expect_err("refused");
    let failure = refused(&format!("[{page}, {}]", mixed("never", 0, "/n", 200)));
    assert!(failure.message.contains("`never`: its weight is 0") && failure.hint.is_some(), "{failure}");
    let failure = refused(&format!("[{page}, {}]", mixed("broken", 1, r"/\r\nX: y", 200)));
    assert!(failure.message.contains("`mix`, `broken`: `request`: a line break"), "{failure}");
}

#[test]
fn what_is_refused_and_where() {
    let table = [
        (r#""seed": 7"#, r#""seed": 7, "sede": 8"#, "unknown field `sede`"),
        (r#""cores": [1]"#, r#""cores": []"#, "`cores` is empty"),
        (r#""batch": 1"#, r#""batch": 0"#, "`batch` is 0"),
        (r#""seed": 7"#, r#""seed": 7, "slice_jitter": 1"#, "`slice_jitter` is 1"),
        (r#""seed": 7"#, r#""seed": 7, "slice_jitter": -0.5"#, "`slice_jitter` is -0.5"),
        (r#""io": "auto""#, r#""io": "iocp""#, "unknown variant `iocp`"),
        (r#""connections": 64"#, r#""connections": 0"#, "arm `a`: `connections` is 0"),
        (r#""connections": 64"#, r#""connections": 64, "slice_ns": 0"#, "arm `a`: `slice_ns` is 0"),
        (r#""connections": 64"#, r#""connections": 64, "requests_per_connection": 0"#, "arm `a`: `requests_per_conn"),
        (r#""connections": 64"#, r#""connections": 64, "fastcgi_params": [["A", "b"]]"#, "arm `a`: `fastcgi_params`"),
        (r#""connections": 64"#, r#""connections": 64, "close_each_round": true"#, "without `reopen_each_round`"),
        (r#""connections": 64"#, r#""connections": 64, "wire": "h2""#, "unknown variant `h2`"),
        (r#""most_ns": 3000000000"#, r#""most_ns": 3"#, "`warm_up.least_ns`"),
        (r#""name": "a""#, r#""name": "a", "arrivals": {"constant": {"rate_per_s": 0}}"#, "`rate_per_s` is 0"),
        (r#""name": "a""#, r#""name": "a", "arrivals": {"poisson": {"rate": 9}}"#, "unknown field `rate`"),
        (r#""name": "a""#, r#""name": "a", "arrivals": "bursts""#, "`bursts`"),
    ];
    for (from, to, message) in table {
        let failure = Plan::parse(&PLAN.replace(from, to)).expect_err("must be refused");
        assert!(failure.message.contains(message), "{}", failure.message);
        assert_eq!(failure.exit_code(), 2);
    }
    let arm = |from: &str, to: &str| {
        let plan = Plan::parse(&PLAN.replace(from, to)).expect("valid so far");
        plan.arms[0].target(7).expect_err("must be refused").message
    };
    assert!(arm(r#""SGVsbG8gV29ybGQK""#, r#""=""#).contains("`expect.body_base64`"));
    assert!(arm(r#"[["Host", "h"]]"#, r#"[["Host", "h\r\nX: y"]]"#).contains("line break"));
}

#[test]
fn arms_that_freeze_the_same_processes_are_noticed() {
    let signal = |processes: &[u32]| FreezeBy::Signal(processes.to_vec());
    assert!(signal(&[1, 2]).overlaps(&signal(&[2, 3])));
    assert!(!signal(&[1]).overlaps(&signal(&[2])) && !signal(&[]).overlaps(&signal(&[])));
    let cgroup = |path: &str| FreezeBy::Cgroup2(path.into());
    assert!(cgroup("/a").overlaps(&cgroup("/a")) && !cgroup("/a").overlaps(&cgroup("/b")));
    assert!(!cgroup("/a").overlaps(&FreezeBy::Cgroup1("/a".into())), "of another hierarchy");
}
