//! Connects once before any load, so that a server that is not there, or not the right one, is one clear error.

use crate::io::{Address, TlsSettings};
use crate::plan::Target;
use hopcost_common::failure::Failure;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// It must not take longer.
const REACH: Duration = Duration::from_secs(5);

pub(super) fn reach(url: &str, target: &Target) -> Result<(), Failure> {
    let failed = |error: io::Error| {
        Failure::machine(format!("{url} cannot be reached: {error}")).hint(match (&target.address, error.kind()) {
            (Address::Unix(_), io::ErrorKind::NotFound) => "is the server running, and is this its socket?",
            (_, io::ErrorKind::PermissionDenied) => "may this user use the socket?",
            _ => "is the server running, and does it listen there?",
        })
    };
    match &target.address {
        Address::Tcp(address) => {
            let mut stream = TcpStream::connect_timeout(address, REACH).map_err(failed)?;
            stream.set_read_timeout(Some(REACH)).map_err(failed)?;
            shake_hands(url, target.tls.as_ref(), &mut stream)
        }
        Address::Unix(path) => {
            let mut stream = UnixStream::connect(path).map_err(failed)?;
            stream.set_read_timeout(Some(REACH)).map_err(failed)?;
            shake_hands(url, target.tls.as_ref(), &mut stream)
        }
    }
}

fn shake_hands<S: Read + Write>(url: &str, tls: Option<&TlsSettings>, stream: &mut S) -> Result<(), Failure> {
    let Some(tls) = tls else { return Ok(()) };
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
