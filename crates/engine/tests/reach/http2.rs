//! HTTP/2 against a server that knows frames and nothing else, over TCP and inside TLS. It counts for itself.

use crate::plain::{HELLO, backends, get};
use crate::run::{assert_all_correct, run, run_for, settings, target};
use crate::tls::{acceptor, trusting};
use hopcost_engine::io::Address;
use hopcost_engine::io::tls::{Protocol, SessionResumption};
use hopcost_engine::plan::Target;
use hopcost_engine::recorder::ErrorKind;
use hopcost_engine::requests::{RequestMix, RequestSpec, WireSettings};
use hopcost_engine::schedule::{Arrivals, Constant};
use hopcost_engine::wire::Wire;
use rustls::{ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const END_STREAM: u8 = 1;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Link {
    Tcp,
    Tls,
    /// Without ALPN.
    Deaf,
}

#[derive(Default)]
struct Counted {
    requests: AtomicU64,
    body_bytes: AtomicU64,
}

struct Server {
    address: Address,
    link: Link,
    ca: PathBuf,
    counted: Arc<Counted>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.ca);
    }
}

/// A server that processes so many requests of a connection, says that it goes away, and ignores the others.
fn serve(link: Link, requests_per_connection: u64) -> Server {
    let (config, ca) = acceptor(if link == Link::Tls { &["h2"] } else { &[] });
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has free ports");
    let address = Address::Tcp(listener.local_addr().expect("it is bound"));
    let counted = Arc::new(Counted::default());
    let own = Arc::clone(&counted);
    std::thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let (config, own) = (Arc::clone(&config), Arc::clone(&own));
            std::thread::spawn(move || {
                socket.set_nodelay(true)?;
                match link {
                    Link::Tcp => converse(socket, requests_per_connection, &own),
                    Link::Tls | Link::Deaf => {
                        let connection = ServerConnection::new(config).map_err(std::io::Error::other)?;
                        converse(StreamOwned::<_, TcpStream>::new(connection, socket), requests_per_connection, &own)
                    }
                }
            });
        }
    });
    Server { address, link, ca, counted }
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let [_, length @ ..] = (payload.len() as u32).to_be_bytes();
    [&length[..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

fn converse(mut stream: impl Read + Write, requests: u64, counted: &Counted) -> std::io::Result<()> {
    let mut held = Vec::new();
    let mut buffer = vec![0; 65_536];
    let mut has_preface = false;
    let mut processed = 0;
    // At most 100 streams at once.
    stream.write_all(&frame(4, 0, 0, &[0, 3, 0, 0, 0, 100]))?;
    stream.flush()?;
    loop {
        let length = stream.read(&mut buffer)?;
        if length == 0 {
            return Ok(());
        }
        held.extend_from_slice(&buffer[..length]);
        if !has_preface {
            if held.len() < PREFACE.len() {
                continue;
            }
            assert!(held.starts_with(PREFACE));
            held.drain(..PREFACE.len());
            has_preface = true;
        }
        let mut answers = Vec::new();
        while let Some((&[l0, l1, l2, kind, flags, s0, s1, s2, s3], rest)) = held.split_first_chunk() {
            let payload_bytes = u32::from_be_bytes([0, l0, l1, l2]);
            let Some(payload) = rest.get(..payload_bytes as usize) else { break };
            let id = u32::from_be_bytes([s0, s1, s2, s3]);
            match kind {
                0 => {
                    counted.body_bytes.fetch_add(payload.len() as u64, Ordering::Relaxed);
                    answers.extend(frame(8, 0, 0, &payload_bytes.to_be_bytes()));
                    answers.extend(frame(8, 0, id, &payload_bytes.to_be_bytes()));
                }
                4 if flags & 1 == 0 => answers.extend(frame(4, 1, 0, &[])),
                _ => {}
            }
            if kind <= 1 && flags & END_STREAM != 0 && processed < requests {
                processed += 1;
                counted.requests.fetch_add(1, Ordering::Relaxed);
                answers.extend(frame(1, 4, id, b"\x88\x0f\x0d\x0212"));
                answers.extend(frame(0, END_STREAM, id, b"Hello World\n"));
                if processed == requests {
                    answers.extend(frame(7, 0, 0, &[&id.to_be_bytes()[..], &[0; 4]].concat()));
                }
            }
            held.drain(..9 + payload_bytes as usize);
        }
        stream.write_all(&answers)?;
        stream.flush()?;
    }
}

fn hello() -> RequestSpec {
    get("/", HELLO)
}

fn aimed(server: &Server, streams: u32, spec: RequestSpec, requests: u64) -> Target {
    let is_tls = server.link != Link::Tcp;
    let settings = WireSettings { streams: Some(streams), is_tls, ..settings(Wire::Http2) };
    let tls = || trusting(&server.ca, SessionResumption::On).speaking(Protocol::Http2);
    Target { tls: is_tls.then(tls), ..target(&server.address, &settings, spec, requests) }
}

#[test]
fn every_request_is_answered_on_its_stream() {
    for io in backends() {
        for link in [Link::Tcp, Link::Tls] {
            for streams in [1, 3, 100, 150] {
                let server = serve(link, u64::MAX);
                let result = run(io, aimed(&server, streams, hello(), 2000));
                assert_all_correct(&result.counts, 2000, &format!("{streams} streams over {link:?}, {io:?}"));
                assert_eq!((result.counts.compared, result.counts.opened), (2000, 4));
                assert_eq!(server.counted.requests.load(Ordering::Relaxed), 2000);
            }
        }
    }
}

#[test]
fn an_open_loop_over_streams() {
    for io in backends() {
        let server = serve(Link::Tls, u64::MAX);
        let mut target = aimed(&server, 5, hello(), 0);
        target.arrivals = Arrivals::Constant(Constant::new(1000.0, Some(300)));
        let result = run(io, target);
        assert_all_correct(&result.counts, 300, &format!("an open loop, {io:?}"));
        let open = result.times.open.expect("an open loop");
        assert_eq!((open.response.known.len(), open.response.at_least.len()), (300, 0));
    }
}

#[test]
fn every_byte_of_a_body_arrives() {
    for io in backends() {
        for link in [Link::Tcp, Link::Tls] {
            for body_bytes in [1, 16_384, 300_000] {
                let server = serve(link, u64::MAX);
                let body = Some(vec![7; body_bytes].into());
                let upload = RequestSpec { method: "POST".into(), body, ..hello() };
                let result = run(io, aimed(&server, 4, upload, 50));
                assert_all_correct(&result.counts, 50, &format!("{body_bytes} over {link:?}, {io:?}"));
                assert_eq!(server.counted.body_bytes.load(Ordering::Relaxed), 50 * body_bytes as u64);
            }
        }
    }
}

/// As nginx does behind `keepalive_requests`.
#[test]
fn servers_that_go_away_are_left_and_nothing_is_lost() {
    for io in backends() {
        for link in [Link::Tcp, Link::Tls] {
            let server = serve(link, 10);
            let result = run(io, aimed(&server, 7, hello(), 400));
            assert_all_correct(&result.counts, 400, &format!("over {link:?}, {io:?}"));
            assert_eq!(server.counted.requests.load(Ordering::Relaxed), 400);
            assert!(result.counts.reconnects >= 36, "{}", result.counts.reconnects);
        }
    }
}

#[test]
fn connections_for_a_few_requests() {
    for io in backends() {
        let server = serve(Link::Tls, u64::MAX);
        let mut target = aimed(&server, 4, hello(), 120);
        let settings =
            WireSettings { streams: Some(4), is_tls: true, requests_per_connection: Some(3), ..settings(Wire::Http2) };
        target.requests = RequestMix::new(&settings, &[hello()]).expect("valid");
        let result = run(io, target);
        assert_all_correct(&result.counts, 120, &format!("{io:?}"));
        assert!(result.counts.opened >= 40, "three requests each");
    }
}

#[test]
fn a_server_that_does_not_agree_on_http2_gets_no_request() {
    for io in backends() {
        let server = serve(Link::Deaf, u64::MAX);
        let result = run_for(io, aimed(&server, 4, hello(), 10), 100_000_000);
        assert_eq!((result.counts.sent, result.counts.errors.of(ErrorKind::Connect)), (0, 0));
        assert!(result.counts.errors.of(ErrorKind::Tls) >= 4, "{io:?}");
    }
}

/// The server takes requests, and answers none.
#[test]
fn what_waits_too_long_is_given_up_stream_by_stream() {
    for io in backends() {
        let server = serve(Link::Tcp, 0);
        let target = Target { timeout_ns: 20_000_000, ..aimed(&server, 3, hello(), 12) };
        let result = run(io, target);
        assert_eq!((result.counts.sent, result.counts.errors.of(ErrorKind::Timeout)), (12, 12), "{io:?}");
        assert_eq!(result.counts.opened, 4, "the connections live");
    }
}
