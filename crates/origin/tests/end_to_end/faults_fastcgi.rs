//! Each fault as it is seen on the wire, over FastCGI.

use crate::fastcgi::{read_answer, read_record, request};
use crate::support::Server;
use hopcost_origin::wire::fastcgi::record;
use serde_json::json;

#[test]
fn each_fault_is_seen_and_counted() {
    let server = Server::start(&[]);
    for link in ["fastcgi+tcp", "fastcgi+unix"] {
        let ask = |name: &str| {
            let mut stream = server.connect(link);
            stream.write(&request(1, true, "GET", &format!("/hello?fault={name}"), b""));
            stream
        };
        for (name, status, body) in [
            ("short-body", "200 OK\r\n", b"Hello ".as_slice()),
            ("wrong-length", "200 OK\r\n", b"Hello World\n+"),
            ("wrong-bytes", "200 OK\r\n", b"Hello \xa8orld\n"),
            ("status-500", "500 Internal", b"asked to fail\n"),
            ("slow-body&pause=1ms", "200 OK\r\n", b"Hello World\n"),
            ("chunked", "200 OK\r\n", b"Hello World\n"),
            ("huge-head", "200 OK\r\n", b"Hello World\n"),
            ("1xx", "200 OK\r\n", b"Hello World\n"),
        ] {
            let mut stream = ask(name);
            let (head, found, records) = read_answer(&mut stream, 1);
            assert!(head.starts_with(&format!("Status: {status}")), "{name}: {head}");
            assert_eq!(found, body, "{name}");
            assert_eq!(head.contains("Content-Length: "), name != "chunked", "{name}");
            assert_eq!(head.len() > 100_000, name == "huge-head", "{name}");
            assert_eq!(
                records > 2,
                ["chunked", "huge-head", "slow-body&pause=1ms"].contains(&name),
                "{name}: {records}"
            );
            // The connection goes on.
            stream.write(&request(2, true, "GET", "/", b""));
            assert_eq!(read_answer(&mut stream, 2).1, b"Hello World\n", "{name}");
        }
        for name in ["close-after-answer", "connection-close", "close-delimited"] {
            let mut stream = ask(name);
            let (head, body, _) = read_answer(&mut stream, 1);
            assert_eq!(body, b"Hello World\n");
            assert_eq!(head.contains("Connection: close\r\n"), name != "close-after-answer");
            assert_eq!(stream.read_to_end(), (vec![], false), "{name}");
        }
        let mut stream = ask("trailing-bytes");
        read_answer(&mut stream, 1);
        let (header, content) = read_record(&mut stream);
        assert_eq!((header.kind, header.id, content.as_slice()), (record::STDOUT, 1, b"sixteen strays!\n".as_slice()));
        let mut stream = ask("two-answers");
        for _ in 0..2 {
            assert_eq!(read_answer(&mut stream, 1).1, b"Hello World\n");
        }
        let (header, content) = read_record(&mut ask("reset-mid-answer"));
        assert_eq!(header.kind, record::STDOUT);
        assert!(content.ends_with(b"\r\n\r\nHello "));
        let mut stream = ask("reset-mid-answer");
        assert_eq!(stream.read_to_end().1, link == "fastcgi+tcp");
        assert_eq!(ask("half-close").read_to_end(), (vec![], false));
    }
    let log = server.stop();
    assert_eq!(
        log.faults(),
        json!({
            "short-body": 2, "trailing-bytes": 2, "two-answers": 2, "wrong-length": 2, "wrong-bytes": 2, "status-500": 2,
            "reset-mid-answer": 4, "half-close": 2, "slow-body": 2, "close-after-answer": 2, "connection-close": 2,
            "chunked": 2, "close-delimited": 2, "huge-head": 2,
        })
    );
    assert_eq!((log.total("answers_sent"), log.total("answers_cut"), log.total("answers_withheld")), (42, 4, 2));
}
