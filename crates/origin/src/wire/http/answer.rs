//! Answers as HTTP/1.1 bytes.

use crate::answer::{Answer, Ending, Extent, Framing, Route, Surplus};
use crate::wire::stream::{BodyStream, Wrap};
use crate::wire::{SMALL_BODY_BYTES, push_head};

const STRAY: &[u8; 16] = b"sixteen strays!\n";

/// Appends an answer; a long or slow body comes back as a stream.
pub(crate) fn encode(answer: Answer, date: &str, out: &mut Vec<u8>) -> Option<BodyStream> {
    let start = out.len();
    if answer.early_hints {
        out.extend_from_slice(b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n");
    }
    out.extend_from_slice(b"HTTP/1.1 ");
    push_head(&answer, date, true, out);

    let cut = matches!(answer.extent, Extent::Half | Extent::HalfHead);
    if cut && !answer.has_body() {
        out.truncate(start + (out.len() - start) / 2);
        return None;
    }
    let mut tail = Vec::new();
    if answer.framing == Framing::Pieces && answer.extent == Extent::Whole {
        tail.extend_from_slice(b"000;last\r\nX-Parts: done\r\n\r\n");
    }
    match answer.surplus {
        Surplus::None => {}
        Surplus::Bytes => tail.extend_from_slice(STRAY),
        Surplus::Answer => {
            // The body of /hello never becomes a stream.
            let _ = encode(Route::Hello.answer(0), date, &mut tail);
        }
    }
    let end = answer.body_bytes();
    let (wrap, most) = match answer.framing {
        Framing::Pieces => (Wrap::Chunked, (end as usize / 3 + 1).min(16 << 10)),
        Framing::Length | Framing::UntilClose if answer.pause_ns > 0 => (Wrap::Bare, (end as usize).div_ceil(10)),
        Framing::Length | Framing::UntilClose => (Wrap::Bare, usize::MAX),
    };
    let small = end <= SMALL_BODY_BYTES && answer.pause_ns == 0;
    debug_assert!(answer.ending != Ending::Reset || cut, "a reset comes in the middle of an answer");
    let stream = BodyStream::new(answer.payload, end, wrap, most, answer.pause_ns, tail);
    if small {
        stream.append_whole(out);
        return None;
    }
    Some(stream)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATE: &str = "Sun, 15 Dec 2013 14:59:14 GMT";

    #[test]
    fn the_head_of_hello_is_the_articles_141_bytes() {
        let mut out = Vec::new();
        assert!(encode(Route::Hello.answer(0), DATE, &mut out).is_none());
        let text = String::from_utf8(out).expect("ASCII");
        let expected = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 12\r\nConnection: keep-alive\r\n\
             Date: Sun, 15 Dec 2013 14:59:14 GMT\r\nServer: gophr\r\n\r\nHello World\n";
        assert_eq!(text, expected);
        assert_eq!(text.len() - "Hello World\n".len(), 141);
    }

    #[test]
    fn streamed_and_appended_bodies_are_the_same_bytes() {
        let mut out = Vec::new();
        let mut stream = encode(Route::Bytes(100_000).answer(0), DATE, &mut out).expect("a stream");
        while stream.next(&mut out) != crate::wire::Next::Finished {
            // Taken in two bites, as a full socket buffer would.
            for share in [2, 1] {
                let bite = stream.piece()[..stream.piece().len() / share].to_vec();
                out.extend_from_slice(&bite);
                stream.took(bite.len());
            }
        }
        let body = out.len() - 100_000;
        assert!(out[..body].ends_with(b"\r\n\r\n"));
        assert!(out[body..].iter().enumerate().all(|(index, byte)| usize::from(*byte) == index % 251));
    }
}
