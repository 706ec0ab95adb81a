//! How TLS is spoken: whom to trust, and whether to resume sessions.

use super::tickets::Tickets;
use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// The authorities that this system trusts.
    System,
    /// The authorities in this PEM file.
    File(PathBuf),
    /// Anybody: the certificate is not verified.
    Anybody,
}

/// Whether a connection may go on with the session of an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionResumption {
    On,
    /// Every handshake is a full one.
    Off,
}

/// How TLS is spoken to one server. Shared by all its connections.
#[derive(Debug, Clone)]
pub struct TlsSettings {
    pub(super) config: Arc<ClientConfig>,
    pub(super) server_name: ServerName<'static>,
    resumption: SessionResumption,
    protocol: Protocol,
}

/// What is spoken within TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1. A server that knows nothing of ALPN speaks it too.
    Http1,
    /// HTTP/2: the server has to say that it does (RFC 9113, section 3.2).
    Http2,
}

impl Protocol {
    /// Its name in ALPN.
    const fn alpn(self) -> &'static [u8] {
        match self {
            Self::Http1 => b"http/1.1",
            Self::Http2 => b"h2",
        }
    }
}

impl TlsSettings {
    /// Reads the certificates. An error is a sentence and a remedy.
    pub fn new(host: &str, trust: &Trust, resumption: SessionResumption) -> Result<Self, (String, &'static str)> {
        let server_name = ServerName::try_from(host.to_owned())
            .map_err(|_| (format!("`{host}` is not a name or address that a certificate can have"), "a host name"))?;
        let provider = Arc::new(ring::default_provider());
        // A provider always supports its own versions.
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .expect("ring speaks TLS 1.2 and 1.3");
        let builder = match trust {
            Trust::Anybody => builder.dangerous().with_custom_certificate_verifier(Arc::new(TrustAnybody(provider))),
            Trust::System => builder.with_root_certificates(system_roots()?),
            Trust::File(path) => builder.with_root_certificates(roots_in(path)?),
        };
        let mut config = builder.with_no_client_auth();
        config.alpn_protocols = vec![Protocol::Http1.alpn().to_vec()];
        config.resumption = Resumption::disabled();
        Ok(Self { config: Arc::new(config), server_name, resumption, protocol: Protocol::Http1 })
    }

    /// The same for another protocol within; [`TlsSettings::new`] is for HTTP/1.1.
    #[must_use]
    pub fn speaking(self, protocol: Protocol) -> Self {
        let mut config = ClientConfig::clone(&self.config);
        config.alpn_protocols = vec![protocol.alpn().to_vec()];
        Self { config: Arc::new(config), protocol, ..self }
    }

    /// The settings of one lane, whose connections resume each other's sessions and no others.
    pub(super) fn of_lane(&self, connections: u32) -> Self {
        let mut config = ClientConfig::clone(&self.config);
        if self.resumption == SessionResumption::On {
            config.resumption = Resumption::store(Arc::new(Tickets::new(connections)));
        }
        Self { config: Arc::new(config), ..self.clone() }
    }

    /// One handshake, and nothing more.
    pub fn try_handshake<S: Read + Write>(&self, stream: &mut S) -> io::Result<()> {
        let mut connection = ClientConnection::new(Arc::clone(&self.config), self.server_name.clone())
            .map_err(|error| io::Error::other(error.to_string()))?;
        while connection.is_handshaking() {
            connection.complete_io(stream)?;
        }
        let is_right = self.is_protocol_right(&connection);
        connection.send_close_notify();
        // The server may be gone already; the handshake was good.
        let _ = connection.complete_io(stream);
        if is_right { Ok(()) } else { Err(io::Error::other("the server does not speak HTTP/2")) }
    }

    /// Whether the server will speak what was asked for. Known after the handshake.
    pub(super) fn is_protocol_right(&self, connection: &ClientConnection) -> bool {
        self.protocol == Protocol::Http1 || connection.alpn_protocol() == Some(self.protocol.alpn())
    }
}

fn system_roots() -> Result<RootCertStore, (String, &'static str)> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err((
            "this system trusts no certificate authority".to_owned(),
            "--ca FILE names one; --insecure goes without",
        ));
    }
    Ok(roots)
}

fn roots_in(path: &PathBuf) -> Result<RootCertStore, (String, &'static str)> {
    let wrong = |what: String| (format!("{}: {what}", path.display()), "a PEM file with certificates");
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| wrong(error.to_string()))? {
        let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
        roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(wrong("no certificate in it".to_owned()));
    }
    Ok(roots)
}

/// Accepts every certificate, but no handshake with a wrong signature.
#[derive(Debug)]
struct TrustAnybody(Arc<CryptoProvider>);

impl ServerCertVerifier for TrustAnybody {
    fn verify_server_cert(
        &self,
        _certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
