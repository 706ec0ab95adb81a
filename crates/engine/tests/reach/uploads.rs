//! Request bodies, short and long, over every link.

use crate::origin::{LINKS, Origin};
use crate::plain::{backends, get};
use crate::run::{assert_all_correct, run, settings, target};
use hopcost_engine::check::ExpectedBody;
use std::io::{Read, Write};
use std::net::TcpListener;

#[test]
fn every_byte_of_a_body_arrives() {
    for io in backends() {
        for link in LINKS {
            for body_bytes in [0, 1, 16_384, 100_000, 5_000_000] {
                for expects in [false, true] {
                    let origin = Origin::start(link);
                    let mut request = get("/echo-length", b"");
                    request.method = "POST".into();
                    request.expected = ExpectedBody::First(Default::default());
                    request.body = Some(vec![7; body_bytes].into());
                    if expects {
                        request.headers.push(("Expect".into(), "100-continue".into()));
                    }
                    let what = format!("{body_bytes} over {link}, expects {expects}, {io:?}");
                    let requests = if body_bytes > 1_000_000 { 6 } else { 20 };
                    let counts = run(io, target(&origin.address, &settings(origin.wire), request, requests)).counts;
                    assert_all_correct(&counts, requests, &what);
                    let counted = origin.stop();
                    assert_eq!(counted.body_bytes_in, requests * body_bytes as u64, "{what}");
                }
            }
        }
    }
}

/// A server that answers once on each connection, and has not read the body by then.
#[test]
fn an_answer_that_comes_before_the_upload_is_through_counts_and_ends_the_connection() {
    for io in backends() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has free ports");
        let address = listener.local_addr().expect("it is bound");
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                std::thread::spawn(move || {
                    let mut stream = stream?;
                    let mut buffer = vec![0; 65_536];
                    let _ = stream.read(&mut buffer)?;
                    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nHello World\n")?;
                    // It reads nothing more, and never closes.
                    std::mem::forget(stream);
                    std::io::Result::Ok(())
                });
            }
        });
        let mut request = get("/", b"Hello World\n");
        request.method = "POST".into();
        // More than all buffers on the way hold.
        request.body = Some(vec![7; 50_000_000].into());
        let address = hopcost_engine::io::Address::Tcp(address);
        let counts = run(io, target(&address, &settings(Default::default()), request, 8)).counts;
        assert_eq!(counts.reconnects, 8);
        assert_all_correct(&counts, 8, &format!("early answers, {io:?}"));
    }
}
