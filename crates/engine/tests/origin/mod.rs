//! The embedded origin as a process: what it counted is the truth that the engine's accounts are held against.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub struct Origin {
    child: Child,
    log: PathBuf,
    pub address: String,
}

/// The origin's binary lies beside those of this crate: `cargo test` on the workspace builds both.
fn binary() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_hopcost-engine")).with_file_name("hopcost-origin");
    assert!(path.exists(), "{} is not there: run `cargo test` on the whole workspace", path.display());
    path
}

impl Origin {
    pub fn start() -> Self {
        Self::at("127.0.0.1:0", &[])
    }

    pub fn at(address: &str, options: &[&str]) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("hopcost-origin-log-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let log = std::env::temp_dir().join(name);
        let mut child = Command::new(binary())
            .args(["--listen", &format!("http+tcp:{address}"), "--log"])
            .arg(&log)
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the origin starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe was asked for"))
            .read_line(&mut line)
            .expect("a line when it is ready");
        let ready: Value = serde_json::from_str(&line).expect("a JSON line when it is ready");
        let address = ready["listeners"][0]["address"].as_str().expect("its address").to_owned();
        Self { child, log, address }
    }

    #[allow(dead_code, reason = "only some tests freeze it")]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends it; what it counted.
    pub fn stop(mut self) -> Value {
        // It may not have accepted, or read, the last of what was sent to it; it counts once it has.
        std::thread::sleep(Duration::from_millis(100));
        // The child has not been waited for, so the id is still its own.
        kill_process(Pid::from_child(&self.child), Signal::TERM).expect("a child of this process");
        assert!(self.child.wait().expect("it is a child of this process").success());
        let text = std::fs::read_to_string(&self.log).expect("it writes its log");
        let log: Value = serde_json::from_str(&text).expect("its log is JSON");
        log["total"].clone()
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        // Where it has ended already, nothing is to be done.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_file(&self.log);
    }
}
