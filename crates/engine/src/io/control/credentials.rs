//! Who one is, and whom one trusts.

use rustls::client::{Resumption, verify_server_name};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::{NoServerSessionStorage, ParsedCertificate, WebPkiClientVerifier};
use rustls::version::TLS13;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of one side, all PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// Who signed the other side's certificate.
    pub ca_file: PathBuf,
    /// The own certificate, and the ones between it and its authority.
    pub cert_file: PathBuf,
    pub key_file: PathBuf,
}

impl Credentials {
    /// How the side that listens speaks TLS. An error is a sentence that names the file.
    pub fn server(&self) -> Result<Arc<ServerConfig>, String> {
        let provider = Arc::new(ring::default_provider());
        let roots = Arc::new(self.roots()?);
        let verifier = WebPkiClientVerifier::builder_with_provider(roots, Arc::clone(&provider))
            .build()
            .map_err(|error| format!("{}: {error}", self.ca_file.display()))?;
        let (chain, key) = self.own()?;
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])
            .map_err(|error| error.to_string())?
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain, key)
            .map_err(|error| self.do_not_fit(&error))?;
        // A resumed session would be one whose certificate nobody looks at.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        Ok(Arc::new(config))
    }

    /// How the side that connects speaks TLS. An error is a sentence that names the file.
    pub fn client(&self) -> Result<Arc<ClientConfig>, String> {
        let (chain, key) = self.own()?;
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&TLS13])
            .map_err(|error| error.to_string())?
            .with_root_certificates(self.roots()?)
            .with_client_auth_cert(chain, key)
            .map_err(|error| self.do_not_fit(&error))?;
        config.resumption = Resumption::disabled();
        Ok(Arc::new(config))
    }

    fn roots(&self) -> Result<RootCertStore, String> {
        let mut roots = RootCertStore::empty();
        for certificate in certificates(&self.ca_file)? {
            roots.add(certificate).map_err(|error| format!("{}: {error}", self.ca_file.display()))?;
        }
        Ok(roots)
    }

    fn own(&self) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), String> {
        let key = PrivateKeyDer::from_pem_file(&self.key_file)
            .map_err(|error| format!("{}: {error}", self.key_file.display()))?;
        Ok((certificates(&self.cert_file)?, key))
    }

    fn do_not_fit(&self, error: &rustls::Error) -> String {
        format!("{} and {}: {error}", self.cert_file.display(), self.key_file.display())
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let wrong = |what: String| format!("{}: {what}", path.display());
    let read = CertificateDer::pem_file_iter(path).map_err(|error| wrong(error.to_string()))?;
    let certificates: Vec<_> = read.collect::<Result<_, _>>().map_err(|error| wrong(error.to_string()))?;
    if certificates.is_empty() { Err(wrong("no certificate in it".to_owned())) } else { Ok(certificates) }
}

/// Whether the certificate has this name or address as a subject alternative name. Whether it can be trusted has been
/// verified before.
pub fn is_named(certificate: &CertificateDer<'_>, name: &str) -> bool {
    let (Ok(parsed), Ok(name)) = (ParsedCertificate::try_from(certificate), ServerName::try_from(name)) else {
        return false;
    };
    verify_server_name(&parsed, &name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_has_its_names_and_no_others() {
        let names = vec!["g1".to_owned(), "198.18.100.12".to_owned()];
        let signed = rcgen::generate_simple_self_signed(names).expect("a certificate");
        for (name, expected) in [
            ("g1", true),
            ("198.18.100.12", true),
            ("g2", false),
            ("g", false),
            ("198.18.100.1", false),
            ("no name", false),
        ] {
            assert_eq!(is_named(signed.cert.der(), name), expected, "{name}");
        }
        assert!(!is_named(&CertificateDer::from(vec![1, 2, 3]), "g1"), "no certificate at all");
    }

    #[test]
    fn what_is_wrong_names_its_file() {
        let missing = |name: &str| PathBuf::from(format!("/nonexistent/{name}"));
        let credentials =
            Credentials { ca_file: missing("ca.pem"), cert_file: missing("own.pem"), key_file: missing("own.key") };
        assert!(credentials.server().expect_err("no such file").starts_with("/nonexistent/ca.pem: "));
        assert!(credentials.client().expect_err("no such file").starts_with("/nonexistent/own.key: "));
    }
}
