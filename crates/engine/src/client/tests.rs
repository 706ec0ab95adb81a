//! The connections' behaviour on a virtual clock, without sockets.

use super::*;
use crate::asks::{Question, Speech};
use crate::check::{ExpectedBody, ExpectedStatus};
use crate::io::REPORTED_BYTES;
use crate::schedule::ClosedLoop;

const GOOD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const TIMEOUT_NS: u64 = 1_000_000_000;

fn client(connections: u32, requests: Option<u64>) -> Client<ClosedLoop> {
    asking(&Speech::default(), question(), connections, requests)
}

fn question() -> Question {
    Question {
        weight: 1,
        method: "GET".into(),
        target: "/".into(),
        headers: Vec::new(),
        body: None,
        status: ExpectedStatus::Exactly(200),
        expected: ExpectedBody::Bytes(b"ok".as_slice().into()),
    }
}

fn asking(speech: &Speech, question: Question, connections: u32, requests: Option<u64>) -> Client<ClosedLoop> {
    let asks = Asks::new(speech, &[question]).expect("valid");
    let mut client = Client::new(ClosedLoop { requests }, asks, connections, TIMEOUT_NS);
    client.recorder.measure(true);
    client
}

/// A client whose only connection is open, its first request sent at time 0.
fn waiting(requests: Option<u64>) -> Client<ClosedLoop> {
    let mut client = client(1, requests);
    client.batch(0);
    assert_eq!(client.to_open(), Some(0));
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
    assert_eq!(client.recorder.service_time.len(), 1);
}

#[test]
fn answers_are_timed_on_the_arms_clock() {
    let mut client = waiting(None);
    client.batch(30_000);
    assert_eq!(client.received(0, GOOD), Next::Send);
    // Frozen from 30 us to 1 s: the arm's clock did not move.
    client.set_offset(1_000_000_000 - 30_000);
    client.batch(1_000_000_000 + 5_000);
    assert_eq!(client.received(0, GOOD), Next::Send);
    assert_eq!(client.recorder.service_time.len(), 2);
    assert_eq!((client.recorder.service_time.min() / 1000, client.recorder.service_time.max() / 1000), (5, 30));
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
    assert_eq!(client.to_open(), Some(0), "at once");
    assert_eq!(client.connected(0), Next::Send);
    assert_eq!(client.received(0, b"HTTP/1.1 200 OK\r\n\r\no"), Next::Nothing);
    assert_eq!(client.received(0, b"k"), Next::Nothing);
    assert_eq!(client.ended(0), Next::Close);
    assert_eq!((client.recorder.counts.answers, client.recorder.counts.reconnects), (2, 2));
    assert_eq!(client.to_open(), Some(0));
    assert_eq!(client.connected(0), Next::Send);
    assert_eq!(client.received(0, &GOOD[..20]), Next::Nothing);
    assert_eq!(client.ended(0), Next::Close);
    assert_eq!(errors(&client, ErrorKind::Read), 1);
    assert_eq!(client.recorder.counts.in_flight(), 0);
}

#[test]
fn errors_back_off_and_an_answer_ends_that() {
    let mut client = waiting(None);
    let mut now = 0;
    let mut waits = Vec::new();
    assert_eq!(client.failed(0, IoFailure::Read), Next::Close);
    for _ in 0..12 {
        assert_eq!(client.to_open(), None);
        client.next_tick_ns = u64::MAX;
        waits.push(client.next_duty_ns() - now);
        now = client.next_duty_ns();
        client.batch(now);
        assert_eq!(client.to_open(), Some(0));
        assert_eq!(client.failed(0, IoFailure::Connect), Next::Close);
    }
    assert_eq!(&waits[..3], [1_000_000, 2_000_000, 4_000_000]);
    assert_eq!(waits[11], BACKOFF_MOST_NS);
    assert_eq!((errors(&client, ErrorKind::Read), errors(&client, ErrorKind::Connect)), (1, 12));
    client.batch(now + BACKOFF_MOST_NS);
    assert_eq!(client.to_open(), Some(0));
    assert_eq!(client.connected(0), Next::Send);
    assert_eq!(client.received(0, GOOD), Next::Send);
    assert_eq!(client.failed(0, IoFailure::Write), Next::Close);
    assert_eq!(client.next_duty_ns(), now + BACKOFF_MOST_NS + BACKOFF_LEAST_NS);
}

#[test]
fn what_waits_too_long_is_given_up() {
    let mut client = client(2, None);
    client.batch(0);
    assert_eq!((client.to_open(), client.to_open()), (Some(0), Some(1)));
    assert_eq!(client.connected(1), Next::Send);
    for (now, closed) in [(TIMEOUT_NS - 1, vec![]), (2 * TIMEOUT_NS, vec![0, 1])] {
        client.batch(now);
        let mut closing = Vec::new();
        client.tick(|slot| closing.push(slot));
        assert_eq!(closing, closed);
    }
    assert_eq!((errors(&client, ErrorKind::Connect), errors(&client, ErrorKind::Timeout)), (1, 1));
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
    let client = {
        let mut client = waiting(None);
        client.batch(700_000);
        client
    };
    let mut ages = crate::recorder::time_histogram();
    client.record_ages(&mut ages);
    assert_eq!((ages.len(), ages.max() / 1000), (1, 700));
}

#[test]
fn not_all_connections_are_opened_at_once() {
    let mut client = client(CONNECTING_MOST + 1, None);
    client.batch(0);
    assert_eq!(std::iter::from_fn(|| client.to_open()).count(), CONNECTING_MOST as usize);
    assert_eq!(client.connected(0), Next::Send);
    assert!(client.to_open().is_some());
    client.queue_full(1);
    assert_eq!(client.to_open(), None);
    client.batch(QUEUE_FULL_NS);
    assert_eq!(client.to_open(), Some(1));
    assert_eq!(client.recorder.counts.errors.total(), 0);
}

/// What a connection was told to send, as text.
fn sends(client: &mut Client<ClosedLoop>) -> String {
    let Outgoing::Message(id) = client.outgoing(0) else { panic!("a client sends messages") };
    String::from_utf8_lossy(&client.asks.messages[id as usize]).into_owned()
}

fn open(client: &mut Client<ClosedLoop>) {
    client.batch(0);
    assert_eq!(client.to_open(), Some(0));
    assert_eq!(client.connected(0), Next::Send);
}

#[test]
fn a_connection_lives_for_so_many_requests() {
    let speech = Speech { requests_per_connection: Some(2), ..Speech::default() };
    let mut client = asking(&speech, question(), 1, None);
    open(&mut client);
    assert!(!sends(&mut client).contains("Connection: close"));
    assert_eq!(client.received(0, GOOD), Next::Send);
    assert!(sends(&mut client).contains("Connection: close"));
    assert_eq!(client.received(0, GOOD), Next::Close, "also where the server does not say that it closes");
    assert_eq!((client.recorder.counts.answers, client.recorder.counts.reconnects), (2, 1));
    open(&mut client);
    assert!(!sends(&mut client).contains("Connection: close"));
}

fn upload(body_bytes: usize) -> Question {
    let headers = vec![("Expect".into(), "100-continue".into())];
    Question { method: "PUT".into(), headers, body: Some(vec![b'x'; body_bytes].into()), ..question() }
}

const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

#[test]
fn a_body_waits_until_the_server_asks_for_it() {
    let mut client = asking(&Speech::default(), upload(4), 1, None);
    open(&mut client);
    assert!(sends(&mut client).ends_with("\r\n\r\n"));
    assert_eq!(client.received(0, CONTINUE), Next::Send);
    assert_eq!(sends(&mut client), "xxxx");
    assert_eq!(client.received(0, CONTINUE), Next::Nothing, "once is enough");
    assert_eq!(client.received(0, GOOD), Next::Send);
    assert_eq!(client.recorder.counts.answers, 1);
}

#[test]
fn a_body_does_not_wait_for_ever() {
    let mut client = asking(&Speech::default(), upload(4), 1, None);
    client.timeout_ns = 10 * CONTINUE_NS;
    open(&mut client);
    for (now, due) in [(CONTINUE_NS - 1, None), (2 * CONTINUE_NS, Some(0)), (3 * CONTINUE_NS, None)] {
        client.batch(now);
        client.tick(|_| panic!("nothing has timed out"));
        assert_eq!(client.to_continue(), due);
    }
    assert_eq!(sends(&mut client), "xxxx");
}

#[test]
fn an_answer_may_come_before_the_body_has_left() {
    // The server did not want the body, or answered while it was under way: the connection is of no further use.
    let mut client = asking(&Speech::default(), upload(4), 1, None);
    open(&mut client);
    assert_eq!(client.received(0, GOOD), Next::Close);
    let mut client = asking(&Speech::default(), upload(4), 1, None);
    open(&mut client);
    assert_eq!(client.received(0, &[CONTINUE, GOOD].concat()), Next::Close);
    let mut client = asking(&Speech::default(), upload(REPORTED_BYTES + 1), 1, None);
    open(&mut client);
    assert_eq!(client.received(0, CONTINUE), Next::Send);
    assert_eq!(client.received(0, GOOD), Next::Close);
    assert_eq!((client.recorder.counts.answers, client.recorder.counts.reconnects), (1, 1));
    open(&mut client);
    assert_eq!(client.received(0, CONTINUE), Next::Send);
    assert_eq!(client.sent(0), Next::Nothing);
    assert_eq!(client.received(0, GOOD), Next::Send, "all of it has left");
}

#[test]
fn several_requests_have_answers_of_their_own() {
    let other = Question { target: "/b".into(), expected: ExpectedBody::Bytes(b"no".as_slice().into()), ..question() };
    let asks = Asks::new(&Speech::default(), &[question(), other]).expect("valid");
    let mut client = Client::new(ClosedLoop::default(), asks, 1, TIMEOUT_NS);
    open(&mut client);
    for _ in 0..10 {
        let body = if sends(&mut client).contains("/b") { "no" } else { "ok" };
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{body}");
        assert_eq!(client.received(0, answer.as_bytes()), Next::Send);
    }
    assert_eq!((client.recorder.counts.answers, client.recorder.counts.compared), (10, 10));
    let wrong = if sends(&mut client).contains("/b") { "ok" } else { "no" };
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{wrong}");
    assert_eq!(client.received(0, answer.as_bytes()), Next::Send);
    assert_eq!(errors(&client, ErrorKind::Body), 1, "a good answer to the other request");
}
