//! Listeners, and how accepted connections reach their thread.

use crate::link::{Address, Listen};
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketAddrUnix, SocketFlags, SocketType, sockopt};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A socket that listens. A Unix one removes its file when it is dropped.
#[derive(Debug)]
pub struct Listener {
    socket: OwnedFd,
    listen: Listen,
    file: Option<PathBuf>,
}

impl Listener {
    /// Binds and listens; so many connections may wait to be accepted (the kernel cuts it down to net.core.somaxconn). A
    /// socket file that is there already is an address in use: it may be another server's.
    pub fn bind(listen: Listen, backlog: u16) -> rustix::io::Result<Self> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let (socket, listen, file) = match listen.address {
            Address::Tcp(address) => {
                let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
                let socket = net::socket_with(family, SocketType::STREAM, flags, None)?;
                sockopt::set_socket_reuseaddr(&socket, true)?;
                // Inherited by the connections, which saves them a system call each.
                sockopt::set_tcp_nodelay(&socket, true)?;
                net::bind(&socket, &address)?;
                let bound = net::getsockname(&socket)?.try_into()?;
                (socket, Listen { address: Address::Tcp(bound), ..listen }, None)
            }
            Address::Unix(path) => {
                let socket = net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
                net::bind(&socket, &SocketAddrUnix::new(&path)?)?;
                (socket, Listen { address: Address::Unix(path.clone()), ..listen }, Some(path))
            }
        };
        let listener = Listener { socket, listen, file };
        if let Some(file) = &listener.file {
            // A proxy's workers rarely run as the user of the origin; a loopback port would be open to all users too.
            let everyone = std::os::unix::fs::PermissionsExt::from_mode(0o666);
            std::fs::set_permissions(file, everyone).map_err(|_| Errno::ACCESS)?;
        }
        net::listen(&listener.socket, backlog.into())?;
        Ok(listener)
    }

    /// Where it listens; the port is the real one.
    pub fn listen(&self) -> &Listen {
        &self.listen
    }

    /// Whether its connections are TCP.
    pub fn is_tcp(&self) -> bool {
        self.file.is_none()
    }

    /// Its socket.
    pub fn socket(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// The next connection, if there is one.
    pub fn accept(&self) -> Accepted {
        loop {
            match net::accept_with(&self.socket, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
                Ok(socket) => return Accepted::Socket(socket),
                Err(Errno::AGAIN) => return Accepted::Nothing,
                // Gone before it was accepted, or a signal: the next one may be well.
                Err(Errno::CONNABORTED | Errno::INTR) => {}
                Err(_) => return Accepted::NotNow,
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            // It may have been removed by others; then all is well.
            let _ = std::fs::remove_file(file);
        }
    }
}

/// What accepting gave.
#[derive(Debug)]
pub enum Accepted {
    /// A connection.
    Socket(OwnedFd),
    /// Nobody waits.
    Nothing,
    /// No descriptors or memory left: to be tried again a little later.
    NotNow,
}

/// Where one thread finds the connections that were dealt to it, and the word to stop.
#[derive(Debug)]
pub struct Inbox {
    dealt: Mutex<Vec<(OwnedFd, u16, u32)>>,
    bell: OwnedFd,
}

impl Inbox {
    /// An empty one.
    pub fn new() -> rustix::io::Result<Self> {
        let bell = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
        Ok(Inbox { dealt: Mutex::new(Vec::new()), bell })
    }

    /// Puts in a connection: its socket, listener and number.
    pub fn put(&self, socket: OwnedFd, listener: u16, number: u32) {
        self.dealt.lock().unwrap_or_else(PoisonError::into_inner).push((socket, listener, number));
        self.ring();
    }

    /// Takes out everything.
    pub fn take(&self) -> Vec<(OwnedFd, u16, u32)> {
        let mut count = [0; 8];
        // Empty if another ring was taken with it; the connections are what counts.
        let _ = rustix::io::read(&self.bell, &mut count);
        std::mem::take(&mut *self.dealt.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Wakes the thread.
    pub fn ring(&self) {
        // Fails only when the counter is full, and then the thread is awake.
        let _ = rustix::io::write(&self.bell, &1u64.to_ne_bytes());
    }

    /// Readable after a ring.
    pub fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}
