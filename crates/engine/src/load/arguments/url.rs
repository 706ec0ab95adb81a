//! URLs, as far as a load generator needs them.

use crate::io::Address;
use crate::wire::Wire;
use hopcost_common::failure::Failure;
use percent_encoding::percent_decode_str;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

const FORMS: &str = "http://HOST:PORT/PATH, https://…, fastcgi://HOST:PORT/SCRIPT, or http+unix://%2Frun%2Fapp.sock/PATH, \
                     fastcgi+unix://…";

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Url {
    pub(super) wire: Wire,
    pub(super) is_tls: bool,
    /// Host and port, as in the `Host` header.
    pub(super) authority: String,
    pub(super) place: Place,
    /// Path and query.
    pub(super) target: String,
}

/// Where to connect to, before any name is resolved.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    Tcp { host: String, port: u16 },
    Unix(PathBuf),
}

impl Url {
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let wrong = |what: &str| Failure::usage(format!("`{text}`: {what}")).hint(FORMS);
        let is_scheme = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+');
        let local;
        let (scheme, rest) = match text.split_once("://").filter(|(scheme, _)| is_scheme(scheme)) {
            Some(parts) => parts,
            None if text.starts_with(':') => {
                local = format!("localhost{text}");
                ("http", local.as_str())
            }
            None => ("http", text),
        };
        let (wire, is_tls, is_unix, usual_port) = match scheme {
            "http" => (Wire::Http, false, false, Some(80)),
            "https" => (Wire::Http, true, false, Some(443)),
            "http+unix" => (Wire::Http, false, true, None),
            "fastcgi" => (Wire::FastCgi, false, false, None),
            "fastcgi+unix" => (Wire::FastCgi, false, true, None),
            _ => return Err(wrong(&format!("`{scheme}` is not spoken here"))),
        };
        if text.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
            return Err(wrong("a space or control character in it; write it as %20 and so on"));
        }
        let rest = rest.split('#').next().unwrap_or_default();
        let split = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at(split);
        if authority.is_empty() {
            return Err(wrong(if is_unix { "no socket; its slashes are written %2F" } else { "no host" }));
        }
        if authority.contains('@') {
            return Err(wrong("a user name in it").hint("-H \"Authorization: Basic …\""));
        }
        let target = if target.starts_with('/') { target.to_owned() } else { format!("/{target}") };
        if is_unix {
            let path = percent_decoded(authority).ok_or_else(|| wrong("a % without two hexadecimal digits"))?;
            return Ok(Self { wire, is_tls, authority: "localhost".to_owned(), place: Place::Unix(path), target });
        }
        // A colon within brackets belongs to an IPv6 address.
        let host_bytes = authority.rfind(']').map_or_else(|| authority.rfind(':'), |end| Some(end + 1));
        let (host, port) = authority.split_at(host_bytes.unwrap_or(authority.len()));
        let port = match (port.strip_prefix(':'), usual_port) {
            (Some(port), _) => port.parse().map_err(|_| wrong(&format!("`{port}` is not a port")))?,
            (None, _) if !port.is_empty() => return Err(wrong(&format!("`{port}` behind the address"))),
            (None, Some(port)) => port,
            (None, None) => return Err(wrong("no port")),
        };
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        if host.is_empty() {
            return Err(wrong("no host"));
        }
        if host.contains(':') && !authority.starts_with('[') {
            return Err(wrong("an IPv6 address without brackets").hint("like http://[::1]:8080/"));
        }
        let place = Place::Tcp { host: host.to_owned(), port };
        Ok(Self { wire, is_tls, authority: authority.to_owned(), place, target })
    }
}

impl Place {
    /// The address to connect to. If a name has several, the first one that accepts a connection.
    pub(super) fn address(&self) -> Result<Address, Failure> {
        match self {
            Self::Unix(path) => {
                Address::unix(path).map_err(|error| Failure::usage(format!("`{}`: {error}", path.display())))
            }
            Self::Tcp { host, port } => Address::resolve_reachable(host, *port).map_err(|error| {
                Failure::machine(format!("`{host}` cannot be resolved: {error}")).hint("is the name spelled right?")
            }),
        }
    }
}

/// `None` if a `%` has no two hexadecimal digits behind it.
fn percent_decoded(text: &str) -> Option<PathBuf> {
    let has_two_digits = |rest: &str| rest.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2;
    let bytes = || percent_decode_str(text).collect();
    text.split('%').skip(1).all(has_two_digits).then(|| OsString::from_vec(bytes()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        let tcp = |host: &str, port| Place::Tcp { host: host.into(), port };
        let unix = |path: &str| Place::Unix(path.into());
        let table = [
            ("http://h", Wire::Http, "h", tcp("h", 80), "/"),
            ("h", Wire::Http, "h", tcp("h", 80), "/"),
            ("h:8080/?of=http://x", Wire::Http, "h:8080", tcp("h", 8080), "/?of=http://x"),
            (":8080/x", Wire::Http, "localhost:8080", tcp("localhost", 8080), "/x"),
            ("http://h:8080/a?b#c", Wire::Http, "h:8080", tcp("h", 8080), "/a?b"),
            ("http://h?b", Wire::Http, "h", tcp("h", 80), "/?b"),
            ("http://[::1]/", Wire::Http, "[::1]", tcp("::1", 80), "/"),
            ("http://[::1]:81", Wire::Http, "[::1]:81", tcp("::1", 81), "/"),
            ("https://h/x", Wire::Http, "h", tcp("h", 443), "/x"),
            ("http+unix://%2Frun%2fapp.sock/x", Wire::Http, "localhost", unix("/run/app.sock"), "/x"),
            ("fastcgi://h:9000/app.php?q", Wire::FastCgi, "h:9000", tcp("h", 9000), "/app.php?q"),
            ("fastcgi+unix://%2Fa%20b", Wire::FastCgi, "localhost", unix("/a b"), "/"),
        ];
        for (text, wire, authority, place, target) in table {
            let url = Url::parse(text).expect(text);
            assert_eq!(url.is_tls, text.starts_with("https"));
            assert_eq!(
                (url.wire, url.authority.as_str(), url.place, url.target.as_str()),
                (wire, authority, place, target)
            );
        }
    }

    #[test]
    fn what_is_refused() {
        let table = [
            ("", "no host"),
            ("http://", "no host"),
            ("http://:80/", "no host"),
            ("http://h:x/", "`x` is not a port"),
            ("http://h:65536/", "`65536` is not a port"),
            ("http://u@h/", "a user name"),
            ("http://h/a b", "a space"),
            ("ftp://h", "`ftp` is not spoken"),
            ("http://::1:80/", "without brackets"),
            ("http://[::1]x/", "`x` behind"),
            ("fastcgi://h/", "no port"),
            ("http+unix:///run/app.sock", "written %2F"),
            ("http+unix://%2/", "a % without"),
            ("http+unix://%2g/", "a % without"),
            ("http+unix://a%", "a % without"),
        ];
        for (text, message) in table {
            let failure = Url::parse(text).expect_err(text);
            assert!(failure.message.contains(message), "{}", failure.message);
            assert!(failure.hint.is_some() && failure.exit_code() == 2, "{text}");
        }
    }
}
