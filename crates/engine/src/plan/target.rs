//! What an arm of a plan means: addresses resolved, requests built.

use super::{Arm, Expect, PlannedAddress, PlannedArrivals, PlannedTls, Request};
use crate::check::{ExpectedBody, ExpectedStatus, MaskedBody};
use crate::io::tls::{SessionResumption, Trust};
use crate::io::{Address, TlsSettings};
use crate::requests::{RequestMix, RequestSpec, WireSettings};
use crate::schedule::{Arrivals, ClosedLoop, Constant, Poisson};
use base64::Engine as _;
use hopcost_common::failure::Failure;
use std::sync::Arc;

/// What the load of one arm is, ready to be run.
#[derive(Debug, Clone)]
pub struct Target {
    pub address: Address,
    /// Over all threads.
    pub connections: u32,
    pub timeout_ns: u64,
    pub requests: RequestMix,
    pub tls: Option<TlsSettings>,
    /// When requests are due, over all threads.
    pub arrivals: Arrivals,
}
impl PlannedArrivals {
    fn schedule(self, seed: u64) -> Arrivals {
        match self {
            Self::Constant(rate) => Arrivals::Constant(Constant::new(rate.rate_per_s, None)),
            Self::Poisson(rate) => Arrivals::Poisson(Poisson::new(rate.rate_per_s, seed, None)),
        }
    }
}

impl PlannedTls {
    fn settings(&self, host: &str) -> Result<TlsSettings, Failure> {
        let trust = match (&self.ca_file, self.verify) {
            (_, false) => Trust::Anybody,
            (None, true) => Trust::System,
            (Some(path), true) => Trust::File(path.clone()),
        };
        let resumption = if self.resume { SessionResumption::On } else { SessionResumption::Off };
        TlsSettings::new(self.server_name.as_deref().unwrap_or(host), &trust, resumption)
            .map_err(|(what, hint)| Failure::usage(format!("`tls`: {what}")).hint(hint))
    }
}

impl Expect {
    /// Which body is right, given the bytes of `body_base64`; in words what does not go together.
    fn body(&self, bytes: Option<Vec<u8>>) -> Result<ExpectedBody, String> {
        match (bytes, self.length) {
            (None, _) if !self.masked.is_empty() => Err("`masked` without `body_base64`".to_owned()),
            (Some(bytes), Some(length)) if bytes.len() as u64 != length => {
                Err(format!("`length` is {length}, and `body_base64` has {} bytes", bytes.len()))
            }
            (None, None) => Ok(ExpectedBody::Any),
            (None, Some(length)) => Ok(ExpectedBody::Length(length)),
            (Some(bytes), _) if self.masked.is_empty() => Ok(ExpectedBody::Bytes(bytes.into())),
            (Some(bytes), _) => {
                let body = MaskedBody::new(&bytes, &self.masked).map_err(|what| format!("`masked`: {what}"))?;
                Ok(ExpectedBody::Masked(Arc::new(body)))
            }
        }
    }
}

impl Arm {
    /// The load of this arm, its address resolved and its request built. The plan's seed makes its arrivals.
    pub fn target(&self, seed: u64) -> Result<Target, Failure> {
        let failed = |what: &str| Failure::usage(format!("arm `{}`: {what}", self.name));
        let (address, host) = match &self.address {
            PlannedAddress::Tcp(host_and_port) => (Address::resolve(host_and_port), host_and_port.as_str()),
            PlannedAddress::Unix(path) => (Address::unix(path), "localhost"),
        };
        let address = address.map_err(|error| failed(&format!("`address`: {error}")))?;
        let decode = |key: &str, text: &Option<String>| {
            let decoded = text.as_ref().map(|text| base64::engine::general_purpose::STANDARD.decode(text));
            decoded.transpose().map_err(|error| failed(&format!("`{key}`: {error}")))
        };
        let body = decode("request.body_base64", &self.request.body_base64)?;
        let Request { method, target, headers, .. } = &self.request;
        let line_breaks = |text: &str| text.contains(['\r', '\n']);
        if line_breaks(method) || line_breaks(target) || headers.iter().any(|(n, v)| line_breaks(n) || line_breaks(v)) {
            return Err(failed("`request`: a line break in it"));
        }
        let expected = decode("expect.body_base64", &self.expect.body_base64)?;
        let spec = RequestSpec {
            weight: 1,
            method: method.clone(),
            target: target.clone(),
            headers: headers.clone(),
            body: body.map(Into::into),
            status: ExpectedStatus::Exactly(self.expect.status),
            expected: self.expect.body(expected).map_err(|what| failed(&format!("`expect`: {what}")))?,
        };
        let settings = WireSettings {
            requests_per_connection: self.requests_per_connection,
            ..WireSettings::at(&address, self.wire, host, self.fastcgi_params.clone())
        };
        Ok(Target {
            requests: RequestMix::new(&settings, &[spec])?,
            tls: self.tls.as_ref().map(|tls| tls.settings(host_name(host))).transpose()?,
            address,
            connections: self.connections,
            timeout_ns: self.timeout_ns,
            arrivals: self
                .arrivals
                .map_or_else(|| Arrivals::Closed(ClosedLoop::default()), |arrivals| arrivals.schedule(seed)),
        })
    }
}

/// The host of `host:port`, without the brackets of an IPv6 address.
fn host_name(host_and_port: &str) -> &str {
    let host = host_and_port.rsplit_once(':').map_or(host_and_port, |(host, _)| host);
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}
