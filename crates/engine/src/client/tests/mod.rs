//! The connections' behaviour on a virtual clock, without sockets.

mod multiplexing;
mod open_loop;
mod opening;
mod requests;

use super::*;
use crate::check::{ExpectedBody, ExpectedStatus};
use crate::io::{Handler as _, IoFailure, Next, Outgoing, REPORTED_BYTES};
use crate::recorder::ErrorKind;
use crate::requests::{Order, RequestSpec, WireSettings};
use crate::schedule::ClosedLoop;

const GOOD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const TIMEOUT_NS: u64 = 1_000_000_000;

fn client(connections: u32, requests: Option<u64>) -> Client<ClosedLoop> {
    client_of(&WireSettings::default(), spec(), connections, requests)
}

pub(super) fn spec() -> RequestSpec {
    RequestSpec {
        name: None,
        weight: 1,
        method: "GET".into(),
        target: "/".into(),
        headers: Vec::new(),
        body: None,
        status: ExpectedStatus::Exactly(200),
        expected: ExpectedBody::Bytes(b"ok".as_slice().into()),
    }
}

fn client_of(
    settings: &WireSettings,
    spec: RequestSpec,
    connections: u32,
    requests: Option<u64>,
) -> Client<ClosedLoop> {
    let mix = RequestMix::new(settings, &[spec]).expect("valid");
    let mut client = Client::new(ClosedLoop { requests }, mix, connections, TIMEOUT_NS);
    client.recorder.measure(true);
    client
}

/// A client whose only connection is open, its first request sent at time 0.
fn waiting(requests: Option<u64>) -> Client<ClosedLoop> {
    let mut client = client(1, requests);
    client.batch(0);
    assert_eq!(client.open_next(), Some(0));
    assert_eq!(client.connected(0), Next::Send);
    client
}

fn errors(client: &Client<ClosedLoop>, kind: ErrorKind) -> u64 {
    client.recorder.counts.errors.of(kind)
}

#[test]
fn a_drain_takes_what_is_in_flight_and_sends_nothing_more() {
    let mut client = waiting(None);
    client.drain();
    assert!(!client.is_finished());
    client.batch(30_000);
    assert_eq!(client.received(0, GOOD), Next::Nothing);
    assert!(client.is_finished());
    assert_eq!((client.recorder.counts.sent, client.recorder.counts.answers), (1, 1));
    assert_eq!(client.recorder.times.service.known.len(), 1);
}

#[test]
fn answers_are_timed_on_the_arms_clock() {
    let mut client = waiting(None);
    client.batch(30_000);
    assert_eq!(client.received(0, GOOD), Next::Send);
    // Frozen from 30 us to 1 s: the arm's clock did not move.
    client.set_clock(ArmClock::thawed(1_000_000_000, 30_000, 0));
    client.batch(1_000_000_000 + 5_000);
    assert_eq!(client.received(0, GOOD), Next::Send);
    assert_eq!(client.recorder.times.service.known.len(), 2);
    assert_eq!(
        (client.recorder.times.service.known.min() / 1000, client.recorder.times.service.known.max() / 1000),
        (5, 30)
    );
}

#[test]
fn a_copy_of_a_correct_answer_is_correct_and_anything_else_is_read() {
    let mut client = waiting(None);
    for _ in 0..3 {
        assert_eq!(client.received(0, GOOD), Next::Send);
    }
    let with_date = b"HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 2\r\n\r\nok";
    assert_eq!(client.received(0, with_date), Next::Send);
    assert_eq!(client.received(0, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno"), Next::Send);
    assert_eq!(client.received(0, b"HTTP/1.1 500 OK\r\nContent-Length: 2\r\n\r\nok"), Next::Send);
    let counts = client.recorder.counts;
    assert_eq!((counts.sent, counts.answers, counts.compared), (7, 4, 4));
    assert_eq!((errors(&client, ErrorKind::Body), errors(&client, ErrorKind::Status)), (1, 1));
    assert_eq!(counts.in_flight(), 1);
}

#[test]
fn a_copy_does_not_count_in_the_middle_of_an_answer() {
    let mut client = waiting(None);
    assert_eq!(client.received(0, GOOD), Next::Send);
    let long = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", GOOD.len());
    assert_eq!(client.received(0, long.as_bytes()), Next::Nothing);
    assert_eq!(client.received(0, GOOD), Next::Send);
    assert_eq!((client.recorder.counts.answers, errors(&client, ErrorKind::Body)), (1, 1));
}

#[test]
fn bytes_beyond_the_answer_break_the_protocol() {
    for (first, rest) in [
        (GOOD.repeat(2), None),
        ([GOOD, b"x"].concat(), None),
        (GOOD[..9].to_vec(), Some([&GOOD[9..], b"\n"].concat())),
    ] {
        let mut client = waiting(None);
        let mut next = client.received(0, &first);
        if let Some(rest) = rest {
            assert_eq!(next, Next::Nothing);
            next = client.received(0, &rest);
        }
        assert_eq!(next, Next::Close);
        assert_eq!((client.recorder.counts.answers, errors(&client, ErrorKind::Protocol)), (0, 1));
    }
    let mut client = waiting(None);
    assert_eq!(client.premature(0, GOOD), Next::Close);
    assert_eq!(errors(&client, ErrorKind::Protocol), 1);
}

#[test]
fn a_server_may_close_after_an_answer_but_not_within_one() {
    let mut client = waiting(None);
    assert_eq!(client.received(0, b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"), Next::Close);
    assert_eq!((client.recorder.counts.answers, client.recorder.counts.reconnects), (1, 1));
    assert_eq!(client.open_next(), Some(0), "at once");
    assert_eq!(client.connected(0), Next::Send);
    assert_eq!(client.received(0, b"HTTP/1.1 200 OK\r\n\r\no"), Next::Nothing);
    assert_eq!(client.received(0, b"k"), Next::Nothing);
    assert_eq!(client.ended(0), Next::Close);
    assert_eq!((client.recorder.counts.answers, client.recorder.counts.reconnects), (2, 2));
    assert_eq!(client.open_next(), Some(0));
    assert_eq!(client.connected(0), Next::Send);
    assert_eq!(client.received(0, &GOOD[..20]), Next::Nothing);
    assert_eq!(client.ended(0), Next::Close);
    assert_eq!(errors(&client, ErrorKind::Read), 1);
    assert_eq!(client.recorder.counts.in_flight(), 0);
}

#[test]
fn what_waits_too_long_is_given_up() {
    let mut client = client(2, None);
    client.batch(0);
    assert_eq!((client.open_next(), client.open_next()), (Some(0), Some(1)));
    assert_eq!(client.connected(1), Next::Send);
    for (now, closed) in [(TIMEOUT_NS - 1, vec![]), (2 * TIMEOUT_NS, vec![0, 1])] {
        client.batch(now);
        let mut closing = Vec::new();
        client.tick(|slot| closing.push(slot));
        assert_eq!(closing, closed);
    }
    assert_eq!((errors(&client, ErrorKind::Connect), errors(&client, ErrorKind::Timeout)), (1, 1));
    let given_up = &client.recorder.times.service.at_least;
    assert_eq!(given_up.len(), 1, "it took at least as long as it was waited for");
    assert!(given_up.max() >= 2 * TIMEOUT_NS);
}

#[test]
fn it_ends_with_the_schedule() {
    let mut client = waiting(Some(2));
    assert_eq!(client.received(0, GOOD), Next::Send);
    assert!(!client.is_finished());
    assert_eq!(client.received(0, GOOD), Next::Nothing);
    assert!(client.is_finished());
    assert_eq!(client.recorder.counts.sent, 2);
    assert_eq!(client.received(0, b"more"), Next::Close);
    assert_eq!(client.unasked_bytes(), 4, "it belongs to no request, and is not lost");
}

#[test]
fn those_in_flight_at_the_end_are_kept_with_their_ages() {
    let mut client = waiting(None);
    client.batch(700_000);
    client.record_ages();
    let ages = &client.recorder.times.service.at_least;
    assert_eq!((ages.len(), ages.max() / 1000), (1, 700));
}

#[test]
fn requests_in_flight_are_added_up_over_the_arms_time() {
    let mut client = waiting(None);
    client.batch(30_000);
    assert_eq!(client.recorder.counts.in_flight_ns, 30_000);
    assert_eq!(client.received(0, GOOD), Next::Send);
    client.batch(40_000);
    let pending = client.pending();
    assert_eq!((pending.ages_ns(45_000), pending.uncounted_ns(45_000)), (15_000, 5_000), "frozen at 45 us");
    // Thawed at 1 s: the arm's clock stood still.
    client.set_clock(ArmClock::thawed(1_000_000_000, 45_000, 0));
    client.batch(1_000_000_000);
    assert_eq!(client.recorder.counts.in_flight_ns, 45_000);
    client.batch(1_000_005_000);
    client.drain();
    assert_eq!(client.received(0, GOOD), Next::Nothing);
    client.batch(1_000_100_000);
    assert_eq!(client.recorder.counts.in_flight_ns, 50_000, "nothing has been in flight since");
}

#[test]
fn a_thread_that_overran_its_slice_counts_that_time_once() {
    let mut client = waiting(None);
    client.batch(33_000);
    // The arm was frozen at 30 us. It is thawed at 1 s.
    let pending = client.pending();
    assert_eq!((client.recorder.counts.in_flight_ns, pending.uncounted_ns(30_000)), (33_000, 0));
    client.set_clock(ArmClock::thawed(1_000_000_000, 30_000, 0));
    for (since_thaw_ns, in_flight_ns) in [(0, 33_000), (2_000, 33_000), (5_000, 35_000)] {
        client.batch(1_000_000_000 + since_thaw_ns);
        assert_eq!(client.recorder.counts.in_flight_ns, in_flight_ns);
    }
}

#[test]
fn requests_in_flight_for_a_very_long_time_are_added_up() {
    let mut client = client(4, None);
    client.batch(0);
    while let Some(slot) = client.open_next() {
        assert_eq!(client.connected(slot), Next::Send);
    }
    client.batch(u64::MAX / 2);
    let counts = client.recorder.counts;
    assert_eq!(counts.in_flight_ns, u128::from(u64::MAX / 2) * 4);
    let mut both = counts;
    both.merge(&counts);
    assert_eq!(both.since(&counts), counts);
    assert_eq!(counts.in_flight_ns_of_slice(), u64::MAX);
}
