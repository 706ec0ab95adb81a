//! As much of URLs as a load generator needs.

use crate::failure::Failure;

/// The parts of an `http://` URL.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Url {
    /// Host and port as the `Host` header has them.
    pub(super) authority: String,
    /// Host and port to connect to.
    pub(super) host_and_port: String,
    /// Path and query.
    pub(super) target: String,
}

impl Url {
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let wrong = |what: &str| Failure::usage(format!("`{text}`: {what}")).hint("like http://127.0.0.1:8080/path");
        let rest = match text.split_once("://") {
            Some(("http", rest)) => rest,
            Some((scheme, _)) => return Err(wrong(&format!("`{scheme}` is not spoken here, only `http`"))),
            None => return Err(wrong("no scheme")),
        };
        if text.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
            return Err(wrong("a space or control character in it; write it as %20 and so on"));
        }
        let rest = rest.split('#').next().unwrap_or_default();
        let split = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at(split);
        if authority.is_empty() || authority.contains('@') {
            return Err(wrong("no host, or a user name in it"));
        }
        // A colon within brackets belongs to an IPv6 address.
        let after_host = authority.rfind(']').map_or(authority, |bracket| &authority[bracket..]);
        let host_and_port = match after_host.rsplit_once(':') {
            Some((_, port)) if port.parse::<u16>().is_err() => return Err(wrong(&format!("`{port}` is not a port"))),
            Some(_) => authority.to_owned(),
            None => format!("{authority}:80"),
        };
        let target = if target.starts_with('/') { target.to_owned() } else { format!("/{target}") };
        Ok(Self { authority: authority.to_owned(), host_and_port, target })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        let table = [
            ("http://h", "h", "h:80", "/"),
            ("http://h:8080/a?b#c", "h:8080", "h:8080", "/a?b"),
            ("http://h?b", "h", "h:80", "/?b"),
            ("http://[::1]/", "[::1]", "[::1]:80", "/"),
            ("http://[::1]:81", "[::1]:81", "[::1]:81", "/"),
        ];
        for (text, authority, host_and_port, target) in table {
            let url = Url::parse(text).expect(text);
            assert_eq!(
                (url.authority.as_str(), url.host_and_port.as_str(), url.target.as_str()),
                (authority, host_and_port, target)
            );
        }
        for text in ["h", "https://h", "http://", "http://h:x/", "http://u@h/", "http://h/a b", "ftp://h"] {
            assert_eq!(Url::parse(text).expect_err(text).exit_code(), 2);
        }
    }
}
