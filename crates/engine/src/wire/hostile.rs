//! Servers that send anything at all: heads, chunked bodies and FastCGI records of noise and of pieces that are nearly
//! right, cut anywhere. Nothing panics, nothing is read without end or kept without bound, and cuts do not matter.
//!
//! Ten million cases of each: `PROPTEST_CASES=10000000 cargo test --release -p hopcost-engine hostile`.

use super::{Event, MAX_HEAD_BYTES, Reader, Violation, Wire};
use proptest::prelude::*;

/// What a stream means: answers as (status, body), how many are complete, and what ended it.
#[derive(Debug, PartialEq)]
struct Meaning {
    answers: Vec<(u16, Vec<u8>)>,
    complete: usize,
    end: Result<(), Violation>,
}

/// Reads answer after answer, in pieces whose sizes follow from `cuts`; 0 is all at once.
fn read(wire: Wire, bytes: &[u8], cuts: u64) -> Meaning {
    let mut reader = Reader::new(wire);
    reader.begin(false);
    let mut meaning = Meaning { answers: Vec::new(), complete: 0, end: Ok(()) };
    let mut random = cuts;
    let mut rest = bytes;
    // Each call takes a byte, or says that more are needed, or ends an answer.
    let mut calls_left = 3 * bytes.len() + 8;
    while !rest.is_empty() {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let most = 1 << (random >> 33 & 7);
        let size = if cuts == 0 { rest.len() } else { (random >> 40) as usize % most + 1 };
        let (mut input, behind) = rest.split_at(size.min(rest.len()));
        rest = behind;
        loop {
            calls_left = calls_left.checked_sub(1).expect("it does not go on for ever");
            match reader.next(&mut input) {
                Ok(Event::Interim(_)) => {}
                Ok(Event::Head(head)) => meaning.answers.push((head.status, Vec::new())),
                Ok(Event::Body(body)) => {
                    meaning.answers.last_mut().expect("a head came first").1.extend_from_slice(body)
                }
                Ok(Event::End) => {
                    meaning.complete += 1;
                    reader.begin(false);
                    if input.is_empty() {
                        break;
                    }
                }
                Ok(Event::More) => {
                    assert!(input.is_empty(), "more is asked for while there is some");
                    break;
                }
                Err(violation) => {
                    meaning.end = Err(violation);
                    return meaning;
                }
            }
        }
    }
    if !reader.is_at_start() {
        meaning.end = reader.end_of_stream();
    }
    meaning
}

fn check(wire: Wire, bytes: &[u8], cuts: u64) -> Result<(), TestCaseError> {
    let whole = read(wire, bytes, 0);
    let cut = read(wire, bytes, cuts | 1);
    prop_assert!(whole.answers.iter().map(|(_, body)| body.len()).sum::<usize>() <= bytes.len());
    prop_assert_eq!(whole.end.is_ok(), cut.end.is_ok(), "{:?}, {:?}", whole, cut);
    if whole.end.is_ok() {
        prop_assert_eq!(whole, cut);
    }
    Ok(())
}

/// Bytes made of pieces: three of four bytes of the tape choose one, the others stand for themselves.
fn assemble(tape: &[u8], pieces: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(tape.len() * 8);
    for &byte in tape {
        if byte < 0xc0 {
            bytes.extend_from_slice(pieces[usize::from(byte) % pieces.len()]);
        } else {
            bytes.push(byte.wrapping_mul(37));
        }
    }
    bytes
}

const HEADS: &[&[u8]] = &[
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
    b"HTTP/1.1 100 Continue\r\n\r\n",
    b"HTTP/1.1 204 No Content\r\n\r\n",
    b"HTTP/1.0 404 Not",
    b"HTTP/1.",
    b"Content-Length: ",
    b"Content-Length: 2\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Connection: close\r\n",
    b"a: b\r\n",
    b"3\r\nabc\r\n0\r\n\r\n",
    b"\r\n",
    b"\r\n\r\n",
    b"\n",
    b"\r",
    b": ",
    b"0",
    b"18446744073709551616",
    b" ",
    b"\t",
    b"\0",
    b"\xff",
];

const CHUNKS: &[&[u8]] = &[
    b"3\r\nabc\r\n",
    b"0\r\n",
    b"0\r\n\r\n",
    b"\r\n",
    b"\r",
    b"\n",
    b"A",
    b"3",
    b"0",
    b";name=value",
    b"Trailer: x\r\n",
    b"abc",
    b" ",
    b"ffffffffffffffff",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
];

const RECORDS: &[&[u8]] = &[
    // STDOUT: a head; part of one; its end; a body; nothing.
    b"\x01\x06\0\x01\0\x15\x03\0Content-Length: 3\r\n\r\npad",
    b"\x01\x06\0\x01\0\x0b\0\0Status: 404",
    b"\x01\x06\0\x01\0\x04\0\0\r\n\r\n",
    b"\x01\x06\0\x01\0\x03\x01\0abcp",
    b"\x01\x06\0\x01\0\0\0\0",
    // STDERR.
    b"\x01\x07\0\x01\0\x04\0\0oops",
    // END_REQUEST: complete, padded, overloaded.
    b"\x01\x03\0\x01\0\x08\0\0\0\0\0\0\0\0\0\0",
    b"\x01\x03\0\x01\0\x08\x02\0\0\0\0\0\0\0\0\0pp",
    b"\x01\x03\0\x01\0\x08\0\0\0\0\0\0\x02\0\0\0",
    // Headers that promise much, and a whole answer.
    b"\x01\x06\0\x01\xff\xff\xff\0",
    b"\x01\x06\0\x01",
    b"\x01\x06\0\x01\0\x07\0\0A: b\n\nx\x01\x06\0\x01\0\0\0\0\x01\x03\0\x01\0\x08\0\0\0\0\0\0\0\0\0\0",
    b"a: b\r\n",
    b"\n",
    b"\0",
];

fn tape() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..24)
}

proptest! {
    #[test]
    fn http_heads(tape in tape(), cuts in any::<u64>()) {
        check(Wire::Http, &assemble(&tape, HEADS), cuts)?;
    }

    #[test]
    fn chunked_bodies(tape in tape(), cuts in any::<u64>()) {
        let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        check(Wire::Http, &[head, assemble(&tape, CHUNKS)].concat(), cuts)?;
    }

    #[test]
    fn fastcgi_records(tape in tape(), cuts in any::<u64>()) {
        check(Wire::FastCgi, &assemble(&tape, RECORDS), cuts)?;
    }
}

/// Whatever a server repeats for ever, some of it is refused before much is held.
#[test]
fn nothing_endless_is_kept() {
    let start = b"HTTP/1.1 200 OK\r\n".to_vec();
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for (wire, start, again) in [
        (Wire::Http, start.clone(), &b"a: b\r\n"[..]),
        (Wire::Http, start, b"x"),
        (Wire::Http, chunked.clone(), b"0\r\na: b\r\n"),
        (Wire::Http, [&chunked[..], b"1;"].concat(), b"x"),
        (Wire::FastCgi, Vec::new(), b"\x01\x06\0\x01\0\x06\0\0a: b\r\n"),
    ] {
        let bytes = [start, again.repeat(2 * MAX_HEAD_BYTES / again.len() + 20_000)].concat();
        let meaning = read(wire, &bytes, 1);
        assert!(
            matches!(meaning.end, Err(Violation::HeadTooLong | Violation::Chunk | Violation::Head)),
            "{wire:?}, {again:?}: {:?}",
            meaning.end
        );
    }
}
