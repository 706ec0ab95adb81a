//! What an arm of a plan means: addresses resolved, requests built.

use super::{Arm, Expect, MixedRequest, PlannedAddress, PlannedTls, Request};
use crate::check::{ExpectedBody, ExpectedStatus, MaskedBody};
use crate::io::tls::{Protocol, SessionResumption, Trust};
use crate::io::{Address, TlsSettings};
use crate::requests::{RequestMix, RequestSpec, WireSettings};
use crate::schedule::{Arrivals, ClosedLoop};
use crate::wire::Wire;
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
impl PlannedTls {
    fn settings(&self, host: &str, wire: Wire) -> Result<TlsSettings, Failure> {
        let trust = match (&self.ca_file, self.verify) {
            (_, false) => Trust::Anybody,
            (None, true) => Trust::System,
            (Some(path), true) => Trust::File(path.clone()),
        };
        let resumption = if self.resume { SessionResumption::On } else { SessionResumption::Off };
        TlsSettings::new(self.server_name.as_deref().unwrap_or(host), &trust, resumption)
            .map(|settings| settings.speaking(if wire == Wire::Http2 { Protocol::Http2 } else { Protocol::Http1 }))
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

impl MixedRequest {
    fn spec(&self) -> Result<RequestSpec, String> {
        let spec = spec(&self.request, &self.expect).map_err(|what| format!("`mix`, `{}`: {what}", self.name))?;
        Ok(RequestSpec { name: Some(self.name.clone()), weight: self.weight, ..spec })
    }
}

/// A request and what its answer has to be; in words what is wrong with them.
fn spec(request: &Request, expect: &Expect) -> Result<RequestSpec, String> {
    let decode = |key: &str, text: &Option<String>| {
        let decoded = text.as_ref().map(|text| base64::engine::general_purpose::STANDARD.decode(text));
        decoded.transpose().map_err(|error| format!("`{key}`: {error}"))
    };
    let body = decode("request.body_base64", &request.body_base64)?;
    let Request { method, target, headers, .. } = request;
    let line_breaks = |text: &str| text.contains(['\r', '\n']);
    if line_breaks(method) || line_breaks(target) || headers.iter().any(|(n, v)| line_breaks(n) || line_breaks(v)) {
        return Err("`request`: a line break in it".to_owned());
    }
    let expected = decode("expect.body_base64", &expect.body_base64)?;
    Ok(RequestSpec {
        name: None,
        weight: 1,
        method: method.clone(),
        target: target.clone(),
        headers: headers.clone(),
        body: body.map(Into::into),
        status: ExpectedStatus::Exactly(expect.status),
        expected: expect.body(expected).map_err(|what| format!("`expect`: {what}"))?,
    })
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
        let specs = match (&self.request, &self.expect) {
            (Some(request), Some(expect)) => vec![spec(request, expect).map_err(|what| failed(&what))?],
            _ => self.mix.iter().map(MixedRequest::spec).collect::<Result<_, _>>().map_err(|what| failed(&what))?,
        };
        let settings = WireSettings {
            requests_per_connection: self.requests_per_connection,
            streams: self.streams,
            is_tls: self.tls.is_some(),
            ..WireSettings::at(&address, self.wire, host, self.fastcgi_params.clone())
        };
        Ok(Target {
            requests: RequestMix::new(&settings, &specs)?,
            tls: self.tls.as_ref().map(|tls| tls.settings(host_name(host), self.wire)).transpose()?,
            address,
            connections: self.connections,
            timeout_ns: self.timeout_ns,
            arrivals: self
                .arrivals
                .as_ref()
                .map_or_else(|| Arrivals::Closed(ClosedLoop::default()), |arrivals| arrivals.schedule(seed)),
        })
    }
}

/// The host of `host:port`, without the brackets of an IPv6 address.
fn host_name(host_and_port: &str) -> &str {
    let host = host_and_port.rsplit_once(':').map_or(host_and_port, |(host, _)| host);
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}
