//! A server that follows a script.

use super::scripts::{HEADERS, SETTINGS, Script};
use crate::frames::{self, Manner, Site, frame};
use crate::plain::HELLO;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// A client to which so much could be sent on one connection has no bound. The kernel keeps some 10 MB on the way.
pub const MOST_SENT_BYTES: u64 = 64 << 20;

pub struct Hostile {
    pub server: frames::Server,
    most_sent_bytes: Arc<AtomicU64>,
}

impl Hostile {
    pub fn serve(script: Script) -> Self {
        let most_sent_bytes = Arc::new(AtomicU64::new(0));
        let of_server = Arc::clone(&most_sent_bytes);
        let server = frames::Server::at("127.0.0.1:0", Site::new(Manner::Hangs, HELLO), move |socket, _| {
            let mut sent_bytes = 0;
            let result = misbehave(socket, script, &mut sent_bytes);
            of_server.fetch_max(sent_bytes, Ordering::SeqCst);
            result
        });
        Self { server, most_sent_bytes }
    }

    /// Ends it; what it has sent at most on one connection.
    pub fn end(self) -> u64 {
        self.server.break_off();
        self.most_sent_bytes.load(Ordering::SeqCst)
    }
}

/// Follows the script at each request of a connection, until the client has enough.
fn misbehave(socket: &TcpStream, script: Script, sent_bytes: &mut u64) -> io::Result<()> {
    let (mut reader, mut writer) = (socket, socket);
    let mut say = |bytes: &[u8]| {
        *sent_bytes += bytes.len() as u64;
        writer.write_all(bytes)
    };
    let mut has_greeted = !script.greets;
    let (mut held, mut buffer) = (Vec::new(), vec![0; 65_536]);
    loop {
        let length = reader.read(&mut buffer)?;
        if length == 0 {
            return Ok(());
        }
        held.extend_from_slice(&buffer[..length]);
        for stream in take_requests(&mut held) {
            if !has_greeted {
                say(&frame(SETTINGS, 0, 0, &[]))?;
                has_greeted = true;
            }
            say(&(script.once)(stream))?;
            let again = (script.again)(stream);
            let mut left_bytes = MOST_SENT_BYTES;
            while !again.is_empty() && left_bytes > 0 {
                say(&again)?;
                left_bytes = left_bytes.saturating_sub(again.len() as u64);
            }
        }
    }
}

/// Takes all frames that are there whole, and returns the streams of those that are HEADERS.
fn take_requests(held: &mut Vec<u8>) -> Vec<u32> {
    if held.starts_with(b"PRI") {
        if held.len() < PREFACE.len() {
            return Vec::new();
        }
        assert!(held.starts_with(PREFACE));
        held.drain(..PREFACE.len());
    }
    let mut streams = Vec::new();
    while let Some((&[l0, l1, l2, kind, _, s0, s1, s2, s3], rest)) = held.split_first_chunk() {
        let payload_bytes = u32::from_be_bytes([0, l0, l1, l2]) as usize;
        if rest.len() < payload_bytes {
            break;
        }
        if kind == HEADERS {
            streams.push(u32::from_be_bytes([s0, s1, s2, s3]));
        }
        held.drain(..9 + payload_bytes);
    }
    streams
}
