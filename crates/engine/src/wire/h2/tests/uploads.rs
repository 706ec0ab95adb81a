//! Bodies of requests, and the server's windows (RFC 9113, sections 5.2 and 6.9).

use super::*;

/// How many bytes of DATA were sent on a stream, and whether that was the end.
fn uploaded(client: &mut Client, stream: u32) -> (usize, bool) {
    let mut ended = false;
    let mut bytes = 0;
    for sent in client.sent().into_iter().filter(|sent| sent.kind == Kind::Data && sent.stream == stream) {
        assert!(!ended && sent.payload.len() <= 16_384 && sent.payload.iter().all(|&byte| byte == b'u'));
        bytes += sent.payload.len();
        ended = sent.flags & END_STREAM != 0;
    }
    (bytes, ended)
}

/// A client whose request's first window is sent.
fn client(first: &[(u16, u32)]) -> (Client, usize) {
    let mut client = Client::new();
    client.receive(&settings(first));
    client.sent();
    client.begin(POST).expect("there is room");
    let (bytes, ended) = uploaded(&mut client, 1);
    assert!(!ended);
    (client, bytes)
}

#[test]
fn a_body_waits_for_both_windows() {
    let (mut client, bytes) = client(&[]);
    assert_eq!((bytes, client.connection.wants_output()), (65_535, false));
    client.receive(&number(Kind::WindowUpdate, 1, 100_000));
    assert!(!client.connection.wants_output(), "the connection's window is empty");
    client.receive(&number(Kind::WindowUpdate, 0, 10));
    assert!(client.connection.wants_output());
    assert_eq!(uploaded(&mut client, 1), (10, false));
    client.receive(&number(Kind::WindowUpdate, 0, 100_000));
    assert_eq!(uploaded(&mut client, 1), (BODY_BYTES - 65_545, true));
    client.receive(&frame(Kind::Headers, WHOLE, 1, OK));
    assert_eq!((client.told(), client.endings()), (vec![Told::Head(200), Told::End], vec![]));
}

#[test]
fn settings_change_the_windows_of_open_streams() {
    let (mut client, bytes) = client(&[(4, 1000)]);
    assert_eq!(bytes, 1000);
    client.receive(&settings(&[(4, 400)]));
    client.receive(&number(Kind::WindowUpdate, 1, 600));
    assert!(!client.connection.wants_output() || uploaded(&mut client, 1).0 == 0, "it was 600 below nothing");
    client.receive(&number(Kind::WindowUpdate, 1, 7));
    assert_eq!(uploaded(&mut client, 1), (7, false));
    client.receive(&settings(&[(4, 500)]));
    assert_eq!(uploaded(&mut client, 1), (100, false));
    client.receive(&number(Kind::WindowUpdate, 1, (1 << 31) - 1));
    assert!(client.told().is_empty());
    client.receive(&settings(&[(4, 501)]));
    assert_eq!(client.end, Err(Violation::WindowOverflow));
}

#[test]
fn frames_are_no_longer_than_any_server_must_take() {
    let (mut client, _) = client(&[(5, 1 << 20)]);
    client.receive(&number(Kind::WindowUpdate, 1, 1 << 20)).receive(&number(Kind::WindowUpdate, 0, 1 << 20));
    assert!(client.sent().iter().all(|sent| sent.payload.len() <= 16_384));
}

#[test]
fn bodies_take_turns() {
    let mut client = Client::new();
    client.receive(&settings(&[(4, 1 << 20)])).receive(&number(Kind::WindowUpdate, 0, 1 << 20));
    client.sent();
    client.begin(POST);
    client.begin(POST);
    let streams: Vec<u32> =
        client.sent().into_iter().filter(|sent| sent.kind == Kind::Data).map(|sent| sent.stream).collect();
    assert_eq!(streams, [1, 3, 1, 3], "and no more is made than can be sent soon");
    let mut bytes = [0, 0];
    while client.connection.wants_output() {
        for sent in client.sent() {
            bytes[usize::from(sent.stream == 3)] += sent.payload.len();
        }
    }
    assert_eq!(bytes, [BODY_BYTES - 2 * 16_384; 2]);
}

#[test]
fn a_body_waits_for_100_continue() {
    let mut client = Client::ready();
    client.ask(WAITING);
    assert!(!client.connection.wants_output());
    client.receive(&frame(Kind::Headers, END_HEADERS, 1, b"\x08\x03103"));
    assert!(!client.connection.wants_output(), "that was another interim answer");
    client.receive(&frame(Kind::Headers, END_HEADERS, 1, b"\x08\x03100"));
    assert_eq!(uploaded(&mut client, 1).0, 65_535);
    let mut client = Client::ready();
    client.ask(WAITING);
    client.connection.send_body(0);
    assert_eq!(uploaded(&mut client, 1).0, 65_535, "or for nobody, after some time");
}

#[test]
fn an_early_answer_ends_the_upload() {
    let mut client = Client::ready();
    client.ask(POST);
    client.receive(&[frame(Kind::Headers, WHOLE, 1, NOT_FOUND), number(Kind::RstStream, 1, 0)].concat());
    assert_eq!(client.told(), [Told::Head(404), Told::End], "the reset behind the answer takes nothing back");
    assert_eq!(client.endings(), [(Kind::RstStream, 1, ErrorCode::CANCEL)]);
    client.receive(&number(Kind::WindowUpdate, 0, 1 << 20)).receive(&number(Kind::WindowUpdate, 1, 9));
    assert_eq!((client.sent(), client.end), (vec![], Ok(())));
}

#[test]
fn a_long_request_goes_on_in_continuation() {
    let cookie = "\u{7f}".repeat(40_000);
    let headers = [("cookie".to_owned(), cookie.clone())];
    let request = Request { method: "GET", target: "/", host: "h", headers: &headers, body: None };
    let mut client = Client::new();
    client.connection = Connection::new(Arc::new(Requests::new("https", &[request]).expect("valid")), 1);
    client.receive(&settings(&[(1, 0)]));
    client.sent();
    client.begin(0);
    let sent = client.sent();
    let shape: Vec<_> = sent.iter().map(|sent| (sent.kind, sent.flags, sent.stream, sent.payload.len())).collect();
    assert_eq!(shape[0], (Kind::Headers, END_STREAM, 1, 16_384));
    assert_eq!(shape[1], (Kind::Continuation, 0, 1, 16_384));
    let (kind, flags, stream, last_bytes) = shape[2];
    assert_eq!((shape.len(), kind, flags, stream), (3, Kind::Continuation, END_HEADERS, 1));
    assert!(last_bytes < 16_384);
    let block: Vec<u8> = sent.into_iter().flat_map(|sent| sent.payload).collect();
    assert_eq!(fields(&block).last(), Some(&("cookie".to_owned(), cookie)));
}
