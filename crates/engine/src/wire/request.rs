//! The bytes of a request, built once before any load.

/// A request, before it is put on a wire.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub method: &'a str,
    pub target: &'a str,
    /// The value of `Host` if the headers have none.
    pub host: &'a str,
    pub headers: &'a [(String, String)],
    pub body: Option<&'a [u8]>,
}

impl Request<'_> {
    fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name))
    }

    /// Whether the body waits until the server says 100 Continue.
    pub fn waits_for_continue(&self) -> bool {
        let expects = |(name, value): &(String, String)| {
            name.eq_ignore_ascii_case("expect") && value.eq_ignore_ascii_case("100-continue")
        };
        self.body.is_some_and(|body| !body.is_empty()) && self.headers.iter().any(expects)
    }
}

/// An HTTP/1.1 request, and the length of its head. Adds `Host` if the headers have none, `Content-Length` if there is a
/// body, and `Connection: close` if the connection is not kept.
pub fn http_bytes(request: &Request<'_>, keeps_connection: bool) -> (Vec<u8>, usize) {
    let Request { method, target, host, headers, body } = request;
    let mut text = format!("{method} {target} HTTP/1.1\r\n");
    if !request.has("host") {
        text += &format!("Host: {host}\r\n");
    }
    for (name, value) in *headers {
        text += &format!("{name}: {value}\r\n");
    }
    if !keeps_connection && !request.has("connection") {
        text += "Connection: close\r\n";
    }
    if let Some(body) = body
        && !request.has("content-length")
        && !request.has("transfer-encoding")
    {
        text += &format!("Content-Length: {}\r\n", body.len());
    }
    text += "\r\n";
    let mut bytes = text.into_bytes();
    let head_bytes = bytes.len();
    bytes.extend_from_slice(body.unwrap_or_default());
    (bytes, head_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    fn text(request: &Request<'_>, keeps_connection: bool) -> String {
        String::from_utf8(http_bytes(request, keeps_connection).0).expect("UTF-8")
    }

    #[test]
    fn what_is_added_and_what_is_not() {
        let bare = Request { method: "GET", target: "/a?b", host: "h:1", headers: &[], body: None };
        assert_eq!(text(&bare, true), "GET /a?b HTTP/1.1\r\nHost: h:1\r\n\r\n");
        assert_eq!(text(&bare, false), "GET /a?b HTTP/1.1\r\nHost: h:1\r\nConnection: close\r\n\r\n");
        let own = [header("host", "other"), header("Connection", "close"), header("X", "y")];
        let own = Request { headers: &own, ..bare };
        assert_eq!(text(&own, false), "GET /a?b HTTP/1.1\r\nhost: other\r\nConnection: close\r\nX: y\r\n\r\n");
        let upload = Request { method: "POST", body: Some(b"abc"), ..bare };
        let (bytes, head_bytes) = http_bytes(&upload, true);
        assert_eq!(bytes, b"POST /a?b HTTP/1.1\r\nHost: h:1\r\nContent-Length: 3\r\n\r\nabc");
        assert_eq!(&bytes[head_bytes..], b"abc");
    }

    #[test]
    fn who_waits() {
        let expecting = [header("expect", "100-Continue")];
        let request = Request { method: "PUT", target: "/", host: "h", headers: &expecting, body: Some(b"x") };
        assert!(request.waits_for_continue());
        assert!(!Request { body: Some(b""), ..request }.waits_for_continue());
        assert!(!Request { headers: &[], ..request }.waits_for_continue());
    }
}
