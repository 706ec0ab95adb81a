//! One row per request, for replaying what the origin saw.
//!
//! Rows of 24 bytes, little-endian, in the order in which requests ended (by thread, in batches): arrival ns (u64),
//! last byte taken ns (u64, all ones: never), connection (u32), listener (u16), outcome (u8), fault (u8, 255: none).
//! The file begins with the 24 bytes of [`MAGIC`], so row n stands at 24 × (n + 1). Times are CLOCK_MONOTONIC.

use crate::answer::Fault;
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) const MAGIC: &[u8; ROW_BYTES] = b"hopcost-origin requests1";
pub(crate) const ROW_BYTES: usize = 24;
/// The time of something that did not happen.
pub(crate) const NEVER: u64 = u64::MAX;
/// Rows are held back until they fill a buffer of this size, so that writing is rare.
const BUFFER_BYTES: usize = ROW_BYTES * 8192;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Outcome {
    Sent = 0,
    /// A fault cut the answer off.
    Cut = 1,
    /// A fault withheld the answer.
    Withheld = 2,
    /// The connection broke, or the client aborted the request.
    Lost = 3,
    /// The origin stopped before the answer was sent.
    InFlight = 4,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// When its last byte had been read.
    pub arrival_ns: u64,
    /// When the last byte of its answer had been taken by the kernel, or [`NEVER`].
    pub sent_ns: u64,
    /// Number of its connection, from 0 in the order of acceptance.
    pub connection: u32,
    pub listener: u16,
    pub outcome: Outcome,
    pub fault: Option<Fault>,
}

impl Row {
    pub fn bytes(&self) -> [u8; ROW_BYTES] {
        let mut bytes = [0; ROW_BYTES];
        bytes[..8].copy_from_slice(&self.arrival_ns.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.sent_ns.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.connection.to_le_bytes());
        bytes[20..22].copy_from_slice(&self.listener.to_le_bytes());
        bytes[22] = self.outcome as u8;
        bytes[23] = self.fault.map_or(255, |fault| fault as u8);
        bytes
    }
}

/// The file, shared by the threads.
#[derive(Clone, Debug)]
pub struct RequestFile(Arc<Mutex<File>>);

impl RequestFile {
    pub fn begin(mut file: File) -> io::Result<Self> {
        file.write_all(MAGIC)?;
        Ok(Self(Arc::new(Mutex::new(file))))
    }
}

#[derive(Debug)]
pub(crate) struct RequestLog {
    file: RequestFile,
    buffer: Vec<u8>,
    failure: Option<io::Error>,
}

impl RequestLog {
    /// Rows of one thread go to `file` in batches.
    pub fn new(file: RequestFile) -> Self {
        Self { file, buffer: Vec::with_capacity(BUFFER_BYTES), failure: None }
    }

    /// Takes a row. A failure to write is kept for [`RequestLog::end`]; serving goes on.
    pub fn push(&mut self, row: Row) {
        self.buffer.extend_from_slice(&row.bytes());
        if self.buffer.len() >= BUFFER_BYTES {
            self.flush();
        }
    }

    fn flush(&mut self) {
        // Another thread's panic leaves whole rows behind: each write is one call.
        let mut file = self.file.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(failure) = file.write_all(&self.buffer) {
            self.failure.get_or_insert(failure);
        }
        self.buffer.clear();
    }

    /// Writes what is left and says whether all could be written.
    pub fn end(mut self) -> io::Result<()> {
        self.flush();
        self.failure.map_or(Ok(()), Err)
    }
}
