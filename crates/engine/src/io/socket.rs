//! Non-blocking sockets: opening, sending, receiving.

use super::{Address, Opened};
use std::io;
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn new_socket(family: libc::c_int) -> io::Result<OwnedFd> {
    let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: no pointers are passed.
    let fd = check(unsafe { libc::socket(family, kind, 0) })?;
    // SAFETY: the descriptor is new and nobody else's.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// A TCP socket that sends at once.
pub(super) fn tcp_without_delay(family: libc::c_int) -> io::Result<OwnedFd> {
    let socket = new_socket(family)?;
    let on: libc::c_int = 1;
    // SAFETY: the option's value outlives the call and its size is right.
    check(unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_NODELAY,
            (&raw const on).cast(),
            mem::size_of_val(&on) as libc::socklen_t,
        )
    })?;
    Ok(socket)
}

/// Connects a new Unix socket, which happens at once or not at all.
pub(super) fn connect_unix(address: &libc::sockaddr_storage, length: libc::socklen_t) -> io::Result<OwnedFd> {
    let socket = new_socket(libc::AF_UNIX)?;
    // SAFETY: the address is one of `length` bytes that outlives the call.
    check(unsafe { libc::connect(socket.as_raw_fd(), (&raw const *address).cast(), length) })?;
    Ok(socket)
}

/// Opens a socket and begins to connect it.
pub(super) fn connect(address: &Address) -> io::Result<(OwnedFd, Opened)> {
    let (raw, length) = address.to_raw();
    if matches!(address, Address::Unix(_)) {
        return Ok((connect_unix(&raw, length)?, Opened::Connected));
    }
    let socket = tcp_without_delay(address.family())?;
    // SAFETY: `raw` is a sockaddr of `length` bytes that outlives the call.
    match check(unsafe { libc::connect(socket.as_raw_fd(), (&raw const raw).cast(), length) }) {
        Ok(_) => Ok((socket, Opened::Connected)),
        Err(error) if error.raw_os_error() == Some(libc::EINPROGRESS) => Ok((socket, Opened::InProgress)),
        Err(error) => Err(error),
    }
}

/// Whether a connection that was in progress is now open.
pub(super) fn connect_result(fd: RawFd) -> io::Result<()> {
    let mut error: libc::c_int = 0;
    let mut length = mem::size_of_val(&error) as libc::socklen_t;
    // SAFETY: both pointers are to locals of the right size.
    check(unsafe { libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_ERROR, (&raw mut error).cast(), &raw mut length) })?;
    if error == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(error)) }
}

/// Sends as much as there is room for.
#[inline]
pub(super) fn send(socket: &OwnedFd, bytes: &[u8]) -> io::Result<usize> {
    // SAFETY: the pointer and length are those of a slice that outlives the call.
    let sent = unsafe { libc::send(socket.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL) };
    usize::try_from(sent).map_err(|_| io::Error::last_os_error())
}

/// Receives what there is, up to the buffer's length. 0 is the end.
#[inline]
pub(super) fn receive(socket: &OwnedFd, buffer: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the pointer and length are those of a slice that outlives the call, and its bytes may be overwritten.
    let received = unsafe { libc::recv(socket.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len(), 0) };
    usize::try_from(received).map_err(|_| io::Error::last_os_error())
}

/// Receives up to so many bytes without keeping them (TCP alone can do that). 0 is the end.
pub(super) fn skip(socket: &OwnedFd, bytes: usize) -> io::Result<usize> {
    // SAFETY: with MSG_TRUNC a TCP socket writes nothing to the buffer, which therefore may be none.
    let skipped = unsafe { libc::recv(socket.as_raw_fd(), std::ptr::null_mut(), bytes, libc::MSG_TRUNC) };
    usize::try_from(skipped).map_err(|_| io::Error::last_os_error())
}
