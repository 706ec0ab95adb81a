//! What hostile servers say, and what each breach is counted as.

use crate::frames::frame;
use crate::plain::HELLO;
use hopcost_engine::recorder::ErrorKind::{self, Protocol, Read};

const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
const PRIORITY: u8 = 2;
const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
const PUSH_PROMISE: u8 = 5;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;
const UNKNOWN: u8 = 0x77;

const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const PADDED: u8 = 8;
/// An answer without a body.
const WHOLE: u8 = END_STREAM | END_HEADERS;

/// `:status: 200`, from the static table.
const OK: &[u8] = b"\x88";

const FLOOD: &str = "frames without any use, on and on";

/// What a server says, by the stream that it is asked on.
#[derive(Clone, Copy)]
pub struct Script {
    /// Whether it begins with SETTINGS, as it must.
    pub greets: bool,
    pub once: Says,
    /// What it says after that, again and again until the client closes; nothing: it waits for the next request.
    pub again: Says,
}

type Says = fn(u32) -> Vec<u8>;

pub fn once(once: Says) -> Script {
    Script { greets: true, once, again: |_| Vec::new() }
}

fn unasked(says: Says) -> Script {
    Script { greets: false, ..once(says) }
}

fn for_ever(again: Says) -> Script {
    Script { greets: true, once: |_| Vec::new(), again }
}

/// The head of an answer, and then this for ever.
fn answering(again: Says) -> Script {
    Script { once: |stream| frame(HEADERS, END_HEADERS, stream, OK), ..for_ever(again) }
}

fn number(kind: u8, stream: u32, number: u32) -> Vec<u8> {
    frame(kind, 0, stream, &number.to_be_bytes())
}

fn setting(name: u16, value: u32) -> Vec<u8> {
    frame(SETTINGS, 0, 0, &[&name.to_be_bytes()[..], &value.to_be_bytes()].concat())
}

pub fn farewell(last: u32) -> Vec<u8> {
    frame(GOAWAY, 0, 0, &[last.to_be_bytes(), [0; 4]].concat())
}

/// An answer without a body, whose header block takes as many frames as it needs.
fn head(stream: u32, block: &[u8]) -> Vec<u8> {
    let pieces: Vec<_> = block.chunks(16_384).collect();
    let framed = pieces.iter().enumerate().map(|(number, piece)| {
        let ends_block = if number + 1 == pieces.len() { END_HEADERS } else { 0 };
        let (kind, ends_stream) = if number == 0 { (HEADERS, END_STREAM) } else { (CONTINUATION, 0) };
        frame(kind, ends_stream | ends_block, stream, piece)
    });
    framed.collect::<Vec<_>>().concat()
}

fn literal(first: &[u8], rest: &[u8]) -> Vec<u8> {
    [b"\x88\x00", first, rest].concat()
}

/// A breach: its script, what each request is counted as, and what is told of the server.
pub type Row = (&'static str, Script, ErrorKind, Option<Told>);
type Told = (&'static str, Option<&'static str>);

fn told(what: &'static str) -> Option<Told> {
    Some((what, None))
}

fn told_of(frame: &'static str, what: &'static str) -> Option<Told> {
    Some((what, Some(frame)))
}

pub fn out_of_place() -> Vec<Row> {
    let no_settings = told("it does not begin with SETTINGS");
    vec![
        ("no settings", unasked(|_| frame(PING, 0, 0, b"12345678")), Protocol, no_settings),
        ("HTTP/1.1", unasked(|_| b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()), Protocol, no_settings),
        (
            "DATA on stream 0",
            once(|_| frame(DATA, 0, 0, b"x")),
            Protocol,
            told_of("DATA", "a frame on stream 0, or one that belongs there"),
        ),
        (
            "a stream of the server's",
            once(|_| frame(HEADERS, WHOLE, 2, OK)),
            Protocol,
            told_of("HEADERS", "a frame on a stream that was not opened"),
        ),
        (
            "a push",
            once(|stream| frame(PUSH_PROMISE, END_HEADERS, stream, b"\0\0\0\x02\x82")),
            Protocol,
            told("a push, which was forbidden"),
        ),
        (
            "CONTINUATION of nothing",
            once(|stream| frame(CONTINUATION, END_HEADERS, stream, OK)),
            Protocol,
            told("CONTINUATION without a header block"),
        ),
        (
            "a block interrupted",
            once(|stream| [frame(HEADERS, 0, stream, OK), frame(PING, 0, 0, b"12345678")].concat()),
            Protocol,
            told_of("PING", "a frame in the midst of a header block"),
        ),
        (
            "a long frame",
            once(|stream| frame(DATA, 0, stream, &[0; 16_385])),
            Protocol,
            told("a frame longer than allowed"),
        ),
        (
            "a short ping",
            once(|_| frame(PING, 0, 0, b"1234567")),
            Protocol,
            told_of("PING", "a frame of the wrong length"),
        ),
        (
            "too much padding",
            once(|stream| frame(HEADERS, PADDED | WHOLE, stream, b"\x02\x88")),
            Protocol,
            told_of("HEADERS", "padding longer than its frame"),
        ),
        (
            "two acknowledgements",
            once(|_| frame(SETTINGS, ACK, 0, &[]).repeat(2)),
            Protocol,
            told("SETTINGS acknowledged twice"),
        ),
        (
            "a body without a head",
            once(|stream| frame(DATA, END_STREAM, stream, HELLO)),
            Protocol,
            told("a body without a head"),
        ),
        (
            "a reset",
            once(|stream| number(RST_STREAM, stream, 2)),
            Read,
            told_of("INTERNAL_ERROR", "an answer given up"),
        ),
        ("a refusal, again and again", once(|stream| number(RST_STREAM, stream, 7)), Read, None),
    ]
}

/// Header blocks that mean much more than they are, or that never come to their point.
pub fn bombs_of_hpack() -> Vec<Row> {
    let too_long = told("fields of more than 100,000 bytes");
    vec![
        ("fields of the table", once(|stream| head(stream, &[OK, &[0x90; 16_000]].concat())), Protocol, too_long),
        (
            // 63,000 bytes of `0` in five bits each, as the value of a field.
            "a Huffman code",
            once(|stream| head(stream, &literal(b"\x01a\xff\x99\xeb\x03", &[0; 63_000]))),
            Protocol,
            too_long,
        ),
        (
            "a string of 4 GiB",
            once(|stream| head(stream, &literal(b"\x7f\x80\xff\xff\xff\x0f", b"a"))),
            Protocol,
            told("a header block that ends within a field"),
        ),
        (
            "a number without an end",
            once(|stream| head(stream, &literal(b"\x7f", &[0xff; 60_000]))),
            Protocol,
            told("a number too large in a header block"),
        ),
        (
            "an entry of the dynamic table",
            once(|stream| head(stream, b"\xbe")),
            Protocol,
            told("a header block with an index of no entry"),
        ),
    ]
}

pub fn endless() -> Vec<Row> {
    let flood = |name, script| -> Row { (name, script, Protocol, told(FLOOD)) };
    let begun = |again| Script { once: |stream| frame(HEADERS, 0, stream, OK), ..for_ever(again) };
    let block = |name, script| -> Row { (name, script, Protocol, told("a header block without an end")) };
    let continuation: Says = |stream| frame(CONTINUATION, 0, stream, &[0x90; 16_384]);
    let empty_continuation: Says = |stream| frame(CONTINUATION, 0, stream, b"").repeat(100);
    vec![
        flood("settings", for_ever(|_| setting(3, 100).repeat(100))),
        flood("empty settings", for_ever(|_| frame(SETTINGS, 0, 0, &[]).repeat(100))),
        flood("settings nobody knows", for_ever(|_| frame(SETTINGS, 0, 0, &[0x77; 12_000]))),
        flood("pings", for_ever(|_| frame(PING, 0, 0, b"12345678").repeat(100))),
        flood("pongs", for_ever(|_| frame(PING, ACK, 0, b"12345678").repeat(100))),
        flood("priorities", for_ever(|stream| frame(PRIORITY, 0, stream, &[0; 5]).repeat(100))),
        flood("unknown frames", for_ever(|stream| frame(UNKNOWN, 0, stream, b"?").repeat(100))),
        flood("farewells", for_ever(|stream| farewell(stream).repeat(100))),
        flood("interim answers", for_ever(|stream| frame(HEADERS, END_HEADERS, stream, b"\x08\x03103").repeat(100))),
        flood("empty data", answering(|stream| frame(DATA, 0, stream, b"").repeat(100))),
        flood("padding", answering(|stream| frame(DATA, PADDED, stream, b"\x02\0\0").repeat(100))),
        flood("windows that move", for_ever(|_| [setting(4, 0), setting(4, (1 << 31) - 1)].concat().repeat(100))),
        flood("windows that grow", for_ever(|stream| number(WINDOW_UPDATE, stream, 1).repeat(100))),
        block("continuation", begun(continuation)),
        block("empty continuation", begun(empty_continuation)),
    ]
}

pub fn windows() -> Vec<Row> {
    vec![
        (
            "a window grown by nothing",
            once(|_| number(WINDOW_UPDATE, 0, 0)),
            Protocol,
            told("a window grown by nothing"),
        ),
        (
            "a window beyond its end",
            once(|_| number(WINDOW_UPDATE, 0, (1 << 31) - 1)),
            Protocol,
            told("a window grown beyond 2^31 - 1"),
        ),
        (
            "a window too large from the start",
            once(|_| setting(4, 1 << 31)),
            Protocol,
            told("INITIAL_WINDOW_SIZE above 2^31 - 1"),
        ),
    ]
}

/// For uploads: a body leaves byte by byte.
pub fn windows_of_one_byte() -> Row {
    let again: Says = |stream| [number(WINDOW_UPDATE, 0, 1), number(WINDOW_UPDATE, stream, 1)].concat().repeat(100);
    ("windows of one byte", Script { once: |_| setting(4, 0), ..for_ever(again) }, Protocol, told(FLOOD))
}

pub fn endless_body() -> Script {
    answering(|stream| frame(DATA, 0, stream, &[b'a'; 16_384]))
}
