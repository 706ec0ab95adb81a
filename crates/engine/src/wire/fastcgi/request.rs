//! The bytes of a FastCGI request: BEGIN_REQUEST, PARAMS, STDIN.

use super::{BEGIN_REQUEST, HEADER_BYTES, PARAMS, REQUEST_ID, STDIN, VERSION};
use crate::wire::request::Request;

const RESPONDER: u8 = 1;
const KEEP_CONNECTION: u8 = 1;
/// Content per record: below 65,535, and a multiple of 8 so that only the last record of a stream is padded.
const MAX_CONTENT_BYTES: usize = 65_528;

/// What a FastCGI request says of the server that it claims to come from.
#[derive(Debug, Clone, Default)]
pub struct Parameters {
    pub server_address: String,
    pub server_port: String,
    /// Set instead of, or besides, those that nginx sends.
    pub given: Vec<(String, String)>,
}

/// A request with the parameters of nginx's `fastcgi.conf`, in its order, `Host` and other headers as `HTTP_…` behind.
pub fn request_bytes(request: &Request<'_>, parameters: &Parameters, keeps_connection: bool) -> Vec<u8> {
    let flags = if keeps_connection { KEEP_CONNECTION } else { 0 };
    let mut bytes = Vec::new();
    record(&mut bytes, BEGIN_REQUEST, &[0, RESPONDER, flags, 0, 0, 0, 0, 0]);
    let mut content = Vec::new();
    for (name, value) in named(request, parameters) {
        length(&mut content, name.len());
        length(&mut content, value.len());
        content.extend_from_slice(name.as_bytes());
        content.extend_from_slice(value.as_bytes());
    }
    stream(&mut bytes, PARAMS, &content);
    stream(&mut bytes, STDIN, request.body.unwrap_or_default());
    bytes
}

fn named(request: &Request<'_>, parameters: &Parameters) -> Vec<(String, String)> {
    let (script, query) = request.target.split_once('?').unwrap_or((request.target, ""));
    let header = |name: &str| {
        let found = request.headers.iter().find(|(given, _)| given.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value.as_str())
    };
    let given = |name: &str| parameters.given.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let root = given("DOCUMENT_ROOT").unwrap_or("/usr/share/nginx/html");
    let length = request.body.map_or_else(String::new, |body| body.len().to_string());
    let host = match header("host") {
        "" => request.host,
        host => host,
    };
    // A colon within brackets belongs to an IPv6 address.
    let server_name = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => name,
        _ => host,
    };
    let server = format!("hopcost/{}", env!("CARGO_PKG_VERSION"));
    let mut all: Vec<(String, String)> = [
        ("SCRIPT_FILENAME", format!("{root}{script}").as_str()),
        ("QUERY_STRING", query),
        ("REQUEST_METHOD", request.method),
        ("CONTENT_TYPE", header("content-type")),
        ("CONTENT_LENGTH", &length),
        ("SCRIPT_NAME", script),
        ("REQUEST_URI", request.target),
        ("DOCUMENT_URI", script),
        ("DOCUMENT_ROOT", root),
        ("SERVER_PROTOCOL", "HTTP/1.1"),
        ("REQUEST_SCHEME", "http"),
        ("GATEWAY_INTERFACE", "CGI/1.1"),
        ("SERVER_SOFTWARE", &server),
        ("REMOTE_ADDR", "127.0.0.1"),
        ("REMOTE_PORT", "0"),
        ("SERVER_ADDR", &parameters.server_address),
        ("SERVER_PORT", &parameters.server_port),
        ("SERVER_NAME", server_name),
        // PHP refuses to run without it.
        ("REDIRECT_STATUS", "200"),
        ("HTTP_HOST", host),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec();
    for (name, value) in request.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("host")) {
        all.push((format!("HTTP_{}", name.to_ascii_uppercase().replace('-', "_")), value.clone()));
    }
    for (name, value) in &parameters.given {
        match all.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => known.clone_from(value),
            None => all.push((name.clone(), value.clone())),
        }
    }
    all
}

/// A name's or value's length: one byte, or four with the highest bit set.
fn length(to: &mut Vec<u8>, bytes: usize) {
    match u8::try_from(bytes) {
        Ok(short @ 0..=127) => to.push(short),
        // Requests are far below 2 GiB (plans are checked).
        _ => to.extend_from_slice(&(bytes as u32 | 1 << 31).to_be_bytes()),
    }
}

/// A stream in as many records as it needs, and the empty one that ends it.
fn stream(to: &mut Vec<u8>, kind: u8, content: &[u8]) {
    content.chunks(MAX_CONTENT_BYTES).for_each(|chunk| record(to, kind, chunk));
    record(to, kind, &[]);
}

/// One record, padded to 8 bytes.
fn record(to: &mut Vec<u8>, kind: u8, content: &[u8]) {
    let padding = content.len().wrapping_neg() % HEADER_BYTES;
    let [id_high, id_low] = REQUEST_ID.to_be_bytes();
    // At most MAX_CONTENT_BYTES.
    let [length_high, length_low] = (content.len() as u16).to_be_bytes();
    to.extend_from_slice(&[VERSION, kind, id_high, id_low, length_high, length_low, padding as u8, 0]);
    to.extend_from_slice(content);
    to.resize(to.len() + padding, 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request<'a>(headers: &'a [(String, String)], body: Option<&'a [u8]>) -> Request<'a> {
        Request { method: "POST", target: "/app.php?a=b", host: "[::1]:9000", headers, body }
    }

    /// The records as (type, content).
    fn records(mut bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
        let mut records = Vec::new();
        while let [1, kind, 0, 1, high, low, padding, 0, rest @ ..] = bytes {
            let length = usize::from(u16::from_be_bytes([*high, *low]));
            records.push((*kind, rest[..length].to_vec()));
            bytes = &rest[length + usize::from(*padding)..];
        }
        assert!(bytes.is_empty(), "{bytes:?}");
        records
    }

    #[test]
    fn what_is_sent() {
        let headers = [("X-Own".to_owned(), "y".to_owned())];
        let parameters = Parameters { given: vec![("HTTPS".into(), "on".into())], ..Parameters::default() };
        let bytes = request_bytes(&request(&headers, Some(b"abc")), &parameters, true);
        assert_eq!(bytes.len() % 8, 0, "every record is padded");
        let records = records(&bytes);
        assert_eq!(records.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), [1, 4, 4, 5, 5]);
        assert_eq!(records[0].1, [0, 1, 1, 0, 0, 0, 0, 0]);
        assert_eq!(records[3].1, b"abc");
        let text = String::from_utf8_lossy(&records[1].1);
        for pair in [
            "QUERY_STRINGa=b",
            "REQUEST_METHODPOST",
            "CONTENT_LENGTH3",
            "SCRIPT_NAME/app.php",
            "REQUEST_URI/app.php?a=b",
            "SERVER_NAME[::1]",
            "HTTP_HOST[::1]:9000",
            "HTTP_X_OWNy",
            "HTTPSon",
            "SCRIPT_FILENAME/usr/share/nginx/html/app.php",
        ] {
            assert!(text.contains(pair), "{pair} in {text}");
        }
    }

    #[test]
    fn without_keeping_the_connection() {
        let bytes = request_bytes(&request(&[], None), &Parameters::default(), false);
        assert_eq!(records(&bytes)[0].1, [0, 1, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn long_values_and_long_bodies() {
        let headers = [("Long".to_owned(), "x".repeat(200_000))];
        let body = vec![7; 200_000];
        let records = records(&request_bytes(&request(&headers, Some(&body)), &Parameters::default(), true));
        let of = |kind| records.iter().filter(|(k, _)| *k == kind).flat_map(|(_, c)| c.clone()).collect::<Vec<_>>();
        assert_eq!(of(STDIN), body);
        let expected = [&[9, 0x80, 3, 0x0d, 0x40][..], b"HTTP_LONGxxx"].concat();
        assert!(of(PARAMS).windows(expected.len()).any(|window| window == expected));
        assert_eq!(records.last(), Some(&(STDIN, vec![])));
    }
}
