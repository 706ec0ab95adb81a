//! The connections' behaviour on a virtual clock, without sockets.

use super::*;
use crate::asks::{Question, Speech};
use crate::check::{ExpectedBody, ExpectedStatus};
use crate::io::REPORTED_BYTES;
use crate::schedule::{ClosedLoop, Constant};

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
    assert_eq!(client.recorder.times.service.known.len(), 1);
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
fn a_machine_without_a_free_port_is_told_apart() {
    let mut client = client(2, None);
    client.batch(0);
    assert_eq!((client.to_open(), client.to_open()), (Some(0), Some(1)));
    assert_eq!(client.failed(0, IoFailure::NoLocalPort), Next::Close);
    assert_eq!(client.failed(1, IoFailure::Connect), Next::Close);
    assert_eq!((errors(&client, ErrorKind::Connect), client.recorder.counts.ports_exhausted), (2, 1));
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

/// A client of an open loop with a request every 10 us, its connections open and idle at time 0.
fn open_loop(connections: u32, requests: Option<u64>) -> Client<Constant> {
    let asks = Asks::new(&Speech::default(), &[question()]).expect("valid");
    let mut client = Client::new(Constant::new(1e5, requests), asks, connections, TIMEOUT_NS);
    client.recorder.measure(true);
    client.batch(0);
    client.open_only();
    while let Some(slot) = client.to_open() {
        assert_eq!(client.connected(slot), Next::Nothing, "nothing is sent while connections are opened");
    }
    assert!(client.is_finished(), "all are open");
    client
}

fn response_us(client: &Client<Constant>) -> Vec<u64> {
    let response = &client.recorder.times.open.as_deref().expect("an open loop").response.known;
    response
        .iter_recorded()
        .flat_map(|step| (0..step.count_since_last_iteration()).map(move |_| step.value_iterated_to() / 1000))
        .collect()
}

#[test]
fn a_due_request_wakes_the_connection_that_was_idle_for_longest() {
    let mut client = open_loop(3, None);
    client.load(0, u64::MAX);
    for (now_ns, expected) in [(0, Some(0)), (5_000, None), (10_000, Some(1)), (20_000, Some(2)), (30_000, None)] {
        client.batch(now_ns);
        assert_eq!(client.send_due(), expected, "at {now_ns}");
    }
    assert_eq!(client.next_send_ns(), u64::MAX, "no connection is free");
    assert_eq!(client.received(1, GOOD), Next::Nothing, "it is not for the backend to send");
    assert_eq!((client.next_send_ns(), client.waiting()), (30_000, 1));
    assert_eq!((client.send_due(), client.send_due()), (Some(1), None));
}

#[test]
fn waiting_for_a_free_connection_is_response_time() {
    let mut client = open_loop(1, None);
    client.load(0, u64::MAX);
    assert_eq!(client.send_due(), Some(0));
    // A stall: the answer comes after 45 us, and four more requests are due by then.
    client.batch(45_000);
    assert_eq!(client.waiting(), 4);
    for _ in 0..4 {
        assert_eq!(client.received(0, GOOD), Next::Nothing);
        assert_eq!(client.send_due(), Some(0));
    }
    assert_eq!(client.received(0, GOOD), Next::Nothing);
    assert_eq!(client.send_due(), None);
    assert_eq!(response_us(&client), [5, 15, 25, 35, 45]);
    assert_eq!(client.recorder.times.service.known.value_at_quantile(0.8), 0, "these were answered at once");
    let open = client.recorder.times.open.as_deref().expect("an open loop");
    assert_eq!((open.send_lag.known.len(), open.send_lag.known.max() / 1000), (5, 35));
    assert_eq!(client.recorder.counts.late, 0, "the server is to blame, not the generator");
}

#[test]
fn a_generator_that_oversleeps_is_to_blame() {
    let mut client = open_loop(2, None);
    client.load(0, u64::MAX);
    client.batch(LATE_NS + 5_000);
    assert_eq!((client.send_due(), client.send_due()), (Some(0), Some(1)));
    assert_eq!(client.recorder.counts.late, 1, "the second one was less than 1 ms late");
}

#[test]
fn what_was_due_and_never_sent_is_counted_with_its_age() {
    let mut client = open_loop(1, None);
    client.load(0, 50_000);
    assert_eq!(client.send_due(), Some(0));
    client.batch(60_000);
    client.drain();
    assert!(!client.is_finished());
    let counts = client.recorder.counts;
    assert_eq!((counts.due(), counts.sent, counts.not_sent, counts.in_flight()), (5, 1, 4, 1));
    client.record_ages();
    let open = client.recorder.times.open.as_deref().expect("an open loop");
    assert_eq!((open.response.at_least.len(), open.response.at_least.max() / 1000), (5, 60));
    assert_eq!((open.send_lag.at_least.len(), open.send_lag.at_least.max() / 1000), (4, 40));
    // The next slice goes on with the request that is due then.
    client.load(10_000, 100_000);
    assert_eq!(client.received(0, GOOD), Next::Nothing);
    assert_eq!(client.send_due(), Some(0));
    assert_eq!(client.recorder.counts.due(), 6);
}

#[test]
fn an_idle_connection_that_closes_is_opened_again_and_not_asked_meanwhile() {
    let mut client = open_loop(2, None);
    client.load(0, u64::MAX);
    assert_eq!(client.ended(0), Next::Close);
    assert_eq!(client.send_due(), Some(1));
    assert_eq!(client.to_open(), Some(0), "at once");
    assert_eq!(client.connected(0), Next::Nothing);
    assert_eq!((client.recorder.counts.opened, client.established()), (3, 2));
    // A server that closes again and again without answering is given time.
    assert_eq!(client.ended(0), Next::Close);
    assert_eq!(client.to_open(), None);
    client.batch(BACKOFF_LEAST_NS);
    assert_eq!(client.to_open(), Some(0));
}

#[test]
fn an_open_loop_ends_with_its_schedule() {
    let mut client = open_loop(2, Some(2));
    client.load(0, u64::MAX);
    client.batch(10_000);
    assert_eq!((client.send_due(), client.send_due()), (Some(0), Some(1)));
    assert_eq!(client.received(0, GOOD), Next::Nothing);
    assert!(!client.is_finished());
    assert_eq!(client.received(1, GOOD), Next::Nothing);
    assert!(client.is_finished());
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

#[test]
fn a_request_that_tls_refuses_is_taken_back() {
    let mut client = waiting(Some(2));
    assert_eq!(client.failed(0, IoFailure::Tls), Next::Close);
    assert_eq!((client.recorder.counts.sent, errors(&client, ErrorKind::Tls)), (0, 1));
    client.batch(BACKOFF_LEAST_NS);
    assert_eq!(client.to_open(), Some(0));
    assert_eq!(client.connected(0), Next::Send);
    assert_eq!((client.received(0, GOOD), client.received(0, GOOD)), (Next::Send, Next::Nothing));
    assert!(client.is_finished(), "two requests, as was asked for");
    assert_eq!((client.recorder.counts.sent, client.recorder.counts.answers), (2, 2));
}

#[test]
fn a_request_of_an_open_loop_that_tls_refuses_is_not_sent() {
    let mut client = open_loop(2, Some(1));
    client.load(0, u64::MAX);
    client.batch(5_000);
    assert_eq!(client.send_due(), Some(0));
    client.batch(30_000);
    assert_eq!(client.failed(0, IoFailure::Tls), Next::Close);
    assert_eq!(client.failed(1, IoFailure::Tls), Next::Close, "it had nothing to send yet");
    let counts = client.recorder.counts;
    assert_eq!((counts.due(), counts.sent, counts.not_sent, counts.in_flight()), (1, 0, 1, 0));
    assert_eq!((counts.errors.of(ErrorKind::Tls), counts.reconnects), (2, 0));
    let open = client.recorder.times.open.as_deref().expect("an open loop");
    assert_eq!((open.send_lag.known.len(), open.send_lag.at_least.len()), (0, 1));
    assert_eq!(open.response.at_least.max() / 1000, 30);
    assert!(client.is_finished());
}
