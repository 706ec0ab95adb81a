//! Every kind of frame on every kind of stream, in every state of the connection, and in wrong forms: what h2spec asks of
//! servers, asked of a client.

use super::*;
use Violation::{
    BlockInterrupted, ClosedStream, FrameLength, FrameTooLong, IdleStream, NothingToContinue, Padding, Preface, Push,
    StreamNumber, ZeroIncrement,
};

/// Where a stream of the client's can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Never opened.
    Idle,
    /// Its request is sent.
    Asked,
    /// The head of its answer has come.
    Answering,
    /// Its answer is complete.
    Ended,
    /// The server reset it.
    Reset,
    /// The client reset it.
    Cancelled,
}

/// A client whose stream 1 is there; if that is not idle, stream 3 waits for its answer.
fn client(state: State) -> Client {
    let mut client = Client::ready();
    if state == State::Idle {
        return client;
    }
    client.ask(GET);
    client.ask(GET);
    let bytes = match state {
        State::Idle | State::Asked | State::Cancelled => Vec::new(),
        State::Answering => frame(Kind::Headers, END_HEADERS, 1, OK),
        State::Ended => frame(Kind::Headers, WHOLE, 1, OK),
        State::Reset => number(Kind::RstStream, 1, 8),
    };
    client.receive(&bytes);
    if state == State::Cancelled {
        client.connection.cancel(0);
    }
    client.told.clear();
    client.sent();
    client
}

/// A frame of each kind that is right by itself.
fn right(kind: Kind, stream: u32) -> Vec<u8> {
    match kind {
        Kind::Data => frame(kind, 0, stream, b"abc"),
        Kind::Headers => frame(kind, END_HEADERS, stream, OK),
        Kind::Priority => frame(kind, 0, stream, b"\0\0\0\0\x0f"),
        Kind::RstStream => number(kind, stream, ErrorCode::CANCEL.0),
        Kind::Settings => frame(kind, 0, stream, b"\0\x03\0\0\0\x05"),
        Kind::PushPromise => frame(kind, END_HEADERS, stream, b"\0\0\0\x02\x82"),
        Kind::Ping => frame(kind, 0, stream, b"12345678"),
        Kind::GoAway => frame(kind, 0, stream, &[0; 8]),
        Kind::WindowUpdate => number(kind, stream, 1),
        Kind::Continuation => frame(kind, END_HEADERS, stream, OK),
        Kind::Unknown(_) => frame(kind, 0xff, stream, b"whatever"),
    }
}

const UNKNOWN: Kind = Kind::Unknown(0x55);

/// What a frame on stream 1 does: `Err` ends the connection, `Ok` is what is told of the stream.
fn outcome(state: State, bytes: &[u8]) -> Result<Vec<Told>, Violation> {
    let mut client = client(state);
    client.receive(bytes);
    if let Err(violation) = client.end {
        assert_eq!(client.endings(), [(Kind::GoAway, 0, violation.code())], "the server is told why");
        assert!(client.connection.is_spent());
        client.end = Ok(());
        client.receive(&right(Kind::Ping, 0));
        assert_eq!(client.end, Err(violation), "and nothing is read any more");
        return Err(violation);
    }
    Ok(client.told())
}

#[test]
fn every_frame_in_every_state() {
    use State::{Answering, Asked, Cancelled, Ended, Idle, Reset};
    let all = [Idle, Asked, Answering, Ended, Reset, Cancelled];
    let reset = || Ok(vec![Told::Reset(8)]);
    let ignored = || Ok(vec![]);
    for state in all {
        for kind in Kind::ALL.into_iter().chain([UNKNOWN]) {
            let expected = match (kind, state) {
                (Kind::Data | Kind::Headers | Kind::RstStream | Kind::WindowUpdate, Idle) => Err(IdleStream(kind)),
                (Kind::Data | Kind::Headers, Ended | Reset) => Err(ClosedStream(kind)),
                (Kind::Data | Kind::Headers, Cancelled) => ignored(),
                (Kind::Data, Asked) => Ok(vec![Told::Broken(Violation::DataBeforeHead)]),
                (Kind::Data, Answering) => Ok(vec![Told::Body(b"abc".to_vec())]),
                (Kind::Headers, Asked) => Ok(vec![Told::Head(200)]),
                // Trailers with a status, and without an end.
                (Kind::Headers, Answering) => Ok(vec![Told::Broken(Violation::PseudoField)]),
                (Kind::RstStream, Asked | Answering) => reset(),
                (Kind::RstStream | Kind::WindowUpdate, _) => ignored(),
                (Kind::Priority | Kind::Unknown(_), _) => ignored(),
                (Kind::Settings | Kind::Ping | Kind::GoAway, _) => Err(StreamNumber(kind)),
                (Kind::PushPromise, _) => Err(Push),
                (Kind::Continuation, _) => Err(NothingToContinue),
            };
            assert_eq!(outcome(state, &right(kind, 1)), expected, "{kind:?}, {state:?}");
            // Streams of the server's: there is none.
            let on_other = match kind {
                Kind::Data | Kind::Headers | Kind::RstStream | Kind::WindowUpdate => Err(IdleStream(kind)),
                Kind::Priority | Kind::Unknown(_) => ignored(),
                Kind::Settings | Kind::Ping | Kind::GoAway => Err(StreamNumber(kind)),
                Kind::PushPromise => Err(Push),
                Kind::Continuation => Err(NothingToContinue),
            };
            assert_eq!(outcome(state, &right(kind, 2)), on_other, "{kind:?}, {state:?}, stream 2");
            assert_eq!(outcome(state, &right(kind, 77)), on_other, "{kind:?}, {state:?}, stream 77");
            // Stream 0 is the connection.
            let on_connection = match (kind, state) {
                (Kind::GoAway, Asked | Answering) => Ok(vec![Told::Unprocessed, Told::Unprocessed]),
                (Kind::GoAway, Ended | Reset | Cancelled) => Ok(vec![Told::Unprocessed]),
                (Kind::Settings | Kind::Ping | Kind::GoAway | Kind::WindowUpdate | Kind::Unknown(_), _) => ignored(),
                (Kind::Continuation, _) => Err(NothingToContinue),
                _ => Err(StreamNumber(kind)),
            };
            assert_eq!(outcome(state, &right(kind, 0)), on_connection, "{kind:?}, {state:?}, stream 0");
        }
    }
}

#[test]
fn nothing_comes_before_the_settings() {
    for kind in Kind::ALL.into_iter().chain([UNKNOWN]) {
        let mut client = Client::new();
        client.ask(GET);
        client.receive(&right(kind, u32::from(!matches!(kind, Kind::Settings | Kind::Ping | Kind::GoAway))));
        let expected = if kind == Kind::Settings { Ok(()) } else { Err(Preface) };
        assert_eq!(client.end, expected, "{kind:?}");
    }
    for bytes in [frame(Kind::Settings, ACK, 0, &[]), b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()] {
        assert_eq!(Client::new().receive(&bytes).end, Err(Preface));
    }
}

#[test]
fn nothing_comes_between_the_parts_of_a_block() {
    for kind in Kind::ALL.into_iter().chain([UNKNOWN]) {
        for stream in [0, 1, 3] {
            let begun = frame(Kind::Headers, END_STREAM, 1, OK);
            let expected = match (kind, stream) {
                (Kind::Continuation, 1) => Ok(vec![Told::Head(200), Told::End]),
                _ => Err(BlockInterrupted(kind)),
            };
            let second =
                if kind == Kind::Continuation { frame(kind, END_HEADERS, stream, b"") } else { right(kind, stream) };
            let got = outcome(State::Asked, &[begun, second].concat());
            assert_eq!(got, expected, "{kind:?} on stream {stream}");
        }
    }
    // A trailer's block, too, and one on a stream that was cancelled.
    let begun = frame(Kind::Headers, END_STREAM, 1, b"");
    for state in [State::Answering, State::Cancelled] {
        let bytes = [begun.clone(), right(Kind::Ping, 0)].concat();
        assert_eq!(outcome(state, &bytes), Err(BlockInterrupted(Kind::Ping)));
    }
}

#[test]
fn frames_of_the_wrong_length() {
    let table = [
        (Kind::Priority, 1, 4, FrameLength(Kind::Priority)),
        (Kind::Priority, 1, 6, FrameLength(Kind::Priority)),
        (Kind::RstStream, 1, 3, FrameLength(Kind::RstStream)),
        (Kind::RstStream, 1, 5, FrameLength(Kind::RstStream)),
        (Kind::Settings, 0, 5, FrameLength(Kind::Settings)),
        (Kind::Ping, 0, 7, FrameLength(Kind::Ping)),
        (Kind::Ping, 0, 9, FrameLength(Kind::Ping)),
        (Kind::GoAway, 0, 7, FrameLength(Kind::GoAway)),
        (Kind::WindowUpdate, 0, 3, FrameLength(Kind::WindowUpdate)),
        (Kind::WindowUpdate, 1, 5, FrameLength(Kind::WindowUpdate)),
        (Kind::Data, 1, 16_385, FrameTooLong),
        (Kind::Headers, 1, 16_385, FrameTooLong),
        (UNKNOWN, 1, 16_385, FrameTooLong),
        (Kind::Ping, 0, (1 << 24) - 1, FrameTooLong),
    ];
    for (kind, stream, payload_bytes, violation) in table {
        // The header is enough.
        let mut header = Vec::new();
        FrameHeader { payload_bytes, kind, flags: 0, stream }.write(&mut header);
        assert_eq!(outcome(State::Asked, &header), Err(violation), "{kind:?}");
    }
    let longest = frame(Kind::Data, END_STREAM, 1, &[0; 16_384]);
    assert_eq!(outcome(State::Answering, &longest), Ok(vec![Told::Body(vec![0; 16_384]), Told::End]));
    let with_debug_data = [&[0, 0, 0, 1][..], &[0; 5], b"so long"].concat();
    assert_eq!(outcome(State::Ended, &frame(Kind::GoAway, 0, 0, &with_debug_data)), Ok(vec![Told::Unprocessed]));
}

#[test]
fn frames_with_wrong_contents() {
    let priority = flag::PRIORITY;
    let table: Vec<(Vec<u8>, Violation)> = vec![
        (frame(Kind::Settings, ACK, 0, &[0; 6]), FrameLength(Kind::Settings)),
        (frame(Kind::Settings, ACK, 0, &[]), Violation::UnaskedAck),
        (settings(&[(2, 1)]), Violation::EnablePush),
        (settings(&[(4, 1 << 31)]), Violation::InitialWindow),
        (settings(&[(5, 1)]), Violation::MaxFrameSize),
        (settings(&[(8, 3)]), Violation::Switch(8)),
        (number(Kind::WindowUpdate, 0, 0), ZeroIncrement),
        (number(Kind::WindowUpdate, 0, 1 << 31), ZeroIncrement),
        (number(Kind::WindowUpdate, 0, (1 << 31) - 1), Violation::WindowOverflow),
        (frame(Kind::Data, PADDED, 1, b""), FrameLength(Kind::Data)),
        (frame(Kind::Data, PADDED, 1, b"\x01"), Padding(Kind::Data)),
        (frame(Kind::Data, PADDED, 1, b"\x03ab"), Padding(Kind::Data)),
        (frame(Kind::Headers, PADDED | WHOLE, 1, b""), FrameLength(Kind::Headers)),
        (frame(Kind::Headers, PADDED | WHOLE, 1, b"\x02\x88"), Padding(Kind::Headers)),
        (frame(Kind::Headers, priority | WHOLE, 1, b"\0\0\0\0"), FrameLength(Kind::Headers)),
        (frame(Kind::Headers, priority | PADDED | WHOLE, 1, b"\x01\0\0\0\0"), FrameLength(Kind::Headers)),
        (frame(Kind::Headers, priority | PADDED | WHOLE, 1, b"\x01\0\0\0\0\0"), Padding(Kind::Headers)),
        (frame(Kind::Headers, WHOLE, 1, b"\xbe"), Violation::Compression(super::super::hpack::Error::Index)),
        (frame(Kind::Headers, WHOLE, 1, b"\x3f\x01"), Violation::Compression(super::super::hpack::Error::TableSize)),
    ];
    for (bytes, violation) in table {
        assert_eq!(outcome(State::Answering, &bytes), Err(violation), "{bytes:x?}");
    }
    // On a stream, windows are that stream's affair.
    for (bytes, violation) in [
        (number(Kind::WindowUpdate, 1, 0), ZeroIncrement),
        (number(Kind::WindowUpdate, 1, (1 << 31) - 1), Violation::WindowOverflow),
    ] {
        let mut client = client(State::Answering);
        client.receive(&bytes);
        assert_eq!((client.told(), client.end), (vec![Told::Broken(violation)], Ok(())));
        assert_eq!(client.endings(), [(Kind::RstStream, 1, violation.code())]);
    }
}

#[test]
fn every_violation_has_its_section() {
    let all = [Preface, FrameTooLong, Push, NothingToContinue, Violation::Flood, Violation::Switch(8)];
    let by_kind = Kind::ALL.into_iter().flat_map(|kind| [IdleStream(kind), BlockInterrupted(kind), FrameLength(kind)]);
    for violation in all.into_iter().chain(by_kind) {
        let (rfc, section) = violation.section();
        assert!(rfc.starts_with("RFC ") && section.split('.').all(|part| part.parse::<u8>().is_ok()), "{violation:?}");
    }
    assert_eq!(Violation::Switch(9).section(), ("RFC 9218", "2.1"));
    assert_eq!((IdleStream(Kind::Data).frame(), Preface.frame()), (Some(Kind::Data), None));
    assert_eq!(Violation::from(super::super::hpack::Error::Huffman).section(), ("RFC 7541", "5.2"));
}
