//! Whether an answer is the one expected: its status, its length and its bytes.
//!
//! Up to [`COMPARED_BYTES`] every byte of every answer is compared. Above, the length always, and the bytes of one
//! answer in [`COMPARED_ONE_IN`].

use crate::recorder::ErrorKind;
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Bodies up to this length are compared byte by byte in every answer.
pub const COMPARED_BYTES: u64 = 65_536;
/// Of longer bodies, the bytes of one answer in this many are compared.
pub const COMPARED_ONE_IN: u64 = 16;

/// Which statuses are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedStatus {
    /// This one.
    Exactly(u16),
    /// Any from 200 to 299.
    Successful,
}

/// Which body is right.
#[derive(Debug, Clone)]
pub enum ExpectedBody {
    /// Any: nothing is compared.
    Any,
    /// Any of this length.
    Length(u64),
    /// These bytes.
    Bytes(Arc<[u8]>),
    /// That of the first answer with an expected status, over all lanes.
    First(Arc<OnceLock<Reference>>),
}

/// A body to compare with.
#[derive(Debug, Clone)]
pub struct Reference {
    length: u64,
    content: Content,
}

#[derive(Debug, Clone)]
enum Content {
    Unknown,
    Bytes(Arc<[u8]>),
    /// XXH3, where the body was too long to be kept.
    Hash(u64),
}

/// What one connection's answer has shown so far.
#[derive(Debug, Default)]
pub struct Progress {
    length: u64,
    reading: Reading,
    differs: bool,
    /// Kept once a body came in several pieces and had to be hashed or learned.
    summary: Option<Box<Summary>>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum Reading {
    #[default]
    LengthOnly,
    Compare,
    Hash,
    Learn,
}

#[derive(Default)]
struct Summary {
    hash: Xxh3,
    start: Vec<u8>,
}

impl std::fmt::Debug for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Summary").field("start", &self.start.len()).finish_non_exhaustive()
    }
}

impl Progress {
    /// Whether only the length of what is still to come matters.
    #[inline]
    pub fn reads_length_only(&self) -> bool {
        self.reading == Reading::LengthOnly
    }

    /// So much of the body came and was not kept. Only where [`Progress::reads_length_only`].
    pub fn skipped(&mut self, bytes: u64) {
        self.length += bytes;
    }
}

/// The judge of one lane's answers.
#[derive(Debug)]
pub struct Check {
    status: ExpectedStatus,
    reference: Option<Reference>,
    learned: Option<Arc<OnceLock<Reference>>>,
    long_answers: u64,
}

/// A correct answer, and whether its bytes were compared.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum Correct {
    /// Every byte was as expected.
    Compared,
    /// Status and length (where one is expected) were.
    NotCompared,
}

impl Check {
    /// A judge that knows what to expect.
    pub fn new(status: ExpectedStatus, body: ExpectedBody) -> Self {
        let (reference, learned) = match body {
            ExpectedBody::Any => (None, None),
            ExpectedBody::Length(length) => (Some(Reference { length, content: Content::Unknown }), None),
            ExpectedBody::Bytes(bytes) => {
                (Some(Reference { length: bytes.len() as u64, content: Content::Bytes(bytes) }), None)
            }
            ExpectedBody::First(learned) => (None, Some(learned)),
        };
        Self { status, reference, learned, long_answers: 0 }
    }

    /// Whether the status is right.
    #[inline]
    pub fn status(&self, status: u16) -> bool {
        match self.status {
            ExpectedStatus::Exactly(expected) => status == expected,
            ExpectedStatus::Successful => (200..300).contains(&status),
        }
    }

    /// A body begins.
    pub fn begin(&mut self, progress: &mut Progress) {
        progress.length = 0;
        progress.differs = false;
        if self.reference.is_none()
            && let Some(learned) = &self.learned
        {
            self.reference = learned.get().cloned();
        }
        progress.reading = match &self.reference {
            None if self.learned.is_some() => Reading::Learn,
            None | Some(Reference { content: Content::Unknown, .. }) => Reading::LengthOnly,
            Some(reference) => {
                let full = reference.length <= COMPARED_BYTES || {
                    self.long_answers += 1;
                    self.long_answers % COMPARED_ONE_IN == 1
                };
                match &reference.content {
                    _ if !full => Reading::LengthOnly,
                    Content::Hash(_) => Reading::Hash,
                    Content::Bytes(_) | Content::Unknown => Reading::Compare,
                }
            }
        };
        if matches!(progress.reading, Reading::Learn | Reading::Hash) {
            let summary = progress.summary.get_or_insert_default();
            summary.hash.reset();
            summary.start.clear();
        }
    }

    /// Some of the body.
    #[inline]
    pub fn body(&self, progress: &mut Progress, bytes: &[u8]) {
        match (progress.reading, &self.reference) {
            (Reading::Compare, Some(Reference { content: Content::Bytes(expected), .. })) => {
                // A body longer than expected has no bytes to be compared with: it differs.
                let expected =
                    usize::try_from(progress.length).ok().and_then(|at| expected.get(at..)?.get(..bytes.len()));
                progress.differs |= expected != Some(bytes);
            }
            (Reading::Hash | Reading::Learn, _) => {
                if let Some(summary) = &mut progress.summary {
                    summary.hash.update(bytes);
                    if progress.reading == Reading::Learn && progress.length <= COMPARED_BYTES {
                        summary.start.extend_from_slice(bytes);
                    }
                }
            }
            _ => {}
        }
        progress.length += bytes.len() as u64;
    }

    /// The body has ended: whether the answer was right.
    pub fn end(&mut self, progress: &mut Progress) -> Result<Correct, ErrorKind> {
        if progress.reading == Reading::Learn {
            return self.learn(progress);
        }
        let Some(reference) = &self.reference else { return Ok(Correct::NotCompared) };
        let mut right = !progress.differs && progress.length == reference.length;
        if let (Reading::Hash, Content::Hash(expected), Some(summary)) =
            (progress.reading, &reference.content, &progress.summary)
        {
            right &= summary.hash.digest() == *expected;
        }
        match (right, progress.reading) {
            (false, _) => Err(ErrorKind::Body),
            (true, Reading::Compare | Reading::Hash) => Ok(Correct::Compared),
            (true, Reading::LengthOnly | Reading::Learn) => Ok(Correct::NotCompared),
        }
    }

    /// The first answer of all becomes the reference; others that were on their way meanwhile are compared with it.
    fn learn(&self, progress: &mut Progress) -> Result<Correct, ErrorKind> {
        let (Some(learned), Some(summary)) = (&self.learned, progress.summary.take()) else {
            return Ok(Correct::NotCompared);
        };
        let hash = summary.hash.digest();
        let reference = learned.get_or_init(|| Reference {
            length: progress.length,
            content: if progress.length <= COMPARED_BYTES {
                Content::Bytes(summary.start.into())
            } else {
                Content::Hash(hash)
            },
        });
        let same = progress.length == reference.length
            && match &reference.content {
                Content::Bytes(bytes) => hash == xxh3_64(bytes),
                Content::Hash(expected) => hash == *expected,
                Content::Unknown => true,
            };
        if same { Ok(Correct::Compared) } else { Err(ErrorKind::Body) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(check: &mut Check, pieces: &[&[u8]]) -> Result<Correct, ErrorKind> {
        let mut progress = Progress::default();
        check.begin(&mut progress);
        for piece in pieces {
            check.body(&mut progress, piece);
        }
        check.end(&mut progress)
    }

    fn expecting(body: ExpectedBody) -> Check {
        Check::new(ExpectedStatus::Exactly(200), body)
    }

    #[test]
    fn bytes_are_compared_in_any_pieces() {
        let mut check = expecting(ExpectedBody::Bytes(b"Hello".as_slice().into()));
        assert_eq!(judge(&mut check, &[b"Hello"]), Ok(Correct::Compared));
        assert_eq!(judge(&mut check, &[b"He", b"", b"llo"]), Ok(Correct::Compared));
        let wrong: [&[&[u8]]; 5] = [&[], &[b"Hell"], &[b"Hello "], &[b"Hallo"], &[b"Hello", b"!"]];
        for pieces in wrong {
            assert_eq!(judge(&mut check, pieces), Err(ErrorKind::Body), "{pieces:?}");
        }
    }

    #[test]
    fn statuses() {
        let check = Check::new(ExpectedStatus::Successful, ExpectedBody::Any);
        assert!(check.status(200) && check.status(299) && !check.status(300) && !check.status(199));
        let check = Check::new(ExpectedStatus::Exactly(404), ExpectedBody::Any);
        assert!(check.status(404) && !check.status(200));
    }

    #[test]
    fn any_body_and_a_length() {
        assert_eq!(judge(&mut expecting(ExpectedBody::Any), &[b"x"]), Ok(Correct::NotCompared));
        let mut check = expecting(ExpectedBody::Length(2));
        assert_eq!(judge(&mut check, &[b"xy"]), Ok(Correct::NotCompared));
        assert_eq!(judge(&mut check, &[b"xyz"]), Err(ErrorKind::Body));
    }

    #[test]
    fn of_long_bodies_one_in_sixteen_is_compared_and_the_length_always() {
        let right = vec![7_u8; COMPARED_BYTES as usize + 1];
        let mut wrong = right.clone();
        wrong[9] = 8;
        for first in [false, true] {
            let shared = Arc::new(OnceLock::new());
            let mut check = if first {
                let mut check = expecting(ExpectedBody::First(Arc::clone(&shared)));
                assert_eq!(judge(&mut check, &[&right]), Ok(Correct::Compared));
                check
            } else {
                expecting(ExpectedBody::Bytes(right.as_slice().into()))
            };
            let compared = (0..32).filter(|_| judge(&mut check, &[&right[..9], &right[9..]]) == Ok(Correct::Compared));
            assert_eq!(compared.count(), 2);
            assert_eq!((0..32).filter(|_| judge(&mut check, &[&wrong]).is_err()).count(), 2);
            assert_eq!((0..32).filter(|_| judge(&mut check, &[&wrong[1..]]).is_err()).count(), 32);
        }
    }

    #[test]
    fn the_first_answer_is_the_reference_for_all_lanes() {
        let shared = Arc::new(OnceLock::new());
        let mut lanes = [0, 1].map(|_| expecting(ExpectedBody::First(Arc::clone(&shared))));
        let (mut early, mut late) = (Progress::default(), Progress::default());
        lanes[0].begin(&mut early);
        lanes[1].begin(&mut late);
        lanes[1].body(&mut late, b"other");
        lanes[0].body(&mut early, b"first");
        assert_eq!(lanes[0].end(&mut early), Ok(Correct::Compared));
        assert_eq!(lanes[1].end(&mut late), Err(ErrorKind::Body), "it began before the reference was known");
        assert_eq!(judge(&mut lanes[1], &[b"first"]), Ok(Correct::Compared));
        assert_eq!(judge(&mut lanes[1], &[b"third"]), Err(ErrorKind::Body));
    }
}
