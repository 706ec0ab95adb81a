//! The arguments of `load` about TLS.

use super::url::{Place, Url};
use crate::io::TlsSettings;
use crate::io::tls::{Protocol, SessionResumption, Trust};
use clap::Args;
use hopcost_common::failure::Failure;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct TlsArguments {
    /// Do not verify the server's certificate
    #[arg(long, conflicts_with = "ca")]
    insecure: bool,
    /// A PEM file with the certificate authorities to trust (default: those of this system)
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Make every TLS handshake a full one (default: sessions are resumed)
    #[arg(long)]
    no_resumption: bool,
}

impl TlsArguments {
    pub(super) fn settings(&self, url: &Url, protocol: Protocol) -> Result<Option<TlsSettings>, Failure> {
        if !url.is_tls {
            let given = self.insecure || self.ca.is_some() || self.no_resumption;
            let failure = || Failure::usage("--insecure, --ca and --no-resumption are about TLS").hint("https://…");
            return if given { Err(failure()) } else { Ok(None) };
        }
        let trust = match &self.ca {
            Some(path) => Trust::File(path.clone()),
            None if self.insecure => Trust::Anybody,
            None => Trust::System,
        };
        let resumption = if self.no_resumption { SessionResumption::Off } else { SessionResumption::On };
        let host = match &url.place {
            Place::Tcp { host, .. } => host,
            Place::Unix(_) => "localhost",
        };
        let settings = TlsSettings::new(host, &trust, resumption).map(|settings| settings.speaking(protocol));
        settings.map(Some).map_err(|(what, hint)| Failure::usage(what).hint(hint))
    }
}
