//! The requests of `load`, and the answers that it expects.

use super::mix;
use crate::check::{ExpectedBody, ExpectedStatus, Needle, SHA256_BYTES, StatusSet};
use crate::requests::RequestSpec;
use crate::wire::Wire;
use clap::Args;
use data_encoding::HEXLOWER_PERMISSIVE;
use hopcost_common::failure::Failure;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

#[derive(Debug, Args)]
pub(super) struct RequestArguments {
    /// The request's method (default: GET, with a body POST)
    #[arg(short, long)]
    method: Option<String>,
    /// A header of the request, like "Accept: text/html"; may be repeated
    #[arg(short = 'H', long = "header")]
    headers: Vec<String>,
    /// A file with the request's body; with -H "Expect: 100-continue" it waits until the server asks for it
    #[arg(short = 'D', long, value_name = "FILE")]
    body_file: Option<PathBuf>,
    /// A file of several requests, one JSON object per line (see below)
    #[arg(long, value_name = "FILE")]
    requests: Option<PathBuf>,
    /// Close each connection after so many requests; the last one says so (default: keep them)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) requests_per_connection: Option<u32>,
    /// A FastCGI parameter, like DOCUMENT_ROOT=/srv/app, besides those that nginx sends or in place of one; may be repeated
    #[arg(long = "fastcgi-param", value_name = "NAME=VALUE")]
    fastcgi_params: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct ExpectationArguments {
    /// The statuses of a correct answer, like 200 or 200,204,300-399 (default: any from 200 to 299)
    #[arg(long, value_name = "STATUSES", value_parser = StatusSet::parse)]
    expect_status: Option<StatusSet>,
    /// A file with the body of a correct answer (default: the body of the first answer with a right status)
    #[arg(long, value_name = "FILE", group = "body")]
    expect_body: Option<PathBuf>,
    /// The length of a correct body, whose bytes may differ
    #[arg(long, value_name = "BYTES", group = "body")]
    expect_length: Option<u64>,
    /// The SHA-256 of a correct body, in hexadecimal
    #[arg(long, value_name = "DIGEST", group = "body", value_parser = digest)]
    expect_sha256: Option<[u8; SHA256_BYTES]>,
    /// What a correct body has somewhere in it
    #[arg(long, value_name = "TEXT", group = "body")]
    expect_contains: Option<String>,
    /// Let bodies differ from answer to answer
    #[arg(long, group = "body")]
    any_body: bool,
}

impl RequestArguments {
    /// The header fields of all requests.
    pub(super) fn headers(&self) -> Result<Vec<(String, String)>, Failure> {
        self.headers.iter().map(|text| header("-H", text)).collect()
    }

    /// The request of the URL, or the requests of the file.
    pub(super) fn specs(&self, target: &str, expectations: &ExpectationArguments) -> Result<Vec<RequestSpec>, Failure> {
        let body = self.body_file.as_deref().map(|path| read("--body-file", path)).transpose()?;
        let usual = if body.is_some() { "POST" } else { "GET" };
        let method = self.method.clone().unwrap_or_else(|| usual.to_owned());
        check_method("-m", &method)?;
        let one = RequestSpec {
            name: None,
            weight: 1,
            method,
            target: target.to_owned(),
            headers: self.headers()?,
            body: body.map(Into::into),
            status: expectations.expect_status.map_or(ExpectedStatus::Successful, ExpectedStatus::OneOf),
            expected: expectations.body()?.unwrap_or_else(first_body),
        };
        match &self.requests {
            None => Ok(vec![one]),
            Some(path) => mix::parse(path, &one),
        }
    }

    pub(super) fn fastcgi_params(&self, wire: Wire) -> Result<Vec<(String, String)>, Failure> {
        if wire != Wire::FastCgi && !self.fastcgi_params.is_empty() {
            return Err(Failure::usage("--fastcgi-param without FastCGI").hint("fastcgi://HOST:PORT/SCRIPT"));
        }
        let pair = |text: &String| {
            let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
            let pair = pair.map(|(name, value)| (name.to_owned(), value.to_owned()));
            pair.ok_or_else(|| {
                Failure::usage(format!("--fastcgi-param `{text}`: not NAME=VALUE"))
                    .hint("like --fastcgi-param DOCUMENT_ROOT=/srv/app")
            })
        };
        self.fastcgi_params.iter().map(pair).collect()
    }
}

impl ExpectationArguments {
    /// The statuses that were asked for, or else these.
    pub(super) fn status_or(&self, statuses: StatusSet) -> ExpectedStatus {
        ExpectedStatus::OneOf(self.expect_status.unwrap_or(statuses))
    }

    /// What every body of a log's answers has to be: nothing unless it was asked for.
    pub(super) fn body_of_log(&self) -> Result<ExpectedBody, Failure> {
        Ok(self.body()?.unwrap_or(ExpectedBody::Any))
    }

    /// The body that was asked for.
    fn body(&self) -> Result<Option<ExpectedBody>, Failure> {
        if let Some(path) = &self.expect_body {
            return Ok(Some(ExpectedBody::Bytes(read("--expect-body", path)?.into())));
        }
        if let Some(text) = &self.expect_contains {
            return contains("--expect-contains", text).map(Some);
        }
        Ok(match (self.expect_length, self.expect_sha256) {
            (Some(length), _) => Some(ExpectedBody::Length(length)),
            (_, Some(digest)) => Some(ExpectedBody::Sha256(digest)),
            _ => self.any_body.then_some(ExpectedBody::Any),
        })
    }
}

/// Expects the body of the first answer.
pub(super) fn first_body() -> ExpectedBody {
    ExpectedBody::First(Arc::new(OnceLock::new()))
}

pub(super) fn contains(what: &str, text: &str) -> Result<ExpectedBody, Failure> {
    if text.is_empty() {
        return Err(Failure::usage(format!("{what}: nothing to look for")).hint("any body at all: --any-body"));
    }
    Ok(ExpectedBody::Contains(Arc::new(Needle::new(text.as_bytes()))))
}

/// Reads `Name: value`.
pub(super) fn header(what: &str, text: &str) -> Result<(String, String), Failure> {
    let parts = text.split_once(':').filter(|(name, _)| is_token(name.trim()) && !text.contains(['\r', '\n']));
    let (name, value) = parts.ok_or_else(|| {
        Failure::usage(format!("{what} `{text}`: not a header")).hint("like -H \"Accept: text/html\"")
    })?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

pub(super) fn check_method(what: &str, method: &str) -> Result<(), Failure> {
    if is_token(method) {
        Ok(())
    } else {
        Err(Failure::usage(format!("{what} `{method}`: not a method")).hint("like GET or POST"))
    }
}

/// Whether this is a token of RFC 9110, section 5.6.2.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

pub(super) fn read(what: &str, path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| {
        Failure::usage(format!("{what} {}: {error}", path.display())).hint("a file that exists and may be read")
    })
}

/// Reads a SHA-256 in hexadecimal.
pub(super) fn digest(text: &str) -> Result<[u8; SHA256_BYTES], String> {
    let bytes = HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok().and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or_else(|| "not a SHA-256: 64 hexadecimal digits, as sha256sum prints it".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests() {
        assert_eq!(digest(&"0fA0".repeat(16)).expect("valid")[..2], [0x0f, 0xa0]);
        for text in ["", "0f", &"g".repeat(64), &"0".repeat(63), &"0".repeat(66)] {
            assert!(digest(text).is_err(), "{text}");
        }
    }

    #[test]
    fn headers() {
        assert_eq!(header("-H", "A-b:  c: d ").expect("valid"), ("A-b".to_owned(), "c: d".to_owned()));
        for text in ["A", ": b", "A b: c", "A: b\r\nC: d", "A\n: b"] {
            assert_eq!(header("-H", text).expect_err(text).exit_code(), 2);
        }
    }
}
