//! HTTP/2 against a server that knows frames and nothing else, over TCP and inside TLS. It counts for itself.

use crate::frames::{self, Manner, Site, converse};
use crate::plain::{HELLO, backends, get};
use crate::run::{assert_all_correct, run, run_for, settings, target};
use crate::tls::{acceptor, trusting};
use hopcost_engine::io::tls::{Protocol, SessionResumption};
use hopcost_engine::plan::Target;
use hopcost_engine::recorder::ErrorKind;
use hopcost_engine::requests::{RequestMix, RequestSpec, WireSettings};
use hopcost_engine::schedule::{Arrivals, ClosedLoop, Constant, Schedule as _};
use hopcost_engine::wire::Wire;
use rustls::{ServerConnection, StreamOwned};
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Link {
    Tcp,
    Tls,
    /// Without ALPN.
    Deaf,
}

struct Server {
    frames: frames::Server,
    link: Link,
    ca: PathBuf,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.ca);
    }
}

fn serve(link: Link, manner: Manner) -> Server {
    let (config, ca) = acceptor(if link == Link::Tls { &["h2"] } else { &[] });
    let frames = match link {
        Link::Tcp => frames::Server::start(manner, HELLO),
        Link::Tls | Link::Deaf => frames::Server::at("127.0.0.1:0", Site::new(manner, HELLO), move |socket, site| {
            let connection = ServerConnection::new(Arc::clone(&config)).map_err(std::io::Error::other)?;
            converse(StreamOwned::new(connection, socket), site)
        }),
    };
    Server { frames, link, ca }
}

fn hello() -> RequestSpec {
    get("/", HELLO)
}

fn aimed(server: &Server, streams: u32, spec: RequestSpec, requests: u64) -> Target {
    let is_tls = server.link != Link::Tcp;
    let settings = WireSettings { streams: Some(streams), is_tls, ..settings(Wire::Http2) };
    let tls = || trusting(&server.ca, SessionResumption::On).speaking(Protocol::Http2);
    Target { tls: is_tls.then(tls), ..target(&server.frames.address, &settings, spec, requests) }
}

#[test]
fn every_request_is_answered_on_its_stream() {
    for io in backends() {
        for link in [Link::Tcp, Link::Tls] {
            for streams in [1, 3, 100, 150] {
                let server = serve(link, Manner::Answers);
                let result = run(io, aimed(&server, streams, hello(), 2000));
                assert_all_correct(&result.counts, 2000, &format!("{streams} streams over {link:?}, {io:?}"));
                assert_eq!((result.counts.compared, result.counts.opened), (2000, 4));
                assert_eq!(server.frames.counts().requests, 2000);
            }
        }
    }
}

#[test]
fn an_open_loop_over_streams() {
    for io in backends() {
        let server = serve(Link::Tls, Manner::Answers);
        let mut target = aimed(&server, 5, hello(), 0);
        target.arrivals = Arrivals::Constant(Constant::new(1000.0, Some(300)));
        let result = run(io, target);
        assert_all_correct(&result.counts, 300, &format!("an open loop, {io:?}"));
        let open = result.times.open.expect("an open loop");
        assert_eq!((open.response.known.len(), open.response.at_least.len()), (300, 0));
    }
}

#[test]
fn every_byte_of_a_body_arrives() {
    for io in backends() {
        for link in [Link::Tcp, Link::Tls] {
            for body_bytes in [1, 16_384, 300_000] {
                let server = serve(link, Manner::Answers);
                let body = Some(vec![7; body_bytes].into());
                let upload = RequestSpec { method: "POST".into(), body, ..hello() };
                let result = run(io, aimed(&server, 4, upload, 50));
                assert_all_correct(&result.counts, 50, &format!("{body_bytes} over {link:?}, {io:?}"));
                assert_eq!(server.frames.counts().body_bytes, 50 * body_bytes as u64);
            }
        }
    }
}

/// As nginx does behind `keepalive_requests`.
#[test]
fn servers_that_go_away_are_left_and_nothing_is_lost() {
    for io in backends() {
        for link in [Link::Tcp, Link::Tls] {
            let server = serve(link, Manner::GoesAwayAfter(10));
            let result = run(io, aimed(&server, 7, hello(), 400));
            assert_all_correct(&result.counts, 400, &format!("over {link:?}, {io:?}"));
            assert_eq!(server.frames.counts().requests, 400);
            assert!(result.counts.reconnects >= 36, "{}", result.counts.reconnects);
        }
    }
}

#[test]
fn connections_for_a_few_requests() {
    for io in backends() {
        let server = serve(Link::Tls, Manner::Answers);
        let mut target = aimed(&server, 4, hello(), 120);
        let settings =
            WireSettings { streams: Some(4), is_tls: true, requests_per_connection: Some(3), ..settings(Wire::Http2) };
        target.requests = RequestMix::new(&settings, &[hello()]).expect("valid");
        let result = run(io, target);
        assert_all_correct(&result.counts, 120, &format!("{io:?}"));
        assert!(result.counts.opened >= 40, "three requests each");
    }
}

#[test]
fn a_server_that_does_not_agree_on_http2_gets_no_request() {
    for io in backends() {
        let server = serve(Link::Deaf, Manner::Answers);
        let result = run_for(io, aimed(&server, 4, hello(), 10), 100_000_000);
        assert_eq!((result.counts.sent, result.counts.errors.of(ErrorKind::Connect)), (0, 0));
        assert!(result.counts.errors.of(ErrorKind::Tls) >= 4, "{io:?}");
    }
}

/// The server takes requests, and answers none.
#[test]
fn what_waits_too_long_is_given_up_stream_by_stream() {
    for io in backends() {
        let server = serve(Link::Tcp, Manner::Hangs);
        let target = Target { timeout_ns: 20_000_000, ..aimed(&server, 3, hello(), 12) };
        let result = run(io, target);
        assert_eq!((result.counts.sent, result.counts.errors.of(ErrorKind::Timeout)), (12, 12), "{io:?}");
        assert_eq!(result.counts.opened, 4, "the connections live");
    }
}

#[test]
fn every_request_of_a_mix_has_its_own_account() {
    let named = |name: &str, weight| RequestSpec { name: Some(name.into()), weight, ..get(&format!("/{name}"), HELLO) };
    let specs = [named("page", 3), named("image", 2), named("form", 1)];
    for io in backends() {
        for manner in [Manner::Answers, Manner::GoesAwayAfter(7)] {
            for arrivals in [
                Arrivals::Closed(ClosedLoop { requests: Some(600) }),
                Arrivals::Constant(Constant::new(5000.0, Some(600))),
            ] {
                let server = serve(Link::Tls, manner);
                let mut target = aimed(&server, 5, hello(), 0);
                let settings = WireSettings { streams: Some(5), is_tls: true, ..settings(Wire::Http2) };
                target.requests = RequestMix::new(&settings, &specs).expect("valid");
                target.arrivals = arrivals.clone();
                let result = run(io, target);
                let what = format!("{manner:?}, {arrivals:?}, {io:?}");
                assert_all_correct(&result.counts, 600, &what);
                assert_eq!(server.frames.counts().requests, 600, "{what}");
                let names: Vec<&str> = result.requests.iter().map(|(name, _)| name.as_str()).collect();
                assert_eq!(names, ["page", "image", "form"]);
                let answers: Vec<u64> = result.requests.iter().map(|(_, account)| account.answers).collect();
                assert_eq!(answers.iter().sum::<u64>(), 600, "{what}");
                if manner == Manner::Answers {
                    assert_eq!(answers, [300, 200, 100], "{what}");
                }
                for (name, account) in &result.requests {
                    assert_eq!((account.sent, account.errors.total()), (account.answers, 0), "{name}, {what}");
                    assert_eq!((account.not_sent, account.in_flight), (0, 0), "{name}, {what}");
                    assert_eq!(account.service.known.len(), account.answers, "{name}, {what}");
                    let response = account.response.as_deref().map(|times| times.known.len());
                    assert_eq!(response, arrivals.is_open().then_some(account.answers), "{name}, {what}");
                }
            }
        }
    }
}
