//! Heads and bodies, whole and in bites.

use super::*;
use proptest::prelude::*;

const DATE: &str = "Sun, 15 Dec 2013 14:59:14 GMT";

/// Feeds `input` in bites as a connection would: what was not used up comes again. Returns the steps that say
/// something, and what was said.
fn feed(input: &[u8], bite: usize) -> (Vec<Step>, Vec<u8>) {
    let mut http = Http::default();
    let (mut held, mut steps, mut out) = (Vec::new(), Vec::new(), Vec::new());
    for part in input.chunks(bite.max(1)) {
        held.extend_from_slice(part);
        loop {
            let (used, step) = http.advance(&held, DATE, &mut out);
            held.drain(..used);
            match step {
                Step::NeedMore => break,
                Step::Broken => {
                    steps.push(Step::Broken);
                    return (steps, out);
                }
                step => steps.push(step),
            }
        }
    }
    (steps, out)
}

fn requests(input: &str) -> Vec<Request> {
    let (steps, _) = feed(input.as_bytes(), usize::MAX);
    for bite in [1, 2, 7, 64] {
        assert_eq!(feed(input.as_bytes(), bite).0, steps, "{input:?} in bites of {bite}");
    }
    steps
        .into_iter()
        .map(|step| match step {
            Step::Request(request) => request,
            other => panic!("{input:?}: {other:?}"),
        })
        .collect()
}

#[test]
fn requests_one_after_another() {
    let found = requests(
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n\
         POST /echo-length HTTP/1.1\r\nhost: a\r\nContent-Length: 5\r\n\r\nhello\
         PUT /echo-length HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n3;x\r\nabc\r\n0\r\nT: u\r\n\r\n\
         \r\nHEAD /json HTTP/1.0\r\n\r\n\
         GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n\
         GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n",
    );
    let seen: Vec<_> = found.iter().map(|request| (request.method, request.body_bytes, request.persistence)).collect();
    use {Method::*, Persistence::*};
    assert_eq!(
        seen,
        [
            (Other, 0, KeepAlive),
            (Other, 5, KeepAlive),
            (Other, 3, KeepAlive),
            (Head, 0, Close),
            (Other, 0, KeepAlive),
            (Other, 0, Close)
        ]
    );
}

#[test]
fn what_is_refused_and_how() {
    let long = format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "x".repeat(MAX_HEAD_BYTES));
    let many = format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "X: y\r\n".repeat(101));
    for (input, status) in [
        ("nonsense\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\n\r\n", "400"),
        ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", "505"),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "501"),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz", "400"),
        (long.as_str(), "431"),
        (many.as_str(), "431"),
        (&long[..MAX_HEAD_BYTES], "431"),
    ] {
        let (steps, out) = feed(input.as_bytes(), 5000);
        assert_eq!(steps, [Step::Broken], "{}", &input[..40.min(input.len())]);
        let line = format!("HTTP/1.1 {status} ");
        assert!(out.starts_with(line.as_bytes()), "{}", String::from_utf8_lossy(&out));
    }
}

#[test]
fn continue_is_said_once_and_only_where_it_is_waited_for() {
    let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
    let (steps, out) = feed(head.as_bytes(), usize::MAX);
    assert_eq!((steps.len(), out.as_slice()), (0, b"HTTP/1.1 100 Continue\r\n\r\n".as_slice()));
    let (steps, out) = feed(format!("{head}ab").as_bytes(), usize::MAX);
    assert_eq!((steps.len(), out.len()), (1, 0));
    let (steps, out) = feed(b"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n", usize::MAX);
    assert_eq!((steps.len(), out.len()), (1, 0));
}

proptest! {
    #[test]
    fn any_bytes_end_in_a_step(bytes in proptest::collection::vec(any::<u8>(), 0..400), bite in 1usize..50) {
        feed(&bytes, bite);
    }

    #[test]
    fn almost_requests_end_in_a_step(text in "(GET|PUT) /[a-z?=&:0-9]{0,20} HTTP/1\\.[01]\r\n(Host: a\r\n|Content-Length: [0-9]{1,3}\r\n|Transfer-Encoding: chunked\r\n|X:[ -~]{0,9}\r?\n){0,5}\r\n[0-9a-f\r\n]{0,50}", bite in 1usize..50) {
        feed(text.as_bytes(), bite);
    }

    #[test]
    fn bodies_are_counted_whatever_the_bites(length in 0usize..5000, bite in 1usize..900) {
        let mut bytes = format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n").into_bytes();
        bytes.resize(bytes.len() + length, b'G');
        let (steps, _) = feed(&bytes, bite);
        prop_assert_eq!(steps.len(), 1);
        let right = matches!(&steps[0], Step::Request(request) if request.body_bytes == length as u64);
        prop_assert!(right);
    }
}
