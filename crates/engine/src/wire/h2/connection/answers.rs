//! Answers: HEADERS with CONTINUATION, and DATA (RFC 9113, sections 6.1, 6.2, 6.10 and 8.1).

use super::reading::{Block, Data, Reading, skip};
use super::{Connection, ErrorCode, Event, FrameHeader, Heads, Kind, Place, Violation, flag, frame};
use crate::wire::MAX_HEAD_BYTES;
use crate::wire::h2::streams::Upload;

/// So many frames may make up a header block. With frames of 16 KB, [`MAX_HEAD_BYTES`] take seven.
const MAX_BLOCK_FRAMES: u32 = 64;

impl Connection {
    /// HEADERS, whole.
    pub(super) fn headers(
        &mut self,
        header: FrameHeader,
        payload: &[u8],
        heads: &mut Heads,
    ) -> Result<Option<Event<'static>>, Violation> {
        let fragment = fragment(header, payload)?;
        let ends = header.has(flag::END_STREAM);
        if header.has(flag::END_HEADERS) {
            return self.block(header.stream, ends, fragment, heads);
        }
        self.block = Some(Block { stream: header.stream, ends, bytes: fragment.to_vec(), frames: 1 });
        Ok(None)
    }

    /// CONTINUATION, whole. That it continues something was checked.
    pub(super) fn continuation(
        &mut self,
        header: FrameHeader,
        payload: &[u8],
        heads: &mut Heads,
    ) -> Result<Option<Event<'static>>, Violation> {
        let Some(block) = &mut self.block else { return Err(Violation::NothingToContinue) };
        block.frames += 1;
        if block.frames > MAX_BLOCK_FRAMES || block.bytes.len() + payload.len() > MAX_HEAD_BYTES {
            return Err(Violation::BlockTooLong);
        }
        block.bytes.extend_from_slice(payload);
        if !header.has(flag::END_HEADERS) {
            return Ok(None);
        }
        match self.block.take() {
            Some(Block { stream, ends, bytes, .. }) => self.block(stream, ends, &bytes, heads),
            None => Ok(None),
        }
    }

    /// A complete header block.
    fn block(
        &mut self,
        stream: u32,
        ends: bool,
        block: &[u8],
        heads: &mut Heads,
    ) -> Result<Option<Event<'static>>, Violation> {
        let Some(place) = self.streams.find(stream) else {
            // We cancelled it. Without a table, its block need not be read to understand the next one.
            if ends {
                self.streams.end_cancelled(stream);
            }
            return Ok(None);
        };
        let event = if self.streams.at(place).has_head {
            self.trailers(place, ends, block, heads)
        } else {
            self.head(place, ends, block, heads)
        };
        match event {
            // The whole connection depends on HPACK; what an answer says concerns its stream alone (section 8.1.1).
            Err(violation) if !matches!(violation, Violation::Compression(_)) => {
                Ok(Some(self.break_stream(place, violation, ends)))
            }
            event => event,
        }
    }

    fn head(
        &mut self,
        place: Place,
        ends: bool,
        block: &[u8],
        heads: &mut Heads,
    ) -> Result<Option<Event<'static>>, Violation> {
        let head = heads.head(block)?;
        let stream = self.streams.at(place);
        match head.status {
            101 => return Err(Violation::Upgrade),
            100..=199 if ends => return Err(Violation::InterimEnd),
            status @ 100..=199 => {
                if status == 100 && stream.upload == Upload::Waits {
                    self.streams.set_upload(place, Upload::From(0));
                }
                return Ok(Some(Event::Interim(place, status)));
            }
            _ => {}
        }
        let to_head = self.requests.list.get(stream.request as usize).is_some_and(|request| request.to_head);
        let has_no_body = to_head || head.status == 204 || head.status == 304;
        stream.body_left = if has_no_body { Some(0) } else { head.content_length };
        stream.has_head = true;
        if ends {
            self.reading = Reading::End(place);
        }
        self.count_progress();
        Ok(Some(Event::Head(place, head.status)))
    }

    fn trailers(
        &mut self,
        place: Place,
        ends: bool,
        block: &[u8],
        heads: &mut Heads,
    ) -> Result<Option<Event<'static>>, Violation> {
        heads.trailers(block)?;
        if !ends {
            return Err(Violation::TrailersWithoutEnd);
        }
        self.reading = Reading::End(place);
        Ok(None)
    }

    /// DATA begins. All of its payload counts against the windows, padding too, whatever the stream's state.
    pub(super) fn begin_data(&mut self, header: FrameHeader) -> Result<Option<Event<'static>>, Violation> {
        let FrameHeader { payload_bytes, stream, .. } = header;
        let place = self.check_open(header)?;
        if let Some(bytes) = self.receive.take(payload_bytes)? {
            frame::write_number(&mut self.output, Kind::WindowUpdate, 0, bytes);
        }
        let ends = header.has(flag::END_STREAM);
        self.reading = Reading::Skip(payload_bytes);
        let Some(place) = place else {
            if ends {
                self.streams.end_cancelled(stream);
            }
            return Ok(None);
        };
        let open = self.streams.at(place);
        if !open.has_head {
            return Ok(Some(self.break_stream(place, Violation::DataBeforeHead, ends)));
        }
        match open.receive.take(payload_bytes) {
            Ok(None) => {}
            Ok(Some(bytes)) => frame::write_number(&mut self.output, Kind::WindowUpdate, stream, bytes),
            Err(violation) => return Ok(Some(self.break_stream(place, violation, ends))),
        }
        let data = Data { place, stream, left: payload_bytes, padding: None, ends };
        self.reading = Reading::Data(data);
        if header.has(flag::PADDED) { Ok(None) } else { self.set_padding(data, 0) }
    }

    /// How much of the payload is padding is known, and so is how much of the body is in it.
    fn set_padding(&mut self, data: Data, padding: u32) -> Result<Option<Event<'static>>, Violation> {
        let Data { place, left, ends, .. } = data;
        let body_bytes = left.checked_sub(padding).ok_or(Violation::Padding(Kind::Data))?;
        self.reading = Reading::Data(Data { padding: Some(padding), ..data });
        if let Some(body_left) = &mut self.streams.at(place).body_left {
            match body_left.checked_sub(body_bytes.into()) {
                Some(rest) => *body_left = rest,
                None => {
                    self.reading = Reading::Skip(left);
                    return Ok(Some(self.break_stream(place, Violation::BodyLength, ends)));
                }
            }
        }
        Ok(None)
    }

    /// Goes on with DATA. There is input, unless the payload is through.
    pub(super) fn data<'a>(&mut self, data: Data, input: &mut &'a [u8]) -> Result<Option<Event<'a>>, Violation> {
        let Data { place, stream, left, padding, ends } = data;
        if self.streams.id(place) != stream {
            // We cancelled it meanwhile.
            if ends {
                self.streams.end_cancelled(stream);
            }
            self.reading = Reading::Skip(left);
            return Ok(None);
        }
        let Some(padding) = padding else {
            let Some((&padding, rest)) = input.split_first() else { return Ok(None) };
            *input = rest;
            return self.set_padding(Data { left: left - 1, ..data }, padding.into());
        };
        if left > padding {
            let (body, rest) = input.split_at(input.len().min((left - padding) as usize));
            *input = rest;
            // At most `left`.
            self.reading = Reading::Data(Data { left: left - body.len() as u32, ..data });
            self.count_progress();
            return Ok(Some(Event::Body(place, body)));
        }
        let left = left - skip(left, input);
        self.reading = match (left, ends) {
            (0, true) => Reading::End(place),
            (0, false) => Reading::Header,
            _ => Reading::Data(Data { left, padding: Some(left), ..data }),
        };
        Ok(None)
    }

    /// The server has ended the stream.
    pub(super) fn end(&mut self, place: Place) -> Event<'static> {
        self.count_progress();
        if self.streams.at(place).body_left.is_some_and(|bytes| bytes > 0) {
            return self.break_stream(place, Violation::BodyLength, true);
        }
        // An upload that nobody waits for any more is given up (section 8.1).
        self.reset(place, ErrorCode::CANCEL, true);
        Event::End(place)
    }
}

/// The part of a header block in HEADERS: without padding and priority.
fn fragment(header: FrameHeader, payload: &[u8]) -> Result<&[u8], Violation> {
    let mut fragment = payload;
    let mut padding_bytes = 0;
    if header.has(flag::PADDED)
        && let Some((&padding, rest)) = fragment.split_first()
    {
        (padding_bytes, fragment) = (usize::from(padding), rest);
    }
    if header.has(flag::PRIORITY) {
        fragment = fragment.get(5..).unwrap_or_default();
    }
    let end = fragment.len().checked_sub(padding_bytes).ok_or(Violation::Padding(header.kind))?;
    Ok(&fragment[..end])
}
