//! Moving bytes: the only room that calls the operating system by itself, and the only one with `unsafe`.
//!
//! [`control`] is no backend: it steers a run that has two machines.
//!
//! Two backends, [`uring`] and [`epoll`], behind one trait; [`paced`] is a third, for slow clients. A backend knows
//! sockets and when something happened on them; it does not know what the bytes mean, nor when a request is due.
//!
//! System calls go through rustix. `libc` is used only for what rustix lacks: the CPU clock of another process and
//! real-time priority (process.rs), receiving without a buffer (socket.rs), and the flags and error numbers of io_uring
//! (uring/), whose crate takes them as `libc` types.
#![allow(unsafe_code)]

pub mod address;
pub mod control;
pub mod epoll;
pub mod namespace;
mod outbox;
pub mod paced;
pub mod process;
pub mod signal;
mod socket;
pub mod terminal;
pub mod tls;
pub mod uring;

pub use address::Address;
use clap::ValueEnum;
use serde::Deserialize;
use std::io;
use std::sync::Arc;
pub use tls::TlsSettings;

/// Which backend moves the bytes, as a plan and the command line name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// `io_uring` where it is to be had, else epoll
    Auto,
    /// `io_uring`, or fail
    Uring,
    /// epoll
    Epoll,
}

/// The number of a connection within its lane.
pub type Slot = u32;

/// The number of a message in [`Messages`].
pub type MessageId = u32;

/// What connections are told to send, over and over: made once, and shared by all lanes.
pub type Messages = Arc<[Box<[u8]>]>;

/// The backends report when a message longer than this has left ([`Handler::sent`]). Shorter ones fit into any socket's
/// buffer, and nobody needs to know.
pub const REPORTED_BYTES: usize = 16_384;

#[derive(Debug)]
pub enum Outgoing {
    Message(MessageId),
    /// These bytes, after those of the same kind that are still on their way. Always reported when they have left.
    Bytes(Vec<u8>),
}

/// What a backend does on a connection after something happened there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Next {
    Nothing,
    /// Send what [`Handler::outgoing`] says.
    Send,
    /// Go on receiving. Of the next bytes, this many, only the number matters. They come as [`Handler::skipped`] or, if
    /// that does not pay, as usual.
    Skip(u64),
    /// Close the connection; nothing that still comes from it matters.
    Close,
}

/// What went wrong on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IoFailure {
    Connect,
    /// It could not be opened: the machine has no local port left.
    NoLocalPort,
    Write,
    Read,
    /// TLS was broken, or refused by the other side.
    Tls,
}

/// How far opening a connection came at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opened {
    Connected,
    /// [`Handler::connected`] or [`Handler::failed`] will follow.
    InProgress,
}

/// What a completed TLS handshake came to, by the names of IANA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handshake {
    /// It went on with an earlier connection's session.
    pub is_resumed: bool,
    pub version: &'static str,
    pub cipher_suite: &'static str,
    /// Of the key exchange; a session of TLS 1.2 is resumed without one.
    pub group: Option<&'static str>,
}

/// What a backend tells about its connections. Called for every event of every request, so it is never `dyn`.
pub trait Handler {
    /// A batch of events follows; this is the clock (CLOCK_MONOTONIC) for all of them.
    fn batch(&mut self, monotonic_ns: u64);
    fn connected(&mut self, slot: Slot) -> Next;
    /// What to send, after [`Next::Send`].
    fn outgoing(&mut self, slot: Slot) -> Outgoing;
    /// Everything has been sent (told only if [`REPORTED_BYTES`] or [`Outgoing::Bytes`] says so).
    fn sent(&mut self, slot: Slot) -> Next;
    fn received(&mut self, slot: Slot, bytes: &[u8]) -> Next;
    /// This many bytes came and were not kept.
    fn skipped(&mut self, slot: Slot, bytes: u64) -> Next;
    /// Bytes came after the handler said [`Next::Send`], and before any byte of that message has left. If it says
    /// [`Next::Nothing`], the message is sent all the same.
    fn premature(&mut self, slot: Slot, bytes: &[u8]) -> Next;
    /// The server has closed its side.
    fn ended(&mut self, slot: Slot) -> Next;
    fn failed(&mut self, slot: Slot, failure: IoFailure) -> Next;
    /// The socket is open, and the TLS handshake begins; [`Handler::connected`] follows when it is done.
    fn handshaking(&mut self, _slot: Slot) {}
    /// The TLS handshake is done.
    fn secured(&mut self, _slot: Slot, _handshake: Handshake) {}
}

/// What a backend needs to know.
#[derive(Debug, Clone)]
pub struct IoSettings {
    pub address: Address,
    pub messages: Messages,
    /// How TLS is spoken; `None` without TLS.
    pub tls: Option<TlsSettings>,
    pub connections: u32,
    /// How many completions to wait for; 1 is no batching.
    pub batch: u32,
    /// How long an answer probably is, with its head, if known. Buffers are made to fit.
    pub answer_bytes: Option<u64>,
    /// How fast each connection reads and writes; `None` is as fast as it goes. Only [`paced`] minds.
    pub bytes_per_s: Option<u64>,
}

/// A backend: the sockets of one lane.
pub trait Io: Sized {
    /// Makes a backend without opening a connection. It may be used only on the thread that made it.
    fn new(settings: &IoSettings) -> io::Result<Self>;
    /// Begins to open a connection. Fails with `WouldBlock` if the server's queue is full.
    fn open(&mut self, slot: Slot) -> io::Result<Opened>;
    /// Does what the handler wants on a connection.
    fn apply<H: Handler>(&mut self, slot: Slot, next: Next, handler: &mut H);
    fn close(&mut self, slot: Slot);
    /// Waits for events, until this reading of CLOCK_MONOTONIC at most. Tells the handler about all of them, and does
    /// what it says. May return early without any event.
    fn wait<H: Handler>(&mut self, until_ns: u64, handler: &mut H) -> io::Result<()>;
    /// The same without waiting. Returns whether there were events.
    fn poll<H: Handler>(&mut self, handler: &mut H) -> io::Result<bool>;
    /// The arm stood still, and its clock is now this far behind `CLOCK_MONOTONIC`. Only a backend that keeps a pace minds.
    fn thawed(&mut self, _offset_ns: u64) {}
}
