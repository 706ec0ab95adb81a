//! Which answers are correct, and as what the others are counted.

use super::plain::{HELLO, backends, get, only};
use super::run::{counts, errors, good, run, session, target};
use super::server::{Act, Server, answer, chunked};
use hopcost_engine::check::{ExpectedBody, MaskedBody};
use hopcost_engine::plan::Target;
use hopcost_engine::recorder::ErrorKind;
use hopcost_engine::requests::RequestSpec;

/// Every tenth request meets a fault, the others are answered well.
#[test]
fn faults_are_counted_by_their_kind() {
    type Fault = fn() -> Act;
    let table: [(&str, ErrorKind, Fault); 13] = [
        ("another status", ErrorKind::Status, || Act::Answer(answer(500, b"Hello World\n"))),
        ("another body", ErrorKind::Body, || Act::Answer(answer(200, b"Hello Wurld\n"))),
        ("a shorter body", ErrorKind::Body, || Act::Answer(answer(200, b"Hello World"))),
        ("a longer body", ErrorKind::Body, || Act::Answer(answer(200, b"Hello World\n\n"))),
        ("no body", ErrorKind::Body, || Act::Answer(answer(200, b""))),
        ("a longer chunked body", ErrorKind::Body, || Act::Answer(chunked(&[b"Hello World\n", b"x"]))),
        ("a cut body", ErrorKind::Read, || Act::AnswerAndClose(answer(200, b"Hello World\n")[..60].to_vec())),
        ("no answer", ErrorKind::Read, || Act::AnswerAndClose(vec![])),
        ("a reset", ErrorKind::Read, || Act::Reset),
        ("trailing bytes", ErrorKind::Protocol, || {
            Act::Answer([answer(200, b"Hello World\n"), b"x".to_vec()].concat())
        }),
        ("two answers", ErrorKind::Protocol, || Act::Answer(answer(200, b"Hello World\n").repeat(2))),
        ("no HTTP", ErrorKind::Protocol, || Act::Answer(b"220 ready\r\n".to_vec())),
        ("a bad chunk", ErrorKind::Protocol, || {
            Act::Answer(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".to_vec())
        }),
    ];
    for io in backends() {
        for (name, kind, fault) in table {
            let server = Server::tcp(move |number| if number % 10 == 3 { fault() } else { good() });
            let seen = run(session(io, target(&server.address, 4, Some(100))));
            let counts = counts(&seen);
            assert_eq!(counts.errors, errors(kind, 10), "{name}, {io:?}");
            assert_eq!((counts.sent, counts.answers, server.requests()), (100, 90, 100), "{name}, {io:?}");
        }
    }
}

/// A token is another one in each answer; in every tenth a byte beside it is wrong too, or the token is longer.
#[test]
fn bodies_that_change_under_a_mask_are_correct_and_no_others() {
    let masked = || {
        let body = MaskedBody::new(b"token=00000000;\n", &[(6, 14)]).expect("a range of the body");
        RequestSpec { expected: ExpectedBody::Masked(body.into()), ..get("/", HELLO) }
    };
    let faults: [fn(u64) -> String; 2] =
        [|number| format!("token={number:08}:\n"), |number| format!("token={number:09};\n")];
    for io in backends() {
        for fault in faults {
            for piece_bytes in [1, 4096] {
                let server = Server::tcp(move |number| {
                    let body = if number % 10 == 3 { fault(number) } else { format!("token={number:08};\n") };
                    Act::InPieces(answer(200, body.as_bytes()), piece_bytes)
                });
                let target = target(&server.address, 4, Some(100));
                let seen = run(session(io, Target { requests: only(masked()), ..target }));
                let counts = counts(&seen);
                assert_eq!((counts.answers, counts.compared), (90, 90), "{io:?}");
                assert_eq!(counts.errors, errors(ErrorKind::Body, 10), "{io:?}");
            }
        }
    }
}

#[test]
fn answers_that_close_their_connection_are_correct() {
    type Way = fn() -> Act;
    let table: [(&str, Way); 3] = [
        ("announced", || {
            let text = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 12\r\n\r\nHello World\n";
            Act::AnswerAndClose(text.to_vec())
        }),
        ("close-delimited", || Act::AnswerAndClose(b"HTTP/1.1 200 OK\r\n\r\nHello World\n".to_vec())),
        ("HTTP/1.0", || Act::AnswerAndClose(b"HTTP/1.0 200 OK\r\nContent-Length: 12\r\n\r\nHello World\n".to_vec())),
    ];
    for io in backends() {
        for (name, way) in table {
            let server = Server::tcp(move |_| way());
            let counts = counts(&run(session(io, target(&server.address, 4, Some(200)))));
            assert_eq!((counts.answers, counts.reconnects, counts.errors.total()), (200, 200, 0), "{name}, {io:?}");
            assert_eq!(server.requests(), 200);
        }
    }
}

#[test]
fn answers_in_all_shapes() {
    type Shape = fn() -> Act;
    let table: [(&str, Shape); 4] = [
        ("chunked", || Act::Answer(chunked(&[b"Hello", b" ", b"World\n"]))),
        ("interim", || {
            Act::Answer([b"HTTP/1.1 103 Early Hints\r\n\r\n".to_vec(), answer(200, b"Hello World\n")].concat())
        }),
        ("single bytes", || Act::InPieces(answer(200, b"Hello World\n"), 1)),
        ("a head in two pieces", || Act::InPieces(answer(200, b"Hello World\n"), 20)),
    ];
    for io in backends() {
        for (name, shape) in table {
            let server = Server::tcp(move |_| shape());
            let counts = counts(&run(session(io, target(&server.address, 2, Some(40)))));
            assert_eq!((counts.answers, counts.compared, counts.errors.total()), (40, 40, 0), "{name}, {io:?}");
        }
    }
}

#[test]
fn long_bodies_have_their_length_checked_always_and_their_bytes_sometimes() {
    let body: Vec<u8> = (0..1_000_000_u32).map(|i| i.to_le_bytes()[0]).collect();
    let sent = answer(200, &body);
    for io in backends() {
        for known in [true, false] {
            let sent = sent.clone();
            let server = Server::tcp(move |_| Act::Answer(sent.clone()));
            let mut target = target(&server.address, 4, Some(64));
            let expected = if known {
                ExpectedBody::Bytes(body.as_slice().into())
            } else {
                ExpectedBody::First(Default::default())
            };
            target.requests = only(RequestSpec { expected, ..get("/", HELLO) });
            let counts = counts(&run(session(io, target)));
            assert_eq!((counts.answers, counts.errors.total()), (64, 0), "{io:?}");
            assert!(
                (4..=8).contains(&counts.compared),
                "one in sixteen, or one of the first four: {}",
                counts.compared
            );
        }
    }
}

#[test]
fn an_answer_to_head_has_no_body() {
    for io in backends() {
        let server = Server::tcp(|_| Act::Answer(b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n".to_vec()));
        let mut target = target(&server.address, 2, Some(20));
        target.requests = only(RequestSpec { method: "HEAD".into(), ..get("/", HELLO) });
        assert_eq!(counts(&run(session(io, target))).answers, 20);
    }
}
