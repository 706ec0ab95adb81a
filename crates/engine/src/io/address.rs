//! Where connections go.

use rustix::net::{SocketAddrAny, SocketAddrUnix, addr::SocketAddrArg as _};
use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// TCP, resolved.
    Tcp(SocketAddr),
    Unix(PathBuf),
}

/// Time limit for finding out whether an address can be reached.
const REACH: Duration = Duration::from_secs(5);

/// The longest path of a Unix socket: `sun_path` has 108 bytes, the last one is 0.
const MAX_UNIX_PATH_BYTES: usize = 107;

impl Address {
    /// Resolves `host:port`; the first address counts.
    pub fn resolve(host_and_port: &str) -> io::Result<Self> {
        host_and_port.to_socket_addrs()?.next().map(Self::Tcp).ok_or_else(no_address)
    }

    /// Resolves a name or address. Of several addresses (`localhost` is often `::1` and `127.0.0.1`) it takes the first
    /// that accepts a connection, or the first of all if none does.
    pub fn resolve_reachable(host: &str, port: u16) -> io::Result<Self> {
        let all: Vec<SocketAddr> = (host, port).to_socket_addrs()?.collect();
        let reachable = |address: &&SocketAddr| TcpStream::connect_timeout(address, REACH).is_ok();
        let chosen = if all.len() > 1 { all.iter().find(reachable) } else { None };
        chosen.or(all.first()).map(|address| Self::Tcp(*address)).ok_or_else(no_address)
    }

    /// A Unix socket's path, if it is not too long for one.
    pub fn unix(path: &Path) -> io::Result<Self> {
        if path.as_os_str().len() > MAX_UNIX_PATH_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a Unix socket's path has 107 bytes at most"));
        }
        Ok(Self::Unix(path.to_owned()))
    }

    /// As the kernel takes it. Fails if a Unix path does not fit or has a zero byte in it.
    pub(super) fn to_socket_address(&self) -> io::Result<SocketAddrAny> {
        Ok(match self {
            Self::Tcp(address) => address.as_any(),
            Self::Unix(path) => SocketAddrUnix::new(path)?.as_any(),
        })
    }
}

fn no_address() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "no address for this name")
}
