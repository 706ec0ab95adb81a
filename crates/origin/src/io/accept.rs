//! Listeners, and how accepted connections reach their thread.

use crate::link::{Address, Listen};
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketAddrUnix, SocketFlags, SocketType, sockopt};
use std::sync::{Mutex, PoisonError};

/// A socket that listens. A Unix one removes its file when it is dropped.
#[derive(Debug)]
pub struct Listener {
    socket: OwnedFd,
    /// Where it listens, with the real port.
    pub listen: Listen,
}

impl Listener {
    /// Binds and listens. `backlog` is the length of the accept queue (the kernel caps it by net.core.somaxconn). If
    /// the socket file exists already, the address is in use: the file may belong to another server.
    pub fn bind(mut listen: Listen, backlog: u16) -> rustix::io::Result<Self> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = match &mut listen.address {
            Address::Tcp(address) => {
                let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
                let socket = net::socket_with(family, SocketType::STREAM, flags, None)?;
                sockopt::set_socket_reuseaddr(&socket, true)?;
                // Connections inherit it, which saves a system call for each.
                sockopt::set_tcp_nodelay(&socket, true)?;
                net::bind(&socket, address)?;
                *address = net::getsockname(&socket)?.try_into()?;
                socket
            }
            Address::Unix(path) => {
                let socket = net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
                net::bind(&socket, &SocketAddrUnix::new(&*path)?)?;
                socket
            }
        };
        let listener = Self { socket, listen };
        if let Address::Unix(file) = &listener.listen.address {
            // A proxy's workers rarely run as the origin's user. A loopback port would be open to all users too.
            let everyone = std::os::unix::fs::PermissionsExt::from_mode(0o666);
            std::fs::set_permissions(file, everyone).map_err(|_| Errno::ACCESS)?;
        }
        net::listen(&listener.socket, backlog.into())?;
        Ok(listener)
    }

    /// Whether its connections are TCP.
    pub fn is_tcp(&self) -> bool {
        matches!(self.listen.address, Address::Tcp(_))
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
                // The connection ended before it was accepted, or a signal came: try the next one.
                Err(Errno::CONNABORTED | Errno::INTR) => {}
                Err(_) => return Accepted::NotNow,
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Address::Unix(file) = &self.listen.address {
            // Somebody else may have removed it already.
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
    /// No descriptors or memory are left: try again a little later.
    NotNow,
}

/// Where a thread finds the connections that were dealt to it, and learns that it should stop.
#[derive(Debug)]
pub struct Inbox {
    dealt: Mutex<Vec<(OwnedFd, u16, u32)>>,
    bell: OwnedFd,
}

impl Inbox {
    /// An empty inbox.
    pub fn new() -> rustix::io::Result<Self> {
        let bell = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
        Ok(Self { dealt: Mutex::new(Vec::new()), bell })
    }

    /// Puts in a connection: its socket, listener and number.
    pub fn put(&self, socket: OwnedFd, listener: u16, number: u32) {
        self.dealt.lock().unwrap_or_else(PoisonError::into_inner).push((socket, listener, number));
        self.ring();
    }

    /// Takes out everything.
    pub fn take(&self) -> Vec<(OwnedFd, u16, u32)> {
        let mut count = [0; 8];
        // Empty if this ring was read together with another. Only the connections matter.
        let _ = rustix::io::read(&self.bell, &mut count);
        std::mem::take(&mut *self.dealt.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Wakes the thread.
    pub fn ring(&self) {
        // Fails only if the counter is full, and then the thread is awake.
        let _ = rustix::io::write(&self.bell, &1u64.to_ne_bytes());
    }

    /// Readable after a ring.
    pub fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}
