//! What we send: requests, their bodies, and our part in ending a stream.

use super::{Connection, ErrorCode, FrameHeader, Kind, MAX_OUTPUT_BYTES, Place, flag, frame};
use crate::wire::h2::flow::SendWindow;
use crate::wire::h2::streams::{Stream, Upload};

impl Connection {
    /// Opens a stream with the request of this number at a place. Returns whether it did: there must be room, and the
    /// place must be free.
    pub fn begin(&mut self, place: Place, request: u32) -> bool {
        if self.room() == 0 || place >= self.streams.places() || self.streams.id(place) != 0 {
            return false;
        }
        let Self { requests, encoder, streams, server, output, .. } = self;
        let Some(prepared) = requests.list.get(request as usize) else { return false };
        let upload = match (&*prepared.body, prepared.waits) {
            ([], _) => Upload::Done,
            (_, true) => Upload::Waits,
            (_, false) => Upload::From(0),
        };
        let id = self.next_id;
        streams.open(place, id, Stream::new(request, SendWindow::new(server.window_bytes), upload));
        self.next_id += 2;
        let end = if upload == Upload::Done { flag::END_STREAM } else { 0 };
        let begin = output.len();
        let flags = end | flag::END_HEADERS;
        FrameHeader { payload_bytes: 0, kind: Kind::Headers, flags, stream: id }.write(output);
        encoder.encode(&requests.fields, &prepared.fields, output);
        self.cut_block(begin, end);
        true
    }

    /// Writes the length of a HEADERS frame into its header, which begins at `begin` and has the rest of the output as
    /// its payload. A longer block than a frame's payload goes on in CONTINUATION (section 6.10).
    fn cut_block(&mut self, begin: usize, end: u8) {
        let most = self.server.payload_bytes;
        let payload_begin = begin + frame::HEADER_BYTES;
        let block_bytes = self.output.len() - payload_begin;
        if block_bytes <= most {
            // Below 2^24, as a frame's length is.
            let [_, length @ ..] = (block_bytes as u32).to_be_bytes();
            self.output[begin..begin + length.len()].copy_from_slice(&length);
            return;
        }
        let block = self.output.split_off(payload_begin);
        let header = self.output.split_off(begin);
        let stream = header.first_chunk().map_or(0, |bytes| FrameHeader::read(bytes).stream);
        let mut pieces = block.chunks(most).peekable();
        let (mut kind, mut flags) = (Kind::Headers, end);
        while let Some(piece) = pieces.next() {
            if pieces.peek().is_none() {
                flags |= flag::END_HEADERS;
            }
            frame::write(&mut self.output, kind, flags, stream, piece);
            (kind, flags) = (Kind::Continuation, 0);
        }
    }

    /// Gives up the stream at a place, if one is open there.
    pub fn cancel(&mut self, place: Place) {
        if self.streams.id(place) != 0 {
            self.reset(place, ErrorCode::CANCEL, false);
        }
    }

    /// Sends a body that waits for 100 Continue, though nobody has said so.
    pub fn send_body(&mut self, place: Place) {
        if self.streams.id(place) != 0 && self.streams.at(place).upload == Upload::Waits {
            self.streams.set_upload(place, Upload::From(0));
        }
    }

    /// Whether there is something to send.
    #[inline]
    pub fn wants_output(&self) -> bool {
        !self.output.is_empty() || (self.send.room() > 0 && self.streams.find_upload().is_some())
    }

    /// What is to be sent now, in this order. Called when everything that was taken before has left.
    pub fn take_output(&mut self) -> Vec<u8> {
        self.upload();
        self.queued_answers = 0;
        std::mem::take(&mut self.output)
    }

    /// Adds pieces of bodies as far as the windows allow.
    fn upload(&mut self) {
        while self.output.len() < MAX_OUTPUT_BYTES
            && self.send.room() > 0
            && let Some(place) = self.streams.next_upload()
        {
            let id = self.streams.id(place);
            let stream = self.streams.at(place);
            let Upload::From(begin) = stream.upload else { return };
            let Some(prepared) = self.requests.list.get(stream.request as usize) else { return };
            let rest = &prepared.body[begin..];
            let piece_bytes = rest.len().min(self.server.payload_bytes).min(self.send.room()).min(stream.send.room());
            let is_last = piece_bytes == rest.len();
            stream.send.take(piece_bytes);
            self.send.take(piece_bytes);
            let flags = if is_last { flag::END_STREAM } else { 0 };
            frame::write(&mut self.output, Kind::Data, flags, id, &rest[..piece_bytes]);
            self.streams.set_upload(place, if is_last { Upload::Done } else { Upload::From(begin + piece_bytes) });
            self.count_progress();
        }
    }
}
