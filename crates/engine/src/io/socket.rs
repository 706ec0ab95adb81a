//! Non-blocking sockets: opening, sending, receiving.

use super::{Address, Opened};
use std::io;
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Opens a socket and begins to connect it.
pub(super) fn connect(address: &Address) -> io::Result<(OwnedFd, Opened)> {
    let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: no pointers are passed.
    let fd = check(unsafe { libc::socket(address.family(), kind, 0) })?;
    // SAFETY: the descriptor is new and nobody else's.
    let socket = unsafe { OwnedFd::from_raw_fd(fd) };
    if matches!(address, Address::Tcp(_)) {
        let on: libc::c_int = 1;
        // SAFETY: the option's value outlives the call and its size is right.
        check(unsafe {
            libc::setsockopt(
                fd,
                libc::IPPROTO_TCP,
                libc::TCP_NODELAY,
                (&raw const on).cast(),
                mem::size_of_val(&on) as libc::socklen_t,
            )
        })?;
    }
    let (raw, length) = address.to_raw();
    // SAFETY: `raw` is a sockaddr of `length` bytes that outlives the call.
    match check(unsafe { libc::connect(fd, (&raw const raw).cast(), length) }) {
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

/// Ends both directions, so that nothing waits on the socket any more.
pub(super) fn shut_down(socket: &OwnedFd) {
    // SAFETY: no pointers are passed. It fails only where the connection is gone already, which is what is wanted.
    unsafe { libc::shutdown(socket.as_raw_fd(), libc::SHUT_RDWR) };
}
