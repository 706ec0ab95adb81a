//! How a server can break HTTP/2, each way apart, with the section that forbids it.

use super::frame::{ErrorCode, Kind};
use super::hpack;

/// How a server broke the protocol. Sections are those of RFC 9113 unless they name another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Violation {
    /// The first frame is not SETTINGS.
    Preface,
    /// A frame is longer than we allow.
    FrameTooLong,
    /// A frame of this kind has another length than it must have.
    FrameLength(Kind),
    /// A frame of this kind is on stream 0 and must not be, or is not and must be.
    StreamNumber(Kind),
    /// A frame on a stream that nobody has opened.
    IdleStream(Kind),
    /// A frame on a stream that the server has ended.
    ClosedStream(Kind),
    /// The padding is longer than the frame.
    Padding(Kind),
    /// A frame in the midst of a header block that does not go on with it.
    BlockInterrupted(Kind),
    /// CONTINUATION, and there is nothing to continue.
    NothingToContinue,
    /// A push, which we have forbidden.
    Push,
    /// An acknowledgement of settings that were not sent.
    UnaskedAck,
    /// The server wants us to push.
    EnablePush,
    /// An initial window above 2^31 - 1.
    InitialWindow,
    /// A frame size outside 2^14 to 2^24 - 1.
    MaxFrameSize,
    /// This setting is neither 0 nor 1.
    Switch(u16),
    /// A window grows by nothing.
    ZeroIncrement,
    /// A window grows beyond 2^31 - 1.
    WindowOverflow,
    /// More data than our window allows.
    WindowExceeded,
    /// A second GOAWAY takes in more streams than the first.
    GoAway,
    /// A header block is not HPACK.
    Compression(hpack::Error),
    /// A header block that goes on and on.
    BlockTooLong,
    /// So many frames without any use that the connection can only be under attack.
    Flood,
    /// The fields of an answer are longer than we allow.
    HeadTooLong,
    /// A pseudo-field is unknown, repeated, or out of place.
    PseudoField,
    /// The name of a field has bytes that it must not have.
    FieldName,
    /// The value of a field has bytes that it must not have.
    FieldValue,
    /// A field that belongs to HTTP/1.1's connections.
    ConnectionField,
    /// There is no `:status`, or it is no number of three digits.
    Status,
    /// 101, which HTTP/2 does not have.
    Upgrade,
    /// An interim answer that ends the stream.
    InterimEnd,
    /// A body without a head.
    DataBeforeHead,
    /// Fields behind the body, and still no end.
    TrailersWithoutEnd,
    /// `content-length` is no number or contradicts itself.
    ContentLength,
    /// The body has another length than `content-length` says, or must not be there.
    BodyLength,
}

impl Violation {
    /// The RFC and its section.
    pub const fn section(self) -> (&'static str, &'static str) {
        let section = match self {
            Self::Preface => "3.4",
            Self::FrameTooLong => "4.2",
            Self::FrameLength(kind) | Self::StreamNumber(kind) | Self::Padding(kind) => kind.section(),
            Self::IdleStream(_) | Self::ClosedStream(_) => "5.1",
            Self::BlockInterrupted(_) => "4.3",
            Self::NothingToContinue => "6.10",
            Self::Push => "8.4",
            Self::UnaskedAck => "6.5.3",
            Self::Switch(0x8) => return ("RFC 8441", "3"),
            Self::Switch(_) => return ("RFC 9218", "2.1"),
            Self::EnablePush | Self::InitialWindow | Self::MaxFrameSize => "6.5.2",
            Self::ZeroIncrement => "6.9",
            Self::WindowOverflow | Self::WindowExceeded => "6.9.1",
            Self::GoAway => "6.8",
            Self::Compression(error) => return ("RFC 7541", error.section()),
            Self::BlockTooLong | Self::HeadTooLong => "10.5.1",
            Self::Flood => "10.5",
            Self::PseudoField => "8.3",
            Self::FieldName | Self::FieldValue => "8.2.1",
            Self::ConnectionField => "8.2.2",
            Self::Status => "8.3.2",
            Self::Upgrade => "8.6",
            Self::InterimEnd | Self::DataBeforeHead | Self::TrailersWithoutEnd => "8.1",
            Self::ContentLength | Self::BodyLength => "8.1.1",
        };
        ("RFC 9113", section)
    }

    /// What the server did, in words.
    pub const fn what(self) -> &'static str {
        match self {
            Self::Preface => "it does not begin with SETTINGS",
            Self::FrameTooLong => "a frame longer than allowed",
            Self::FrameLength(_) => "a frame of the wrong length",
            Self::StreamNumber(_) => "a frame on stream 0, or one that belongs there",
            Self::IdleStream(_) => "a frame on a stream that was not opened",
            Self::ClosedStream(_) => "a frame on a stream that had ended",
            Self::Padding(_) => "padding longer than its frame",
            Self::BlockInterrupted(_) => "a frame in the midst of a header block",
            Self::NothingToContinue => "CONTINUATION without a header block",
            Self::Push => "a push, which was forbidden",
            Self::UnaskedAck => "SETTINGS acknowledged twice",
            Self::EnablePush => "a server that sets ENABLE_PUSH",
            Self::InitialWindow => "INITIAL_WINDOW_SIZE above 2^31 - 1",
            Self::MaxFrameSize => "MAX_FRAME_SIZE out of bounds",
            Self::Switch(_) => "a setting that is neither 0 nor 1",
            Self::ZeroIncrement => "a window grown by nothing",
            Self::WindowOverflow => "a window grown beyond 2^31 - 1",
            Self::WindowExceeded => "more data than the window allows",
            Self::GoAway => "a second GOAWAY with a higher stream",
            Self::Compression(error) => error.what(),
            Self::BlockTooLong => "a header block without an end",
            Self::Flood => "frames without any use, on and on",
            Self::HeadTooLong => "fields of more than 100,000 bytes",
            Self::PseudoField => "a pseudo-field unknown, twice or out of place",
            Self::FieldName => "a field's name with forbidden bytes",
            Self::FieldValue => "a field's value with forbidden bytes",
            Self::ConnectionField => "a field of HTTP/1.1's connections",
            Self::Status => "no status, or one of not three digits",
            Self::Upgrade => "status 101, which HTTP/2 does not have",
            Self::InterimEnd => "an interim answer that ends the stream",
            Self::DataBeforeHead => "a body without a head",
            Self::TrailersWithoutEnd => "trailers that do not end the stream",
            Self::ContentLength => "content-length is no number, or twice",
            Self::BodyLength => "a body of another length than its head says",
        }
    }

    /// The frame that it was, if several can be.
    pub const fn frame(self) -> Option<Kind> {
        match self {
            Self::FrameLength(kind)
            | Self::StreamNumber(kind)
            | Self::IdleStream(kind)
            | Self::ClosedStream(kind)
            | Self::Padding(kind)
            | Self::BlockInterrupted(kind) => Some(kind),
            _ => None,
        }
    }

    /// What the server is told.
    pub const fn code(self) -> ErrorCode {
        match self {
            Self::FrameTooLong | Self::FrameLength(_) => ErrorCode::FRAME_SIZE_ERROR,
            Self::ClosedStream(_) => ErrorCode::STREAM_CLOSED,
            Self::InitialWindow | Self::WindowOverflow | Self::WindowExceeded => ErrorCode::FLOW_CONTROL_ERROR,
            Self::Compression(_) => ErrorCode::COMPRESSION_ERROR,
            Self::BlockTooLong | Self::HeadTooLong | Self::Flood => ErrorCode::ENHANCE_YOUR_CALM,
            _ => ErrorCode::PROTOCOL_ERROR,
        }
    }
}

impl From<hpack::Error> for Violation {
    fn from(error: hpack::Error) -> Self {
        Self::Compression(error)
    }
}
