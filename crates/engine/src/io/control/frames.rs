//! Frames: the length of what follows, 4 bytes, big-endian, and that. Pure.

/// The length of a frame's head.
const HEAD_BYTES: usize = 4;

/// A frame that announces more than is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameTooLong {
    pub announced_bytes: u32,
    pub most_bytes: u32,
}

/// Finds the frames in what was received.
#[derive(Debug)]
pub(super) struct Frames {
    most_bytes: u32,
    held: Vec<u8>,
}

impl Frames {
    pub(super) const fn new(most_bytes: u32) -> Self {
        Self { most_bytes, held: Vec::new() }
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
    }

    /// The next frame, once all of it is there.
    pub(super) fn take(&mut self) -> Result<Option<Vec<u8>>, FrameTooLong> {
        let Some((head, rest)) = self.held.split_first_chunk::<HEAD_BYTES>() else { return Ok(None) };
        let announced_bytes = u32::from_be_bytes(*head);
        if announced_bytes > self.most_bytes {
            return Err(FrameTooLong { announced_bytes, most_bytes: self.most_bytes });
        }
        let length = announced_bytes as usize;
        if rest.len() < length {
            return Ok(None);
        }
        let frame = rest[..length].to_vec();
        self.held.drain(..HEAD_BYTES + length);
        Ok(Some(frame))
    }
}

/// A frame with this in it.
pub(super) fn framed(payload: &[u8]) -> Vec<u8> {
    // What is sent is made here, and never that long.
    let length = u32::try_from(payload.len()).expect("less than 4 GiB");
    [&length.to_be_bytes(), payload].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_in_pieces_of_any_length() {
        let sent = [framed(b"one"), framed(b""), framed(b"three")].concat();
        for piece in 1..=sent.len() {
            let mut frames = Frames::new(5);
            let mut found = Vec::new();
            for bytes in sent.chunks(piece) {
                frames.add(bytes);
                while let Some(frame) = frames.take().expect("none is too long") {
                    found.push(frame);
                }
            }
            assert_eq!(found, [b"one".to_vec(), Vec::new(), b"three".to_vec()], "pieces of {piece}");
        }
    }

    #[test]
    fn a_long_one_is_refused_by_its_head() {
        let mut frames = Frames::new(5);
        frames.add(&framed(b"12345"));
        frames.add(&6_u32.to_be_bytes());
        assert_eq!(frames.take(), Ok(Some(b"12345".to_vec())));
        assert_eq!(frames.take(), Err(FrameTooLong { announced_bytes: 6, most_bytes: 5 }));
    }
}
