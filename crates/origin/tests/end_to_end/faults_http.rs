//! Each fault as it is seen on the wire, over HTTP.

use crate::support::{Server, Stream};
use serde_json::json;

/// What a client sees of `/hello` with one fault, up to the end of the connection: the client asks, and says that it asks no more.
fn seen(server: &Server, link: &str, target: &str) -> (String, bool) {
    let mut stream = server.connect(link);
    stream.get(target);
    stream.end_of_sending();
    let (bytes, reset) = stream.read_to_end();
    (String::from_utf8_lossy(&bytes).into_owned(), reset)
}

fn body(text: &str) -> &str {
    text.split_once("\r\n\r\n").map_or("", |(_, body)| body)
}

#[test]
fn each_fault_is_seen_and_counted() {
    let server = Server::start(&[]);
    for link in ["http+tcp", "http+unix"] {
        let fault = |name: &str| seen(&server, link, &format!("/hello?fault={name}"));
        let plain = "Content-Length: 12\r\nConnection: keep-alive\r\n";
        for (name, rest) in [
            ("short-body", "Hello "),
            ("trailing-bytes", "Hello World\nsixteen strays!\n"),
            ("wrong-bytes", "Hello \u{fffd}orld\n"),
            ("slow-body&pause=1ms", "Hello World\n"),
            ("close-after-answer", "Hello World\n"),
        ] {
            let (text, reset) = fault(name);
            assert!(text.starts_with("HTTP/1.1 200 OK\r\n") && text.contains(plain) && !reset, "{name}: {text}");
            assert_eq!(body(&text), rest, "{name}");
        }
        let (text, reset) = fault("reset-mid-answer");
        assert_eq!((body(&text), reset), ("Hello ", link == "http+tcp"));
        let (text, _) = fault("two-answers");
        assert_eq!((text.len(), text.matches("HTTP/1.1 200 OK").count()), (2 * 153, 2));
        let (text, _) = fault("wrong-length");
        assert!(text.contains("Content-Length: 13\r\n"));
        assert_eq!(body(&text), "Hello World\n+");
        assert!(fault("status-500").0.starts_with("HTTP/1.1 500 Internal Server Error\r\n"));
        assert_eq!(fault("half-close"), (String::new(), false));
        assert!(fault("connection-close").0.contains("Connection: close\r\n"));
        let (text, _) = fault("chunked");
        assert!(text.contains("Transfer-Encoding: chunked\r\n") && !text.contains("Content-Length"), "{text}");
        assert!(body(&text).starts_with("0005;at=0;note=\"a \\\"b\\\"; c\"\r\nHello\r\n0005;at=5;"), "{text}");
        assert!(text.ends_with("\r\nd\n\r\n000;last\r\nX-Parts: done\r\n\r\n"), "{text}");
        let (text, _) = fault("close-delimited");
        assert!(!text.contains("Content-Length") && text.contains("Connection: close\r\n"), "{text}");
        assert_eq!(body(&text), "Hello World\n");
        assert!(
            fault("1xx")
                .0
                .starts_with("HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK")
        );
        let (text, _) = fault("huge-head");
        assert!(text.len() > 100_000 + 12);
        assert_eq!(body(&text), "Hello World\n");
    }
    let log = server.stop();
    assert_eq!(
        log.faults(),
        json!({
            "short-body": 2, "trailing-bytes": 2, "two-answers": 2, "wrong-length": 2, "wrong-bytes": 2, "status-500": 2,
            "reset-mid-answer": 2, "half-close": 2, "slow-body": 2, "close-after-answer": 2, "connection-close": 2,
            "chunked": 2, "close-delimited": 2, "1xx": 2, "huge-head": 2,
        })
    );
    assert_eq!((log.total("answers_sent"), log.total("answers_cut"), log.total("answers_withheld")), (24, 4, 2));
}

#[test]
fn half_close_and_hang_keep_the_connection() {
    let server = Server::start(&[]);
    let mut half = server.connect("http+tcp");
    half.get("/?fault=half-close");
    assert_eq!(half.read_to_end(), (vec![], false));
    // The other side is still open: bytes are taken, not answered with a reset.
    half.get("/");
    half.get("/");
    let mut hanging = server.connect("http+tcp");
    hanging.get("/?fault=hang");
    let mut other = server.connect("http+tcp");
    other.get("/");
    assert_eq!(other.read_answer().1, b"Hello World\n");
    if let Stream::Tcp(stream) = &hanging {
        stream.set_nonblocking(true).expect("a socket option");
    }
    let silent = hanging.read(&mut [0; 10]).expect_err("no bytes, no end");
    assert_eq!(silent.kind(), std::io::ErrorKind::WouldBlock);
    let log = server.stop();
    assert_eq!((log.total("requests_received"), log.total("answers_withheld")), (3, 2));
}

#[test]
fn large_bodies_are_cut_chunked_and_spoilt_as_well() {
    let server = Server::start(&[]);
    let (text, _) = seen(&server, "http+tcp", "/bytes/1000000?fault=short-body");
    // Lossy text is longer than its bytes: count on the log.
    assert!(text.contains("Content-Length: 1000000\r\n"));
    let mut stream = server.connect("http+unix");
    stream.get("/bytes/1000000?fault=wrong-bytes");
    let (_, body) = stream.read_answer();
    let wrong: Vec<_> = (0..1_000_000).filter(|index| usize::from(body[*index]) != index % 251).collect();
    assert_eq!(wrong, [500_000]);
    stream.get("/bytes/1000000?fault=chunked");
    stream.read_head();
    stream.end_of_sending();
    let (chunked, _) = stream.read_to_end();
    assert!(chunked.ends_with(b"\r\n000;last\r\nX-Parts: done\r\n\r\n"));
    let log = server.stop();
    assert_eq!((log.total("body_bytes_out"), log.total("answers_cut")), (2_500_000, 1));
}

#[test]
fn only_each_nth_request_gets_the_fault() {
    let server = Server::start(&[]);
    let mut stream = server.connect("http+tcp");
    let wrong: Vec<_> = (1..=20)
        .filter(|_| {
            stream.get("/?fault=status-500&every=7");
            stream.read_answer().0.starts_with("HTTP/1.1 500")
        })
        .collect();
    assert_eq!(wrong, [7, 14]);
    assert_eq!(server.stop().faults(), json!({"status-500": 2}));
}

#[test]
fn greeting_comes_before_any_request() {
    let server = Server::start(&["--greet"]);
    for link in ["http+tcp", "http+unix"] {
        let mut stream = server.connect(link);
        assert_eq!(stream.read_answer().1, b"Hello World\n");
        stream.get("/json");
        assert_eq!(stream.read_answer().1.len(), 1024);
    }
    let log = server.stop();
    assert_eq!((log.faults(), log.total("answers_sent")), (json!({"greet": 2}), 2));
}
