//! Requests in records, whole and in bites; what is refused; what the connection itself is asked.

use super::*;
use crate::answer::{Method, Route};
use proptest::prelude::*;

const DATE: &str = "Sun, 15 Dec 2013 14:59:14 GMT";

fn begin(id: u16, role: u16, flags: u8) -> Vec<u8> {
    let mut out = Vec::new();
    record::header(&mut out, record::BEGIN_REQUEST, id, 8, 0);
    let [high, low] = role.to_be_bytes();
    out.extend_from_slice(&[high, low, flags, 0, 0, 0, 0, 0]);
    out
}

fn rest(id: u16, pairs: &[(&str, &str)], stdin: &[u8]) -> Vec<u8> {
    let (mut params, mut out) = (Vec::new(), Vec::new());
    for (name, value) in pairs {
        push_pair(&mut params, name.as_bytes(), value.as_bytes());
    }
    record::stream(&mut out, record::PARAMS, id, &params);
    record::header(&mut out, record::PARAMS, id, 0, 0);
    record::stream(&mut out, record::STDIN, id, stdin);
    record::header(&mut out, record::STDIN, id, 0, 0);
    out
}

fn whole(id: u16, flags: u8, pairs: &[(&str, &str)], stdin: &[u8]) -> Vec<u8> {
    [begin(id, RESPONDER, flags), rest(id, pairs, stdin)].concat()
}

fn feed(input: &[u8], bite: usize) -> (Vec<Step>, Vec<u8>) {
    let mut fastcgi = FastCgi::default();
    let (mut held, mut steps, mut out) = (Vec::new(), Vec::new(), Vec::new());
    for part in input.chunks(bite) {
        held.extend_from_slice(part);
        loop {
            let (used, step) = fastcgi.advance(&held, DATE, &mut out);
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

fn kinds(mut out: &[u8]) -> Vec<(u8, u16)> {
    let mut kinds = Vec::new();
    while let Some(header) = Header::read(out) {
        kinds.push((header.kind, header.id));
        out = &out[HEADER_BYTES + usize::from(header.content) + usize::from(header.padding)..];
    }
    assert!(out.is_empty(), "whole records only");
    kinds
}

#[test]
fn requests_one_after_another_in_any_bites() {
    let uri = [("REQUEST_METHOD", "HEAD"), ("REQUEST_URI", "/json")];
    let input = [whole(1, 1, &uri, b""), whole(2, 0, &[("CONTENT_LENGTH", "70000")], &[b'x'; 70_000])].concat();
    for bite in [1, 3, 8, 1000, usize::MAX] {
        let (steps, out) = feed(&input, bite);
        assert!(out.is_empty());
        let [Step::Request(first), Step::Request(second)] = steps.as_slice() else { panic!("{steps:?}") };
        assert_eq!(
            (first.method, first.script.route, first.persistence),
            (Method::Head, Route::Json, Persistence::KeepAlive)
        );
        assert_eq!((second.body_bytes, second.persistence), (70_000, Persistence::Close));
    }
}

#[test]
fn a_second_request_in_between_is_refused_and_the_first_is_served() {
    let input = [begin(1, RESPONDER, 1), whole(2, 1, &[], b"abc"), rest(1, &[], b"")].concat();
    let (steps, out) = feed(&input, usize::MAX);
    assert_eq!(steps.len(), 2);
    assert_eq!(steps[0], Step::Refused);
    assert!(matches!(&steps[1], Step::Request(request) if request.body_bytes == 0));
    assert_eq!(kinds(&out), [(record::END_REQUEST, 2)]);
    assert_eq!(out[HEADER_BYTES + 4], record::CANT_MPX_CONN);
}

#[test]
fn what_ends_without_an_answer() {
    let abort = |id| {
        let mut out = Vec::new();
        record::header(&mut out, record::ABORT_REQUEST, id, 0, 0);
        out
    };
    let version_2 = [vec![2], begin(1, RESPONDER, 1)[1..].to_vec()].concat();
    let long = "x".repeat(MAX_HEAD_BYTES);
    for (input, step, told) in [
        (begin(1, 2, 1), Step::Refused, vec![(record::END_REQUEST, 1)]),
        (begin(1, 2, 0), Step::Broken, vec![(record::END_REQUEST, 1)]),
        ([begin(1, RESPONDER, 1), abort(1)].concat(), Step::Aborted, vec![(record::END_REQUEST, 1)]),
        (version_2, Step::Broken, vec![]),
        (
            whole(1, 1, &[("CONTENT_LENGTH", "4")], b"abc"),
            Step::Broken,
            vec![(record::STDOUT, 1), (record::STDOUT, 1), (record::END_REQUEST, 1)],
        ),
        (
            whole(1, 1, &[("LONG", &long)], b""),
            Step::Broken,
            vec![(record::STDOUT, 1), (record::STDOUT, 1), (record::END_REQUEST, 1)],
        ),
    ] {
        for bite in [1, 5, 100_000] {
            let (steps, out) = feed(&input, bite);
            assert_eq!((steps.as_slice(), kinds(&out)), ([step.clone()].as_slice(), told.clone()));
        }
    }
    assert_eq!(feed(&abort(9), 100), (vec![], vec![]), "an abort of nothing is ignored");
}

#[test]
fn what_the_connection_is_asked() {
    let mut pairs = Vec::new();
    push_pair(&mut pairs, b"FCGI_MPXS_CONNS", b"");
    push_pair(&mut pairs, b"UNHEARD_OF", b"");
    let mut input = Vec::new();
    record::stream(&mut input, record::GET_VALUES, 0, &pairs);
    record::header(&mut input, 99, 0, 0, 0);
    let (steps, out) = feed(&input, 3);
    assert!(steps.is_empty());
    assert_eq!(kinds(&out), [(record::GET_VALUES_RESULT, 0), (record::UNKNOWN_TYPE, 0)]);
    let header = Header::read(&out).expect("a header");
    let values: Vec<_> = Pairs::of(&out[HEADER_BYTES..HEADER_BYTES + usize::from(header.content)]).collect();
    assert_eq!(values, [(b"FCGI_MPXS_CONNS".as_slice(), b"0".as_slice())]);
}

#[test]
fn a_waiting_request_is_taken_back() {
    let mut fastcgi = FastCgi::default();
    let mut out = Vec::new();
    let input = whole(5, 1, &[], b"");
    assert!(matches!(fastcgi.advance(&input, DATE, &mut out), (_, Step::Request(_))));
    let mut abort = Vec::new();
    record::header(&mut abort, record::ABORT_REQUEST, 5, 0, 3);
    abort.extend_from_slice(&[0; 3]);
    assert_eq!(fastcgi.read_abort(&abort[..10]), None);
    assert_eq!(fastcgi.read_abort(&abort), Some(11));
    abort[3] = 6;
    assert_eq!(fastcgi.read_abort(&abort), None);
}

proptest! {
    #[test]
    fn any_bytes_end_in_a_step(bytes in proptest::collection::vec(any::<u8>(), 0..400), bite in 1usize..50) {
        feed(&bytes, bite);
    }

    #[test]
    fn almost_records_end_in_a_step(
        records in proptest::collection::vec((0u8..12, 0u16..3, 0u16..20, 0u8..5), 0..30),
        bite in 1usize..50,
    ) {
        let mut input = Vec::new();
        for (kind, id, content, padding) in records {
            record::header(&mut input, kind, id, content, padding);
            input.resize(input.len() + usize::from(content) + usize::from(padding), 1);
        }
        feed(&input, bite);
    }

    #[test]
    fn bodies_are_counted_whatever_the_bites(length in 0usize..70_000, bite in 1usize..9000) {
        let (steps, _) = feed(&whole(1, 1, &[], &vec![b'x'; length]), bite);
        let right = matches!(&steps[..], [Step::Request(request)] if request.body_bytes == length as u64);
        prop_assert!(right);
    }
}
