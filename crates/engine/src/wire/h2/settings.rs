//! What the two sides announce (RFC 9113, section 6.5).

use super::Violation;
use super::frame::{INITIAL_WINDOW_BYTES, MAX_31_BITS, MAX_PAYLOAD_BYTES, setting};
use crate::wire::MAX_HEAD_BYTES;

/// What we announce. Without a dynamic table equal header blocks mean the same; windows are as large as they can be, so
/// that no answer waits for us.
pub const OURS: [(u16, u32); 4] = [
    (setting::HEADER_TABLE_SIZE, 0),
    (setting::ENABLE_PUSH, 0),
    (setting::INITIAL_WINDOW_SIZE, MAX_31_BITS),
    (setting::MAX_HEADER_LIST_SIZE, MAX_HEAD_BYTES as u32),
];

/// How many streams are opened before the server says how many it allows: it should allow as many at least
/// (section 6.5.2), and may refuse more.
pub const STREAMS_BEFORE_SETTINGS: u32 = 100;

const SETTING_BYTES: usize = 6;

/// What the server announced last, as far as it concerns us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerSettings {
    /// What its header table may hold.
    pub table_bytes: u32,
    pub max_streams: u32,
    /// The window of each stream at its start.
    pub window_bytes: u32,
    /// The longest payload of a frame to send: what it allows, and no more than [`MAX_PAYLOAD_BYTES`].
    pub payload_bytes: usize,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            table_bytes: 4096,
            max_streams: STREAMS_BEFORE_SETTINGS,
            window_bytes: INITIAL_WINDOW_BYTES,
            payload_bytes: MAX_PAYLOAD_BYTES,
        }
    }
}

impl ServerSettings {
    /// The same without a limit of streams: what a server does not limit in its first settings is not limited.
    pub fn without_limit(self) -> Self {
        Self { max_streams: u32::MAX, ..self }
    }

    /// The settings after a frame with this payload, whose length was checked.
    pub fn updated(self, payload: &[u8]) -> Result<Self, Violation> {
        let mut settings = self;
        for entry in payload.chunks_exact(SETTING_BYTES) {
            let &[n0, n1, v0, v1, v2, v3] = entry else { continue };
            let (name, value) = (u16::from_be_bytes([n0, n1]), u32::from_be_bytes([v0, v1, v2, v3]));
            match name {
                setting::HEADER_TABLE_SIZE => settings.table_bytes = value,
                // Only a client may be pushed at.
                setting::ENABLE_PUSH if value != 0 => return Err(Violation::EnablePush),
                setting::MAX_CONCURRENT_STREAMS => settings.max_streams = value,
                setting::INITIAL_WINDOW_SIZE if value > MAX_31_BITS => return Err(Violation::InitialWindow),
                setting::INITIAL_WINDOW_SIZE => settings.window_bytes = value,
                setting::MAX_FRAME_SIZE if !(1 << 14..1 << 24).contains(&value) => {
                    return Err(Violation::MaxFrameSize);
                }
                setting::ENABLE_CONNECT_PROTOCOL | setting::NO_RFC7540_PRIORITIES if value > 1 => {
                    return Err(Violation::Switch(name));
                }
                // What is unknown is ignored, and how long fields may be is advice.
                _ => {}
            }
        }
        Ok(settings)
    }
}

/// Whether a payload of SETTINGS can have this length.
pub const fn is_length(payload_bytes: u32) -> bool {
    (payload_bytes as usize).is_multiple_of(SETTING_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn updated(settings: &[(u16, u32)]) -> Result<ServerSettings, Violation> {
        let payload: Vec<u8> = settings
            .iter()
            .flat_map(|(name, value)| [&name.to_be_bytes()[..], &value.to_be_bytes()].concat())
            .collect();
        ServerSettings::default().updated(&payload)
    }

    #[test]
    fn what_may_be_announced() {
        let all =
            updated(&[(1, 7), (2, 0), (3, 0), (4, MAX_31_BITS), (5, 1 << 20), (6, 9), (8, 1), (9, 1), (0xffff, 3)]);
        let expected = ServerSettings {
            table_bytes: 7,
            max_streams: 0,
            window_bytes: MAX_31_BITS,
            payload_bytes: MAX_PAYLOAD_BYTES,
        };
        assert_eq!(all, Ok(expected));
        assert_eq!(updated(&[(4, 5), (4, 6)]).map(|settings| settings.window_bytes), Ok(6), "in their order");
    }

    #[test]
    fn what_must_not() {
        for (entry, violation) in [
            ((2, 1), Violation::EnablePush),
            ((2, 2), Violation::EnablePush),
            ((4, MAX_31_BITS + 1), Violation::InitialWindow),
            ((5, (1 << 14) - 1), Violation::MaxFrameSize),
            ((5, 1 << 24), Violation::MaxFrameSize),
            ((8, 2), Violation::Switch(8)),
            ((9, 2), Violation::Switch(9)),
        ] {
            assert_eq!(updated(&[(3, 1), entry]), Err(violation));
        }
    }
}
