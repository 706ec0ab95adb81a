//! Tables of the FastCGI answer reader; the properties are in `wire/hostile.rs`.

use super::*;

fn record(kind: u8, content: &[u8], padding: u8) -> Vec<u8> {
    let length = u16::try_from(content.len()).expect("a short record").to_be_bytes();
    let header = [1, kind, 0, 1, length[0], length[1], padding, 0];
    [&header[..], content, &vec![0xee; usize::from(padding)]].concat()
}

fn end(protocol_status: u8) -> Vec<u8> {
    record(END_REQUEST, &[0, 0, 0, 0, protocol_status, 0, 0, 0], 0)
}

/// Status and body of one answer, and the bytes left over.
type Read = Result<(u16, Vec<u8>, usize), Violation>;

fn read(bytes: &[u8], piece_bytes: usize, to_head_request: bool) -> Read {
    let mut response = Response::new();
    response.begin(to_head_request);
    let (mut status, mut body) = (0, Vec::new());
    for (index, mut input) in bytes.chunks(piece_bytes).enumerate() {
        loop {
            match response.next(&mut input)? {
                Event::Head(head) => status = head.status,
                Event::Body(piece) => body.extend_from_slice(piece),
                Event::Interim(_) => panic!("CGI has no interim answers"),
                Event::More => break,
                Event::End => {
                    let used = ((index + 1) * piece_bytes).min(bytes.len()) - input.len();
                    return Ok((status, body, bytes.len() - used));
                }
            }
        }
    }
    response.end_of_stream().map(|()| (status, body, 0))
}

#[test]
fn answers_in_pieces_of_every_size() {
    let out = |text: &[u8]| record(STDOUT, text, 3);
    let whole = |parts: &[Vec<u8>]| parts.concat();
    let good = |status, body: &[u8]| Ok((status, body.to_vec(), 0));
    let table: Vec<(&str, Vec<u8>, Read)> = vec![
        ("one record", whole(&[out(b"Status: 200 OK\r\n\r\nabc"), out(b""), end(0)]), good(200, b"abc")),
        ("bare line ends", whole(&[out(b"A: b\n\nabc"), out(b""), end(0)]), good(200, b"abc")),
        ("no end of STDOUT", whole(&[out(b"A: b\r\n\r\nabc"), end(0)]), good(200, b"abc")),
        (
            "a head over records",
            whole(&[out(b"Status: 404 No"), out(b"t Found\r\n\r"), out(b"\nab"), out(b"c"), out(b""), end(0)]),
            good(404, b"abc"),
        ),
        (
            "errors in between",
            whole(&[
                record(STDERR, b"PHP Notice", 0),
                out(b"A: b\r\n\r\na"),
                record(STDERR, b"more", 4),
                out(b"bc"),
                record(STDERR, b"", 0),
                end(0),
            ]),
            good(200, b"abc"),
        ),
        ("a redirect", whole(&[out(b"Location: /x\r\n\r\n"), end(0)]), good(302, b"")),
        ("as long as said", whole(&[out(b"Content-Length: 2\r\n\r\nab"), out(b""), end(0)]), good(200, b"ab")),
        ("a padded end", whole(&[out(b"A: b\r\n\r\n"), record(END_REQUEST, &[0; 8], 9)]), good(200, b"")),
        ("something behind", whole(&[out(b"A: b\r\n\r\n"), end(0), b"xyz".to_vec()]), Ok((200, vec![], 3))),
        ("shorter than said", whole(&[out(b"Content-Length: 3\r\n\r\nab"), out(b""), end(0)]), Err(Violation::Length)),
        ("longer than said", whole(&[out(b"Content-Length: 1\r\n\r\nab"), out(b""), end(0)]), Err(Violation::Length)),
        ("an end without a head", whole(&[out(b"A: b\r\n"), end(0)]), Err(Violation::Head)),
        ("nothing but an end", end(0), Err(Violation::Head)),
        ("no head", whole(&[out(b"\r\nabc"), end(0)]), Err(Violation::Head)),
        ("no number", whole(&[out(b"Status: OK\r\n\r\n"), end(0)]), Err(Violation::Head)),
        ("a long number", whole(&[out(b"Status: 2000\r\n\r\n"), end(0)]), Err(Violation::Head)),
        ("refused", end(1), Err(Violation::Refused)),
        ("overloaded", whole(&[out(b"A: b\r\n\r\n"), end(2)]), Err(Violation::Refused)),
        ("output after its end", whole(&[out(b"A: b\r\n\r\n"), out(b""), out(b"x")]), Err(Violation::Record)),
        ("another version", b"\x02\x06\0\x01\0\0\0\0".to_vec(), Err(Violation::Record)),
        ("another request", b"\x01\x06\0\x02\0\0\0\0".to_vec(), Err(Violation::Record)),
        ("another type", b"\x01\x0b\0\x01\0\x08\0\0".to_vec(), Err(Violation::Record)),
        ("a short end", b"\x01\x03\0\x01\0\x07\0\0".to_vec(), Err(Violation::Record)),
        ("cut", whole(&[out(b"A: b\r\n\r\nabc"), out(b"")]), Err(Violation::Truncated)),
    ];
    for (name, bytes, expected) in table {
        for piece_bytes in 1..=bytes.len() {
            let mut read = read(&bytes, piece_bytes, false);
            if let (Ok((_, _, left)), Ok((_, _, expected_left))) = (&mut read, &expected) {
                // What has not been read yet is left over as well.
                *left = (*left).min(*expected_left);
            }
            assert_eq!(read, expected, "{name}, in pieces of {piece_bytes}");
        }
    }
}

#[test]
fn the_answer_to_head_may_say_a_length() {
    let bytes = [record(STDOUT, b"Content-Length: 12\r\n\r\n", 0), end(0)].concat();
    assert_eq!(read(&bytes, 7, true), Ok((200, vec![], 0)));
}

#[test]
fn heads_beyond_the_limit_are_refused() {
    let lines = b"Name: value\r\n".repeat(MAX_HEAD_BYTES / 13 + 1);
    let long: Vec<u8> = lines.chunks(60_000).flat_map(|chunk| record(STDOUT, chunk, 0)).collect();
    for piece_bytes in [1, 1000, long.len()] {
        assert_eq!(read(&long, piece_bytes, false), Err(Violation::HeadTooLong));
    }
    let many = [&b"a: b\r\n".repeat(1000)[..], b"Status: 201\r\n\r\n"].concat();
    assert_eq!(read(&[record(STDOUT, &many, 0), end(0)].concat(), 4096, false), Ok((201, vec![], 0)));
}
