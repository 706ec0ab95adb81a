//! TLS against a server made of rustls and threads.

use crate::plain::{LONG_NS, backends, get};
use crate::run::{assert_all_correct, run, run_for, settings, target};
use hopcost_engine::io::Backend;
use hopcost_engine::io::tls::{SessionResumption, TlsSettings, Trust};
use hopcost_engine::io::{Address, TlsSettings as Settings};
use hopcost_engine::plan::Target;
use hopcost_engine::recorder::{ErrorKind, TlsReceipt};
use hopcost_engine::requests::{RequestMix, WireSettings};
use hopcost_engine::schedule::{Arrivals, Constant};
use hopcost_engine::session::ArmResult;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const HELLO: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nHello World\n";

#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Good,
    WantsClientCertificate,
    /// Half an answer, then the end of the socket.
    CutsAnswers,
    /// No length, and close_notify where the answer ends; or nothing where it ends.
    CloseDelimited {
        notifies: bool,
    },
}

struct Server {
    address: Address,
    ca: PathBuf,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.ca);
    }
}

/// A certificate for 127.0.0.1 that signs itself, in a file as well.
fn certificate() -> (CertificateDer<'static>, PrivateKeyDer<'static>, PathBuf) {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let signed = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).expect("a certificate");
    let name = format!("hopcost-reach-{}-{}.pem", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let ca = std::env::temp_dir().join(name);
    std::fs::write(&ca, signed.cert.pem()).expect("the temporary directory is writable");
    let key = PrivateKeyDer::try_from(signed.signing_key.serialize_der()).expect("a key");
    (signed.cert.der().clone(), key, ca)
}

/// How a server of these protocols accepts connections, and whom its clients have to trust: a file.
pub fn acceptor(protocols: &[&str]) -> (Arc<ServerConfig>, PathBuf) {
    let (certificate, key, ca) = certificate();
    let builder = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().expect("ring speaks TLS").with_no_client_auth();
    let mut config = builder.with_single_cert(vec![certificate], key).expect("they belong together");
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    (Arc::new(config), ca)
}

fn serve(manner: Manner) -> Server {
    let (certificate, key, ca) = certificate();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions().expect("ring speaks TLS");
    let builder = if manner == Manner::WantsClientCertificate {
        let mut roots = RootCertStore::empty();
        roots.add(certificate.clone()).expect("a certificate");
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
        builder.with_client_cert_verifier(verifier.build().expect("one root"))
    } else {
        builder.with_no_client_auth()
    };
    let mut config = builder.with_single_cert(vec![certificate], key).expect("they belong together");
    config.send_tls13_tickets = 2;
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has free ports");
    let address = Address::Tcp(listener.local_addr().expect("it is bound"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let config = Arc::clone(&config);
            // A client that closes is no error of the server.
            std::thread::spawn(move || answer(stream, config, manner).unwrap_or_default());
        }
    });
    Server { address, ca }
}

fn answer(socket: TcpStream, config: Arc<ServerConfig>, manner: Manner) -> std::io::Result<()> {
    socket.set_nodelay(true)?;
    let connection = ServerConnection::new(config).map_err(std::io::Error::other)?;
    let mut stream = StreamOwned::new(connection, socket);
    let mut held = Vec::new();
    let mut buffer = vec![0; 65_536];
    loop {
        let length = stream.read(&mut buffer)?;
        if length == 0 {
            return Ok(());
        }
        held.extend_from_slice(&buffer[..length]);
        let Some(end) = held.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&held[..end]).into_owned();
        let body = head
            .split("Content-Length: ")
            .nth(1)
            .map_or(0, |rest| rest.lines().next().and_then(|number| number.parse().ok()).expect("a number"));
        if held.len() < end + 4 + body {
            continue;
        }
        held.drain(..end + 4 + body);
        match manner {
            Manner::Good | Manner::WantsClientCertificate if head.contains("/long") => {
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")?;
                stream.write_all(&[9; 1_000_000])?;
            }
            Manner::Good | Manner::WantsClientCertificate => stream.write_all(HELLO)?,
            Manner::CutsAnswers => {
                stream.write_all(&HELLO[..HELLO.len() - 5])?;
                stream.flush()?;
                return Ok(());
            }
            Manner::CloseDelimited { notifies } => {
                stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nHello World\n")?;
                if notifies {
                    stream.conn.send_close_notify();
                }
                return stream.flush();
            }
        }
        stream.flush()?;
        if head.contains("Connection: close") {
            stream.conn.send_close_notify();
            return stream.flush();
        }
    }
}

pub fn trusting(ca: &Path, resumption: SessionResumption) -> Settings {
    TlsSettings::new("127.0.0.1", &Trust::File(ca.to_owned()), resumption).expect("a good file")
}

fn aimed(server: &Server, requests: u64) -> Target {
    let spec = get("/", b"Hello World\n");
    let mut target = target(&server.address, &settings(Default::default()), spec, requests);
    target.tls = Some(trusting(&server.ca, SessionResumption::On));
    target
}

fn handshakes(result: &ArmResult) -> (u64, u64) {
    (result.handshakes.time.as_ref().map_or(0, |time| time.len()), result.handshakes.resumed)
}

#[test]
fn every_request_is_answered_inside_tls() {
    for io in backends() {
        let server = serve(Manner::Good);
        let result = run(io, aimed(&server, 500));
        assert_all_correct(&result.counts, 500, "a good server");
        assert_eq!(result.counts.compared, 500);
        assert_eq!(handshakes(&result), (4, 0), "{io:?}");
    }
}

#[test]
fn what_was_agreed_on_is_counted_by_handshake() {
    for io in backends() {
        let server = serve(Manner::Good);
        let receipts = run(io, aimed(&server, 8)).handshakes.receipts;
        let receipt =
            TlsReceipt { version: "TLS 1.3", cipher_suite: "TLS13_AES_256_GCM_SHA384", group: Some("X25519") };
        assert_eq!(receipts.into_iter().collect::<Vec<_>>(), [(receipt, 4)], "{io:?}: what both of rustls prefer");
    }
}

#[test]
fn an_open_loop_inside_tls() {
    for io in backends() {
        let server = serve(Manner::Good);
        let mut target = aimed(&server, 0);
        for per_connection in [None, Some(3)] {
            target.arrivals = Arrivals::Constant(Constant::new(1000.0, Some(300)));
            let settings = WireSettings { requests_per_connection: per_connection, ..settings(Default::default()) };
            target.requests = RequestMix::new(&settings, &[get("/", b"Hello World\n")]).expect("valid");
            let result = run(io, target.clone());
            assert_all_correct(&result.counts, 300, "a good server");
            assert_eq!((result.counts.due(), result.counts.compared), (300, 300));
        }
        let server = serve(Manner::WantsClientCertificate);
        let mut refused = aimed(&server, 0);
        refused.arrivals = Arrivals::Constant(Constant::new(100.0, None));
        let counts = run_for(io, refused, 1_000_000_000).counts;
        let tls = counts.errors.of(ErrorKind::Tls);
        assert_eq!((counts.due(), counts.answers, counts.errors.total()), (100, 0, tls), "{io:?}: {counts:?}");
        assert!(tls >= 1, "{io:?}: {counts:?}");
    }
}

#[test]
fn sessions_are_resumed_unless_told_otherwise() {
    for io in backends() {
        for resumption in [SessionResumption::On, SessionResumption::Off] {
            let server = serve(Manner::Good);
            let mut settings = settings(Default::default());
            settings.requests_per_connection = Some(1);
            let mut target = target(&server.address, &settings, get("/", b"Hello World\n"), 40);
            target.tls = Some(trusting(&server.ca, resumption));
            let result = run(io, target);
            assert_all_correct(&result.counts, 40, "a connection per request");
            let (all, resumed) = handshakes(&result);
            assert!(all >= 40, "{io:?}: {all}");
            assert_eq!(resumed > 0, resumption == SessionResumption::On, "{io:?}: {resumed}");
        }
    }
}

#[test]
fn long_answers_and_long_uploads() {
    for io in backends() {
        let server = serve(Manner::Good);
        let mut target = aimed(&server, 8);
        let mut request = get("/long", &[9; 1_000_000]);
        request.method = "POST".into();
        request.body = Some(vec![7; 3_000_000].into());
        target.requests =
            hopcost_engine::requests::RequestMix::new(&settings(Default::default()), &[request]).expect("valid");
        assert_all_correct(&run(io, target).counts, 8, "long both ways");
    }
}

/// Nothing but `tls` errors, and no request sent but those of which it is not yet known that they are refused.
fn assert_refused(io: Backend, target: Target, what: &str) {
    let counts = run_for(io, target, 1_000_000_000).counts;
    let tls = counts.errors.of(ErrorKind::Tls);
    assert_eq!((counts.answers, counts.errors.total(), counts.sent), (0, tls, counts.in_flight()), "{what}, {io:?}");
    assert!(tls >= 1, "{what}, {io:?}");
}

#[test]
fn certificates_and_alerts() {
    for io in backends() {
        let server = serve(Manner::Good);
        let mut untrusted = aimed(&server, 8);
        let other = serve(Manner::Good);
        untrusted.tls = Some(trusting(&other.ca, SessionResumption::On));
        assert_refused(io, untrusted, "a certificate of nobody that is trusted");

        let mut misnamed = aimed(&server, 8);
        let trust = Trust::File(server.ca.clone());
        misnamed.tls = Some(TlsSettings::new("other.test", &trust, SessionResumption::On).expect("a good name"));
        assert_refused(io, misnamed, "a certificate of another name");

        let mut insecure = aimed(&server, 8);
        let anybody = TlsSettings::new("other.test", &Trust::Anybody, SessionResumption::On);
        insecure.tls = Some(anybody.expect("a good name"));
        assert_all_correct(&run(io, insecure).counts, 8, "nothing is verified");

        let server = serve(Manner::WantsClientCertificate);
        assert_refused(io, aimed(&server, 8), "an alert for want of a client certificate");
    }
}

#[test]
fn a_server_without_tls() {
    for io in backends() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has free ports");
        let address = Address::Tcp(listener.local_addr().expect("it is bound"));
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
                let _ = stream.read(&mut [0; 1000]);
            }
        });
        let server = serve(Manner::Good);
        let mut target = aimed(&server, 8);
        target.address = address;
        assert_refused(io, target, "plain HTTP");
    }
}

#[test]
fn ends_of_connections() {
    for io in backends() {
        let server = serve(Manner::CloseDelimited { notifies: true });
        assert_all_correct(&run(io, aimed(&server, 20)).counts, 20, "close_notify ends an answer");
        for manner in [Manner::CloseDelimited { notifies: false }, Manner::CutsAnswers] {
            let server = serve(manner);
            let mut target = aimed(&server, 20);
            target.timeout_ns = LONG_NS;
            let counts = run(io, target).counts;
            assert_eq!((counts.answers, counts.errors.of(ErrorKind::Read)), (0, 20), "{io:?}");
            assert_eq!(counts.errors.total(), 20);
        }
    }
}
