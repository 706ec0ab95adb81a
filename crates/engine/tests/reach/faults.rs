//! One row per fault of the origin: what the engine counts, and that the origin counted the same.

use crate::origin::{LINKS, Origin};
use crate::plain::{backends, get};
use crate::run::{assert_all_correct, errors, run, settings, target};
use hopcost_engine::recorder::{ErrorKind, Errors};
use hopcost_engine::schedule::{Arrivals, Poisson};
use hopcost_engine::wire::Wire;

const HELLO: &[u8] = b"Hello World\n";
const REQUESTS: u64 = 100;
/// Every tenth request meets the fault.
const FAULTS: u64 = 10;

/// What a fault looks like over HTTP and over FastCGI: an error of this kind, or a correct answer.
type Row = (&'static str, Option<ErrorKind>, Option<ErrorKind>);

const TABLE: [Row; 12] = [
    // FastCGI ends a short body in order: its head has said another length.
    ("short-body", Some(ErrorKind::Read), Some(ErrorKind::Protocol)),
    ("trailing-bytes", Some(ErrorKind::Protocol), Some(ErrorKind::Protocol)),
    ("two-answers", Some(ErrorKind::Protocol), Some(ErrorKind::Protocol)),
    ("wrong-length", Some(ErrorKind::Body), Some(ErrorKind::Body)),
    ("wrong-bytes", Some(ErrorKind::Body), Some(ErrorKind::Body)),
    ("status-500", Some(ErrorKind::Status), Some(ErrorKind::Status)),
    ("reset-mid-answer", Some(ErrorKind::Read), Some(ErrorKind::Read)),
    ("half-close", Some(ErrorKind::Read), Some(ErrorKind::Read)),
    ("huge-head", Some(ErrorKind::Protocol), Some(ErrorKind::Protocol)),
    ("slow-body&pause=1ms", None, None),
    ("chunked", None, None),
    ("1xx", None, None),
];

#[test]
fn every_fault_is_counted_by_its_kind_and_as_often_as_the_origin_counted_it() {
    for io in backends() {
        for link in LINKS {
            for (fault, over_http, over_fastcgi) in TABLE {
                let what = format!("{fault} over {link} by {io:?}");
                let origin = Origin::start(link);
                let kind = if origin.wire == Wire::Http { over_http } else { over_fastcgi };
                let request = get(&format!("/hello?fault={fault}&every=10"), HELLO);
                let result = run(io, target(&origin.address, &settings(origin.wire), request, REQUESTS));
                let counted = origin.stop();
                let counts = result.counts;
                let expected = kind.map_or(Errors::default(), |kind| errors(kind, FAULTS));
                assert_eq!(counts.errors, expected, "{what}");
                assert_eq!((counts.sent, counts.answers), (REQUESTS, REQUESTS - expected.total()), "{what}");
                assert_eq!(counted.requests_received, counts.sent, "{what}");
                let faults: u64 =
                    hopcost_origin::answer::Fault::ALL.iter().map(|&fault| counted.faults.of(fault)).sum();
                let has_fault = !(fault == "1xx" && link.starts_with("fastcgi"));
                assert_eq!(faults, if has_fault { FAULTS } else { 0 }, "{what}");
                let unsent = counted.answers_cut + counted.answers_withheld + counted.answers_lost;
                if kind == Some(ErrorKind::Read) {
                    assert_eq!(unsent, FAULTS, "{what}");
                }
                assert_eq!(counted.answers_sent + unsent, REQUESTS, "{what}");
            }
        }
    }
}

#[test]
fn answers_that_hang_time_out() {
    for io in backends() {
        for link in LINKS {
            let origin = Origin::start(link);
            let request = get("/hello?fault=hang&every=25", HELLO);
            let mut target = target(&origin.address, &settings(origin.wire), request, REQUESTS);
            target.timeout_ns = 1_500_000_000;
            let counts = run(io, target).counts;
            let counted = origin.stop();
            assert_eq!((counts.errors, counts.answers), (errors(ErrorKind::Timeout, 4), 96), "{link}, {io:?}");
            assert_eq!((counted.requests_received, counted.answers_sent), (100, 96), "{link}, {io:?}");
        }
    }
}

#[test]
fn every_answer_may_be_an_error() {
    for io in backends() {
        for link in LINKS {
            let origin = Origin::start(link);
            let request = get("/hello?fault=status-500", HELLO);
            let counts = run(io, target(&origin.address, &settings(origin.wire), request, REQUESTS)).counts;
            assert_eq!((counts.errors, counts.answers), (errors(ErrorKind::Status, REQUESTS), 0));
            assert_eq!(origin.stop().answers_sent, REQUESTS);
        }
    }
}

#[test]
fn connections_that_end_with_the_answer() {
    for io in backends() {
        for link in ["http+tcp", "http+unix"] {
            for fault in ["connection-close", "close-delimited"] {
                let origin = Origin::start(link);
                let request = get(&format!("/hello?fault={fault}&every=10"), HELLO);
                let counts = run(io, target(&origin.address, &settings(origin.wire), request, REQUESTS)).counts;
                assert_all_correct(&counts, REQUESTS, fault);
                assert_eq!(counts.reconnects, FAULTS, "{fault}");
                assert_eq!(origin.stop().answers_sent, REQUESTS, "{fault}");
            }
        }
    }
}

/// A request may be on its way when the server closes without a word: it is lost, and no answer is.
#[test]
fn connections_that_end_without_notice() {
    for io in backends() {
        for (link, faults) in [
            ("http+tcp", &["close-after-answer"][..]),
            ("http+unix", &["close-after-answer"]),
            ("fastcgi+tcp", &["close-after-answer", "connection-close", "close-delimited"]),
            ("fastcgi+unix", &["close-after-answer", "connection-close", "close-delimited"]),
        ] {
            for fault in faults {
                let origin = Origin::start(link);
                let request = get(&format!("/hello?fault={fault}&every=10"), HELLO);
                let counts = run(io, target(&origin.address, &settings(origin.wire), request, REQUESTS)).counts;
                let counted = origin.stop();
                let lost = counts.errors.of(ErrorKind::Read) + counts.errors.of(ErrorKind::Write);
                assert_eq!((counts.errors.total(), counts.answers + lost), (lost, REQUESTS), "{fault}, {link}, {io:?}");
                assert_eq!(counted.answers_sent, counts.answers, "{fault}, {link}, {io:?}");
            }
        }
    }
}

#[test]
fn head_requests_and_requests_per_connection() {
    for io in backends() {
        for link in LINKS {
            for per_connection in [None, Some(1), Some(7)] {
                for method in ["GET", "HEAD"] {
                    let origin = Origin::start(link);
                    let mut settings = settings(origin.wire);
                    settings.requests_per_connection = per_connection;
                    let mut request = get("/hello", HELLO);
                    request.method = method.into();
                    let what = format!("{method} over {link}, {per_connection:?}, {io:?}");
                    let counts = run(io, target(&origin.address, &settings, request, REQUESTS)).counts;
                    assert_all_correct(&counts, REQUESTS, &what);
                    let counted = origin.stop();
                    assert_eq!((counted.answers_sent, counted.requests_refused), (REQUESTS, 0), "{what}");
                    // A connection that was opened after the last request was taken is closed unused.
                    let least = per_connection.map_or(4, |each| REQUESTS.div_ceil(u64::from(each)));
                    assert!((least..=least + 4).contains(&counted.connections_accepted), "{what}: {counted:?}");
                }
            }
        }
    }
}

#[test]
fn an_open_loop_over_every_link() {
    for io in backends() {
        for link in LINKS {
            for per_connection in [None, Some(1), Some(7)] {
                let origin = Origin::start(link);
                let mut settings = settings(origin.wire);
                settings.requests_per_connection = per_connection;
                let mut target = target(&origin.address, &settings, get("/hello", HELLO), 0);
                target.arrivals = Arrivals::Poisson(Poisson::new(2000.0, 3, Some(REQUESTS)));
                let result = run(io, target);
                let what = format!("{link}, {per_connection:?}, {io:?}");
                assert_all_correct(&result.counts, REQUESTS, &what);
                let open = result.times.open.as_deref().expect("an open loop");
                assert_eq!((result.counts.due(), open.response.known.len()), (REQUESTS, REQUESTS), "{what}");
                assert_eq!(origin.stop().answers_sent, REQUESTS, "{what}");
            }
        }
    }
}
