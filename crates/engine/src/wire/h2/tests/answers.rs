//! Answers in every form that they may have, and answers that are malformed (RFC 9113, section 8.1).

use super::*;
use Told::{Body, Broken, End, Head, Interim};

/// What comes of one answer on stream 1, and how the client ends the stream, if it does.
fn answer(request: u32, frames: &[Vec<u8>]) -> (Vec<Told>, Option<ErrorCode>) {
    let mut client = Client::ready();
    assert_eq!(client.ask(request), 1);
    client.receive(&frames.concat());
    assert_eq!(client.end, Ok(()), "the connection lives");
    assert_eq!(client.connection.open_count(), 0, "the stream is over");
    let code = client.endings().first().map(|(kind, stream, code)| {
        assert_eq!((*kind, *stream), (Kind::RstStream, 1));
        *code
    });
    (client.told(), code)
}

fn headers(flags: u8, fields: &[&[u8]]) -> Vec<u8> {
    frame(Kind::Headers, flags, 1, &fields.concat())
}

fn data(flags: u8, payload: &[u8]) -> Vec<u8> {
    frame(Kind::Data, flags, 1, payload)
}

#[test]
fn answers_that_are_right() {
    let abc = || Body(b"abc".to_vec());
    let early_hints = b"\x08\x03103";
    let no_content = b"\x89";
    let not_modified = b"\x8b";
    let table: Vec<(u32, Vec<Vec<u8>>, Vec<Told>)> = vec![
        (GET, vec![headers(WHOLE, &[NOT_FOUND])], vec![Head(404), End]),
        (GET, vec![headers(END_HEADERS, &[OK]), data(END_STREAM, b"abc")], vec![Head(200), abc(), End]),
        (GET, vec![headers(END_HEADERS, &[OK, LENGTH_3]), data(END_STREAM, b"abc")], vec![Head(200), abc(), End]),
        // An empty frame at the end, as Go sends it.
        (GET, vec![headers(END_HEADERS, &[OK]), data(0, b"abc"), data(END_STREAM, b"")], vec![Head(200), abc(), End]),
        // Padding: one byte for its length, then two of it.
        (
            GET,
            vec![headers(END_HEADERS, &[OK, LENGTH_3]), data(PADDED | END_STREAM, b"\x02abc\0\0")],
            vec![Head(200), abc(), End],
        ),
        (
            GET,
            vec![headers(END_HEADERS | PADDED, &[b"\x03", OK, b"\0\0\0"]), data(END_STREAM, b"\0")],
            vec![Head(200), Body(b"\0".to_vec()), End],
        ),
        (GET, vec![headers(END_HEADERS, &[OK]), data(PADDED | END_STREAM, b"\x01\0")], vec![Head(200), End]),
        // The five bytes of a priority.
        (GET, vec![headers(WHOLE | flag::PRIORITY, &[b"\0\0\0\x03\xff", OK])], vec![Head(200), End]),
        (GET, vec![headers(WHOLE | PADDED | flag::PRIORITY, &[b"\x01\0\0\0\x03\xff", OK, b"p"])], vec![Head(200), End]),
        // A block in three frames, cut within a field.
        (
            GET,
            vec![
                headers(END_STREAM, &[OK, b"\x0f"]),
                frame(Kind::Continuation, 0, 1, b"\x0d"),
                frame(Kind::Continuation, END_HEADERS, 1, b"\x010"),
            ],
            vec![Head(200), End],
        ),
        (
            GET,
            vec![headers(END_HEADERS, &[early_hints]), headers(END_HEADERS, &[early_hints]), headers(WHOLE, &[OK])],
            vec![Interim(103), Interim(103), Head(200), End],
        ),
        // Trailers.
        (
            GET,
            vec![headers(END_HEADERS, &[OK]), data(0, b"abc"), headers(WHOLE, &[b"\0\x01a\x01b"])],
            vec![Head(200), abc(), End],
        ),
        // No body, whatever the length says.
        (HEAD, vec![headers(WHOLE, &[OK, LENGTH_3])], vec![Head(200), End]),
        (HEAD, vec![headers(END_HEADERS, &[OK, LENGTH_3]), data(END_STREAM, b"")], vec![Head(200), End]),
        (GET, vec![headers(WHOLE, &[not_modified, LENGTH_3])], vec![Head(304), End]),
        (GET, vec![headers(WHOLE, &[no_content])], vec![Head(204), End]),
    ];
    for (request, frames, expected) in table {
        assert_eq!(answer(request, &frames), (expected, None), "{frames:x?}");
    }
}

#[test]
fn answers_that_are_malformed() {
    use ErrorCode as Code;
    let head = || headers(END_HEADERS, &[OK]);
    let with_length = || headers(END_HEADERS, &[OK, LENGTH_3]);
    let protocol_error = Some(Code::PROTOCOL_ERROR);
    type Row = (u32, Vec<Vec<u8>>, Violation, Option<ErrorCode>);
    let table: Vec<Row> = vec![
        (GET, vec![headers(END_HEADERS, &[b"\0\x01a\x01b"])], Violation::Status, protocol_error),
        // The server has ended the stream, and so have we: nothing more may be sent on it.
        (GET, vec![headers(WHOLE, &[b"\0\x01a\x01b"])], Violation::Status, None),
        (GET, vec![headers(END_HEADERS, &[b"\x08\x03101"])], Violation::Upgrade, protocol_error),
        (GET, vec![headers(WHOLE, &[b"\x08\x03103"])], Violation::InterimEnd, None),
        (GET, vec![headers(END_HEADERS, &[OK, b"\x82"])], Violation::PseudoField, protocol_error),
        (GET, vec![headers(END_HEADERS, &[OK, b"\0\x01A\x01b"])], Violation::FieldName, protocol_error),
        (GET, vec![headers(END_HEADERS, &[OK, b"\0\x01a\x01\n"])], Violation::FieldValue, protocol_error),
        (GET, vec![headers(END_HEADERS, &[OK, b"\x0f\x2a\x00"])], Violation::ConnectionField, protocol_error),
        (GET, vec![headers(END_HEADERS, &[OK, LENGTH_3, b"\x0f\x0d\x014"])], Violation::ContentLength, protocol_error),
        (GET, vec![headers(END_HEADERS, &[OK, &[0x90; 2500]])], Violation::HeadTooLong, Some(Code::ENHANCE_YOUR_CALM)),
        (GET, vec![data(0, b"abc")], Violation::DataBeforeHead, protocol_error),
        (GET, vec![data(END_STREAM, b"")], Violation::DataBeforeHead, None),
        (GET, vec![headers(END_HEADERS, &[b"\x08\x03103"]), data(0, b"")], Violation::DataBeforeHead, protocol_error),
        (GET, vec![head(), headers(END_HEADERS, &[b"\0\x01a\x01b"])], Violation::TrailersWithoutEnd, protocol_error),
        (GET, vec![head(), headers(WHOLE, &[OK])], Violation::PseudoField, None),
        (GET, vec![headers(WHOLE, &[OK, LENGTH_3])], Violation::BodyLength, None),
        (GET, vec![with_length(), data(END_STREAM, b"ab")], Violation::BodyLength, None),
        (GET, vec![with_length(), data(0, b"abcd")], Violation::BodyLength, protocol_error),
        (GET, vec![with_length(), data(PADDED, b"\x01abcd\0")], Violation::BodyLength, protocol_error),
        (GET, vec![with_length(), data(0, b"ab"), headers(WHOLE, &[])], Violation::BodyLength, None),
        (HEAD, vec![head(), data(0, b"a")], Violation::BodyLength, protocol_error),
        (GET, vec![headers(END_HEADERS, &[b"\x8b"]), data(0, b"a")], Violation::BodyLength, protocol_error),
    ];
    for (request, frames, violation, code) in table {
        let (told, ended_by) = answer(request, &frames);
        assert_eq!((told.last(), ended_by), (Some(&Broken(violation)), code), "{frames:x?}");
        if let Some(code) = code {
            assert_eq!(violation.code(), code);
        }
    }
}

/// What a server gives up, and what it never took up.
#[test]
fn answers_that_do_not_come() {
    let reset = |code: ErrorCode| {
        let (told, ended_by) = answer(GET, &[number(Kind::RstStream, 1, code.0)]);
        assert_eq!(ended_by, None, "a reset is not answered");
        told
    };
    assert_eq!(reset(ErrorCode::REFUSED_STREAM), [Told::Unprocessed]);
    assert_eq!(reset(ErrorCode::CANCEL), [Told::Reset(8)]);
    assert_eq!(reset(ErrorCode::NO_ERROR), [Told::Reset(0)]);
    let (told, _) = answer(GET, &[headers(END_HEADERS, &[OK]), data(0, b"ab"), number(Kind::RstStream, 1, 2)]);
    assert_eq!(told, [Head(200), Body(b"ab".to_vec()), Told::Reset(2)]);
}

#[test]
fn answers_of_many_streams_come_mixed() {
    let mut client = Client::ready();
    for id in [1, 3, 5] {
        assert_eq!(client.ask(GET), id);
    }
    let head = |stream| frame(Kind::Headers, END_HEADERS, stream, OK);
    let data = |stream, flags, payload: &[u8]| frame(Kind::Data, flags, stream, payload);
    client.receive(
        &[
            head(5),
            head(1),
            data(1, 0, b"a"),
            data(5, 0, b"x"),
            frame(Kind::Headers, WHOLE, 3, NOT_FOUND),
            data(5, END_STREAM, b"y"),
            data(1, END_STREAM, b"b"),
        ]
        .concat(),
    );
    let of = |client: &Client, place| {
        let told = client.told.iter().filter(|(of, _)| *of == place);
        told.map(|(_, told)| told.clone()).collect::<Vec<_>>()
    };
    assert_eq!(of(&client, 0), [Head(200), Body(b"ab".to_vec()), End]);
    assert_eq!(of(&client, 1), [Head(404), End]);
    assert_eq!(of(&client, 2), [Head(200), Body(b"xy".to_vec()), End]);
    let ends: Vec<Place> = client.told.iter().filter(|(_, told)| *told == End).map(|(place, _)| *place).collect();
    assert_eq!((ends, client.ask(GET)), (vec![1, 2, 0], 7));
}
