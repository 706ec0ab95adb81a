//! A server that is started and stopped, and clients made of nothing but sockets.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Long enough for any busy machine; only a failure waits for it.
const PATIENCE: Duration = Duration::from_secs(20);

/// A directory of this test's own, removed at its end.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("hopcost-origin-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a scratch directory");
        Self(path)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_hopcost-origin"))
}

/// A running origin with all four links.
pub struct Server {
    pub scratch: Scratch,
    child: Child,
    addresses: Vec<(String, String)>,
}

pub const LINKS: [&str; 4] = ["http+tcp", "http+unix", "fastcgi+tcp", "fastcgi+unix"];

impl Server {
    pub fn start(more: &[&str]) -> Self {
        let scratch = Scratch::new();
        let mut command = command();
        for link in LINKS {
            let address = if link.ends_with("tcp") { "127.0.0.1:0".to_owned() } else { scratch.path(link) };
            command.args(["--listen", &format!("{link}:{address}")]);
        }
        command.args(["--log", &scratch.path("log"), "--log-requests", &scratch.path("rows")]).args(more);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the origin starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("a pipe was asked for");
        BufReader::new(out).read_line(&mut line).expect("a line when ready");
        let ready: Value = serde_json::from_str(&line).expect("a JSON line when ready");
        assert_eq!(ready["ready"], true);
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let listeners = ready["listeners"].as_array().expect("a list");
        let addresses = listeners.iter().map(|each| (text(&each["link"]), text(&each["address"]))).collect();
        Self { scratch, child, addresses }
    }

    pub fn connect(&self, link: &str) -> Stream {
        let (_, address) = self.addresses.iter().find(|(name, _)| name == link).expect("a link of this server");
        if link.ends_with("tcp") {
            let stream = TcpStream::connect(address).expect("the origin accepts");
            stream.set_read_timeout(Some(PATIENCE)).expect("a socket option");
            stream.set_nodelay(true).expect("a socket option");
            Stream::Tcp(stream)
        } else {
            let stream = UnixStream::connect(address).expect("the origin accepts");
            stream.set_read_timeout(Some(PATIENCE)).expect("a socket option");
            Stream::Unix(stream)
        }
    }

    /// Text of a file of /proc about the server.
    pub fn proc(&self, file: &str) -> String {
        std::fs::read_to_string(format!("/proc/{}/{file}", self.child.id())).expect("the server runs")
    }

    /// Stops it and gives its log; checks that nothing is left and the account of requests is whole.
    pub fn stop(mut self) -> Log {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
        let status = self.child.wait().expect("it ends");
        assert!(status.success(), "{status}");
        for link in ["http+unix", "fastcgi+unix"] {
            assert!(!self.scratch.0.join(link).exists(), "the socket file of {link} is removed");
        }
        let text = std::fs::read_to_string(self.scratch.path("log")).expect("the log is written");
        let log = Log {
            json: serde_json::from_str(&text).expect("the log is JSON"),
            rows: std::fs::read(self.scratch.path("rows")).expect("the rows are written"),
        };
        let ends = ["sent", "cut", "withheld", "lost", "in_flight"].map(|end| log.total(&format!("answers_{end}")));
        assert_eq!(log.total("requests_received"), ends.iter().sum::<u64>(), "{}", log.json);
        assert_eq!(log.rows.len() as u64, 24 * (1 + log.total("requests_received")));
        log
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A test that failed leaves it running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub struct Log {
    pub json: Value,
    pub rows: Vec<u8>,
}

impl Log {
    pub fn total(&self, count: &str) -> u64 {
        self.json["total"][count].as_u64().expect(count)
    }

    pub fn of(&self, link: &str, count: &str) -> u64 {
        let listeners = self.json["listeners"].as_array().expect("a list");
        let listener = listeners.iter().find(|each| each["link"] == link).expect("a link");
        listener[count].as_u64().expect(count)
    }

    pub fn faults(&self) -> Value {
        self.json["total"]["faults"].clone()
    }

    /// Arrival, sent, outcome of every row.
    pub fn rows(&self) -> Vec<(u64, u64, u8)> {
        assert_eq!(&self.rows[..24], b"hopcost-origin requests1");
        let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        self.rows[24..].chunks(24).map(|row| (number(&row[..8]), number(&row[8..16]), row[22])).collect()
    }
}

pub enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Stream {
    pub fn write(&mut self, bytes: &[u8]) {
        assert!(self.try_write(bytes), "the origin reads");
    }

    /// False if the origin has hung up.
    pub fn try_write(&mut self, bytes: &[u8]) -> bool {
        let written = match self {
            Self::Tcp(stream) => stream.write_all(bytes),
            Self::Unix(stream) => stream.write_all(bytes),
        };
        written.is_ok()
    }

    pub fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(bytes),
            Self::Unix(stream) => stream.read(bytes),
        }
    }

    /// Everything up to the end, and whether that was a reset.
    pub fn read_to_end(&mut self) -> (Vec<u8>, bool) {
        let (mut all, mut buffer) = (Vec::new(), [0; 65_536]);
        loop {
            match self.read(&mut buffer) {
                Ok(0) => return (all, false),
                Ok(count) => all.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {
                    return (all, true);
                }
                Err(error) => panic!("no end within patience: {error}; so far {}", String::from_utf8_lossy(&all)),
            }
        }
    }

    pub fn read_exactly(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        let mut at = 0;
        while at < count {
            let read = self.read(&mut bytes[at..]).expect("the origin answers");
            assert!(read > 0, "the connection ended after {at} of {count} bytes");
            at += read;
        }
        bytes
    }

    /// An HTTP head up to its empty line.
    pub fn read_head(&mut self) -> String {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.extend(self.read_exactly(1));
        }
        String::from_utf8(head).expect("heads are ASCII")
    }

    /// A head and a body of Content-Length.
    pub fn read_answer(&mut self) -> (String, Vec<u8>) {
        let head = self.read_head();
        let length = head.split("Content-Length: ").nth(1).and_then(|rest| rest.split("\r\n").next());
        let length = length.and_then(|digits| digits.parse().ok()).expect("a Content-Length");
        (head, self.read_exactly(length))
    }

    /// Shuts the sending side down; a fault under test may already have reset the connection.
    pub fn end_of_sending(&self) {
        let ended = match self {
            Self::Tcp(stream) => stream.shutdown(std::net::Shutdown::Write),
            Self::Unix(stream) => stream.shutdown(std::net::Shutdown::Write),
        };
        if let Err(error) = ended {
            assert_eq!(error.kind(), std::io::ErrorKind::NotConnected);
        }
    }

    pub fn get(&mut self, target: &str) {
        self.write(format!("GET {target} HTTP/1.1\r\nHost: origin\r\n\r\n").as_bytes());
    }
}

pub fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index % 251) as u8).collect()
}
