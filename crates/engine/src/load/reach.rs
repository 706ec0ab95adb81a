//! Connects once before any load: a server that is missing or speaks no TLS becomes one clear error.

use crate::io::{Address, TlsSettings};
use crate::plan::Target;
use hopcost_common::failure::Failure;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// The time limit for a connection over TCP and for each read.
const TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) trait Stream: Read + Write {}

impl<T: Read + Write> Stream for T {}

/// A blocking connection with a time limit for reads.
pub(crate) fn connect(address: &Address) -> io::Result<Box<dyn Stream>> {
    match address {
        Address::Tcp(address) => {
            let stream = TcpStream::connect_timeout(address, TIMEOUT)?;
            stream.set_read_timeout(Some(TIMEOUT))?;
            Ok(Box::new(stream))
        }
        Address::Unix(path) => {
            let stream = UnixStream::connect(path)?;
            stream.set_read_timeout(Some(TIMEOUT))?;
            Ok(Box::new(stream))
        }
    }
}

pub(super) fn reach(url: &str, target: &Target) -> Result<(), Failure> {
    let mut stream = connect(&target.address).map_err(|error| {
        Failure::machine(format!("{url} cannot be reached: {error}")).hint(match (&target.address, error.kind()) {
            (Address::Unix(_), io::ErrorKind::NotFound) => "is the server running, and is this its socket?",
            (_, io::ErrorKind::PermissionDenied) => "may this user use the socket?",
            _ => "is the server running, and does it listen there?",
        })
    })?;
    target.tls.as_ref().map_or(Ok(()), |tls| shake_hands(url, tls, &mut stream))
}

fn shake_hands(url: &str, tls: &TlsSettings, stream: &mut impl Stream) -> Result<(), Failure> {
    tls.try_handshake(stream).map_err(|error| {
        let what = error.to_string();
        let hint = if what.contains("certificate") {
            "--ca FILE trusts the authority that signed it; --insecure trusts anybody"
        } else if error.kind() == io::ErrorKind::WouldBlock {
            "nothing came for 5 s: does this server speak TLS there?"
        } else {
            "does this server speak TLS 1.2 or 1.3 there?"
        };
        Failure::machine(format!("{url}: the TLS handshake failed: {what}")).hint(hint)
    })
}
