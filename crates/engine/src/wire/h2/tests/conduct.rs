//! What the client says by itself, and what it does with settings, windows and farewells.

use super::*;

#[test]
fn it_says_what_it_allows_before_all_else() {
    let mut client = Client::new();
    assert!(client.connection.wants_output() && !client.connection.has_settings());
    let bytes = client.connection.take_output();
    assert!(bytes.starts_with(PREFACE));
    client.connection = Connection::new(requests(), 1);
    let sent = client.sent();
    let expected = [(1_u16, 0_u32), (2, 0), (4, (1 << 31) - 1), (6, 100_000)]
        .iter()
        .flat_map(|(name, value)| [&name.to_be_bytes()[..], &value.to_be_bytes()].concat())
        .collect();
    assert_eq!(sent[0], Sent { kind: Kind::Settings, flags: 0, stream: 0, payload: expected });
    let growth = ((1_u32 << 31) - 1 - 65_535).to_be_bytes().to_vec();
    assert_eq!(sent[1], Sent { kind: Kind::WindowUpdate, flags: 0, stream: 0, payload: growth });
    assert_eq!((sent.len(), client.connection.wants_output()), (2, false));
}

#[test]
fn requests_are_sent_at_once_and_in_order() {
    let mut client = Client::new();
    client.sent();
    assert_eq!(client.begin(GET), Some(0));
    assert_eq!(client.begin(GET), Some(1));
    let sent = client.sent();
    let shape: Vec<_> = sent.iter().map(|sent| (sent.kind, sent.flags, sent.stream)).collect();
    assert_eq!(shape, [(Kind::Headers, WHOLE, 1), (Kind::Headers, WHOLE, 3)]);
    let first = fields(&sent[0].payload);
    assert_eq!(first[0], (":method".to_owned(), "GET".to_owned()));
    assert!(sent[1].payload.len() < sent[0].payload.len(), "the authority is in the table");
}

#[test]
fn what_the_server_asks_is_answered_in_order() {
    let mut client = Client::new();
    client.sent();
    client.receive(&settings(&[(3, 5)]));
    client.receive(&frame(Kind::Ping, 0, 0, b"12345678")).receive(&settings(&[]));
    client.receive(&frame(Kind::Ping, ACK, 0, b"12345678")).receive(&frame(Kind::Settings, ACK, 0, &[]));
    let ack = || Sent { kind: Kind::Settings, flags: ACK, stream: 0, payload: Vec::new() };
    let pong = Sent { kind: Kind::Ping, flags: ACK, stream: 0, payload: b"12345678".to_vec() };
    assert_eq!((client.sent(), client.end), (vec![ack(), pong, ack()], Ok(())));
}

#[test]
fn no_more_streams_than_the_server_allows() {
    let mut client = Client::new();
    assert_eq!(client.connection.room(), 100, "so many may be opened before it has said anything");
    client.receive(&settings(&[(3, 2)]));
    assert_eq!(client.connection.room(), 2);
    assert_eq!((client.ask(GET), client.ask(GET)), (1, 3));
    assert_eq!((client.connection.room(), client.begin(GET)), (0, None));
    client.receive(&settings(&[(3, 1)]));
    client.receive(&frame(Kind::Headers, WHOLE, 1, OK));
    assert_eq!(client.connection.room(), 0, "one is open still");
    client.receive(&settings(&[(3, 0)])).receive(&frame(Kind::Headers, WHOLE, 3, OK));
    assert_eq!(client.connection.room(), 0);
    client.receive(&settings(&[(3, 1000)]));
    assert_eq!(client.connection.room(), 100, "and no more than there are places");
    let mut unlimited = Client::new();
    unlimited.connection = Connection::new(requests(), 500);
    assert_eq!(unlimited.connection.room(), 100);
    unlimited.receive(&settings(&[]));
    assert_eq!(unlimited.connection.room(), 500, "who says nothing limits nothing");
}

#[test]
fn who_goes_away_ends_what_it_took_up() {
    let mut client = Client::ready();
    for _ in 0..4 {
        client.ask(GET);
    }
    // A farewell in two steps, as section 6.8 wants it.
    client.receive(&go_away((1 << 31) - 1, ErrorCode::NO_ERROR));
    assert!(client.connection.is_spent() && client.connection.room() == 0);
    assert!(client.told().is_empty());
    client.receive(&go_away(3, ErrorCode::NO_ERROR));
    assert_eq!(client.told.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(client.told(), [Told::Unprocessed, Told::Unprocessed]);
    client.receive(&frame(Kind::Headers, WHOLE, 3, OK)).receive(&frame(Kind::Headers, WHOLE, 1, OK));
    assert_eq!(client.told(), [Told::Head(200), Told::End, Told::Head(200), Told::End]);
    assert_eq!((client.connection.open_count(), client.begin(GET)), (0, None));
    client.receive(&go_away(5, ErrorCode::NO_ERROR));
    assert_eq!(client.end, Err(Violation::GoAway), "it takes in more than before");
}

/// Frames of a stream that we gave up may be on their way.
#[test]
fn what_comes_behind_a_cancel_is_dropped() {
    let mut client = Client::ready();
    client.ask(GET);
    client.connection.cancel(0);
    assert_eq!(client.endings(), [(Kind::RstStream, 1, ErrorCode::CANCEL)]);
    assert_eq!(client.ask(GET), 3, "its place is free at once");
    client.receive(&frame(Kind::Headers, 0, 1, b"\x88")).receive(&frame(Kind::Continuation, END_HEADERS, 1, &[]));
    client.receive(&number(Kind::WindowUpdate, 1, 5)).receive(&frame(Kind::Data, 0, 1, b"abc"));
    client.receive(&frame(Kind::Data, END_STREAM, 1, b"abc"));
    assert_eq!((client.told(), client.end), (vec![], Ok(())));
    client.receive(&frame(Kind::Headers, WHOLE, 3, OK));
    assert_eq!(client.told(), [Told::Head(200), Told::End]);
    // The server has ended it: now it is over.
    client.receive(&frame(Kind::Data, 0, 1, b"abc"));
    assert_eq!(client.end, Err(Violation::ClosedStream(Kind::Data)));
    client.connection.cancel(0);
    client.connection.cancel(1000);
}

#[test]
fn a_cancel_in_the_midst_of_a_frame() {
    let mut client = Client::ready();
    client.ask(GET);
    let data = frame(Kind::Data, 0, 1, b"abcdef");
    client.receive(&frame(Kind::Headers, END_HEADERS, 1, OK)).receive(&data[..11]);
    client.connection.cancel(0);
    assert_eq!(client.ask(GET), 3);
    client.receive(&data[11..]).receive(&frame(Kind::Headers, WHOLE, 3, NOT_FOUND));
    assert_eq!(client.told(), [Told::Head(200), Told::Body(b"ab".to_vec()), Told::Head(404), Told::End]);
}

/// Some two gigabytes of answers, in frames of 16 KB.
#[test]
#[cfg_attr(miri, ignore)]
fn windows_are_filled_up_at_half() {
    let mut client = Client::ready();
    client.ask(GET);
    client.receive(&frame(Kind::Headers, END_HEADERS, 1, OK));
    let data = frame(Kind::Data, 0, 1, &vec![0; 16_384]);
    for _ in 0..(1 << 30) / 16_384 {
        client.receive(&data);
        // What was told is not of interest here, and long.
        client.told.clear();
    }
    let growth: Vec<_> = client.sent().into_iter().map(|sent| (sent.kind, sent.stream, sent.payload)).collect();
    let bytes = (1_u32 << 30).to_be_bytes().to_vec();
    assert_eq!(growth, [(Kind::WindowUpdate, 0, bytes.clone()), (Kind::WindowUpdate, 1, bytes)]);
}

#[test]
fn numbers_of_streams_come_to_an_end() {
    let mut client = Client::ready();
    client.connection.set_next_id(u32::MAX >> 1);
    assert_eq!(client.ask(GET), u32::MAX >> 1);
    assert!(client.connection.is_spent());
    assert_eq!((client.connection.room(), client.begin(GET)), (0, None));
}

#[test]
fn a_client_says_good_bye() {
    let mut client = Client::ready();
    client.connection.leave();
    assert_eq!(client.endings(), [(Kind::GoAway, 0, ErrorCode::NO_ERROR)]);
}
