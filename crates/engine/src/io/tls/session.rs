//! One connection's TLS: ciphertext in and out, messages and answers inside. No sockets.

use super::settings::TlsSettings;
use crate::io::{Handshake, MessageId, Messages, REPORTED_BYTES};
use rustls::{ClientConnection, HandshakeKind, ProtocolVersion};
use std::io::{self, Write as _};

/// How much of a message is encrypted at once. Ciphertext that is not sent yet is held in memory.
const PIECE_BYTES: usize = 65_536;

#[derive(Debug, Clone, Copy)]
struct Upload {
    message: MessageId,
    done_bytes: usize,
}

#[derive(Debug)]
pub(super) struct Session {
    pub(super) connection: ClientConnection,
    pub(super) is_secured: bool,
    /// The batch in which a message was ordered last.
    pub(super) ordered_in: u64,
    upload: Option<Upload>,
    /// Bytes were ordered that are no message, and have not left.
    is_writing: bool,
}

impl Session {
    pub(super) fn new(settings: &TlsSettings) -> Result<Self, rustls::Error> {
        let mut connection = ClientConnection::new(settings.config.clone(), settings.server_name.clone())?;
        // Messages are encrypted in pieces, which bounds the buffer.
        connection.set_buffer_limit(None);
        Ok(Self { connection, is_secured: false, ordered_in: 0, upload: None, is_writing: false })
    }

    /// Begins to send a message.
    pub(super) fn order(&mut self, message: MessageId, messages: &Messages, batch: u64) -> io::Result<()> {
        self.ordered_in = batch;
        self.upload = Some(Upload { message, done_bytes: 0 });
        self.go_on(messages)
    }

    /// Sends these bytes.
    pub(super) fn write(&mut self, bytes: &[u8], batch: u64) -> io::Result<()> {
        self.ordered_in = batch;
        self.is_writing = true;
        self.connection.writer().write_all(bytes)
    }

    /// Encrypts the next piece of the message.
    fn go_on(&mut self, messages: &Messages) -> io::Result<()> {
        let Some(upload) = &mut self.upload else { return Ok(()) };
        let bytes = &messages[upload.message as usize];
        let piece = &bytes[upload.done_bytes..bytes.len().min(upload.done_bytes + PIECE_BYTES)];
        upload.done_bytes += piece.len();
        self.connection.writer().write_all(piece)
    }

    /// The last piece has left. Returns whether that was the end of something whose end is reported.
    pub(super) fn sent(&mut self, messages: &Messages) -> io::Result<bool> {
        if std::mem::take(&mut self.is_writing) {
            return Ok(true);
        }
        let Some(Upload { message, done_bytes }) = self.upload else { return Ok(false) };
        let bytes = messages[message as usize].len();
        if done_bytes == bytes {
            self.upload = None;
            return Ok(bytes > REPORTED_BYTES);
        }
        self.go_on(messages).map(|()| false)
    }

    pub(super) fn ciphertext(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        while self.connection.wants_write() {
            // Writing to memory does not fail.
            if self.connection.write_tls(&mut bytes).is_err() {
                break;
            }
        }
        bytes
    }

    /// If the handshake has been completed just now, what it came to.
    pub(super) fn secured_now(&mut self) -> Option<Handshake> {
        if self.is_secured || self.connection.is_handshaking() {
            return None;
        }
        self.is_secured = true;
        let version = match self.connection.protocol_version()? {
            ProtocolVersion::TLSv1_2 => "TLS 1.2",
            // rustls speaks no other.
            _ => "TLS 1.3",
        };
        Some(Handshake {
            is_resumed: self.connection.handshake_kind() == Some(HandshakeKind::Resumed),
            version,
            cipher_suite: self.connection.negotiated_cipher_suite()?.suite().as_str()?,
            group: self.connection.negotiated_key_exchange_group().and_then(|group| group.name().as_str()),
        })
    }
}
