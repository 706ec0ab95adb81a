//! One connection: a socket, TLS, and frames.

use super::frames::{FrameTooLong, Frames, framed};
use hopcost_common::clock;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::sockopt::set_tcp_user_timeout;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, Connection, ServerConfig, ServerConnection};
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream, ToSocketAddrs as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const READ_BYTES: usize = 16_384;
/// How long the other side has to read a last word. If it goes on sending, an end without this would be a reset, which
/// may take the word away.
const LAST_WORD_NS: u64 = 500_000_000;

/// What came of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    /// Perhaps some frames: [`Secure::take_frame`].
    Bytes,
    /// The other side has ended. Frames before that are still there.
    End,
}

/// A connection inside TLS. One thread may read while another one sends.
#[derive(Debug)]
pub struct Secure {
    socket: TcpStream,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    tls: Connection,
    frames: Frames,
}

impl State {
    fn flush(&mut self, mut socket: &TcpStream) -> io::Result<()> {
        while self.tls.wants_write() {
            self.tls.write_tls(&mut socket)?;
        }
        Ok(())
    }
}

impl Secure {
    /// Connects to `host:port` and shakes hands. Each of both may take `patience_ns`, and a send later on too.
    pub fn connect(
        address: &str,
        name: &ServerName<'static>,
        config: Arc<ClientConfig>,
        patience_ns: u64,
        most_bytes: u32,
    ) -> io::Result<Self> {
        let mut result = Err(io::Error::new(io::ErrorKind::NotFound, "no address has this name"));
        for resolved in address.to_socket_addrs()? {
            result = TcpStream::connect_timeout(&resolved, Duration::from_nanos(patience_ns));
            if result.is_ok() {
                break;
            }
        }
        let tls = ClientConnection::new(config, name.clone()).map_err(io::Error::other)?;
        Self::new(result?, Connection::Client(tls), patience_ns, most_bytes)
    }

    /// Shakes hands with somebody who has connected. That and each send may take `patience_ns`.
    pub fn accept(socket: TcpStream, config: Arc<ServerConfig>, patience_ns: u64, most_bytes: u32) -> io::Result<Self> {
        let tls = ServerConnection::new(config).map_err(io::Error::other)?;
        Self::new(socket, Connection::Server(tls), patience_ns, most_bytes)
    }

    fn new(socket: TcpStream, mut tls: Connection, patience_ns: u64, most_bytes: u32) -> io::Result<Self> {
        socket.set_nodelay(true)?;
        socket.set_write_timeout(Some(Duration::from_nanos(patience_ns)))?;
        // What is sent and never acknowledged ends the connection, and not only after the kernel's quarter of an hour.
        set_tcp_user_timeout(&socket, u32::try_from(patience_ns / 1_000_000).unwrap_or(u32::MAX))?;
        // Frames may be longer than the 64 KiB that TLS would hold back.
        tls.set_buffer_limit(None);
        let state = Mutex::new(State { tls, frames: Frames::new(most_bytes) });
        let secure = Self { socket, state };
        // What the other side has to know is in an alert, and it may still be sending.
        secure.shake_hands(clock::monotonic_ns().saturating_add(patience_ns)).inspect_err(|_| secure.close())?;
        Ok(secure)
    }

    fn shake_hands(&self, until_ns: u64) -> io::Result<()> {
        loop {
            {
                let mut state = self.state();
                state.flush(&self.socket)?;
                if !state.tls.is_handshaking() {
                    return Ok(());
                }
            }
            if clock::monotonic_ns() >= until_ns {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "the handshake was not completed in time"));
            }
            if self.wait(until_ns)? && self.receive()? == Received::End {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "closed during the handshake"));
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panicked has aborted the process.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for bytes, until this reading of `CLOCK_MONOTONIC` at most. May return early without any.
    pub fn wait(&self, until_ns: u64) -> io::Result<bool> {
        Ok(!Self::wait_for([self], until_ns)?.is_empty())
    }

    /// The same for several connections: the places of those that have bytes, from 0.
    pub fn wait_for<'a>(connections: impl IntoIterator<Item = &'a Self>, until_ns: u64) -> io::Result<Vec<usize>> {
        let left_ns = until_ns.saturating_sub(clock::monotonic_ns());
        // Both parts fit: seconds of 64 bits in nanoseconds, and less than a billion.
        let timeout = Timespec { tv_sec: (left_ns / 1_000_000_000) as _, tv_nsec: (left_ns % 1_000_000_000) as _ };
        let poll_one = |connection: &'a Self| PollFd::new(&connection.socket, PollFlags::IN);
        let mut polled: Vec<PollFd<'a>> = connections.into_iter().map(poll_one).collect();
        match poll(&mut polled, Some(&timeout)) {
            Err(Errno::INTR) => return Ok(Vec::new()),
            ready => ready?,
        };
        let ready = polled.iter().enumerate().filter(|(_, polled)| !polled.revents().is_empty());
        Ok(ready.map(|(place, _)| place).collect())
    }

    /// Reads what is there; waits for it if nothing is.
    pub fn receive(&self) -> io::Result<Received> {
        let state = &mut *self.state();
        let mut socket = &self.socket;
        let is_end = match state.tls.read_tls(&mut socket) {
            Ok(bytes) => bytes == 0,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => false,
            Err(error) => return Err(error),
        };
        if let Err(error) = state.tls.process_new_packets() {
            // The alert that says why; the error is the news.
            let _ = state.flush(socket);
            return Err(io::Error::new(io::ErrorKind::InvalidData, error));
        }
        let mut buffer = [0; READ_BYTES];
        loop {
            match state.tls.reader().read(&mut buffer) {
                Ok(0) => return Ok(Received::End),
                Ok(length) => state.frames.add(&buffer[..length]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // The socket has ended and TLS has not. Every frame is whole, so nothing can be cut unnoticed.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(Received::End),
                Err(error) => return Err(error),
            }
        }
        state.flush(socket)?;
        Ok(if is_end { Received::End } else { Received::Bytes })
    }

    /// The next frame, once all of it has been received.
    pub fn take_frame(&self) -> Result<Option<Vec<u8>>, FrameTooLong> {
        self.state().frames.take()
    }

    /// Sends a frame.
    pub fn send(&self, payload: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        state.tls.writer().write_all(&framed(payload))?;
        state.flush(&self.socket)
    }

    /// The other side's certificate, which has been verified.
    pub fn certificate(&self) -> Option<CertificateDer<'static>> {
        self.state().tls.peer_certificates().and_then(<[_]>::first).cloned()
    }

    /// Ends the connection, and gives the other side the time to read what was sent last.
    pub fn close(&self) {
        {
            let mut state = self.state();
            state.tls.send_close_notify();
            // Whoever has gone needs no farewell.
            let _ = state.flush(&self.socket);
        }
        let _ = self.socket.shutdown(Shutdown::Write);
        let until_ns = clock::monotonic_ns() + LAST_WORD_NS;
        let mut buffer = [0; READ_BYTES];
        while clock::monotonic_ns() < until_ns {
            let is_there = self.wait(until_ns);
            if !is_there.is_ok_and(|is_there| is_there)
                || !(&self.socket).read(&mut buffer).is_ok_and(|bytes| bytes > 0)
            {
                return;
            }
        }
    }

    /// Ends the connection at once. Whoever waits for bytes wakes.
    pub fn shut_down(&self) {
        // It may have ended already.
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

/// What was wrong with TLS, if that is what an error of [`Secure`] is about.
pub fn tls_error(error: &io::Error) -> Option<&rustls::Error> {
    error.get_ref()?.downcast_ref()
}
