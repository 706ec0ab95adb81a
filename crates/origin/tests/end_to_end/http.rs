//! HTTP as it should be.

use crate::support::{Server, pattern};

const LINKS: [&str; 2] = ["http+tcp", "http+unix"];

#[test]
fn a_thousand_pipelined_requests_have_a_thousand_answers() {
    let server = Server::start(&[]);
    for link in LINKS {
        let mut stream = server.connect(link);
        stream.write("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1000).as_bytes());
        for _ in 0..1000 {
            let (head, body) = stream.read_answer();
            assert_eq!((head.len(), body.as_slice()), (141, b"Hello World\n".as_slice()));
        }
    }
    let log = server.stop();
    for link in LINKS {
        for (count, expected) in [
            ("connections_accepted", 1),
            ("requests_received", 1000),
            ("answers_sent", 1000),
            ("body_bytes_out", 12_000),
            ("sent_bytes", 153_000),
            ("received_bytes", 32_000),
        ] {
            assert_eq!(log.of(link, count), expected, "{link} {count}");
        }
    }
    assert!(log.rows().iter().all(|(arrival, sent, outcome)| arrival <= sent && *outcome == 0));
}

#[test]
fn any_path_is_answered_with_the_route_that_was_chosen() {
    let server = Server::start(&["--any-path", "/bytes/300", "--content-type", "text/html; charset=utf-8"]);
    for link in LINKS {
        let mut stream = server.connect(link);
        for target in ["/", "/json", "/index.php?page=1", "/a%20b/c?delay=constant:20s&fault=hang", "*"] {
            stream.get(target);
            let (head, body) = stream.read_answer();
            assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{target}: {head}");
            assert!(head.contains("\r\nContent-Type: text/html; charset=utf-8\r\n"), "{target}: {head}");
            assert_eq!(body, pattern(300), "{target}");
        }
    }
    let log = server.stop();
    assert_eq!((log.total("answers_sent"), log.total("body_bytes_out")), (10, 3000));
}

#[test]
fn every_route_answers() {
    let server = Server::start(&[]);
    let mut stream = server.connect("http+tcp");
    for (target, status, length) in [
        ("/", "200", 12),
        ("/hello", "200", 12),
        ("/512", "200", 512),
        ("/json", "200", 1024),
        ("/static.txt", "200", 1024),
        ("/text", "200", 1024),
        ("/echo-length", "200", 2),
        ("/echo-head-length", "200", 3),
        ("/bytes/0", "200", 0),
        ("/text/5000", "200", 5000),
        ("/nothing", "404", 14),
        ("/?nonsense=1", "400", 74),
    ] {
        stream.get(target);
        let (head, body) = stream.read_answer();
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{target}: {head}");
        assert_eq!(body.len(), length, "{target}");
    }
    stream.write(b"HEAD /json HTTP/1.1\r\nHost: a\r\n\r\n");
    assert!(stream.read_head().contains("Content-Length: 1024\r\n"));
    stream.get("/hello");
    assert_eq!(stream.read_answer().1, b"Hello World\n");
    assert_eq!(server.stop().total("answers_sent"), 14);
}

#[test]
fn long_answers_are_whole_and_take_no_memory() {
    let server = Server::start(&[]);
    for link in LINKS {
        let mut stream = server.connect(link);
        for length in [16_385, 1_000_000, 5_000_000] {
            stream.get(&format!("/bytes/{length}"));
            assert_eq!(stream.read_answer().1, pattern(length));
        }
    }
    let mut unread: Vec<_> = (0..50).map(|_| server.connect("http+unix")).collect();
    for stream in &mut unread {
        stream.get("/bytes/67108864");
        stream.read_exactly(1000);
    }
    let resident = server.proc("statm").split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    assert!(resident.expect("a number of pages") < 40 << 8, "below 40 MiB");
    let log = server.stop();
    assert_eq!((log.total("answers_sent"), log.total("answers_in_flight")), (6, 50));
}

#[test]
fn bodies_of_requests_are_counted() {
    let server = Server::start(&[]);
    for link in LINKS {
        let mut stream = server.connect(link);
        let body = vec![b'x'; 300_000];
        stream.write(b"PUT /echo-length HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n");
        stream.write(&body);
        assert_eq!(stream.read_answer().1, b"300000\n");
        stream.write(b"POST /echo-length HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
        for _ in 0..3 {
            stream.write(b"186a0;extension\r\n");
            stream.write(&body[..100_000]);
            stream.write(b"\r\n");
        }
        stream.write(b"0\r\nTrailer: x\r\n\r\n");
        assert_eq!(stream.read_answer().1, b"300000\n");
        stream.write(b"POST /echo-length HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
        assert_eq!(stream.read_head(), "HTTP/1.1 100 Continue\r\n\r\n");
        stream.write(b"abc");
        assert_eq!(stream.read_answer().1, b"3\n");
    }
    let log = server.stop();
    assert_eq!((log.total("requests_received"), log.total("body_bytes_in")), (6, 2 * 600_003));
}

#[test]
fn connections_end_when_they_should() {
    let server = Server::start(&["--requests-per-connection", "3"]);
    for (request, closes) in [
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", true),
        ("GET / HTTP/1.0\r\n\r\n", true),
        ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", false),
    ] {
        let mut stream = server.connect("http+tcp");
        stream.write(request.as_bytes());
        let (head, _) = stream.read_answer();
        assert_eq!(head.contains("Connection: close\r\n"), closes, "{request}");
        if closes {
            assert_eq!(stream.read_to_end(), (vec![], false));
        }
    }
    let mut stream = server.connect("http+unix");
    for number in 1..=3 {
        stream.get("/");
        let connection = if number == 3 { "Connection: close\r\n" } else { "Connection: keep-alive\r\n" };
        assert!(stream.read_answer().0.contains(connection), "answer {number}");
    }
    assert_eq!(stream.read_to_end(), (vec![], false));
    server.stop();
}

#[test]
fn a_client_that_has_said_all_still_gets_its_answer() {
    let server = Server::start(&[]);
    for target in ["/", "/?delay=constant:20ms"] {
        let mut stream = server.connect("http+tcp");
        stream.get(target);
        stream.end_of_sending();
        assert_eq!(stream.read_to_end().0.len(), 153);
    }
    assert_eq!(server.stop().total("answers_sent"), 2);
}

#[test]
fn threads_share_the_connections() {
    let server = Server::start(&["--threads", "3"]);
    let mut streams: Vec<_> = (0..30).map(|_| server.connect("http+tcp")).collect();
    for stream in &mut streams {
        stream.get("/?fault=status-500&every=3");
    }
    let wrong =
        streams.iter_mut().filter_map(|stream| stream.read_answer().0.starts_with("HTTP/1.1 500").then_some(()));
    assert_eq!(wrong.count(), 10);
    let log = server.stop();
    assert_eq!((log.total("connections_accepted"), log.total("answers_sent")), (30, 30));
}
