//! A server that knows HTTP/2's frames and nothing else. It counts for itself.

use hopcost_engine::io::Address;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const END_STREAM: u8 = 1;

/// What becomes of the requests of a connection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Manner {
    Answers,
    /// Answers so many, says that it goes away, and ignores the others.
    GoesAwayAfter(u64),
    /// Takes all, and answers none.
    Hangs,
}

/// What a server has counted. Bytes are those within TLS.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    pub connections: u64,
    /// Whole ones that were not ignored.
    pub requests: u64,
    pub answers: u64,
    /// Of uploads.
    pub body_bytes: u64,
    pub received_bytes: u64,
    pub sent_bytes: u64,
}

/// What a server does on each of its connections.
#[derive(Debug)]
pub struct Site {
    manner: Manner,
    /// A header block: status and length.
    head: Vec<u8>,
    body: Vec<u8>,
    counts: Mutex<Counts>,
}

impl Site {
    /// Every answer has this body, which fits into a frame.
    pub fn new(manner: Manner, body: &[u8]) -> Self {
        let length = body.len().to_string();
        // `:status: 200` and `content-length`, both by their places in the static table.
        let head = [&b"\x88\x0f\x0d"[..], &[length.len() as u8], length.as_bytes()].concat();
        Self { manner, head, body: body.to_vec(), counts: Mutex::default() }
    }

    fn count(&self, add: impl FnOnce(&mut Counts)) {
        add(&mut self.counts.lock().expect("nobody panics while counting"));
    }
}

pub struct Server {
    pub address: Address,
    own_address: SocketAddr,
    site: Arc<Site>,
    breaks_off: Arc<AtomicBool>,
    has_ended: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

impl Server {
    /// Over TCP, on a free port.
    pub fn start(manner: Manner, body: &[u8]) -> Self {
        Self::at("127.0.0.1:0", Site::new(manner, body), |socket, site| converse(socket, site))
    }

    /// At this address, with this way to talk on a connection.
    pub fn at<T>(address: impl ToSocketAddrs, site: Site, talk: T) -> Self
    where
        T: Fn(&TcpStream, &Site) -> io::Result<()> + Send + Sync + 'static,
    {
        let listener = TcpListener::bind(address).expect("loopback has free ports");
        let own_address = listener.local_addr().expect("it is bound");
        let site = Arc::new(site);
        let (breaks_off, has_ended) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let of_thread = (Arc::clone(&site), Arc::clone(&breaks_off), Arc::clone(&has_ended));
        let accepting = thread::spawn(move || {
            let (site, breaks_off, has_ended) = of_thread;
            let talk = Arc::new(talk);
            let mut talks = Vec::new();
            for socket in listener.incoming().flatten() {
                if has_ended.load(Ordering::SeqCst) {
                    break;
                }
                site.count(|counts| counts.connections += 1);
                let socket = Arc::new(socket);
                let (own_socket, own_site, own_talk) = (Arc::clone(&socket), Arc::clone(&site), Arc::clone(&talk));
                let thread = thread::spawn(move || {
                    // A client that closes is no error of the server.
                    let _ = own_socket.set_nodelay(true).and_then(|()| own_talk(&own_socket, &own_site));
                    let _ = own_socket.shutdown(Shutdown::Both);
                });
                talks.push((socket, thread));
            }
            drop(listener);
            for (socket, thread) in talks {
                if breaks_off.load(Ordering::SeqCst) {
                    let _ = socket.shutdown(Shutdown::Both);
                }
                thread.join().expect("it does not panic");
            }
        });
        let address = Address::Tcp(own_address);
        Self { address, own_address, site, breaks_off, has_ended, accepting: Some(accepting) }
    }

    /// What it has counted so far.
    pub fn counts(&self) -> Counts {
        *self.site.counts.lock().expect("nobody panics while counting")
    }

    /// Ends when the clients have closed their connections.
    pub fn finish(mut self) -> Counts {
        self.end(false);
        self.counts()
    }

    /// Ends at once, in the middle of what it does.
    pub fn break_off(mut self) -> Counts {
        self.end(true);
        self.counts()
    }

    fn end(&mut self, breaks_off: bool) {
        let Some(accepting) = self.accepting.take() else { return };
        self.breaks_off.store(breaks_off, Ordering::SeqCst);
        self.has_ended.store(true, Ordering::SeqCst);
        // Wakes the accepting thread, if nobody else has.
        drop(TcpStream::connect(self.own_address));
        accepting.join().expect("it does not panic");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end(true);
    }
}

pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let [_, length @ ..] = (payload.len() as u32).to_be_bytes();
    [&length[..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Until the client closes.
pub fn converse(mut stream: impl Read + Write, site: &Site) -> io::Result<()> {
    let mut held = Vec::new();
    let mut buffer = vec![0; 65_536];
    let mut has_preface = false;
    let mut answered = 0;
    // At most 100 streams at once.
    let mut outgoing = frame(4, 0, 0, &[0, 3, 0, 0, 0, 100]);
    loop {
        site.count(|counts| counts.sent_bytes += outgoing.len() as u64);
        stream.write_all(&outgoing)?;
        stream.flush()?;
        outgoing.clear();
        let length = stream.read(&mut buffer)?;
        if length == 0 {
            return Ok(());
        }
        site.count(|counts| counts.received_bytes += length as u64);
        held.extend_from_slice(&buffer[..length]);
        if !has_preface {
            if held.len() < PREFACE.len() {
                continue;
            }
            assert!(held.starts_with(PREFACE));
            held.drain(..PREFACE.len());
            has_preface = true;
        }
        while let Some((&[l0, l1, l2, kind, flags, s0, s1, s2, s3], rest)) = held.split_first_chunk() {
            let payload_bytes = u32::from_be_bytes([0, l0, l1, l2]);
            if rest.len() < payload_bytes as usize {
                break;
            }
            let id = u32::from_be_bytes([s0, s1, s2, s3]);
            match kind {
                0 => {
                    site.count(|counts| counts.body_bytes += u64::from(payload_bytes));
                    outgoing.extend(frame(8, 0, 0, &payload_bytes.to_be_bytes()));
                    outgoing.extend(frame(8, 0, id, &payload_bytes.to_be_bytes()));
                }
                4 if flags & 1 == 0 => outgoing.extend(frame(4, 1, 0, &[])),
                _ => {}
            }
            let is_ignored = matches!(site.manner, Manner::GoesAwayAfter(requests) if answered == requests);
            if kind <= 1 && flags & END_STREAM != 0 && !is_ignored {
                site.count(|counts| counts.requests += 1);
                if site.manner != Manner::Hangs {
                    answered += 1;
                    site.count(|counts| counts.answers += 1);
                    outgoing.extend(frame(1, 4, id, &site.head));
                    outgoing.extend(frame(0, END_STREAM, id, &site.body));
                }
                if site.manner == Manner::GoesAwayAfter(answered) {
                    outgoing.extend(frame(7, 0, 0, &[&id.to_be_bytes()[..], &[0; 4]].concat()));
                }
            }
            held.drain(..9 + payload_bytes as usize);
        }
    }
}
