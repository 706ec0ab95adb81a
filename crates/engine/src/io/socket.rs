//! Non-blocking sockets: opening, sending, receiving.

use super::Opened;
use rustix::fd::{AsRawFd as _, OwnedFd};
use rustix::io::{Errno, Result};
use rustix::net::{self, AddressFamily, RecvFlags, SendFlags, SocketAddrAny, SocketFlags, SocketType, sockopt};

/// A socket that is not connected yet, and sends at once.
pub(super) fn unconnected(family: AddressFamily) -> Result<OwnedFd> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = net::socket_with(family, SocketType::STREAM, flags, None)?;
    if family != AddressFamily::UNIX {
        sockopt::set_tcp_nodelay(&socket, true)?;
    }
    Ok(socket)
}

/// Opens a socket and begins to connect it. A Unix socket is connected at once or not at all.
pub(super) fn connect(address: &SocketAddrAny) -> Result<(OwnedFd, Opened)> {
    begin(unconnected(address.address_family())?, address)
}

/// The same with a receive buffer of this size, if it is TCP. On a Unix socket the sender's buffer alone counts.
pub(super) fn connect_with_buffer(address: &SocketAddrAny, buffer_bytes: usize) -> Result<(OwnedFd, Opened)> {
    let socket = unconnected(address.address_family())?;
    if address.address_family() != AddressFamily::UNIX {
        // Before it is connected: the handshake tells how the window is scaled.
        sockopt::set_socket_recv_buffer_size(&socket, buffer_bytes)?;
    }
    begin(socket, address)
}

fn begin(socket: OwnedFd, address: &SocketAddrAny) -> Result<(OwnedFd, Opened)> {
    match net::connect(&socket, address) {
        Ok(()) => Ok((socket, Opened::Connected)),
        Err(Errno::INPROGRESS) => Ok((socket, Opened::InProgress)),
        Err(error) => Err(error),
    }
}

/// Whether a connection that was in progress is now open.
pub(super) fn connect_result(socket: &OwnedFd) -> Result<()> {
    sockopt::socket_error(socket)?
}

/// Sends as much as there is room for.
#[inline]
pub(super) fn send(socket: &OwnedFd, bytes: &[u8]) -> Result<usize> {
    net::send(socket, bytes, SendFlags::NOSIGNAL)
}

/// Receives what there is, up to the buffer's length. 0 is the end.
#[inline]
pub(super) fn receive(socket: &OwnedFd, buffer: &mut [u8]) -> Result<usize> {
    net::recv(socket, buffer, RecvFlags::empty()).map(|(received, _)| received)
}

/// Receives up to this many bytes without keeping them (only TCP can do that). 0 is the end.
pub(super) fn skip(socket: &OwnedFd, bytes: usize) -> Result<usize> {
    // SAFETY: with MSG_TRUNC a TCP socket writes nothing to the buffer, so there need not be one.
    let skipped = unsafe { libc::recv(socket.as_raw_fd(), std::ptr::null_mut(), bytes, libc::MSG_TRUNC) };
    // The C library leaves the error of the call that failed last in this thread.
    usize::try_from(skipped).map_err(|_| Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO))
}
