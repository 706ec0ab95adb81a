//! The framing layer (RFC 9113, sections 4 and 5.1): which bytes belong to which frame, and whether it may come now.

use super::{
    Connection, Event, FrameHeader, Heads, Kind, MAX_PAYLOAD_BYTES, MAX_USELESS_BYTES, MAX_USELESS_FRAMES, Place,
    Violation,
};
use super::{flag, settings};
use crate::wire::h2::frame::HEADER_BYTES;

/// What the next bytes are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reading {
    /// A frame's header.
    Header,
    /// The payload of a frame that has to be there whole.
    Payload(FrameHeader),
    /// The payload of DATA.
    Data(Data),
    /// So many bytes that do not matter.
    Skip(u32),
    /// Nothing of theirs: the stream at this place is complete.
    End(Place),
    /// Nothing any more.
    Failed(Violation),
}

/// DATA that is being read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Data {
    pub(super) place: Place,
    pub(super) stream: u32,
    /// What is left of the payload, padding included.
    pub(super) left: u32,
    /// How much of it is padding; `None` if the byte that says so is still to come.
    pub(super) padding: Option<u32>,
    pub(super) ends: bool,
}

/// A header block in several frames.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) stream: u32,
    pub(super) ends: bool,
    pub(super) bytes: Vec<u8>,
    pub(super) frames: u32,
}

impl Connection {
    pub(super) fn read<'a>(&mut self, heads: &mut Heads, input: &mut &'a [u8]) -> Result<Event<'a>, Violation> {
        loop {
            if let Some(event) = self.next_unprocessed() {
                return Ok(event);
            }
            let event = match self.reading {
                Reading::Header => match self.take_header(input) {
                    Some(header) => self.begin_frame(header)?,
                    None => return Ok(Event::More),
                },
                Reading::Payload(header) => match self.take_payload(header, heads, input) {
                    Some(event) => event?,
                    None => return Ok(Event::More),
                },
                Reading::Data(data) if data.left > 0 && input.is_empty() => return Ok(Event::More),
                Reading::Data(data) => self.data(data, input)?,
                Reading::Skip(0) => {
                    self.reading = Reading::Header;
                    None
                }
                Reading::Skip(_) if input.is_empty() => return Ok(Event::More),
                Reading::Skip(left) => {
                    self.reading = Reading::Skip(left - skip(left, input));
                    None
                }
                Reading::End(place) => {
                    self.reading = Reading::Header;
                    Some(self.end(place))
                }
                Reading::Failed(violation) => return Err(violation),
            };
            if let Some(event) = event {
                return Ok(event);
            }
        }
    }

    /// A request that the server will never process, if it is going away.
    #[inline]
    fn next_unprocessed(&mut self) -> Option<Event<'static>> {
        let place = self.streams.above(self.last_processed?)?;
        self.streams.close(place);
        Some(Event::Unprocessed(place))
    }

    #[inline]
    fn take_header(&mut self, input: &mut &[u8]) -> Option<FrameHeader> {
        if self.held.is_empty()
            && let Some((bytes, rest)) = input.split_first_chunk()
        {
            *input = rest;
            return Some(FrameHeader::read(bytes));
        }
        self.hold(HEADER_BYTES, input);
        let bytes: &[u8; HEADER_BYTES] = self.held.as_slice().try_into().ok()?;
        let header = FrameHeader::read(bytes);
        self.held.clear();
        Some(header)
    }

    /// Keeps of the input what is missing to so many bytes.
    fn hold(&mut self, bytes: usize, input: &mut &[u8]) {
        let missing = bytes.saturating_sub(self.held.len());
        let (taken, rest) = input.split_at(missing.min(input.len()));
        self.held.extend_from_slice(taken);
        *input = rest;
    }

    /// `None` if the payload is not there whole.
    fn take_payload(
        &mut self,
        header: FrameHeader,
        heads: &mut Heads,
        input: &mut &[u8],
    ) -> Option<Result<Option<Event<'static>>, Violation>> {
        let bytes = header.payload_bytes as usize;
        if self.held.is_empty()
            && let Some((payload, rest)) = input.split_at_checked(bytes)
        {
            *input = rest;
            self.reading = Reading::Header;
            return Some(self.frame(header, payload, heads));
        }
        self.hold(bytes, input);
        if self.held.len() < bytes {
            return None;
        }
        let mut payload = std::mem::take(&mut self.held);
        self.reading = Reading::Header;
        let event = self.frame(header, &payload, heads);
        payload.clear();
        self.held = payload;
        Some(event)
    }

    /// A frame begins. What its header says is checked before any of its payload is read.
    fn begin_frame(&mut self, header: FrameHeader) -> Result<Option<Event<'static>>, Violation> {
        let FrameHeader { payload_bytes, kind, stream, .. } = header;
        self.useless_frames += 1;
        // No overflow: a header can say 16 MiB at most, and the bound ends the connection before a second one.
        self.useless_bytes += payload_bytes;
        if self.useless_frames > MAX_USELESS_FRAMES || self.useless_bytes > MAX_USELESS_BYTES {
            return Err(Violation::Flood);
        }
        if !self.has_settings && (kind != Kind::Settings || header.has(flag::ACK)) {
            return Err(Violation::Preface);
        }
        if payload_bytes as usize > MAX_PAYLOAD_BYTES {
            return Err(Violation::FrameTooLong);
        }
        match &self.block {
            Some(block) if kind != Kind::Continuation || stream != block.stream => {
                return Err(Violation::BlockInterrupted(kind));
            }
            None if kind == Kind::Continuation => return Err(Violation::NothingToContinue),
            _ => {}
        }
        check_form(header)?;
        self.reading = match kind {
            Kind::Data => return self.begin_data(header),
            Kind::Headers => {
                self.check_open(header)?;
                Reading::Payload(header)
            }
            // Streams may depend on idle ones; we take no part in that (section 5.3).
            Kind::Priority | Kind::Unknown(_) => Reading::Skip(payload_bytes),
            Kind::PushPromise => return Err(Violation::Push),
            Kind::RstStream | Kind::WindowUpdate if stream != 0 && self.is_idle(stream) => {
                return Err(Violation::IdleStream(kind));
            }
            _ => Reading::Payload(header),
        };
        Ok(None)
    }

    /// Whether a part of an answer may come on this stream: it is open, or was until we cancelled it.
    pub(super) fn check_open(&self, header: FrameHeader) -> Result<Option<Place>, Violation> {
        if self.is_idle(header.stream) {
            return Err(Violation::IdleStream(header.kind));
        }
        match self.streams.find(header.stream) {
            None if !self.streams.was_cancelled(header.stream) => Err(Violation::ClosedStream(header.kind)),
            place => Ok(place),
        }
    }
}

/// Drops up to so many bytes from the front, and returns how many.
pub(super) fn skip(most: u32, input: &mut &[u8]) -> u32 {
    let (skipped, rest) = input.split_at(input.len().min(most as usize));
    *input = rest;
    // At most `most`.
    skipped.len() as u32
}

/// Checks a frame's length, and whether it belongs to a stream or to all (section 6).
fn check_form(header: FrameHeader) -> Result<(), Violation> {
    let FrameHeader { payload_bytes, kind, stream, .. } = header;
    let is_on_stream = match kind {
        Kind::Data | Kind::Headers | Kind::Priority | Kind::RstStream | Kind::PushPromise | Kind::Continuation => true,
        Kind::Settings | Kind::Ping | Kind::GoAway => false,
        Kind::WindowUpdate | Kind::Unknown(_) => stream != 0,
    };
    if is_on_stream != (stream != 0) {
        return Err(Violation::StreamNumber(kind));
    }
    let padding_bytes = u32::from(header.has(flag::PADDED));
    let is_length_right = match kind {
        Kind::Data => payload_bytes >= padding_bytes,
        Kind::Headers => payload_bytes >= padding_bytes + if header.has(flag::PRIORITY) { 5 } else { 0 },
        Kind::Priority => payload_bytes == 5,
        Kind::RstStream | Kind::WindowUpdate => payload_bytes == 4,
        Kind::Settings if header.has(flag::ACK) => payload_bytes == 0,
        Kind::Settings => settings::is_length(payload_bytes),
        Kind::Ping => payload_bytes == 8,
        Kind::GoAway => payload_bytes >= 8,
        Kind::PushPromise | Kind::Continuation | Kind::Unknown(_) => true,
    };
    if is_length_right { Ok(()) } else { Err(Violation::FrameLength(kind)) }
}
