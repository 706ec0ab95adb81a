//! Frames that carry no part of an answer (RFC 9113, sections 6.4 to 6.9).

use super::{Connection, ErrorCode, Event, FrameHeader, Heads, Kind, MAX_31_BITS, MAX_QUEUED_ANSWERS, Violation};
use super::{flag, frame};

impl Connection {
    /// A frame, whole, whose form was checked.
    pub(super) fn frame(
        &mut self,
        header: FrameHeader,
        payload: &[u8],
        heads: &mut Heads,
    ) -> Result<Option<Event<'static>>, Violation> {
        match header.kind {
            Kind::Headers => self.headers(header, payload, heads),
            Kind::Continuation => self.continuation(header, payload, heads),
            Kind::RstStream => Ok(self.rst_stream(header.stream, ErrorCode(number(payload)))),
            Kind::Settings => self.settings(header, payload).map(|()| None),
            Kind::Ping => self.ping(header, payload).map(|()| None),
            Kind::GoAway => self.go_away(number(payload) & MAX_31_BITS).map(|()| None),
            Kind::WindowUpdate => self.window_update(header.stream, number(payload) & MAX_31_BITS),
            // Their payload is not collected.
            Kind::Data | Kind::Priority | Kind::PushPromise | Kind::Unknown(_) => Ok(None),
        }
    }

    fn rst_stream(&mut self, stream: u32, code: ErrorCode) -> Option<Event<'static>> {
        let Some(place) = self.streams.find(stream) else {
            self.streams.end_cancelled(stream);
            return None;
        };
        self.streams.close(place);
        // Section 8.7.
        Some(match code {
            ErrorCode::REFUSED_STREAM => Event::Unprocessed(place),
            code => Event::Reset(place, code),
        })
    }

    fn settings(&mut self, header: FrameHeader, payload: &[u8]) -> Result<(), Violation> {
        if header.has(flag::ACK) {
            // We send settings once.
            return if std::mem::replace(&mut self.is_acknowledged, true) {
                Err(Violation::UnaskedAck)
            } else {
                Ok(())
            };
        }
        let before = if self.has_settings { self.server } else { self.server.without_limit() };
        let settings = before.updated(payload)?;
        // What was sent on open streams counts against the new window too (section 6.9.2).
        let growth = i64::from(settings.window_bytes) - i64::from(self.server.window_bytes);
        if growth != 0 {
            for stream in self.streams.iter_open() {
                stream.send.shift(growth)?;
            }
        }
        self.encoder.set_table_size(settings.table_bytes);
        self.server = settings;
        self.has_settings = true;
        self.answer(Kind::Settings, &[])
    }

    fn ping(&mut self, header: FrameHeader, payload: &[u8]) -> Result<(), Violation> {
        if header.has(flag::ACK) {
            // We never ask, but an answer harms nobody.
            return Ok(());
        }
        self.answer(Kind::Ping, payload)
    }

    /// Acknowledges a frame.
    fn answer(&mut self, kind: Kind, payload: &[u8]) -> Result<(), Violation> {
        self.queued_answers += 1;
        if self.queued_answers > MAX_QUEUED_ANSWERS {
            return Err(Violation::Flood);
        }
        frame::write(&mut self.output, kind, flag::ACK, 0, payload);
        Ok(())
    }

    fn go_away(&mut self, last: u32) -> Result<(), Violation> {
        if self.last_processed.is_some_and(|before| last > before) {
            return Err(Violation::GoAway);
        }
        self.last_processed = Some(last);
        Ok(())
    }

    fn window_update(&mut self, stream: u32, bytes: u32) -> Result<Option<Event<'static>>, Violation> {
        if stream == 0 {
            return self.send.grow(bytes).map(|()| None);
        }
        // It may come on a stream that is over (section 6.9).
        let Some(place) = self.streams.find(stream) else { return Ok(None) };
        Ok(match self.streams.at(place).send.grow(bytes) {
            Ok(()) => None,
            Err(violation) => Some(self.break_stream(place, violation, false)),
        })
    }
}

/// The first four bytes.
fn number(payload: &[u8]) -> u32 {
    payload.first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes))
}
