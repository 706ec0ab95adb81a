//! Where a connection goes to.

use std::io;
use std::mem;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A place to connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// TCP, resolved.
    Tcp(SocketAddr),
    /// A Unix socket.
    Unix(PathBuf),
}

/// Finding out whether an address is reached must not take longer.
const REACH: Duration = Duration::from_secs(5);

/// The longest path of a Unix socket: `sun_path` has 108 bytes, the last one is 0.
pub const UNIX_PATH_BYTES_MOST: usize = 107;

impl Address {
    /// Resolves `host:port`; the first address counts.
    pub fn resolve(host_and_port: &str) -> io::Result<Self> {
        host_and_port
            .to_socket_addrs()?
            .next()
            .map(Self::Tcp)
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no address for this name"))
    }

    /// Resolves a name or address. Of several addresses (`localhost` is often `::1` and `127.0.0.1`) the first that accepts
    /// a connection counts; where none does, the first.
    pub fn resolve_reachable(host: &str, port: u16) -> io::Result<Self> {
        let all: Vec<SocketAddr> = (host, port).to_socket_addrs()?.collect();
        let reachable = |address: &&SocketAddr| TcpStream::connect_timeout(address, REACH).is_ok();
        let chosen = if all.len() > 1 { all.iter().find(reachable) } else { None };
        chosen
            .or(all.first())
            .map(|address| Self::Tcp(*address))
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no address for this name"))
    }

    /// A Unix socket's path, if it is not too long for one.
    pub fn unix(path: &Path) -> io::Result<Self> {
        if path.as_os_str().len() > UNIX_PATH_BYTES_MOST {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a Unix socket's path has 107 bytes at most"));
        }
        Ok(Self::Unix(path.to_owned()))
    }

    /// The family of sockets that reach it.
    pub(super) const fn family(&self) -> libc::c_int {
        match self {
            Self::Tcp(SocketAddr::V4(_)) => libc::AF_INET,
            Self::Tcp(SocketAddr::V6(_)) => libc::AF_INET6,
            Self::Unix(_) => libc::AF_UNIX,
        }
    }

    /// As the operating system wants it.
    pub(super) fn to_raw(&self) -> (libc::sockaddr_storage, libc::socklen_t) {
        // SAFETY: sockaddr_storage is plain integers, for which all zeroes is a value.
        let mut storage: libc::sockaddr_storage = unsafe { mem::zeroed() };
        let pointer = &raw mut storage;
        let length = match self {
            Self::Tcp(SocketAddr::V4(v4)) => {
                // SAFETY: sockaddr_storage is large enough and aligned for every kind of sockaddr.
                let raw = unsafe { &mut *pointer.cast::<libc::sockaddr_in>() };
                raw.sin_family = libc::AF_INET as libc::sa_family_t;
                raw.sin_port = v4.port().to_be();
                raw.sin_addr.s_addr = u32::from_ne_bytes(v4.ip().octets());
                mem::size_of::<libc::sockaddr_in>()
            }
            Self::Tcp(SocketAddr::V6(v6)) => {
                // SAFETY: as above.
                let raw = unsafe { &mut *pointer.cast::<libc::sockaddr_in6>() };
                raw.sin6_family = libc::AF_INET6 as libc::sa_family_t;
                raw.sin6_port = v6.port().to_be();
                raw.sin6_addr.s6_addr = v6.ip().octets();
                raw.sin6_scope_id = v6.scope_id();
                mem::size_of::<libc::sockaddr_in6>()
            }
            Self::Unix(path) => {
                // SAFETY: as above.
                let raw = unsafe { &mut *pointer.cast::<libc::sockaddr_un>() };
                raw.sun_family = libc::AF_UNIX as libc::sa_family_t;
                for (to, from) in raw.sun_path.iter_mut().zip(path.as_os_str().as_bytes()) {
                    *to = *from as libc::c_char;
                }
                mem::size_of::<libc::sockaddr_un>()
            }
        };
        (storage, length as libc::socklen_t)
    }
}
