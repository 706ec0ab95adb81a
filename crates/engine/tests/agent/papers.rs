//! An authority for one test, and what it signs.

use hopcost_engine::io::control::Credentials;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub struct Papers {
    directory: PathBuf,
    issuer: Issuer<'static, KeyPair>,
    issued: AtomicU32,
}

impl Papers {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("hopcost-agent-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&directory).expect("the temporary directory is writable");
        let mut params = CertificateParams::new(Vec::new()).expect("no name is wrong");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("a certificate");
        std::fs::write(directory.join("ca.pem"), certificate.pem()).expect("written");
        Self { directory, issuer: Issuer::new(params, key), issued: AtomicU32::new(0) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    pub fn ca_file(&self) -> PathBuf {
        self.path("ca.pem")
    }

    /// A certificate of these names, in files of its own: somebody may be reading those of an earlier one.
    pub fn issue(&self, names: &[&str]) -> Credentials {
        let params = CertificateParams::new(names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        let key = KeyPair::generate().expect("a key");
        let certificate = params.expect("good names").signed_by(&key, &self.issuer).expect("a certificate");
        let number = self.issued.fetch_add(1, Ordering::Relaxed);
        let cert_file = self.path(&format!("{number}-{}.pem", names[0]));
        let key_file = self.path(&format!("{number}-{}.key", names[0]));
        std::fs::write(&cert_file, certificate.pem()).expect("written");
        std::fs::write(&key_file, key.serialize_pem()).expect("written");
        Credentials { ca_file: self.ca_file(), cert_file, key_file }
    }
}

impl Drop for Papers {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

pub fn text(path: &Path) -> &str {
    path.to_str().expect("a path of letters")
}
