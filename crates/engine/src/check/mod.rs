//! Whether an answer is the one expected: its status, its length and its bytes.
//!
//! Up to [`COMPARED_BYTES`] every byte of every answer is compared. Above, the length always, and the bytes of one
//! answer in [`COMPARED_ONE_IN`].

mod masked;
mod needle;
mod status;

pub use masked::MaskedBody;
pub use needle::Needle;
use needle::Searched;
pub use status::{ExpectedStatus, StatusSet};
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Bodies up to this length are compared byte by byte in every answer.
pub const COMPARED_BYTES: u64 = 65_536;
/// Of longer bodies, the bytes of one answer in this many are compared.
pub const COMPARED_ONE_IN: u64 = 16;

pub const SHA256_BYTES: usize = 32;

/// Which body is right.
#[derive(Debug, Clone)]
pub enum ExpectedBody {
    /// Nothing is compared.
    Any,
    Length(u64),
    Bytes(Arc<[u8]>),
    /// These bytes but for those under masks.
    Masked(Arc<MaskedBody>),
    Sha256([u8; SHA256_BYTES]),
    Contains(Arc<Needle>),
    /// The body of the first answer with an expected status, over all lanes.
    First(Arc<OnceLock<Reference>>),
}

impl ExpectedBody {
    /// How long the body is, if that is known.
    pub fn length(&self) -> Option<u64> {
        match self {
            Self::Bytes(bytes) => Some(bytes.len() as u64),
            Self::Masked(body) => Some(body.length()),
            Self::Length(length) => Some(*length),
            Self::Any | Self::Sha256(_) | Self::Contains(_) | Self::First(_) => None,
        }
    }
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
    Masked(Arc<MaskedBody>),
    /// XXH3 of a body that was too long to be kept.
    Hash(u64),
    /// The body was too long to be kept: the expected SHA-256 is compared.
    Sha256,
}

/// What is known of one answer so far.
#[derive(Debug, Default)]
pub struct Progress {
    length: u64,
    reading: Reading,
    differs: bool,
    searched: Searched,
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
    Sha256,
    Search,
}

#[derive(Default)]
struct Summary {
    hash: Xxh3,
    sha256: Option<ring::digest::Context>,
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

    /// How much of the body has come.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// This much of the body came and was not kept. Only if [`Progress::reads_length_only`].
    pub fn skipped(&mut self, bytes: u64) {
        self.length += bytes;
    }
}

/// The judge of one lane's answers.
#[derive(Debug)]
pub struct Check {
    status: ExpectedStatus,
    expected: ExpectedBody,
    /// What bodies are compared with, once that is known.
    reference: Option<Reference>,
    long_answers: u64,
}

/// A correct answer, and whether its bytes were compared, those under masks apart.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum Correct {
    Compared,
    /// Only the status was, and the length if one is expected.
    NotCompared,
}

impl Check {
    pub fn new(status: ExpectedStatus, expected: ExpectedBody) -> Self {
        let content = match &expected {
            ExpectedBody::Bytes(bytes) => Content::Bytes(Arc::clone(bytes)),
            ExpectedBody::Masked(body) => Content::Masked(Arc::clone(body)),
            _ => Content::Unknown,
        };
        let reference = expected.length().map(|length| Reference { length, content });
        Self { status, expected, reference, long_answers: 0 }
    }

    #[inline]
    pub fn status(&self, status: u16) -> bool {
        self.status.has(status)
    }

    pub fn begin(&mut self, progress: &mut Progress) {
        progress.length = 0;
        progress.differs = false;
        if self.reference.is_none()
            && let ExpectedBody::First(learned) = &self.expected
        {
            self.reference = learned.get().cloned();
        }
        progress.reading = match (&self.reference, &self.expected) {
            (None, ExpectedBody::First(_)) => Reading::Learn,
            (None, ExpectedBody::Sha256(_)) => Reading::Sha256,
            (None, ExpectedBody::Contains(_)) => Reading::Search,
            (None | Some(Reference { content: Content::Unknown, .. }), _) => Reading::LengthOnly,
            (Some(reference), _) => {
                let full = reference.length <= COMPARED_BYTES || {
                    self.long_answers += 1;
                    self.long_answers % COMPARED_ONE_IN == 1
                };
                match &reference.content {
                    _ if !full => Reading::LengthOnly,
                    Content::Hash(_) => Reading::Hash,
                    Content::Sha256 => Reading::Sha256,
                    Content::Bytes(_) | Content::Masked(_) | Content::Unknown => Reading::Compare,
                }
            }
        };
        progress.searched.clear();
        if matches!(progress.reading, Reading::Learn | Reading::Hash | Reading::Sha256) {
            let summary = progress.summary.get_or_insert_default();
            summary.hash.reset();
            summary.start.clear();
            summary.sha256 =
                (progress.reading == Reading::Sha256).then(|| ring::digest::Context::new(&ring::digest::SHA256));
        }
    }

    #[inline]
    pub fn body(&self, progress: &mut Progress, bytes: &[u8]) {
        match (progress.reading, &self.reference) {
            (Reading::Compare, Some(Reference { content: Content::Bytes(expected), .. })) => {
                // A body longer than expected has no bytes to be compared with: it differs.
                let expected =
                    usize::try_from(progress.length).ok().and_then(|at| expected.get(at..)?.get(..bytes.len()));
                progress.differs |= expected != Some(bytes);
            }
            (Reading::Compare, Some(Reference { content: Content::Masked(body), .. })) => {
                progress.differs |= !body.has(progress.length, bytes);
            }
            (Reading::Hash | Reading::Learn | Reading::Sha256, _) => {
                if let Some(summary) = &mut progress.summary {
                    match &mut summary.sha256 {
                        Some(sha256) => sha256.update(bytes),
                        None => summary.hash.update(bytes),
                    }
                    let may_be_kept = progress.length + bytes.len() as u64 <= COMPARED_BYTES;
                    if progress.reading != Reading::Hash && may_be_kept {
                        summary.start.extend_from_slice(bytes);
                    }
                }
            }
            (Reading::Search, _) => {
                if let ExpectedBody::Contains(needle) = &self.expected {
                    needle.search(&mut progress.searched, bytes);
                }
            }
            _ => {}
        }
        progress.length += bytes.len() as u64;
    }

    /// The body has ended: judges it. `None` if it is not the expected one.
    pub fn end(&mut self, progress: &mut Progress) -> Option<Correct> {
        match progress.reading {
            Reading::Learn => return self.learn(progress),
            Reading::Sha256 => return self.digest(progress),
            Reading::Search if !progress.searched.is_found() => return None,
            _ => {}
        }
        let Some(reference) = &self.reference else { return Some(Correct::NotCompared) };
        let mut right = !progress.differs && progress.length == reference.length;
        if let (Reading::Hash, Content::Hash(expected), Some(summary)) =
            (progress.reading, &reference.content, &progress.summary)
        {
            right &= summary.hash.digest() == *expected;
        }
        match (right, progress.reading) {
            (false, _) => None,
            (true, Reading::Compare | Reading::Hash) => Some(Correct::Compared),
            (true, _) => Some(Correct::NotCompared),
        }
    }

    /// The first body with the right SHA-256 is what later bodies are compared with.
    fn digest(&mut self, progress: &mut Progress) -> Option<Correct> {
        let Summary { sha256, start, .. } = progress.summary.as_deref_mut()?;
        let digest = sha256.take().map(ring::digest::Context::finish);
        let ExpectedBody::Sha256(expected) = &self.expected else { return None };
        if digest?.as_ref() != expected {
            return None;
        }
        if self.reference.is_none() {
            let keep = progress.length <= COMPARED_BYTES;
            let content = if keep { Content::Bytes(std::mem::take(start).into()) } else { Content::Sha256 };
            self.reference = Some(Reference { length: progress.length, content });
        }
        Some(Correct::Compared)
    }

    /// The first answer of all lanes is what later answers are compared with. So are answers that began before it
    /// ended.
    fn learn(&self, progress: &mut Progress) -> Option<Correct> {
        let (ExpectedBody::First(learned), Some(summary)) = (&self.expected, progress.summary.take()) else {
            return Some(Correct::NotCompared);
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
                // None of them is ever learned.
                Content::Unknown | Content::Masked(_) | Content::Sha256 => true,
            };
        same.then_some(Correct::Compared)
    }
}

#[cfg(test)]
mod tests;
