//! The bytes of a request, built once before any load.

/// An HTTP/1.1 request. `Host` is added where the headers have none; `Content-Length` where there is a body.
pub fn request_bytes(
    method: &str,
    target: &str,
    host: &str,
    headers: &[(String, String)],
    body: Option<&[u8]>,
) -> Vec<u8> {
    let has = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
    let mut text = format!("{method} {target} HTTP/1.1\r\n");
    if !has("host") {
        text += &format!("Host: {host}\r\n");
    }
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    if let Some(body) = body
        && !has("content-length")
        && !has("transfer-encoding")
    {
        text += &format!("Content-Length: {}\r\n", body.len());
    }
    text += "\r\n";
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(body.unwrap_or_default());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn what_is_added_and_what_is_not() {
        assert_eq!(request_bytes("GET", "/", "h:1", &[], None), b"GET / HTTP/1.1\r\nHost: h:1\r\n\r\n");
        let own = [header("host", "other"), header("X", "y")];
        assert_eq!(request_bytes("GET", "/a?b", "h", &own, None), b"GET /a?b HTTP/1.1\r\nhost: other\r\nX: y\r\n\r\n");
        assert_eq!(
            request_bytes("POST", "/", "h", &[], Some(b"abc")),
            b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
        );
    }
}
