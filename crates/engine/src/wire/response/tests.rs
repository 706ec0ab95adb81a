//! Tables and properties of the answer reader.

use super::*;
use proptest::prelude::*;

/// What a whole stream means: the answers as (status, body), and how it ended.
#[derive(Debug, PartialEq, Clone)]
struct Reading {
    answers: Vec<(u16, Vec<u8>)>,
    end: Result<usize, Violation>,
}

/// Reads one answer after another, as long as there are bytes, in pieces of the given sizes.
fn read(bytes: &[u8], pieces: &[usize], to_head_request: bool) -> Reading {
    let mut response = Response::new();
    response.begin(to_head_request);
    let mut answers: Vec<(u16, Vec<u8>)> = Vec::new();
    let mut at = 0;
    let mut sizes = pieces.iter().copied().cycle();
    let mut complete = 0;
    while at < bytes.len() {
        let size = sizes.next().unwrap_or(usize::MAX).clamp(1, bytes.len() - at);
        let mut input = &bytes[at..at + size];
        at += size;
        loop {
            match response.next(&mut input) {
                Ok(Event::Head(head)) => answers.push((head.status, Vec::new())),
                Ok(Event::Body(body)) => answers.last_mut().expect("a head came first").1.extend_from_slice(body),
                Ok(Event::End) => {
                    complete += 1;
                    response.begin(to_head_request);
                    if input.is_empty() {
                        break;
                    }
                }
                Ok(Event::Interim(status)) => assert!((100..200).contains(&status)),
                Ok(Event::More) => break,
                Err(violation) => return Reading { answers, end: Err(violation) },
            }
        }
    }
    let end = if response.is_at_start() { Ok(complete) } else { response.end_of_stream().map(|()| complete + 1) };
    Reading { answers, end }
}

fn one(status: u16, body: &[u8]) -> Reading {
    Reading { answers: vec![(status, body.to_vec())], end: Ok(1) }
}

#[test]
fn answers_in_pieces_of_every_size() {
    let table: Vec<(&[u8], Reading)> = vec![
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", one(200, b"abc")),
        (b"HTTP/1.1 200 OK\nContent-Length: 3\n\nabc", one(200, b"abc")),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", one(200, b"")),
        (b"HTTP/1.1 204 No Content\r\n\r\n", one(204, b"")),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", one(304, b"")),
        (b"HTTP/1.1 200 OK\r\n\r\nuntil the end", one(200, b"until the end")),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc\r\n0\r\nT: 1\r\n\r\n", one(200, b"abc")),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", one(200, b"a")),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nbc",
            Reading { answers: vec![(200, b"a".to_vec()), (500, b"bc".to_vec())], end: Ok(2) },
        ),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", Reading { answers: vec![(200, b"abc".to_vec())], end: Err(Violation::Truncated) }),
        (b"HTTP/1.1 200 OK\r\nContent-Le", Reading { answers: vec![], end: Err(Violation::Truncated) }),
        (b"HTTP/1.1 101 Switching\r\n\r\n", Reading { answers: vec![], end: Err(Violation::Upgrade) }),
        (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", Reading { answers: vec![], end: Err(Violation::Head) }),
        (b"HTTP/1.1 200 OK\r\nNo colon\r\n\r\n", Reading { answers: vec![], end: Err(Violation::Head) }),
    ];
    for (bytes, expected) in &table {
        for size in 1..=bytes.len() {
            assert_eq!(
                &read(bytes, &[size], false),
                expected,
                "{:?} in pieces of {size}",
                String::from_utf8_lossy(bytes)
            );
        }
    }
}

#[test]
fn an_answer_to_head_ends_with_its_head() {
    assert_eq!(read(b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n", &[7], true), one(200, b""));
}

#[test]
fn heads_beyond_the_limit_are_refused() {
    for (filler, size) in [(MAX_HEAD_BYTES, 1 << 20), (MAX_HEAD_BYTES, 1000), (10 * MAX_HEAD_BYTES, 1)] {
        let bytes = format!("HTTP/1.1 200 OK\r\nX: {}\r\nContent-Length: 0\r\n\r\n", "x".repeat(filler));
        assert_eq!(
            read(bytes.as_bytes(), &[size], false).end,
            Err(Violation::HeadTooLong),
            "{filler} in pieces of {size}"
        );
    }
    let bytes = format!("HTTP/1.1 200 OK\r\nX: {}\r\nContent-Length: 0\r\n\r\n", "x".repeat(MAX_HEAD_BYTES - 100));
    for size in [1, 4096, 1 << 20] {
        assert_eq!(read(bytes.as_bytes(), &[size], false), one(200, b""));
    }
}

/// A valid stream of answers and what it means.
fn stream() -> impl Strategy<Value = (Vec<u8>, Vec<(u16, Vec<u8>)>)> {
    let answer = (prop::collection::vec(any::<u8>(), 0..300), any::<bool>(), 1..40_usize, any::<bool>());
    prop::collection::vec(answer, 1..5).prop_map(|answers| {
        let mut bytes = Vec::new();
        let mut meaning = Vec::new();
        for (body, chunked, chunk_bytes, interim) in answers {
            if interim {
                bytes.extend_from_slice(b"HTTP/1.1 102 Processing\r\n\r\n");
            }
            if chunked {
                bytes.extend_from_slice(b"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n");
                for chunk in body.chunks(chunk_bytes) {
                    bytes.extend_from_slice(format!("{:X};e=1\r\n", chunk.len()).as_bytes());
                    bytes.extend_from_slice(chunk);
                    bytes.extend_from_slice(b"\r\n");
                }
                bytes.extend_from_slice(b"0\r\nTrailer: yes\r\n\r\n");
                meaning.push((201, body));
            } else {
                bytes
                    .extend_from_slice(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).as_bytes());
                bytes.extend_from_slice(&body);
                meaning.push((200, body));
            }
        }
        (bytes, meaning)
    })
}

proptest! {
    #[test]
    fn any_cut_means_the_same((bytes, meaning) in stream(), pieces in prop::collection::vec(1..200_usize, 1..20)) {
        let expected = Reading { end: Ok(meaning.len()), answers: meaning };
        prop_assert_eq!(read(&bytes, &pieces, false), expected);
    }

    #[test]
    fn noise_never_panics_and_cuts_do_not_matter(
        (mut bytes, _) in stream(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        pieces in prop::collection::vec(1..50_usize, 1..10),
    ) {
        for (index, byte) in damage {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        let whole = read(&bytes, &[usize::MAX], false);
        let cut = read(&bytes, &pieces, false);
        // What was understood before a violation may differ in the bytes of a body that was never completed.
        prop_assert_eq!(whole.end.is_ok(), cut.end.is_ok());
        if whole.end.is_ok() {
            prop_assert_eq!(whole, cut);
        }
    }
}
