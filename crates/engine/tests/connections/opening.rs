//! Connections are opened before load begins: at a server with a short queue, and at one that takes none.

use super::origin::Origin;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::thread;
use std::time::Duration;

const QUEUE: usize = 4;
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nHello World\n";

/// A listener whose queue holds a few connections.
fn short_queue() -> TcpListener {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has free ports");
    // Listening again sets the length of the queue.
    rustix::net::listen(&listener, QUEUE as i32).expect("it is bound");
    listener
}

fn load(address: &str, io: &str, arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_hopcost-engine"))
        .args(["load", "--json", "-t", "1", "--io", io])
        .args(arguments)
        .arg(format!("http://{address}/"))
        .output()
        .expect("the engine starts");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// The backends, where there are both.
fn backends() -> Vec<&'static str> {
    let uring = hopcost_engine::io::uring::probe().is_ok();
    if uring { vec!["uring", "epoll"] } else { vec!["epoll"] }
}

fn has_bytes(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).expect("a socket");
    let result = stream.peek(&mut [0]);
    stream.set_nonblocking(false).expect("a socket");
    result.is_ok()
}

fn serve(mut stream: TcpStream) {
    let (mut request, mut buffer) = (Vec::new(), [0; 512]);
    while let Ok(length @ 1..) = stream.read(&mut buffer) {
        request.extend_from_slice(&buffer[..length]);
        if request.ends_with(b"\r\n\r\n") {
            request.clear();
            if stream.write_all(ANSWER).is_err() {
                return;
            }
        }
    }
}

/// Accepts so many connections, slowly. Whether a request came while some of them could not be open yet.
fn accept_slowly(listener: &TcpListener, connections: usize) -> bool {
    // The engine looks first whether anybody is there at all.
    drop(listener.accept().expect("a connection"));
    let mut accepted = Vec::new();
    let mut came_early = false;
    while accepted.len() < connections {
        thread::sleep(Duration::from_millis(1));
        // Those in the queue are open to the engine; it holds one more than it is said to.
        if accepted.len() + QUEUE + 1 < connections {
            came_early |= accepted.iter().any(has_bytes);
        }
        accepted.push(listener.accept().expect("a connection").0);
    }
    for stream in accepted {
        thread::spawn(move || serve(stream));
    }
    came_early
}

#[test]
fn a_closed_loop_sends_nothing_before_all_are_open() {
    for io in backends() {
        let listener = short_queue();
        let address = listener.local_addr().expect("it is bound").to_string();
        let server = thread::spawn(move || accept_slowly(&listener, 64));
        let result = load(&address, io, &["-c", "64", "-n", "640"]);
        assert!(!server.join().expect("the server's assertions hold"), "{io}: a request before all were open");
        assert_eq!((&result["opening"]["established"], &result["opening"]["errors"]), (&json!(64), &json!({})), "{io}");
        assert_eq!((&result["answers"], &result["opened"], &result["errors"]), (&json!(640), &json!(64), &json!({})));
    }
}

#[test]
fn what_was_opened_is_what_the_origin_accepted() {
    for io in backends() {
        for schedule in [&[][..], &["-r", "5000"]] {
            for origin in [Origin::start(), Origin::at("127.0.0.1:0", &["--backlog", "8"])] {
                let result = load(&origin.address, io, &[&["-c", "500", "-n", "2000"], schedule].concat());
                let counted = origin.stop();
                let opening = &result["opening"];
                assert_eq!(
                    (&opening["established"], &opening["errors"]),
                    (&json!(500), &json!({})),
                    "{io} {schedule:?}"
                );
                assert_eq!((&result["answers"], &result["opened"]), (&json!(2000), &json!(500)));
                // One more, to see whether anybody is there.
                assert_eq!(counted["connections_accepted"], 501);
                assert_eq!(counted["answers_sent"], 2000);
            }
        }
    }
}

#[test]
fn connections_that_cannot_be_opened_are_counted() {
    for io in backends() {
        let listener = short_queue();
        let address = listener.local_addr().expect("it is bound").to_string();
        let result = load(&address, io, &["-c", "16", "-T", "300ms", "-d", "100ms"]);
        let opening = &result["opening"];
        let established = opening["established"].as_u64().expect("a count");
        assert!((1..16).contains(&established), "{io}: {opening}");
        assert!(
            opening["errors"]["connect"].as_u64().is_some_and(|count| count >= 16 - established),
            "{io}: {opening}"
        );
        assert_eq!((&result["validity"], &result["answers"]), (&json!("suspect"), &json!(0)));
        let reasons = result["reasons"].to_string();
        assert!(reasons.contains("not all of its 16 connections could be opened"), "{reasons}");
    }
}
