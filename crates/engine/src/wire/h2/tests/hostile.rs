//! Servers that send anything at all, cut anywhere, and servers that never stop. Nothing panics, nothing is read without
//! end or kept without bound, and cuts do not matter.
//!
//! Ten million cases: `PROPTEST_CASES=10000000 cargo test --release -p hopcost-engine wire::h2`.

use super::*;
use crate::wire::h2::hpack;
use proptest::prelude::*;

/// What a client held at most, and how it ended, of a server that says the same for ever.
fn endless(first: &[u8], again: &[u8], times: usize) -> (Client, usize) {
    let mut client = Client::ready();
    client.ask(GET);
    client.receive(first);
    let mut held = 0;
    for _ in 0..times {
        if client.end.is_err() {
            break;
        }
        client.receive(again);
        held = held.max(client.connection.held_bytes());
        // Bodies are the caller's.
        client.told.clear();
    }
    (client, held)
}

/// More bytes than these are never kept: a block, a frame, and the answers that may queue.
const MOST_HELD_BYTES: usize = 200_000;

#[test]
#[cfg_attr(miri, ignore)]
fn nothing_endless_is_kept() {
    let answering = frame(Kind::Headers, END_HEADERS, 1, OK);
    let block = frame(Kind::Headers, 0, 1, OK);
    let table: Vec<(&str, &[u8], Vec<u8>, Violation)> = vec![
        ("settings that move windows", &[], settings(&[(4, 0), (4, (1 << 31) - 1)]), Violation::Flood),
        ("settings nobody knows", &[], settings(&[(0x7777, 1); 2000]), Violation::Flood),
        ("pings", &[], frame(Kind::Ping, 0, 0, b"12345678"), Violation::Flood),
        ("pongs", &[], frame(Kind::Ping, ACK, 0, b"12345678"), Violation::Flood),
        ("settings", &[], settings(&[(3, 1)]), Violation::Flood),
        ("empty settings", &[], settings(&[]), Violation::Flood),
        ("priorities", &[], frame(Kind::Priority, 0, 1, b"\0\0\0\0\0"), Violation::Flood),
        ("unknown frames", &[], frame(Kind::Unknown(0x77), 0, 1, b"?"), Violation::Flood),
        ("small windows", &[], number(Kind::WindowUpdate, 1, 1), Violation::Flood),
        ("resets", &[], number(Kind::RstStream, 1, 8), Violation::Flood),
        ("farewells", &[], go_away(1, ErrorCode::NO_ERROR), Violation::Flood),
        ("interim answers", &[], frame(Kind::Headers, END_HEADERS, 1, b"\x08\x03103"), Violation::Flood),
        ("empty data", &answering, frame(Kind::Data, 0, 1, b""), Violation::Flood),
        ("padding", &answering, frame(Kind::Data, PADDED, 1, b"\x02\0\0"), Violation::Flood),
        ("empty continuation", &block, frame(Kind::Continuation, 0, 1, b""), Violation::BlockTooLong),
        ("continuation", &block, frame(Kind::Continuation, 0, 1, &[0x90; 16_384]), Violation::BlockTooLong),
    ];
    for (name, first, again, violation) in table {
        let (mut client, held) = endless(first, &again, 20_000);
        assert_eq!(client.end, Err(violation), "{name}");
        assert!(held < MOST_HELD_BYTES, "{name}: {held} bytes");
        let (kind, _, code) = *client.endings().last().expect("it says why");
        assert_eq!((kind, code), (Kind::GoAway, ErrorCode::ENHANCE_YOUR_CALM), "{name}");
    }
}

/// Header blocks that mean much more than they are, or that never come to their point. They are of one frame, or of as
/// many as a block may have, and are sent again and again.
#[test]
#[cfg_attr(miri, ignore)]
fn bombs_of_hpack() {
    let literal = |first: &[u8], rest: &[u8]| [b"\x88\x00", first, rest].concat();
    let table: [(&str, Vec<u8>, Violation); 6] = [
        ("fields of the table", [OK, &[0x90; 16_000]].concat(), Violation::HeadTooLong),
        // 63,000 bytes of `0` in five bits each, as the value of a field.
        ("a Huffman code", literal(b"\x01a\xff\x99\xeb\x03", &[0; 63_000]), Violation::HeadTooLong),
        ("sizes of the table", vec![0x20; 90_000], Violation::Status),
        ("empty fields", [OK, &[0; 90_000]].concat(), Violation::FieldName),
        ("a string of 4 GiB", literal(b"\x7f\x80\xff\xff\xff\x0f", b"a"), hpack::Error::Truncated.into()),
        ("a number without an end", literal(b"\x7f", &[0xff; 60_000]), hpack::Error::Number.into()),
    ];
    for (name, block, violation) in table {
        let mut client = Client::ready();
        for _ in 0..100 {
            let stream = client.ask(GET);
            let pieces: Vec<_> = block.chunks(16_384).collect();
            for (number, &piece) in pieces.iter().enumerate() {
                let ends_block = if number + 1 == pieces.len() { END_HEADERS } else { 0 };
                let (kind, ends) = if number == 0 { (Kind::Headers, END_STREAM) } else { (Kind::Continuation, 0) };
                client.receive(&frame(kind, ends | ends_block, stream, piece));
            }
            if let Err(end) = client.end {
                assert_eq!(end, violation, "{name}");
                break;
            }
            assert_eq!(client.told(), [Told::Broken(violation)], "{name}");
            client.sent();
        }
        assert!(client.connection.held_bytes() < MOST_HELD_BYTES, "{name}: {}", client.connection.held_bytes());
    }
}

/// A window of one byte, again and again: a body leaves byte by byte. Who opens windows and does not read is a flood.
#[test]
#[cfg_attr(miri, ignore)]
fn a_window_of_one_byte() {
    for (reads, end) in [(true, Ok(())), (false, Err(Violation::Flood))] {
        let mut client = Client::ready();
        client.receive(&settings(&[(4, 0)]));
        client.ask(POST);
        let mut body_bytes = 0;
        for _ in 0..20_000 {
            client.receive(&number(Kind::WindowUpdate, 1, 1));
            if reads {
                let data = client.sent().into_iter().filter(|sent| sent.kind == Kind::Data);
                body_bytes += data.map(|sent| sent.payload.len()).sum::<usize>();
            }
        }
        assert_eq!((client.end, body_bytes), (end, if reads { 20_000 } else { 0 }));
        assert!(client.connection.held_bytes() < MOST_HELD_BYTES, "{}", client.connection.held_bytes());
    }
}

/// Large frames without any use are a flood before 10,000 of them have come, though each is acknowledged in time.
#[test]
#[cfg_attr(miri, ignore)]
fn bytes_without_any_use_are_bounded() {
    let again = settings(&[(0x7777, 1); 2000]);
    let mut client = Client::ready();
    client.ask(GET);
    let frames = (0..2000).take_while(|_| {
        client.receive(&again);
        client.sent();
        client.end.is_ok()
    });
    assert_eq!(frames.count(), (16 << 20) / 12_000);
    assert_eq!(client.end, Err(Violation::Flood));
}

/// What has some use may go on for ever.
#[test]
#[cfg_attr(miri, ignore)]
fn a_long_answer_is_no_flood() {
    let answering = frame(Kind::Headers, END_HEADERS, 1, OK);
    let some = [frame(Kind::Data, 0, 1, b"a"), frame(Kind::Ping, 0, 0, b"12345678")].concat();
    let mut client = Client::ready();
    client.ask(GET);
    client.receive(&answering);
    for _ in 0..20_000 {
        client.receive(&some);
        client.sent();
        client.told.clear();
    }
    assert_eq!(client.end, Ok(()));
}

/// Streams that the server never ends are remembered, but not without bound.
#[test]
#[cfg_attr(miri, ignore)]
fn cancelled_streams_are_forgotten_in_the_end() {
    let mut client = Client::ready();
    for _ in 0..5000 {
        let stream = client.ask(GET);
        client.connection.cancel(0);
        assert_eq!(client.endings(), [(Kind::RstStream, stream, ErrorCode::CANCEL)]);
    }
    assert!(client.connection.held_bytes() < MOST_HELD_BYTES);
    for stream in [1, 4999, 9999] {
        client.receive(&frame(Kind::Headers, WHOLE, stream, OK));
    }
    assert_eq!((client.end, client.told()), (Ok(()), vec![]), "nobody knows any more that they may not");
}

/// What a stream of bytes means: what is told of it, its end, and what the client answers.
#[derive(Debug, PartialEq)]
struct Meaning {
    told: Vec<(Place, Told)>,
    end: Result<(), Violation>,
    sent: Vec<Sent>,
}

/// Reads in pieces whose sizes follow from `cuts`; 0 is all at once.
fn read(requests: &[u32], bytes: &[u8], cuts: u64) -> Meaning {
    let mut client = Client::ready();
    for &request in requests {
        client.ask(request);
    }
    let mut random = cuts;
    let mut rest = bytes;
    while !rest.is_empty() {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let most = 1 << (random >> 33 & 7);
        let size = if cuts == 0 { rest.len() } else { (random >> 40) as usize % most + 1 };
        let (piece, behind) = rest.split_at(size.min(rest.len()));
        client.receive(piece);
        rest = behind;
    }
    assert!(client.connection.held_bytes() < MOST_HELD_BYTES);
    // Streams' bodies are told piece by piece, so their order among each other depends on cuts.
    client.told.sort_by_key(|(place, _)| *place);
    let sent = client.sent();
    Meaning { told: client.told, end: client.end, sent }
}

/// Frames that are nearly right: each is made of four bytes of the tape.
fn assemble(tape: &[[u8; 4]]) -> Vec<u8> {
    const BLOCKS: [&[u8]; 10] = [
        OK,
        NOT_FOUND,
        b"\x88\x0f\x0d\x013",
        b"\x08\x03103",
        b"\x08\x03100",
        b"",
        b"\0\x01a\x01b",
        b"\x20\x88",
        b"\x88\0\x01A\0",
        b"\x90\xff",
    ];
    const BODIES: [&[u8]; 5] = [b"", b"a", b"abc", b"\x01abc\0", b"abcdef"];
    let mut bytes = Vec::new();
    for &[kind, flags, stream, content] in tape {
        let stream = [1, 1, 3, 3, 0, 5, 2, 1][usize::from(stream % 8)];
        let flags = if flags < 0xe0 { [END_STREAM, END_HEADERS, WHOLE, 0][usize::from(flags % 4)] } else { flags };
        let block = BLOCKS[usize::from(content) % BLOCKS.len()];
        let body = BODIES[usize::from(content) % BODIES.len()];
        bytes.extend(match kind % 16 {
            0..=3 => frame(Kind::Headers, flags, stream, block),
            4..=7 => frame(Kind::Data, flags & !END_HEADERS, stream, body),
            8 => frame(Kind::Continuation, flags, stream, block),
            9 => number(Kind::RstStream, stream, u32::from(content % 16)),
            10 => number(Kind::WindowUpdate, stream & 1, u32::from(content)),
            11 => settings(&[(u16::from(content % 10), u32::from(content) * 0x01_01_01)]),
            12 => frame(Kind::Ping, flags & ACK, 0, b"12345678"),
            13 => go_away(u32::from(content % 8), ErrorCode(0)),
            14 => frame(Kind::Unknown(content), flags, stream, body),
            _ => vec![kind, flags, content],
        });
    }
    bytes
}

proptest! {
    #[test]
    fn frames_that_are_nearly_right(
        requests in prop::collection::vec(0_u32..4, 0..4),
        tape in prop::collection::vec(any::<[u8; 4]>(), 0..24),
        cuts in any::<u64>(),
    ) {
        let bytes = assemble(&tape);
        prop_assert_eq!(read(&requests, &bytes, 0), read(&requests, &bytes, cuts | 1));
    }

    #[test]
    fn noise(bytes in prop::collection::vec(any::<u8>(), 0..200), cuts in any::<u64>()) {
        let whole = read(&[GET, POST], &bytes, 0);
        prop_assert_eq!(&whole, &read(&[GET, POST], &bytes, cuts | 1));
        let body: usize = whole.told.iter().map(|(_, told)| if let Told::Body(body) = told { body.len() } else { 0 }).sum();
        prop_assert!(body <= bytes.len());
    }
}
