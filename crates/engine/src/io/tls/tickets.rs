//! Where the connections of one lane keep the sessions that the next ones may resume.

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::pki_types::ServerName;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The sessions of one lane with its one server. rustls's own store keeps 8 tickets per server: of 64 connections that
/// are opened again at once, 56 would shake hands in full.
///
/// A lane has one thread, so the lock is always free.
#[derive(Debug)]
pub(super) struct Tickets {
    /// Tickets are used once, so each connection needs one.
    most: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    group: Option<NamedGroup>,
    tls12: Option<Tls12ClientSessionValue>,
    tls13: VecDeque<Tls13ClientSessionValue>,
}

impl Tickets {
    pub(super) fn new(connections: u32) -> Self {
        Self { most: connections as usize, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panicked has aborted the process.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientSessionStore for Tickets {
    fn set_kx_hint(&self, _: ServerName<'static>, group: NamedGroup) {
        self.state().group = Some(group);
    }

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        self.state().group
    }

    fn set_tls12_session(&self, _: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.state().tls12 = Some(value);
    }

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.state().tls12.clone()
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {
        self.state().tls12 = None;
    }

    fn insert_tls13_ticket(&self, _: ServerName<'static>, value: Tls13ClientSessionValue) {
        let tickets = &mut self.state().tls13;
        if tickets.len() >= self.most {
            tickets.pop_front();
        }
        tickets.push_back(value);
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.state().tls13.pop_back()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::client::Resumption;
    use rustls::crypto::ring::default_provider;
    use rustls::pki_types::PrivateKeyDer;
    use rustls::{ClientConfig, ClientConnection, HandshakeKind, RootCertStore, ServerConfig, ServerConnection};
    use std::sync::Arc;

    /// Shakes hands in memory, takes the server's tickets, and says how.
    fn shake_hands(mut client: ClientConnection, server: &Arc<ServerConfig>) -> HandshakeKind {
        let mut server = ServerConnection::new(Arc::clone(server)).expect("a server");
        while client.wants_write() || server.wants_write() {
            let mut bytes = Vec::new();
            client.write_tls(&mut bytes).expect("memory");
            server.read_tls(&mut bytes.as_slice()).expect("memory");
            server.process_new_packets().expect("an honest client");
            bytes.clear();
            server.write_tls(&mut bytes).expect("memory");
            client.read_tls(&mut bytes.as_slice()).expect("memory");
            client.process_new_packets().expect("an honest server");
        }
        client.handshake_kind().expect("it is done")
    }

    #[test]
    fn every_connection_of_a_burst_resumes_a_session() {
        const CONNECTIONS: u32 = 64;
        let signed = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).expect("a certificate");
        let key = PrivateKeyDer::try_from(signed.signing_key.serialize_der()).expect("a key");
        let mut roots = RootCertStore::empty();
        roots.add(signed.cert.der().clone()).expect("a certificate");
        let client = ClientConfig::builder_with_provider(Arc::new(default_provider()));
        let client = client.with_safe_default_protocol_versions().expect("ring speaks TLS");
        let mut client = client.with_root_certificates(roots).with_no_client_auth();
        client.resumption = Resumption::store(Arc::new(Tickets::new(CONNECTIONS)));
        let client = Arc::new(client);
        let server = ServerConfig::builder_with_provider(Arc::new(default_provider()));
        let server = server.with_safe_default_protocol_versions().expect("ring speaks TLS").with_no_client_auth();
        let server = server.with_single_cert(vec![signed.cert.der().clone()], key).expect("they belong together");
        let server = Arc::new(server);
        for expected in [HandshakeKind::Full, HandshakeKind::Resumed] {
            let name = ServerName::try_from("127.0.0.1").expect("a name");
            // A connection takes its ticket when it is made: all of them before the first handshake.
            let connect = |_| ClientConnection::new(Arc::clone(&client), name.clone()).expect("a client");
            let burst: Vec<ClientConnection> = (0..CONNECTIONS).map(connect).collect();
            let kinds: Vec<HandshakeKind> =
                burst.into_iter().map(|connection| shake_hands(connection, &server)).collect();
            assert_eq!(kinds, vec![expected; CONNECTIONS as usize]);
        }
    }
}
