//! One connection: a server's frames in, events out, and our frames for the backend to send.

mod answers;
mod control;
mod reading;
mod sending;

use self::reading::{Block, Reading};
use super::Violation;
use super::flow::{ReceiveWindow, SendWindow};
use super::frame::{self, ErrorCode, FrameHeader, INITIAL_WINDOW_BYTES, Kind, MAX_31_BITS, MAX_PAYLOAD_BYTES, flag};
use super::head::Heads;
use super::hpack::Encoder;
use super::request::Requests;
use super::settings::{self, ServerSettings};
use super::streams::{Place, Streams};
use std::sync::Arc;

/// As many answers to SETTINGS and PING may wait until earlier bytes have left. A server that does not read what it asks
/// for must not fill our memory.
const MAX_QUEUED_ANSWERS: u32 = 1000;
/// So many frames, and so many bytes of them, may come without an answer's head, body or end, and without our sending a
/// body.
const MAX_USELESS_FRAMES: u32 = 10_000;
const MAX_USELESS_BYTES: u32 = 16 << 20;
/// Bodies are cut into pieces of about this size: what is put into frames and has not left is held in memory.
const MAX_OUTPUT_BYTES: usize = 65_536;

/// What a connection tells about its streams, which are named by their places. A place is free after any event that says
/// that the stream is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// The status of an interim answer, from 100 to 199.
    Interim(Place, u16),
    /// The status of the answer.
    Head(Place, u16),
    Body(Place, &'a [u8]),
    /// The answer is complete: the stream is over.
    End(Place),
    /// The server did nothing for this request, which may be sent again: the stream is over.
    Unprocessed(Place),
    /// The server gave up this answer: the stream is over.
    Reset(Place, ErrorCode),
    /// The answer broke the protocol: the stream is over, and the connection goes on.
    Broken(Place, Violation),
    /// All input is read.
    More,
}

/// The client's side of one connection.
#[derive(Debug)]
pub struct Connection {
    requests: Arc<Requests>,
    encoder: Encoder,
    reading: Reading,
    /// A frame's header or payload that came in pieces; empty as long as they come whole.
    held: Vec<u8>,
    /// A header block that is not complete.
    block: Option<Block>,
    streams: Streams,
    /// The number of the next stream; above 2^31 - 1 if there is none.
    next_id: u32,
    server: ServerSettings,
    has_settings: bool,
    /// Whether the server has acknowledged our settings.
    is_acknowledged: bool,
    send: SendWindow,
    receive: ReceiveWindow,
    /// The last stream that the server will process, if it is going away.
    last_processed: Option<u32>,
    output: Vec<u8>,
    queued_answers: u32,
    useless_frames: u32,
    useless_bytes: u32,
}

impl Connection {
    /// A connection that was just opened, for so many streams at once. Its first output is the client's preface.
    pub fn new(requests: Arc<Requests>, places: u32) -> Self {
        let mut output = frame::PREFACE.to_vec();
        frame::write_settings(&mut output, &settings::OURS);
        frame::write_number(&mut output, Kind::WindowUpdate, 0, MAX_31_BITS - INITIAL_WINDOW_BYTES);
        Self {
            encoder: Encoder::new(&requests.fields),
            requests,
            reading: Reading::Header,
            held: Vec::new(),
            block: None,
            streams: Streams::new(places),
            next_id: 1,
            server: ServerSettings::default(),
            has_settings: false,
            is_acknowledged: false,
            send: SendWindow::new(INITIAL_WINDOW_BYTES),
            receive: ReceiveWindow::new(),
            last_processed: None,
            output,
            queued_answers: 0,
            useless_frames: 0,
            useless_bytes: 0,
        }
    }

    /// How many streams may be open at once.
    #[inline]
    pub fn allowed(&self) -> u32 {
        if self.is_spent() { 0 } else { self.streams.places().min(self.server.max_streams) }
    }

    /// How many more streams can be opened now.
    #[inline]
    pub fn room(&self) -> u32 {
        self.allowed().saturating_sub(self.streams.open_count())
    }

    /// How many streams are open.
    pub fn open_count(&self) -> u32 {
        self.streams.open_count()
    }

    /// Whether no stream will ever be opened again: the server is going away, or all numbers are used.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.last_processed.is_some() || self.next_id > MAX_31_BITS || matches!(self.reading, Reading::Failed(_))
    }

    /// Whether the server has told its settings: it speaks HTTP/2.
    pub fn has_settings(&self) -> bool {
        self.has_settings
    }

    /// Takes from the front of `input` what the next event needs. A violation is the end of the connection: the output
    /// tells the server why.
    pub fn next<'a>(&mut self, heads: &mut Heads, input: &mut &'a [u8]) -> Result<Event<'a>, Violation> {
        if let Reading::Failed(violation) = self.reading {
            return Err(violation);
        }
        let event = self.read(heads, input);
        if let Err(violation) = event {
            self.reading = Reading::Failed(violation);
            self.write_go_away(violation.code());
        }
        event
    }

    /// Says that we go, as a client should before it closes (section 6.8).
    pub fn leave(&mut self) {
        self.write_go_away(ErrorCode::NO_ERROR);
    }

    /// How much memory is held for the server.
    #[cfg(test)]
    pub(in crate::wire::h2) fn held_bytes(&self) -> usize {
        let block_bytes = self.block.as_ref().map_or(0, |block| block.bytes.capacity());
        self.held.capacity() + self.output.capacity() + block_bytes + self.streams.held_bytes()
    }

    #[cfg(test)]
    pub(in crate::wire::h2) fn set_next_id(&mut self, id: u32) {
        self.next_id = id;
    }

    fn write_go_away(&mut self, code: ErrorCode) {
        // The server opened no stream, so the last one processed is 0.
        let payload = [0_u32.to_be_bytes(), code.0.to_be_bytes()].concat();
        frame::write(&mut self.output, Kind::GoAway, 0, 0, &payload);
    }

    /// The server's frame had some use, or it takes a body.
    #[inline]
    fn count_progress(&mut self) {
        self.useless_frames = 0;
        self.useless_bytes = 0;
    }

    /// Whether no stream with this number can have been opened: it is the server's, or higher than all of ours.
    #[inline]
    fn is_idle(&self, stream: u32) -> bool {
        stream.is_multiple_of(2) || stream >= self.next_id
    }

    /// Ends the stream at a place because of the server's fault. `has_ended`: the server sends no more on it.
    fn break_stream(&mut self, place: Place, violation: Violation, has_ended: bool) -> Event<'static> {
        self.reset(place, violation.code(), has_ended);
        Event::Broken(place, violation)
    }

    /// Ends a stream from our side. Nothing is sent on a stream that both sides have ended.
    fn reset(&mut self, place: Place, code: ErrorCode, has_ended: bool) {
        let (id, has_left) = self.streams.close(place);
        if !has_ended {
            self.streams.add_cancelled(id);
        }
        if !(has_ended && has_left) {
            frame::write_number(&mut self.output, Kind::RstStream, id, code.0);
        }
    }
}
