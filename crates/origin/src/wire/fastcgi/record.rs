//! Records: the eight-byte header and the few contents with a fixed form (FastCGI Specification 1.0, 3.3 and 8).

pub const BEGIN_REQUEST: u8 = 1;
pub const ABORT_REQUEST: u8 = 2;
pub const END_REQUEST: u8 = 3;
pub const PARAMS: u8 = 4;
pub const STDIN: u8 = 5;
pub const STDOUT: u8 = 6;
pub const GET_VALUES: u8 = 9;
pub const GET_VALUES_RESULT: u8 = 10;
pub const UNKNOWN_TYPE: u8 = 11;

/// Protocol status of an end record: done.
pub const REQUEST_COMPLETE: u8 = 0;
/// Refused: one request at a time on a connection.
pub const CANT_MPX_CONN: u8 = 1;
/// Refused: not the responder role.
pub const UNKNOWN_ROLE: u8 = 3;

pub const VERSION: u8 = 1;
pub const HEADER_BYTES: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// FCGI_VERSION_1 in every record that is understood.
    pub version: u8,
    /// One of the constants here, or an unknown type.
    pub kind: u8,
    /// The request, or 0 for the connection.
    pub id: u16,
    pub content: u16,
    /// Bytes of padding behind the content.
    pub padding: u8,
}

impl Header {
    /// Reads the header at the front of `input`, if all of it is there.
    pub fn read(input: &[u8]) -> Option<Self> {
        let bytes: &[u8; HEADER_BYTES] = input.first_chunk()?;
        Some(Self {
            version: bytes[0],
            kind: bytes[1],
            id: u16::from_be_bytes([bytes[2], bytes[3]]),
            content: u16::from_be_bytes([bytes[4], bytes[5]]),
            padding: bytes[6],
        })
    }
}

pub fn header(out: &mut Vec<u8>, kind: u8, id: u16, content: u16, padding: u8) {
    let [id_high, id_low] = id.to_be_bytes();
    let [content_high, content_low] = content.to_be_bytes();
    out.extend_from_slice(&[VERSION, kind, id_high, id_low, content_high, content_low, padding, 0]);
}

/// Appends a stream's bytes, in as many records as they need.
pub fn stream(out: &mut Vec<u8>, kind: u8, id: u16, bytes: &[u8]) {
    // The largest content that is a multiple of 8.
    for part in bytes.chunks(65_528) {
        let padding = part.len().wrapping_neg() & 7;
        header(out, kind, id, part.len() as u16, padding as u8);
        out.extend_from_slice(part);
        out.resize(out.len() + padding, 0);
    }
}

pub fn end_request(out: &mut Vec<u8>, id: u16, protocol_status: u8) {
    header(out, END_REQUEST, id, 8, 0);
    out.extend_from_slice(&[0, 0, 0, 0, protocol_status, 0, 0, 0]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn headers_are_read_as_written(kind: u8, id: u16, content: u16, padding: u8) {
            let mut out = Vec::new();
            header(&mut out, kind, id, content, padding);
            prop_assert_eq!(Header::read(&out), Some(Header { version: VERSION, kind, id, content, padding }));
            prop_assert_eq!(Header::read(&out[..7]), None);
        }

        #[test]
        fn streams_of_any_length_come_back(length in 0usize..200_000) {
            let bytes: Vec<u8> = (0..length).map(|index| (index % 256) as u8).collect();
            let mut out = Vec::new();
            stream(&mut out, STDOUT, 7, &bytes);
            let (mut back, mut rest) = (Vec::new(), out.as_slice());
            while let Some(header) = Header::read(rest) {
                let content = usize::from(header.content);
                back.extend_from_slice(&rest[HEADER_BYTES..HEADER_BYTES + content]);
                rest = &rest[HEADER_BYTES + content + usize::from(header.padding)..];
                prop_assert_eq!((content + usize::from(header.padding)) % 8, 0);
            }
            prop_assert!(rest.is_empty());
            prop_assert_eq!(back, bytes);
        }
    }
}
