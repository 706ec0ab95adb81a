//! Frames: the nine bytes before each, their types, flags and numbers (RFC 9113, sections 4.1, 6 and 7).

/// The length of a frame's header.
pub const HEADER_BYTES: usize = 9;
/// The longest payload that a server may send: we leave SETTINGS_MAX_FRAME_SIZE as it is (section 4.2). We send none that
/// is longer, whatever the server allows.
pub const MAX_PAYLOAD_BYTES: usize = 16_384;
/// What a client sends first, in front of its settings (section 3.4).
pub const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// The largest window (section 6.9.1) and the last stream (section 5.1.1).
pub const MAX_31_BITS: u32 = (1 << 31) - 1;
/// Windows before the settings say otherwise (section 6.9.2).
pub const INITIAL_WINDOW_BYTES: u32 = 65_535;

pub mod flag {
    //! Flags. ACK is that of SETTINGS and PING.
    pub const END_STREAM: u8 = 0x01;
    pub const ACK: u8 = 0x01;
    pub const END_HEADERS: u8 = 0x04;
    pub const PADDED: u8 = 0x08;
    pub const PRIORITY: u8 = 0x20;
}

pub mod setting {
    //! Settings (section 6.5.2; RFC 8441, section 3; RFC 9218, section 2.1).
    pub const HEADER_TABLE_SIZE: u16 = 0x1;
    pub const ENABLE_PUSH: u16 = 0x2;
    pub const MAX_CONCURRENT_STREAMS: u16 = 0x3;
    pub const INITIAL_WINDOW_SIZE: u16 = 0x4;
    pub const MAX_FRAME_SIZE: u16 = 0x5;
    pub const MAX_HEADER_LIST_SIZE: u16 = 0x6;
    pub const ENABLE_CONNECT_PROTOCOL: u16 = 0x8;
    pub const NO_RFC7540_PRIORITIES: u16 = 0x9;
}

/// The type of a frame (section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Data,
    Headers,
    Priority,
    RstStream,
    Settings,
    PushPromise,
    Ping,
    GoAway,
    WindowUpdate,
    Continuation,
    /// Ignored, but within a header block (section 5.5).
    Unknown(u8),
}

impl Kind {
    /// The ten that there are, in the order of their codes.
    pub const ALL: [Self; 10] = [
        Self::Data,
        Self::Headers,
        Self::Priority,
        Self::RstStream,
        Self::Settings,
        Self::PushPromise,
        Self::Ping,
        Self::GoAway,
        Self::WindowUpdate,
        Self::Continuation,
    ];

    fn of(code: u8) -> Self {
        Self::ALL.get(usize::from(code)).copied().unwrap_or(Self::Unknown(code))
    }

    const fn code(self) -> u8 {
        match self {
            Self::Data => 0,
            Self::Headers => 1,
            Self::Priority => 2,
            Self::RstStream => 3,
            Self::Settings => 4,
            Self::PushPromise => 5,
            Self::Ping => 6,
            Self::GoAway => 7,
            Self::WindowUpdate => 8,
            Self::Continuation => 9,
            Self::Unknown(code) => code,
        }
    }

    /// Its name in the RFC.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Data => "DATA",
            Self::Headers => "HEADERS",
            Self::Priority => "PRIORITY",
            Self::RstStream => "RST_STREAM",
            Self::Settings => "SETTINGS",
            Self::PushPromise => "PUSH_PROMISE",
            Self::Ping => "PING",
            Self::GoAway => "GOAWAY",
            Self::WindowUpdate => "WINDOW_UPDATE",
            Self::Continuation => "CONTINUATION",
            Self::Unknown(_) => "an unknown frame",
        }
    }

    /// The section of RFC 9113 that describes it.
    pub const fn section(self) -> &'static str {
        match self {
            Self::Data => "6.1",
            Self::Headers => "6.2",
            Self::Priority => "6.3",
            Self::RstStream => "6.4",
            Self::Settings => "6.5",
            Self::PushPromise => "6.6",
            Self::Ping => "6.7",
            Self::GoAway => "6.8",
            Self::WindowUpdate => "6.9",
            Self::Continuation => "6.10",
            Self::Unknown(_) => "5.5",
        }
    }
}

/// Why a stream or a connection is ended (section 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorCode(pub u32);

impl ErrorCode {
    pub const NO_ERROR: Self = Self(0x0);
    pub const PROTOCOL_ERROR: Self = Self(0x1);
    pub const FLOW_CONTROL_ERROR: Self = Self(0x3);
    pub const STREAM_CLOSED: Self = Self(0x5);
    pub const FRAME_SIZE_ERROR: Self = Self(0x6);
    pub const REFUSED_STREAM: Self = Self(0x7);
    pub const CANCEL: Self = Self(0x8);
    pub const COMPRESSION_ERROR: Self = Self(0x9);
    pub const ENHANCE_YOUR_CALM: Self = Self(0xb);

    /// Its name in the RFC.
    pub fn name(self) -> &'static str {
        const NAMES: [&str; 14] = [
            "NO_ERROR",
            "PROTOCOL_ERROR",
            "INTERNAL_ERROR",
            "FLOW_CONTROL_ERROR",
            "SETTINGS_TIMEOUT",
            "STREAM_CLOSED",
            "FRAME_SIZE_ERROR",
            "REFUSED_STREAM",
            "CANCEL",
            "COMPRESSION_ERROR",
            "CONNECT_ERROR",
            "ENHANCE_YOUR_CALM",
            "INADEQUATE_SECURITY",
            "HTTP_1_1_REQUIRED",
        ];
        usize::try_from(self.0).ok().and_then(|code| NAMES.get(code)).copied().unwrap_or("an unknown code")
    }
}

/// A frame's header (section 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameHeader {
    pub payload_bytes: u32,
    pub kind: Kind,
    pub flags: u8,
    pub stream: u32,
}

impl FrameHeader {
    #[inline]
    pub fn read(bytes: &[u8; HEADER_BYTES]) -> Self {
        let &[l0, l1, l2, kind, flags, s0, s1, s2, s3] = bytes;
        Self {
            payload_bytes: u32::from_be_bytes([0, l0, l1, l2]),
            kind: Kind::of(kind),
            flags,
            // The highest bit is reserved.
            stream: u32::from_be_bytes([s0, s1, s2, s3]) & MAX_31_BITS,
        }
    }

    #[inline]
    pub fn write(self, output: &mut Vec<u8>) {
        let [_, l0, l1, l2] = self.payload_bytes.to_be_bytes();
        let [s0, s1, s2, s3] = self.stream.to_be_bytes();
        output.extend_from_slice(&[l0, l1, l2, self.kind.code(), self.flags, s0, s1, s2, s3]);
    }

    #[inline]
    pub const fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// Adds a whole frame.
pub fn write(output: &mut Vec<u8>, kind: Kind, flags: u8, stream: u32, payload: &[u8]) {
    // Nobody writes a payload of 4 GiB: what is longer than a frame is cut before.
    FrameHeader { payload_bytes: payload.len() as u32, kind, flags, stream }.write(output);
    output.extend_from_slice(payload);
}

/// Adds a frame whose payload is one number: RST_STREAM or WINDOW_UPDATE.
pub fn write_number(output: &mut Vec<u8>, kind: Kind, stream: u32, number: u32) {
    write(output, kind, 0, stream, &number.to_be_bytes());
}

/// Adds our SETTINGS.
pub fn write_settings(output: &mut Vec<u8>, settings: &[(u16, u32)]) {
    let payload: Vec<u8> =
        settings.iter().flat_map(|(name, value)| [&name.to_be_bytes()[..], &value.to_be_bytes()].concat()).collect();
    write(output, Kind::Settings, 0, 0, &payload);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_codes() {
        for (code, name) in [
            (ErrorCode::NO_ERROR, "NO_ERROR"),
            (ErrorCode::FLOW_CONTROL_ERROR, "FLOW_CONTROL_ERROR"),
            (ErrorCode::REFUSED_STREAM, "REFUSED_STREAM"),
            (ErrorCode::ENHANCE_YOUR_CALM, "ENHANCE_YOUR_CALM"),
            (ErrorCode(0xd), "HTTP_1_1_REQUIRED"),
            (ErrorCode(0xe), "an unknown code"),
            (ErrorCode(u32::MAX), "an unknown code"),
        ] {
            assert_eq!(code.name(), name);
        }
    }
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn headers_survive(payload_bytes in 0_u32..1 << 24, code: u8, flags: u8, stream in 0..=MAX_31_BITS) {
            let header = FrameHeader { payload_bytes, kind: Kind::of(code), flags, stream };
            let mut bytes = Vec::new();
            header.write(&mut bytes);
            prop_assert_eq!(bytes[3], code);
            let mut bytes: [u8; HEADER_BYTES] = bytes.try_into().expect("nine bytes");
            bytes[5] |= 0x80;
            prop_assert_eq!(FrameHeader::read(&bytes), header, "the reserved bit is ignored");
        }
    }
}
