//! A server whose every answer is scripted by the number of the request, over all connections.

use hopcost_engine::io::Address;
use rustix::net::{self, AddressFamily, SocketFlags, SocketType};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// What to do with a request.
pub enum Act {
    Answer(Vec<u8>),
    AnswerAndClose(Vec<u8>),
    /// In pieces of so many bytes.
    InPieces(Vec<u8>, usize),
    /// Close so that the client's connection is reset.
    Reset,
    /// Keep the connection and say nothing.
    Hang,
}

pub fn answer(status: u16, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status} X\r\nServer: script\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

pub fn chunked(chunks: &[&[u8]]) -> Vec<u8> {
    let mut bytes = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for chunk in chunks {
        bytes.extend_from_slice(format!("{:x};name=value\r\n", chunk.len()).as_bytes());
        bytes.extend_from_slice(chunk);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"0\r\nTrailer: yes\r\n\r\n");
    bytes
}

/// An address that refuses connections for as long as the socket lives: bound, so that nobody else gets it, but without
/// anybody listening.
pub fn bound_but_deaf() -> (Address, OwnedFd) {
    let socket = net::socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None)
        .expect("a socket can be made");
    net::bind(&socket, &SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).expect("loopback has free ports");
    let name = net::getsockname(&socket).expect("it is bound");
    (Address::Tcp(name.try_into().expect("an IPv4 address")), socket)
}

trait Stream: Read + Write + Send {
    fn reset(&self);
}

impl Stream for TcpStream {
    fn reset(&self) {
        // With unread bytes or not: an abortive close.
        net::sockopt::set_socket_linger(self, Some(Duration::ZERO)).expect("a socket");
    }
}

impl Stream for UnixStream {
    fn reset(&self) {}
}

struct State {
    requests: AtomicU64,
    ended: AtomicBool,
    script: Box<dyn Fn(u64) -> Act + Send + Sync>,
}

pub struct Server {
    pub address: Address,
    state: Arc<State>,
}

impl Server {
    pub fn tcp(script: impl Fn(u64) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has free ports");
        let address = Address::Tcp(listener.local_addr().expect("it is bound"));
        Self::start(address, script, move || {
            let stream = listener.accept()?.0;
            stream.set_nodelay(true)?;
            Ok(Box::new(stream))
        })
    }

    pub fn unix(script: impl Fn(u64) -> Act + Send + Sync + 'static) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("hopcost-test-{}-{}.sock", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        let listener = UnixListener::bind(&path).expect("the temporary directory is writable");
        Self::start(Address::Unix(path), script, move || Ok(Box::new(listener.accept()?.0)))
    }

    fn start(
        address: Address,
        script: impl Fn(u64) -> Act + Send + Sync + 'static,
        accept: impl Fn() -> io::Result<Box<dyn Stream>> + Send + 'static,
    ) -> Self {
        let state =
            Arc::new(State { requests: AtomicU64::new(0), ended: AtomicBool::new(false), script: Box::new(script) });
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            while let Ok(stream) = accept() {
                if shared.ended.load(Ordering::SeqCst) {
                    return;
                }
                let shared = Arc::clone(&shared);
                // A client that closes is no error of the server.
                thread::spawn(move || serve(stream, &shared).unwrap_or_default());
            }
        });
        Self { address, state }
    }

    /// Requests that came, whatever became of them.
    pub fn requests(&self) -> u64 {
        self.state.requests.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.state.ended.store(true, Ordering::SeqCst);
        // Wakes the accepting thread, which then ends and closes its socket.
        match &self.address {
            Address::Tcp(address) => drop(TcpStream::connect(address)),
            Address::Unix(path) => {
                drop(UnixStream::connect(path));
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

fn serve(mut stream: Box<dyn Stream>, state: &State) -> io::Result<()> {
    let mut held = Vec::new();
    let mut buffer = vec![0; 65_536];
    let mut searched: usize = 0;
    loop {
        let Some(end) = held[searched..].windows(4).position(|four| four == b"\r\n\r\n") else {
            searched = held.len().saturating_sub(3);
            let length = stream.read(&mut buffer)?;
            if length == 0 {
                return Ok(());
            }
            held.extend_from_slice(&buffer[..length]);
            continue;
        };
        held.drain(..searched + end + 4);
        searched = 0;
        let number = state.requests.fetch_add(1, Ordering::SeqCst);
        match (state.script)(number) {
            Act::Answer(bytes) => stream.write_all(&bytes)?,
            Act::AnswerAndClose(bytes) => return stream.write_all(&bytes),
            Act::InPieces(bytes, piece_bytes) => {
                for piece in bytes.chunks(piece_bytes) {
                    stream.write_all(piece)?;
                    stream.flush()?;
                    thread::yield_now();
                }
            }
            Act::Reset => {
                stream.reset();
                return Ok(());
            }
            Act::Hang => {}
        }
    }
}
