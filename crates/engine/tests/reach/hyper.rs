//! HTTP/2 with hyper, the server of most Rust programs. It counts for itself.

use crate::plain::{backends, get};
use crate::run::{assert_all_correct, run, settings, target};
use hopcost_engine::io::Address;
use hopcost_engine::requests::{RequestSpec, WireSettings};
use hopcost_engine::wire::Wire;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::runtime;

struct Server {
    address: Address,
    requests: Arc<AtomicU64>,
}

/// A server that answers with the length of the request's body. Its thread ends with the test's process.
fn serve() -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has free ports");
    listener.set_nonblocking(true).expect("a socket may be");
    let address = Address::Tcp(listener.local_addr().expect("it is bound"));
    let requests = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&requests);
    std::thread::spawn(move || {
        let runtime = runtime::Builder::new_current_thread().enable_io().build().expect("a runtime");
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).expect("it does not block");
            while let Ok((socket, _)) = listener.accept().await {
                let counted = Arc::clone(&counted);
                let service = service_fn(move |request| answer(request, Arc::clone(&counted)));
                tokio::spawn(http2::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(socket), service));
            }
        });
    });
    Server { address, requests }
}

async fn answer(request: Request<Incoming>, counted: Arc<AtomicU64>) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let body = request.into_body().collect().await?.to_bytes();
    counted.fetch_add(1, Ordering::Relaxed);
    Ok(Response::new(Full::new(format!("{} bytes\n", body.len()).into())))
}

fn over_streams(streams: u32) -> WireSettings {
    WireSettings { streams: Some(streams), ..settings(Wire::Http2) }
}

#[test]
fn every_request_is_answered() {
    for io in backends() {
        for streams in [1, 10, 100] {
            let server = serve();
            let result = run(io, target(&server.address, &over_streams(streams), get("/", b"0 bytes\n"), 2000));
            assert_all_correct(&result.counts, 2000, &format!("{streams} streams, {io:?}"));
            assert_eq!((result.counts.opened, server.requests.load(Ordering::Relaxed)), (4, 2000));
        }
    }
}

#[test]
fn every_byte_of_a_body_arrives() {
    for io in backends() {
        let server = serve();
        let body = Some(vec![7; 300_000].into());
        let upload = RequestSpec { method: "POST".into(), body, ..get("/", b"300000 bytes\n") };
        let result = run(io, target(&server.address, &over_streams(3), upload, 50));
        assert_all_correct(&result.counts, 50, &format!("{io:?}"));
        assert_eq!(server.requests.load(Ordering::Relaxed), 50);
    }
}

#[test]
fn connections_for_a_few_requests() {
    for io in backends() {
        let server = serve();
        let settings = WireSettings { requests_per_connection: Some(3), ..over_streams(2) };
        let result = run(io, target(&server.address, &settings, get("/", b"0 bytes\n"), 120));
        assert_all_correct(&result.counts, 120, &format!("{io:?}"));
        assert_eq!(server.requests.load(Ordering::Relaxed), 120);
        assert!(result.counts.opened >= 40, "three requests each");
    }
}
