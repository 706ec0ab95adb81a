//! Signals: the first one ends a run in order, the second at once. Either way no process is left stopped.

mod origin;

use origin::Origin;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A process that the engine freezes by signals.
struct Sleeper(Child);

impl Sleeper {
    fn start() -> Self {
        Self(Command::new("sleep").arg("1000").spawn().expect("sleep is everywhere"))
    }

    fn is_stopped(&self) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).expect("it runs");
        stat.contains(") T ")
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Run {
    engine: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Run {
    /// Slices of a millisecond without end.
    fn start(command: &mut Command, origin: &Origin, frozen: &Sleeper) -> Self {
        let arm = json!({
            "name": "arm",
            "address": {"tcp": origin.address},
            "connections": 1,
            "timeout_ns": 60_000_000_000_u64,
            "request": {"method": "GET", "target": "/", "headers": []},
            "expect": {"status": 200},
            "freeze": {"signal": [frozen.0.id()]},
            "hops": [],
        });
        let plan = json!({
            "seed": 1, "cores": [allowed_core()], "io": "auto", "batch": 1, "slice_ns": 1_000_000,
            "rounds": 100_000, "warm_up": {"least_ns": 0, "most_ns": 0}, "arms": [arm],
        });
        let mut engine = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the engine starts");
        let mut stdin = engine.stdin.take().expect("a pipe was asked for");
        stdin.write_all(plan.to_string().as_bytes()).expect("the engine reads its plan");
        drop(stdin);
        let lines = BufReader::new(engine.stdout.take().expect("a pipe was asked for")).lines();
        Self { engine, lines }
    }

    fn next(&mut self) -> Option<Value> {
        let line = self.lines.next()?.expect("lines are UTF-8");
        Some(serde_json::from_str(&line).expect("a line is JSON"))
    }

    fn read_slices(&mut self, slices: usize) {
        let mut seen = 0;
        while seen < slices {
            seen += usize::from(self.next().expect("the run has no end")["kind"] == "slice");
        }
    }

    fn send(&self, signal: Signal) {
        // The child has not been waited for, so the id is still its own.
        kill_process(Pid::from_child(&self.engine), signal).expect("a child of this process");
    }
}

fn engine() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopcost-engine"));
    command.arg("run");
    command
}

fn allowed_core() -> usize {
    hopcost_engine::io::process::allowed_cores().expect("this process runs on some core")[0]
}

/// Under nohup a child ignores SIGHUP from its start.
fn is_ignored(signal: Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").expect("it is there");
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("it is there");
    u64::from_str_radix(mask.trim(), 16).expect("a mask") & (1 << (signal.as_raw() - 1)) != 0
}

#[test]
fn the_first_signal_ends_a_run_in_order() {
    let origin = Origin::start();
    for signal in [Signal::HUP, Signal::QUIT, Signal::INT, Signal::TERM] {
        if is_ignored(signal) {
            eprintln!("skipped: {signal:?} is ignored from the start");
            continue;
        }
        let sleeper = Sleeper::start();
        let mut run = Run::start(&mut engine(), &origin, &sleeper);
        run.read_slices(1);
        run.send(signal);
        let mut last = Value::Null;
        while let Some(line) = run.next() {
            last = line;
        }
        assert_eq!(last["kind"], "end", "{signal:?}");
        assert!(last["reasons"].to_string().contains("ended early"), "{last}");
        assert!(run.engine.wait().expect("a child").success(), "{signal:?}");
        assert!(!sleeper.is_stopped(), "{signal:?}");
    }
    assert!(origin.stop()["connections_accepted"].as_u64().is_some_and(|count| count >= 1));
}

#[test]
fn a_hang_up_that_is_ignored_stays_ignored() {
    let origin = Origin::start();
    let sleeper = Sleeper::start();
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$0\" run", env!("CARGO_BIN_EXE_hopcost-engine")]);
    let mut run = Run::start(&mut shell, &origin, &sleeper);
    run.read_slices(1);
    run.send(Signal::HUP);
    // More than a pipe holds, so they were measured after the signal.
    run.read_slices(1000);
    run.send(Signal::TERM);
    while run.next().is_some() {}
    assert!(run.engine.wait().expect("a child").success());
}

#[test]
fn the_second_signal_thaws_and_leaves_though_nobody_reads() {
    let origin = Origin::start();
    let sleeper = Sleeper::start();
    let mut run = Run::start(&mut engine(), &origin, &sleeper);
    run.read_slices(1);
    // Nobody reads any more: soon the engine waits for room in the pipe, its arm frozen.
    let mut frozen_in_a_row = 0;
    while frozen_in_a_row < 100 {
        frozen_in_a_row = if sleeper.is_stopped() { frozen_in_a_row + 1 } else { 0 };
        sleep(Duration::from_millis(5));
    }
    run.send(Signal::TERM);
    sleep(Duration::from_millis(50));
    run.send(Signal::TERM);
    let status = run.engine.wait().expect("a child");
    assert_eq!((status.code(), status.signal()), (Some(128 + Signal::TERM.as_raw()), None));
    assert!(!sleeper.is_stopped());
}
