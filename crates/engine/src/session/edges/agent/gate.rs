//! Who comes in: those who make the load, of known names and the same build.

use super::super::binary;
use super::super::messages::{Answer, ErrorKind, MOST_BYTES_TO_AGENT, PROTOCOL, Request};
use super::arms::Refusal;
use super::order::{Builds, Order};
use super::serving::too_long_refusal;
use crate::io::control::{Received, Secure, is_named, tls_error};
use hopcost_common::clock;
use rustls::ServerConfig;
use serde::Deserialize;
use std::io;
use std::net::TcpStream;
use std::sync::Arc;

/// How long a guest may take to shake hands, and then to say hello.
const HELLO_NS: u64 = 5_000_000_000;

/// Somebody who may make load, and waits for his welcome.
#[derive(Debug)]
pub(super) struct Guest {
    pub(super) secure: Secure,
    /// Of `generators`.
    pub(super) name: String,
    /// Which of those that make the load, from 0: the leader.
    pub(super) member: usize,
    /// The number of his hello, and when it was there.
    pub(super) id: u64,
    pub(super) received_ns: u64,
}

/// What of a hello has to be understood whatever the other side's version.
#[derive(Debug, Deserialize)]
struct Greeting {
    kind: String,
    id: u64,
    protocol: u32,
    version: String,
    sha256: String,
}

/// Shakes hands with somebody who has connected, and hears who it is.
pub(super) fn receive(
    socket: TcpStream,
    tls: Arc<ServerConfig>,
    order: &Order,
    sha256: &str,
) -> Result<Guest, Refusal> {
    let patience_ns = order.lease_ns.max(HELLO_NS);
    let secure = Secure::accept(socket, tls, patience_ns, MOST_BYTES_TO_AGENT).map_err(|error| of_tls(&error))?;
    let heard = hear(&secure, order, sha256);
    match heard {
        Ok((name, member, id, received_ns)) => Ok(Guest { secure, name, member, id, received_ns }),
        Err((id, refusal)) => {
            refuse(&secure, id, &refusal);
            Err(refusal)
        }
    }
}

/// Says why, and ends the connection.
pub(super) fn refuse(secure: &Secure, id: Option<u64>, refusal: &Refusal) {
    let answer = Answer::Error { id, error: refusal.error, message: refusal.message.clone() };
    // Whoever has gone needs no reason.
    let _ = serde_json::to_vec(&answer).map_err(io::Error::from).and_then(|payload| secure.send(&payload));
    secure.close();
}

/// A refusal, and the number of the message that is refused.
type Refused = (Option<u64>, Refusal);

/// The name, the member, the number of the hello and when it was there.
fn hear(secure: &Secure, order: &Order, sha256: &str) -> Result<(String, usize, u64, u64), Refused> {
    let without_id = |refusal| (None, refusal);
    let certificate = secure.certificate();
    let is_own = |name: &str| certificate.as_ref().is_some_and(|certificate| is_named(certificate, name));
    let name = order.generator(is_own).ok_or_else(|| {
        let what = "this certificate's name may not come: it is none of the order's `generators`";
        without_id(Refusal::new(ErrorKind::Name, what))
    })?;
    let (frame, received_ns) = first_frame(secure).map_err(without_id)?;
    let id = check_greeting(&frame, order.builds, sha256)?;
    let member = order.members().position(|member| member == name).ok_or_else(|| {
        let what = format!("`{name}` may not lead, and is no follower");
        (Some(id), Refusal::new(ErrorKind::Role, what))
    })?;
    Ok((name.to_owned(), member, id, received_ns))
}

fn first_frame(secure: &Secure) -> Result<(Vec<u8>, u64), Refusal> {
    let broken = |error: io::Error| of_tls(&error);
    let until_ns = clock::monotonic_ns() + HELLO_NS;
    let mut received_ns = clock::monotonic_ns();
    loop {
        if let Some(frame) = secure.take_frame().map_err(too_long_refusal)? {
            return Ok((frame, received_ns));
        }
        if clock::monotonic_ns() >= until_ns {
            return Err(Refusal::new(ErrorKind::Order, "no `hello` came in time"));
        }
        if secure.wait(until_ns).map_err(broken)? {
            received_ns = clock::monotonic_ns();
            if secure.receive().map_err(broken)? == Received::End {
                // A frame may have come with the end; without it there is nobody to hear.
                return match secure.take_frame().map_err(too_long_refusal)? {
                    Some(frame) => Ok((frame, received_ns)),
                    None => Err(Refusal::new(ErrorKind::Order, "it left without a `hello`")),
                };
            }
        }
    }
}

/// Whether a first message is a hello of the same build. Returns its number.
fn check_greeting(frame: &[u8], builds: Builds, own_sha256: &str) -> Result<u64, Refused> {
    let greeting: Greeting = match serde_json::from_slice(frame) {
        Ok(greeting) => greeting,
        Err(error) => {
            // Something else that this version knows is out of turn, and all else is nothing.
            let (id, error, what) = match serde_json::from_slice::<Request>(frame) {
                Ok(request) => (Some(request.id()), ErrorKind::Order, "`hello` comes first".to_owned()),
                Err(_) => (None, ErrorKind::Frame, format!("what was sent is no message: {error}")),
            };
            return Err((id, Refusal::new(error, what)));
        }
    };
    let Greeting { kind, id, protocol, version, sha256 } = greeting;
    let refused = |error, what: String| Err((Some(id), Refusal::new(error, what)));
    if kind != "hello" {
        return refused(ErrorKind::Order, "`hello` comes first".to_owned());
    }
    if (protocol, version.as_str()) != (PROTOCOL, binary::VERSION) {
        let own = format!("the agent is {} with protocol {PROTOCOL}", binary::VERSION);
        return refused(ErrorKind::Version, format!("{own}, and the engine {version} with protocol {protocol}"));
    }
    if builds == Builds::Same && sha256 != own_sha256 {
        let what = format!("the agent's binary has the SHA-256 {own_sha256}, and the engine's {sha256}");
        return refused(ErrorKind::Version, what);
    }
    match serde_json::from_slice::<Request>(frame) {
        Ok(_) => Ok(id),
        Err(error) => refused(ErrorKind::Frame, format!("what was sent is no message: {error}")),
    }
}

/// What is wrong with somebody's TLS.
fn of_tls(error: &io::Error) -> Refusal {
    let kind = match tls_error(error) {
        Some(rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented) => ErrorKind::Certificate,
        _ => ErrorKind::Tls,
    };
    Refusal::new(kind, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn the_first_message_is_a_hello_of_the_same_build() {
        let hello = |key: &str, value: Value| {
            let mut hello =
                json!({"kind": "hello", "id": 3, "protocol": PROTOCOL, "version": binary::VERSION, "sha256": "own"});
            hello[key] = value;
            hello.to_string()
        };
        let check = |text: &str, builds| {
            check_greeting(text.as_bytes(), builds, "own").map_err(|(id, refusal)| (id, refusal.error))
        };
        assert_eq!(check(&hello("id", json!(4)), Builds::Same), Ok(4));
        assert_eq!(check(&hello("sha256", json!("other")), Builds::Any), Ok(3));
        for (text, id, error) in [
            (hello("sha256", json!("other")), Some(3), ErrorKind::Version),
            (hello("protocol", json!(PROTOCOL + 1)), Some(3), ErrorKind::Version),
            (hello("version", json!("0.0.0")), Some(3), ErrorKind::Version),
            (hello("more", json!(1)), Some(3), ErrorKind::Frame),
            (hello("kind", json!("hallo")), Some(3), ErrorKind::Order),
            (json!({"kind": "ping", "id": 5}).to_string(), Some(5), ErrorKind::Order),
            ("no JSON".to_owned(), None, ErrorKind::Frame),
            ("{}".to_owned(), None, ErrorKind::Frame),
        ] {
            assert_eq!(check(&text, Builds::Same), Err((id, error)), "{text}");
        }
    }
}
