//! TLS between a handler and a backend: [`Tls`] is a backend made of another, and gives its handler plaintext.
//!
//! An arm without TLS does not come here: [`MaybeTls::Plain`] passes everything to the backend as it is.

mod session;
mod settings;
mod tickets;

use super::{Handler, Handshake, Io, IoFailure, IoSettings, Messages, Next, Opened, Outgoing, Slot};
use session::Session;
pub use settings::{Protocol, SessionResumption, TlsSettings, Trust};
use std::io::{self, BufRead as _};

/// A backend with TLS or without.
#[derive(Debug)]
pub enum MaybeTls<I> {
    Plain(I),
    Tls(Box<Tls<I>>),
}

impl<I: Io> Io for MaybeTls<I> {
    fn new(settings: &IoSettings) -> io::Result<Self> {
        let io = I::new(settings)?;
        Ok(match &settings.tls {
            None => Self::Plain(io),
            Some(tls) => Self::Tls(Box::new(Tls {
                io,
                opened: Vec::new(),
                state: State {
                    settings: tls.of_lane(settings.connections),
                    messages: settings.messages.clone(),
                    sessions: (0..settings.connections).map(|_| None).collect(),
                    batch: 0,
                },
            })),
        })
    }

    fn open(&mut self, slot: Slot) -> io::Result<Opened> {
        match self {
            Self::Plain(io) => io.open(slot),
            Self::Tls(tls) => tls.open(slot),
        }
    }

    #[inline]
    fn apply<H: Handler>(&mut self, slot: Slot, next: Next, handler: &mut H) {
        match self {
            Self::Plain(io) => io.apply(slot, next, handler),
            Self::Tls(tls) => tls.apply(slot, next, handler),
        }
    }

    fn close(&mut self, slot: Slot) {
        match self {
            Self::Plain(io) => io.close(slot),
            Self::Tls(tls) => {
                tls.state.sessions[slot as usize] = None;
                tls.opened.retain(|opened| *opened != slot);
                tls.io.close(slot);
            }
        }
    }

    #[inline]
    fn wait<H: Handler>(&mut self, until_ns: u64, handler: &mut H) -> io::Result<()> {
        match self {
            Self::Plain(io) => io.wait(until_ns, handler),
            Self::Tls(tls) => tls.wait(until_ns, handler),
        }
    }

    #[inline]
    fn poll<H: Handler>(&mut self, handler: &mut H) -> io::Result<bool> {
        match self {
            Self::Plain(io) => io.poll(handler),
            Self::Tls(tls) => tls.poll(handler),
        }
    }

    fn thawed(&mut self, offset_ns: u64) {
        match self {
            Self::Plain(io) => io.thawed(offset_ns),
            Self::Tls(tls) => tls.io.thawed(offset_ns),
        }
    }
}

#[derive(Debug)]
pub struct Tls<I> {
    io: I,
    /// Connections that were open at once. Their handshakes have not begun yet.
    opened: Vec<Slot>,
    state: State,
}

#[derive(Debug)]
struct State {
    settings: TlsSettings,
    messages: Messages,
    sessions: Vec<Option<Session>>,
    batch: u64,
}

impl<I: Io> Tls<I> {
    fn open(&mut self, slot: Slot) -> io::Result<Opened> {
        if self.io.open(slot)? == Opened::Connected {
            self.opened.push(slot);
        }
        Ok(Opened::InProgress)
    }

    fn apply<H: Handler>(&mut self, slot: Slot, next: Next, handler: &mut H) {
        let mut handler = TlsHandler { state: &mut self.state, handler };
        let next = handler.pass_on(slot, next);
        self.io.apply(slot, next, &mut handler);
    }

    fn wait<H: Handler>(&mut self, until_ns: u64, handler: &mut H) -> io::Result<()> {
        self.begin_handshakes(handler);
        self.io.wait(until_ns, &mut TlsHandler { state: &mut self.state, handler })
    }

    fn poll<H: Handler>(&mut self, handler: &mut H) -> io::Result<bool> {
        self.begin_handshakes(handler);
        self.io.poll(&mut TlsHandler { state: &mut self.state, handler })
    }

    fn begin_handshakes<H: Handler>(&mut self, handler: &mut H) {
        let mut handler = TlsHandler { state: &mut self.state, handler };
        for slot in self.opened.drain(..) {
            let next = handler.connected(slot);
            self.io.apply(slot, next, &mut handler);
        }
    }
}

/// The handler of the backend below.
struct TlsHandler<'a, H> {
    state: &'a mut State,
    handler: &'a mut H,
}

impl<H: Handler> TlsHandler<'_, H> {
    /// Translates what the handler wants into ciphertext.
    fn pass_on(&mut self, slot: Slot, next: Next) -> Next {
        let State { messages, sessions, batch, .. } = &mut *self.state;
        match (next, &mut sessions[slot as usize]) {
            (Next::Send, Some(session)) => {
                let ordered = match self.handler.outgoing(slot) {
                    Outgoing::Message(message) => session.order(message, messages, *batch),
                    Outgoing::Bytes(bytes) => session.write(&bytes, *batch),
                };
                match ordered {
                    Ok(()) => Next::Send,
                    Err(_) => self.fail(slot),
                }
            }
            // Bytes that are skipped have to be decrypted all the same.
            (Next::Nothing | Next::Skip(_), Some(session)) if session.connection.wants_write() => Next::Send,
            (Next::Nothing | Next::Skip(_), _) => Next::Nothing,
            (Next::Send | Next::Close, session) => {
                *session = None;
                Next::Close
            }
        }
    }

    fn fail(&mut self, slot: Slot) -> Next {
        self.state.sessions[slot as usize] = None;
        // A failure of a connection always closes it.
        let _ = self.handler.failed(slot, IoFailure::Tls);
        Next::Close
    }

    fn ciphertext(&mut self, slot: Slot, bytes: &[u8], before_request: bool) -> Next {
        let batch = self.state.batch;
        let mut input = bytes;
        let mut next = Next::Nothing;
        loop {
            let Some(session) = &mut self.state.sessions[slot as usize] else { return Next::Close };
            // Nothing is read after the server's close_notify.
            let Ok(read) = session.connection.read_tls(&mut input) else { return self.fail(slot) };
            let processed = session.connection.process_new_packets();
            if let Some(handshake) = session.secured_now() {
                if !self.state.settings.is_protocol_right(&session.connection) {
                    return self.fail(slot);
                }
                self.handler.secured(slot, handshake);
                next = self.handler.connected(slot);
            }
            let early = before_request && session.ordered_in == batch;
            // Also reads plaintext that came before an alert.
            next = read_plaintext(session, slot, next, early, self.handler);
            match processed {
                _ if next == Next::Close => {}
                Ok(state) if state.peer_has_closed() && session.is_secured => next = self.handler.ended(slot),
                Ok(state) if !state.peer_has_closed() => {}
                _ => return self.fail(slot),
            }
            if next == Next::Close || read == 0 || input.is_empty() {
                return self.pass_on(slot, next);
            }
        }
    }
}

/// Gives the handler the plaintext that is there. What comes behind an answer came before the handler's next request.
fn read_plaintext<H: Handler>(session: &mut Session, slot: Slot, next: Next, early: bool, handler: &mut H) -> Next {
    let mut next = next;
    let mut reader = session.connection.reader();
    while next != Next::Close {
        let Ok(plaintext) = reader.fill_buf() else { break };
        let bytes = plaintext.len();
        if bytes == 0 {
            break;
        }
        next = match next {
            Next::Send => match handler.premature(slot, plaintext) {
                Next::Nothing => Next::Send,
                next => next,
            },
            _ if early => handler.premature(slot, plaintext),
            _ => handler.received(slot, plaintext),
        };
        reader.consume(bytes);
    }
    next
}

impl<H: Handler> Handler for TlsHandler<'_, H> {
    #[inline]
    fn batch(&mut self, monotonic_ns: u64) {
        self.state.batch += 1;
        self.handler.batch(monotonic_ns);
    }

    fn connected(&mut self, slot: Slot) -> Next {
        self.handler.handshaking(slot);
        match Session::new(&self.state.settings) {
            Ok(session) => {
                self.state.sessions[slot as usize] = Some(session);
                Next::Send
            }
            Err(_) => self.fail(slot),
        }
    }

    fn outgoing(&mut self, slot: Slot) -> Outgoing {
        let session = &mut self.state.sessions[slot as usize];
        Outgoing::Bytes(session.as_mut().map_or_else(Vec::new, Session::ciphertext))
    }

    fn sent(&mut self, slot: Slot) -> Next {
        let State { messages, sessions, .. } = &mut *self.state;
        let Some(session) = &mut sessions[slot as usize] else { return Next::Nothing };
        let next = match session.sent(messages) {
            Ok(true) => self.handler.sent(slot),
            Ok(false) => Next::Nothing,
            Err(_) => return self.fail(slot),
        };
        self.pass_on(slot, next)
    }

    #[inline]
    fn received(&mut self, slot: Slot, bytes: &[u8]) -> Next {
        self.ciphertext(slot, bytes, false)
    }

    fn skipped(&mut self, _slot: Slot, _bytes: u64) -> Next {
        // The handler below never asks for it.
        Next::Nothing
    }

    fn premature(&mut self, slot: Slot, bytes: &[u8]) -> Next {
        // It may be the handshake, or a ticket. If not, it is premature plaintext.
        self.ciphertext(slot, bytes, true)
    }

    fn ended(&mut self, slot: Slot) -> Next {
        // An end without close_notify may be an attacker's: it completes no answer.
        let next = self.handler.failed(slot, IoFailure::Read);
        self.pass_on(slot, next)
    }

    fn failed(&mut self, slot: Slot, failure: IoFailure) -> Next {
        let next = self.handler.failed(slot, failure);
        self.pass_on(slot, next)
    }

    fn handshaking(&mut self, slot: Slot) {
        self.handler.handshaking(slot);
    }

    fn secured(&mut self, slot: Slot, handshake: Handshake) {
        self.handler.secured(slot, handshake);
    }
}
