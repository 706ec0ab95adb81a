//! Those who take part: the agent, a leader that says what the test wants, an engine with a plan, something to freeze.

use super::papers::{Papers, text};
use hopcost_common::clock;
use hopcost_engine::io::control::{Credentials, Received, Secure};
use rustix::process::{Pid, Signal, kill_process};
use rustls::pki_types::ServerName;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Lines, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

/// Longer than any machine is busy.
const LONG_NS: u64 = 60_000_000_000;

/// An arm frozen by signals, with one hop, whose CPU time is that of the same process.
pub fn arm(name: &str, process: u32) -> Value {
    json!({
        "name": name, "freeze": {"signal": [process]}, "hops": [{"name": "hop", "cpu": {"processes": [process]}}],
    })
}

/// The order of an agent called `s`, which `g1` leads.
pub fn order(papers: &Papers, arms: &[Value]) -> Value {
    let Credentials { ca_file, cert_file, key_file } = papers.issue(&["s"]);
    json!({
        "address": "127.0.0.1:0", "ca_file": text(&ca_file), "cert_file": text(&cert_file),
        "key_file": text(&key_file), "generators": ["g1", "g2"], "leader": "g1", "lease_ns": LONG_NS, "arms": arms,
    })
}

fn send(child: &Child, signal: Signal) {
    // A child that has not been waited for, so the id is still its own.
    kill_process(Pid::from_child(child), signal).expect("a child of this process");
}

pub struct Agent {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    pub address: String,
    pub sha256: String,
}

impl Agent {
    pub fn start(order: &Value) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_hopcost-engine"))
            .arg("agent")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the agent starts");
        let mut stdin = child.stdin.take().expect("a pipe was asked for");
        writeln!(stdin, "{order}").expect("the agent reads its order");
        let lines = BufReader::new(child.stdout.take().expect("a pipe was asked for")).lines();
        let mut agent = Self { child, stdin: Some(stdin), lines, address: String::new(), sha256: String::new() };
        let listening = agent.line("listening");
        let text = |key: &str| listening[key].as_str().expect("a text").to_owned();
        (agent.address, agent.sha256) = (text("address"), text("sha256"));
        agent
    }

    pub fn any_line(&mut self) -> Value {
        let line = self.lines.next().expect("a line").expect("lines are UTF-8");
        serde_json::from_str(&line).expect("a line is JSON")
    }

    /// The next line, which has to be of this kind.
    pub fn line(&mut self, kind: &str) -> Value {
        let line = self.any_line();
        assert_eq!(line["kind"], kind, "{line}");
        line
    }

    pub fn signal(&self, signal: Signal) {
        send(&self.child, signal);
    }

    /// What the kernel says of it under this name.
    fn status(&self, name: &str) -> String {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let value = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        value.expect("every process has one").trim().to_owned()
    }

    /// The most memory that it has ever had.
    pub fn peak_kib(&self) -> u64 {
        self.status("VmHWM").trim_end_matches(" kB").parse().expect("a number")
    }

    /// Whether this signal does something else than to kill it.
    pub fn handles(&self, signal: Signal) -> bool {
        let handled = u64::from_str_radix(&self.status("SigCgt"), 16).expect("a mask");
        handled & (1 << (signal.as_raw() - 1)) != 0
    }

    pub fn close_input(&mut self) {
        drop(self.stdin.take());
    }

    /// Waits for its last line, which gives this reason. Returns the line.
    pub fn end(mut self, reason: &str, exit_code: i32) -> Value {
        let end = self.line("end");
        assert_eq!(end["reason"], reason, "{end}");
        assert_eq!(self.child.wait().expect("a child").code(), Some(exit_code), "{end}");
        end
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Somebody who speaks the protocol, right or wrong.
pub struct Guest {
    secure: Secure,
    next_id: u64,
}

impl Guest {
    /// Connects, whatever the certificate says. An agent refuses it only when something is asked.
    pub fn connect(agent: &Agent, credentials: &Credentials) -> Self {
        let name = ServerName::try_from("s").expect("a name");
        let config = credentials.client().expect("good files");
        let secure = Secure::connect(&agent.address, &name, config, LONG_NS, 1 << 20).expect("the agent listens");
        Self { secure, next_id: 0 }
    }

    /// A leader that has been welcomed.
    pub fn lead(agent: &Agent, papers: &Papers) -> Self {
        let mut guest = Self::connect(agent, &papers.issue(&["g1"]));
        let welcome = guest.ask(guest.hello(agent));
        assert_eq!(welcome["kind"], "welcome", "{welcome}");
        guest
    }

    /// As the same build would say it.
    pub fn hello(&self, agent: &Agent) -> Value {
        json!({"kind": "hello", "protocol": 1, "version": env!("CARGO_PKG_VERSION"), "sha256": agent.sha256})
    }

    pub fn send_bytes(&self, bytes: &[u8]) {
        self.try_send_bytes(bytes).expect("the agent reads");
    }

    pub fn try_send_bytes(&self, bytes: &[u8]) -> std::io::Result<()> {
        self.secure.send(bytes)
    }

    /// Sends a message with a number, which is returned.
    pub fn send(&mut self, mut message: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        message["id"] = json!(id);
        self.send_bytes(message.to_string().as_bytes());
        id
    }

    /// The next message of the agent; an error if the connection ends before.
    pub fn try_next(&self) -> std::io::Result<Value> {
        let until_ns = clock::monotonic_ns() + LONG_NS;
        loop {
            if let Some(frame) = self.secure.take_frame().expect("none is too long") {
                return Ok(serde_json::from_slice(&frame).expect("a message is JSON"));
            }
            assert!(clock::monotonic_ns() < until_ns, "the agent is silent");
            if self.secure.wait(until_ns)? && self.secure.receive()? == Received::End {
                let frame = self.secure.take_frame().expect("none is too long");
                let frame = frame.ok_or_else(|| std::io::Error::from(std::io::ErrorKind::UnexpectedEof))?;
                return Ok(serde_json::from_slice(&frame).expect("a message is JSON"));
            }
        }
    }

    pub fn next(&self) -> Value {
        self.try_next().expect("a message")
    }

    pub fn ask(&mut self, message: Value) -> Value {
        let id = self.send(message);
        let answer = self.next();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Asks for what is refused for this reason.
    pub fn is_refused(&mut self, message: Value, error: &str) {
        let answer = self.ask(message);
        assert_eq!((&answer["kind"], &answer["error"]), (&json!("error"), &json!(error)), "{answer}");
    }
}

/// A process that does nothing, to be frozen.
pub struct Sleeper(Child);

impl Sleeper {
    pub fn start() -> Self {
        Self(Command::new("sleep").arg("1000").spawn().expect("sleep is everywhere"))
    }

    pub fn id(&self) -> u32 {
        self.0.id()
    }

    pub fn is_stopped(&self) -> bool {
        is_stopped(self.id())
    }
}

pub fn is_stopped(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'))
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An engine that runs a plan.
pub struct Engine {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Engine {
    pub fn start(plan: &Value) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_hopcost-engine"))
            .arg("run")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let mut stdin = child.stdin.take().expect("a pipe was asked for");
        stdin.write_all(plan.to_string().as_bytes()).expect("the engine reads its plan");
        drop(stdin);
        let lines = BufReader::new(child.stdout.take().expect("a pipe was asked for")).lines();
        Self { child, lines }
    }

    pub fn next(&mut self) -> Option<Value> {
        let line = self.lines.next()?.expect("lines are UTF-8");
        Some(serde_json::from_str(&line).expect("a line is JSON"))
    }

    /// Reads on to the next line of this kind.
    pub fn until(&mut self, kind: &str) -> Value {
        loop {
            let line = self.next().expect("the run is not over");
            if line["kind"] == kind {
                return line;
            }
        }
    }

    pub fn signal(&self, signal: Signal) {
        send(&self.child, signal);
    }

    /// All that is left to read, the words on standard error, and how it ended.
    pub fn end(mut self) -> (Vec<Value>, String, ExitStatus) {
        let lines = std::iter::from_fn(|| self.next()).collect();
        let mut words = String::new();
        let mut errors = self.child.stderr.take().expect("a pipe was asked for");
        errors.read_to_string(&mut words).expect("words are UTF-8");
        (lines, words, self.child.wait().expect("a child"))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
