//! FastCGI as it should be, and a small client for it.

use crate::support::{Server, Stream, pattern};
use hopcost_origin::wire::fastcgi::params::push_pair;
use hopcost_origin::wire::fastcgi::record::{self, HEADER_BYTES, Header};

const LINKS: [&str; 2] = ["fastcgi+tcp", "fastcgi+unix"];

/// Bytes of a request.
pub fn request(id: u16, keep: bool, method: &str, target: &str, body: &[u8]) -> Vec<u8> {
    let (mut out, mut params) = (Vec::new(), Vec::new());
    record::header(&mut out, record::BEGIN_REQUEST, id, 8, 0);
    out.extend_from_slice(&[0, 1, u8::from(keep), 0, 0, 0, 0, 0]);
    push_pair(&mut params, b"REQUEST_METHOD", method.as_bytes());
    push_pair(&mut params, b"REQUEST_URI", target.as_bytes());
    push_pair(&mut params, b"CONTENT_LENGTH", body.len().to_string().as_bytes());
    record::stream(&mut out, record::PARAMS, id, &params);
    record::header(&mut out, record::PARAMS, id, 0, 0);
    record::stream(&mut out, record::STDIN, id, body);
    record::header(&mut out, record::STDIN, id, 0, 0);
    out
}

/// One record with its content.
pub fn read_record(stream: &mut Stream) -> (Header, Vec<u8>) {
    let header = Header::read(&stream.read_exactly(HEADER_BYTES)).expect("a whole header");
    let content = stream.read_exactly(usize::from(header.content));
    stream.read_exactly(usize::from(header.padding));
    (header, content)
}

/// What was on STDOUT up to the end of request `id`: head and body, and the number of records.
pub fn read_answer(stream: &mut Stream, id: u16) -> (String, Vec<u8>, usize) {
    let (mut out, mut records) = (Vec::new(), 0);
    loop {
        let (header, content) = read_record(stream);
        assert_eq!(header.id, id);
        match header.kind {
            record::STDOUT => out.extend(content),
            record::END_REQUEST => {
                assert_eq!(content, [0; 8]);
                break;
            }
            other => panic!("a record of type {other}"),
        }
        records += 1;
    }
    let end = out.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4;
    let body = out.split_off(end);
    (String::from_utf8(out).expect("heads are ASCII"), body, records)
}

#[test]
fn any_path_is_answered_with_the_route_that_was_chosen() {
    let server = Server::start(&["--any-path", "/512"]);
    for link in LINKS {
        let mut stream = server.connect(link);
        for (id, target) in [(1, "/index.php?q=1"), (2, "/nothing"), (3, "/?every=0")] {
            stream.write(&request(id, true, "GET", target, b""));
            let (head, body, _) = read_answer(&mut stream, id);
            assert!(head.starts_with("Status: 200 OK\r\n"), "{target}: {head}");
            assert_eq!(body.len(), 512, "{target}");
        }
    }
    assert_eq!(server.stop().total("answers_sent"), 6);
}

#[test]
fn requests_one_after_another() {
    let server = Server::start(&[]);
    for link in LINKS {
        let mut stream = server.connect(link);
        for id in [1, 2, 65_535] {
            stream.write(&request(id, true, "GET", "/hello", b""));
            let (head, body, _) = read_answer(&mut stream, id);
            assert!(head.starts_with("Status: 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 12\r\n"), "{head}");
            assert_eq!(body, b"Hello World\n");
        }
        stream.write(&[request(3, true, "HEAD", "/json", b""), request(4, true, "GET", "/nothing", b"")].concat());
        assert_eq!(read_answer(&mut stream, 3).1, b"");
        assert!(read_answer(&mut stream, 4).0.starts_with("Status: 404 "));
        stream.write(&request(5, true, "POST", "/echo-length", &vec![b'x'; 200_000]));
        assert_eq!(read_answer(&mut stream, 5).1, b"200000\n");
        stream.write(&request(6, true, "GET", "/bytes/1000000", b""));
        assert_eq!(read_answer(&mut stream, 6).1, pattern(1_000_000));
        stream.write(&request(7, false, "GET", "/text", b""));
        assert_eq!(read_answer(&mut stream, 7).1.len(), 1024);
        assert_eq!(stream.read_to_end(), (vec![], false));
    }
    let log = server.stop();
    for link in LINKS {
        for (count, expected) in [
            ("connections_accepted", 1),
            ("requests_received", 8),
            ("answers_sent", 8),
            ("body_bytes_in", 200_000),
            ("body_bytes_out", 36 + 14 + 7 + 1_000_000 + 1024),
        ] {
            assert_eq!(log.of(link, count), expected, "{link} {count}");
        }
    }
}

#[test]
fn a_waiting_request_can_be_taken_back() {
    let server = Server::start(&[]);
    for link in LINKS {
        let mut stream = server.connect(link);
        for target in ["/?delay=constant:3000s", "/?fault=hang"] {
            stream.write(&request(9, true, "GET", target, b""));
            let mut abort = Vec::new();
            record::header(&mut abort, record::ABORT_REQUEST, 9, 0, 0);
            stream.write(&abort);
            let (header, _) = read_record(&mut stream);
            assert_eq!((header.kind, header.id), (record::END_REQUEST, 9));
        }
        stream.write(&request(10, true, "GET", "/", b""));
        assert_eq!(read_answer(&mut stream, 10).1, b"Hello World\n");
    }
    let log = server.stop();
    assert_eq!((log.total("answers_lost"), log.total("answers_withheld"), log.total("answers_sent")), (2, 2, 2));
}

#[test]
fn requests_in_between_are_refused_and_counted() {
    let server = Server::start(&[]);
    let mut stream = server.connect("fastcgi+tcp");
    let first = request(1, true, "GET", "/", b"");
    stream.write(&first[..16]);
    stream.write(&request(2, true, "GET", "/", b""));
    stream.write(&first[16..]);
    let (header, content) = read_record(&mut stream);
    assert_eq!((header.kind, header.id, content[4]), (record::END_REQUEST, 2, record::CANT_MPX_CONN));
    assert_eq!(read_answer(&mut stream, 1).1, b"Hello World\n");
    let log = server.stop();
    assert_eq!((log.total("requests_refused"), log.total("requests_received")), (1, 1));
}
