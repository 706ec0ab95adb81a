//! Clients that mean harm: the origin stays up, and the others are served.

use crate::support::{LINKS, Server};

#[test]
fn nonsense_ends_the_connection_and_nothing_else() {
    let server = Server::start(&[]);
    for link in LINKS {
        for byte in [0u8, 1, 2, 255, b'\n', b'A'] {
            let mut stream = server.connect(link);
            // More than any limit; the origin may well hang up before it has all come.
            stream.try_write(&vec![byte; 200_000]);
        }
    }
    let mut stream = server.connect("http+tcp");
    stream.get("/");
    assert_eq!(stream.read_answer().1, b"Hello World\n");
    let log = server.stop();
    assert_eq!((log.total("requests_received"), log.total("connections_accepted")), (1, 25));
}

#[test]
fn a_refused_request_is_told_why_and_counted() {
    let server = Server::start(&[]);
    let mut stream = server.connect("http+tcp");
    stream.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET nonsense\r\n\r\n");
    assert_eq!(stream.read_answer().1, b"Hello World\n");
    let (head, _) = stream.read_answer();
    assert!(head.starts_with("HTTP/1.1 400 ") && head.contains("Connection: close\r\n"), "{head}");
    assert_eq!(stream.read_to_end(), (vec![], false));
    let log = server.stop();
    assert_eq!((log.total("requests_received"), log.total("requests_refused")), (1, 1));
}

#[test]
fn a_head_without_end_is_refused() {
    let server = Server::start(&[]);
    for link in ["http+tcp", "http+unix"] {
        let mut stream = server.connect(link);
        stream.write(b"GET / HTTP/1.1\r\nX: ");
        for _ in 0..66 {
            stream.try_write(&[b'x'; 1000]);
        }
        assert!(stream.read_head().starts_with("HTTP/1.1 431 "));
    }
    assert_eq!(server.stop().total("requests_refused"), 2);
}

#[test]
fn connections_come_and_go_in_the_middle_of_everything() {
    let server = Server::start(&["--threads", "2"]);
    for round in 0..200 {
        let mut stream = server.connect(if round % 2 == 0 { "http+tcp" } else { "http+unix" });
        match round % 4 {
            0 => stream.write(b"GET /bytes/60000000 HTTP/1.1\r\nHost: a\r\n\r\n"),
            1 => stream.write(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc"),
            2 => stream.get("/?delay=constant:3600s"),
            _ => stream.get("/bytes/1000000?fault=slow-body&pause=50ms"),
        }
    }
    let mut stream = server.connect("http+tcp");
    stream.get("/");
    assert_eq!(stream.read_answer().1, b"Hello World\n");
    server.stop();
}
