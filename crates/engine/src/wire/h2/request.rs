//! Requests as HTTP/2 sends them: made once, before any load, and shared by all connections.

use super::hpack::{FieldId, Fields};
use crate::wire::Request;

/// Servers refuse much less; so nothing near 4 GiB is ever put into a frame or a table.
const MAX_FIELDS_BYTES: u64 = 1 << 24;

/// All requests of an arm.
#[derive(Debug, Default)]
pub struct Requests {
    pub(super) fields: Fields,
    pub(super) list: Box<[PreparedRequest]>,
}

/// One request, ready to be sent.
#[derive(Debug)]
pub(super) struct PreparedRequest {
    pub(super) fields: Box<[FieldId]>,
    pub(super) body: Box<[u8]>,
    /// Whether this is HEAD: the answer has no body whatever its head says.
    pub(super) to_head: bool,
    /// Whether the body waits until the server says 100 Continue.
    pub(super) waits: bool,
}

impl Requests {
    /// Prepares requests for a server that is spoken to by `scheme`. An error says in words what HTTP/2 cannot send.
    pub fn new(scheme: &str, requests: &[Request<'_>]) -> Result<Self, String> {
        let mut fields = Fields::default();
        let list = requests.iter().map(|request| prepare(&mut fields, scheme, request)).collect::<Result<_, _>>()?;
        Ok(Self { fields, list })
    }

    /// How long a request's body is.
    pub fn body_bytes(&self, number: u32) -> u64 {
        self.list.get(number as usize).map_or(0, |request| request.body.len() as u64)
    }

    /// Whether a request has a body that waits until the server says 100 Continue.
    pub fn waits(&self, number: u32) -> bool {
        self.list.get(number as usize).is_some_and(|request| request.waits)
    }
}

fn prepare(fields: &mut Fields, scheme: &str, request: &Request<'_>) -> Result<PreparedRequest, String> {
    let given = |wanted: &str| {
        request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.as_str())
    };
    if request.method == "CONNECT" {
        return Err("`CONNECT` is not a request that load can be made of".to_owned());
    }
    let target = if request.target.is_empty() { "/" } else { request.target };
    let mut lines = vec![
        (":method".to_owned(), request.method.to_owned()),
        (":scheme".to_owned(), scheme.to_owned()),
        // RFC 9113, section 8.3.1: in place of `host`.
        (":authority".to_owned(), given("host").unwrap_or(request.host).to_owned()),
        (":path".to_owned(), target.to_owned()),
    ];
    for (name, value) in request.headers {
        let name = name.to_ascii_lowercase();
        match (name.as_str(), value.trim_ascii()) {
            (text, _) if !is_token(text) => return Err(format!("`{name}` is no name of a header")),
            ("host", _) => {}
            ("connection" | "proxy-connection" | "keep-alive" | "transfer-encoding" | "upgrade", _) => {
                return Err(format!("HTTP/2 has no header `{name}` (RFC 9113, section 8.2.2)"));
            }
            ("te", value) if value != "trailers" => {
                return Err("the header `te` may only be `trailers` (RFC 9113, section 8.2.2)".to_owned());
            }
            (_, value) => lines.push((name, value.to_owned())),
        }
    }
    if let Some(body) = request.body
        && given("content-length").is_none()
    {
        lines.push(("content-length".to_owned(), body.len().to_string()));
    }
    let mut list = Vec::new();
    let mut list_bytes = 0;
    for (name, value) in &lines {
        if value.contains(['\0', '\r', '\n']) {
            return Err(format!("the header `{name}` has a line break or a zero byte in it"));
        }
        let (id, field_bytes) = fields.add(name, value.as_bytes());
        list_bytes += u64::from(field_bytes);
        list.push(id);
    }
    if list_bytes > MAX_FIELDS_BYTES {
        return Err(format!("headers of {list_bytes} bytes, more than {MAX_FIELDS_BYTES}"));
    }
    Ok(PreparedRequest {
        fields: list.into(),
        body: request.body.unwrap_or_default().into(),
        to_head: request.method == "HEAD",
        waits: request.waits_for_continue(),
    })
}

/// RFC 9110, section 5.6.2.
fn is_token(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_graphic() && !b"\"(),/:;<=>?@[\\]{}".contains(&byte);
    !text.is_empty() && text.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::h2::hpack::{Decoder, Encoder, Error};

    /// The fields of a request as a server without a table reads them.
    fn lines(request: &Request<'_>) -> Result<Vec<String>, String> {
        let requests = Requests::new("https", &[*request])?;
        let mut encoder = Encoder::new(&requests.fields);
        encoder.set_table_size(0);
        let mut block = Vec::new();
        encoder.encode(&requests.fields, &requests.list[0].fields, &mut block);
        let mut lines = Vec::new();
        let mut add = |name: &[u8], value: &[u8]| {
            lines.push(format!("{}={}", String::from_utf8_lossy(name), String::from_utf8_lossy(value)));
            Ok::<(), Error>(())
        };
        Decoder::default().decode(&block, &mut add).expect("HPACK");
        Ok(lines)
    }

    fn header(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn pseudo_fields_come_first_and_names_are_small() {
        let bare = Request { method: "GET", target: "/a?b", host: "h:1", headers: &[], body: None };
        let expected = [":method=GET", ":scheme=https", ":authority=h:1", ":path=/a?b"];
        assert_eq!(lines(&bare).expect("valid"), expected);
        let own = [header("X-Own", " y "), header("Host", "other"), header("TE", "trailers")];
        let own = Request { headers: &own, body: Some(b"abc"), method: "POST", ..bare };
        let expected = [
            ":method=POST",
            ":scheme=https",
            ":authority=other",
            ":path=/a?b",
            "x-own=y",
            "te=trailers",
            "content-length=3",
        ];
        assert_eq!(lines(&own).expect("valid"), expected);
    }

    #[test]
    fn what_cannot_be_sent() {
        let bare = Request { method: "GET", target: "/", host: "h", headers: &[], body: None };
        for (name, value, words) in [
            ("Connection", "close", "`connection`"),
            ("Transfer-Encoding", "chunked", "`transfer-encoding`"),
            ("te", "gzip", "`te`"),
            ("a b", "c", "`a b`"),
            (":path", "/other", "`:path`"),
            ("", "c", "``"),
            ("a", "b\nc", "`a`"),
        ] {
            let headers = [header(name, value)];
            let error = lines(&Request { headers: &headers, ..bare }).expect_err("refused");
            assert!(error.contains(words), "{error}");
        }
        let long = [header("a", &"b".repeat(1 << 24))];
        assert!(lines(&Request { headers: &long, ..bare }).expect_err("refused").contains("16777"));
        assert!(lines(&Request { method: "CONNECT", ..bare }).is_err());
    }
}
