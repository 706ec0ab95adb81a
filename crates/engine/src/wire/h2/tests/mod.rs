//! A scripted server against the client: its bytes in, and what the client makes of them and answers. No sockets.

mod answers;
mod conduct;
mod hostile;
mod out_of_place;
mod uploads;

use super::frame::{self, FrameHeader, HEADER_BYTES, PREFACE, flag};
use super::hpack::Decoder;
use super::{Connection, ErrorCode, Event, Heads, Kind, Place, Requests, Violation};
use crate::wire::Request;
use std::sync::{Arc, LazyLock};

pub(super) const END_STREAM: u8 = flag::END_STREAM;
pub(super) const END_HEADERS: u8 = flag::END_HEADERS;
pub(super) const ACK: u8 = flag::ACK;
pub(super) const PADDED: u8 = flag::PADDED;
/// END_STREAM and END_HEADERS: an answer without a body.
pub(super) const WHOLE: u8 = END_STREAM | END_HEADERS;

/// `:status: 200` and `:status: 404`, from the static table.
pub(super) const OK: &[u8] = b"\x88";
pub(super) const NOT_FOUND: &[u8] = b"\x8d";
/// `content-length: 3` as a literal.
pub(super) const LENGTH_3: &[u8] = b"\x0f\x0d\x013";

/// The requests of most tests, by number: GET, HEAD, POST of 100,000 bytes, and the same waiting for 100 Continue.
pub(super) const GET: u32 = 0;
pub(super) const HEAD: u32 = 1;
pub(super) const POST: u32 = 2;
pub(super) const WAITING: u32 = 3;
pub(super) const BODY_BYTES: usize = 100_000;

static REQUESTS: LazyLock<Arc<Requests>> = LazyLock::new(|| {
    let body = vec![b'u'; BODY_BYTES];
    let get = Request { method: "GET", target: "/", host: "h", headers: &[], body: None };
    let expecting = [("expect".to_owned(), "100-continue".to_owned())];
    let post = Request { method: "POST", body: Some(&body), ..get };
    let waiting = Request { headers: &expecting, ..post };
    Arc::new(Requests::new("https", &[get, Request { method: "HEAD", ..get }, post, waiting]).expect("valid"))
});

fn requests() -> Arc<Requests> {
    Arc::clone(&REQUESTS)
}

/// What the client tells of a stream; pieces of a body are put together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Told {
    Interim(u16),
    Head(u16),
    Body(Vec<u8>),
    End,
    Unprocessed,
    Reset(u32),
    Broken(Violation),
}

/// A frame that the client sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sent {
    pub kind: Kind,
    pub flags: u8,
    pub stream: u32,
    pub payload: Vec<u8>,
}

/// A frame of the server.
pub(super) fn frame(kind: Kind, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::write(&mut bytes, kind, flags, stream, payload);
    bytes
}

pub(super) fn settings(settings: &[(u16, u32)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::write_settings(&mut bytes, settings);
    bytes
}

pub(super) fn number(kind: Kind, stream: u32, number: u32) -> Vec<u8> {
    frame(kind, 0, stream, &number.to_be_bytes())
}

pub(super) fn go_away(last: u32, code: ErrorCode) -> Vec<u8> {
    frame(Kind::GoAway, 0, 0, &[last.to_be_bytes(), code.0.to_be_bytes()].concat())
}

/// A client and what it has told so far.
#[derive(Debug)]
pub(super) struct Client {
    pub connection: Connection,
    heads: Heads,
    pub told: Vec<(Place, Told)>,
    pub end: Result<(), Violation>,
    /// How many calls it took at most for each byte.
    calls_left: usize,
}

impl Client {
    /// A client that has sent its preface and received no byte.
    pub fn new() -> Self {
        let connection = Connection::new(requests(), 100);
        Self { connection, heads: Heads::default(), told: Vec::new(), end: Ok(()), calls_left: 100 }
    }

    /// A client after both sides' settings.
    pub fn ready() -> Self {
        let mut client = Self::new();
        client.receive(&settings(&[]));
        client.receive(&frame(Kind::Settings, ACK, 0, &[]));
        client.sent();
        client
    }

    /// Sends the request of this number at the first place that is free.
    pub fn begin(&mut self, request: u32) -> Option<Place> {
        (0..500).find(|&place| self.connection.begin(place, request))
    }

    /// Sends the request of this number, and returns the number of its stream.
    pub fn ask(&mut self, request: u32) -> u32 {
        self.begin(request).expect("there is room");
        let headers = self.sent().into_iter().rfind(|sent| sent.kind == Kind::Headers).expect("a request was sent");
        headers.stream
    }

    /// Reads these bytes of the server.
    pub fn receive(&mut self, bytes: &[u8]) -> &mut Self {
        // Each call takes a byte, or says that it needs more, or ends a stream.
        self.calls_left += 2 * bytes.len() + 200;
        let mut input = bytes;
        while self.end.is_ok() {
            self.calls_left = self.calls_left.checked_sub(1).expect("it does not go on for ever");
            let (place, told) = match self.connection.next(&mut self.heads, &mut input) {
                Ok(Event::Interim(place, status)) => (place, Told::Interim(status)),
                Ok(Event::Head(place, status)) => (place, Told::Head(status)),
                Ok(Event::Body(place, body)) => (place, Told::Body(body.to_vec())),
                Ok(Event::End(place)) => (place, Told::End),
                Ok(Event::Unprocessed(place)) => (place, Told::Unprocessed),
                Ok(Event::Reset(place, code)) => (place, Told::Reset(code.0)),
                Ok(Event::Broken(place, violation)) => (place, Told::Broken(violation)),
                Ok(Event::More) => {
                    assert!(input.is_empty(), "more is asked for while there is some");
                    break;
                }
                Err(violation) => {
                    self.end = Err(violation);
                    break;
                }
            };
            match (told, self.told.iter_mut().rfind(|(known, _)| *known == place)) {
                (Told::Body(piece), Some((_, Told::Body(body)))) => body.extend_from_slice(&piece),
                (told, _) => self.told.push((place, told)),
            }
        }
        self
    }

    /// What the client told since this was asked for last, of all streams.
    pub fn told(&mut self) -> Vec<Told> {
        std::mem::take(&mut self.told).into_iter().map(|(_, told)| told).collect()
    }

    /// The frames that the client sent since this was asked for last.
    pub fn sent(&mut self) -> Vec<Sent> {
        let bytes = self.connection.take_output();
        let mut rest = bytes.strip_prefix(PREFACE).unwrap_or(&bytes);
        let mut frames = Vec::new();
        while !rest.is_empty() {
            let (header, behind) = rest.split_first_chunk::<HEADER_BYTES>().expect("a whole header");
            let FrameHeader { payload_bytes, kind, flags, stream } = FrameHeader::read(header);
            let (payload, behind) = behind.split_at(payload_bytes as usize);
            frames.push(Sent { kind, flags, stream, payload: payload.to_vec() });
            rest = behind;
        }
        frames
    }

    /// Kinds, streams and codes of the frames that end something, of those that the client sent.
    pub fn endings(&mut self) -> Vec<(Kind, u32, ErrorCode)> {
        let ending = |sent: Sent| match (sent.kind, &*sent.payload) {
            (Kind::RstStream, &[a, b, c, d]) => Some((Kind::RstStream, sent.stream, u32::from_be_bytes([a, b, c, d]))),
            (Kind::GoAway, &[_, _, _, _, a, b, c, d]) => Some((Kind::GoAway, 0, u32::from_be_bytes([a, b, c, d]))),
            _ => None,
        };
        self.sent().into_iter().filter_map(ending).map(|(kind, stream, code)| (kind, stream, ErrorCode(code))).collect()
    }
}

/// The fields of a request's header block, if its encoder has no table.
pub(super) fn fields(block: &[u8]) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    let mut add = |name: &[u8], value: &[u8]| {
        fields.push((String::from_utf8_lossy(name).into_owned(), String::from_utf8_lossy(value).into_owned()));
        Ok::<(), super::hpack::Error>(())
    };
    Decoder::default().decode(block, &mut add).expect("HPACK");
    fields
}
