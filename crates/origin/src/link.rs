//! How a hop is reached: a protocol over a transport, and the address to listen at.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// What a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1 and 1.0.
    Http,
    /// FastCGI, responder role.
    FastCgi,
}

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// An IPv4 or IPv6 address; port 0 takes a free one.
    Tcp(SocketAddr),
    /// A path of a socket file.
    Unix(PathBuf),
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(formatter),
            Self::Unix(path) => path.display().fmt(formatter),
        }
    }
}

/// `LINK:ADDRESS`, as `--listen` takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listen {
    /// What the server speaks there.
    pub protocol: Protocol,
    /// Where the server listens.
    pub address: Address,
}

impl Listen {
    /// The name of the link: `http+tcp` and so on.
    pub fn link(&self) -> &'static str {
        match (self.protocol, &self.address) {
            (Protocol::Http, Address::Tcp(_)) => "http+tcp",
            (Protocol::Http, Address::Unix(_)) => "http+unix",
            (Protocol::FastCgi, Address::Tcp(_)) => "fastcgi+tcp",
            (Protocol::FastCgi, Address::Unix(_)) => "fastcgi+unix",
        }
    }
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (link, address) = text.split_once(':').ok_or("expected LINK:ADDRESS, such as http+tcp:127.0.0.1:8080")?;
        let (protocol, transport) = match link.split_once('+') {
            Some(("http", transport)) => (Protocol::Http, transport),
            Some(("fastcgi", transport)) => (Protocol::FastCgi, transport),
            _ => return Err(unknown(link)),
        };
        let address = match transport {
            "tcp" => Address::Tcp(address.parse().map_err(|_| {
                format!("expected IP:PORT after {link}:, such as 127.0.0.1:8080 or [::1]:0, got {address}")
            })?),
            "unix" if address.is_empty() => return Err(format!("expected a path after {link}:")),
            "unix" => Address::Unix(PathBuf::from(address)),
            _ => return Err(unknown(link)),
        };
        Ok(Self { protocol, address })
    }
}

fn unknown(link: &str) -> String {
    format!("no link {link}; known are http+tcp, http+unix, fastcgi+tcp, fastcgi+unix")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_listen_takes() {
        for (text, link, address) in [
            ("http+tcp:127.0.0.1:8080", "http+tcp", "127.0.0.1:8080"),
            ("fastcgi+tcp:[::1]:0", "fastcgi+tcp", "[::1]:0"),
            ("http+unix:/run/x.sock", "http+unix", "/run/x.sock"),
            ("fastcgi+unix:relative:name", "fastcgi+unix", "relative:name"),
        ] {
            let listen: Listen = text.parse().expect(text);
            assert_eq!((listen.link(), listen.address.to_string().as_str()), (link, address));
        }
        for text in [
            "",
            "http+tcp",
            "http+tcp:8080",
            "http+tcp:localhost:1",
            "https+tcp:127.0.0.1:1",
            "http+unix:",
            "http+pipe:x",
        ] {
            assert!(text.parse::<Listen>().is_err(), "{text}");
        }
    }
}
