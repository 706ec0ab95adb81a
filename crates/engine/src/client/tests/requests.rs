//! What is asked: several requests, uploads, TLS, a connection for a few requests.

use super::super::connections::CONTINUE_NS;
use super::super::connections::MIN_BACKOFF_NS;
use super::*;

/// What a connection was told to send, as text.
fn sends(client: &mut Client<ClosedLoop>) -> String {
    let Outgoing::Message(id) = client.outgoing(0) else { panic!("a client sends messages") };
    String::from_utf8_lossy(&client.requests.messages[id as usize]).into_owned()
}

fn open(client: &mut Client<ClosedLoop>) {
    client.batch(0);
    assert_eq!(client.open_next(), Some(0));
    assert_eq!(client.connected(0), Next::Send);
}

#[test]
fn a_connection_lives_for_so_many_requests() {
    let settings = WireSettings { requests_per_connection: Some(2), ..WireSettings::default() };
    let mut client = client_of(&settings, spec(), 1, None);
    open(&mut client);
    assert!(!sends(&mut client).contains("Connection: close"));
    assert_eq!(client.received(0, GOOD), Next::Send);
    assert!(sends(&mut client).contains("Connection: close"));
    assert_eq!(client.received(0, GOOD), Next::Close, "also where the server does not say that it closes");
    assert_eq!((client.recorder.counts.answers, client.recorder.counts.reconnects), (2, 1));
    open(&mut client);
    assert!(!sends(&mut client).contains("Connection: close"));
}

fn upload(body_bytes: usize) -> RequestSpec {
    let headers = vec![("Expect".into(), "100-continue".into())];
    RequestSpec { method: "PUT".into(), headers, body: Some(vec![b'x'; body_bytes].into()), ..spec() }
}

const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

#[test]
fn a_body_waits_until_the_server_asks_for_it() {
    let mut client = client_of(&WireSettings::default(), upload(4), 1, None);
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
    let mut client = client_of(&WireSettings::default(), upload(4), 1, None);
    client.timeout_ns = 10 * CONTINUE_NS;
    open(&mut client);
    for (now, due) in [(CONTINUE_NS - 1, None), (2 * CONTINUE_NS, Some(0)), (3 * CONTINUE_NS, None)] {
        client.batch(now);
        client.tick(|_| panic!("nothing has timed out"));
        assert_eq!(client.next_to_send(), due);
    }
    assert_eq!(sends(&mut client), "xxxx");
}

#[test]
fn an_answer_may_come_before_the_body_has_left() {
    // The server did not want the body, or answered while it was under way: the connection is of no further use.
    let mut client = client_of(&WireSettings::default(), upload(4), 1, None);
    open(&mut client);
    assert_eq!(client.received(0, GOOD), Next::Close);
    let mut client = client_of(&WireSettings::default(), upload(4), 1, None);
    open(&mut client);
    assert_eq!(client.received(0, &[CONTINUE, GOOD].concat()), Next::Close);
    let mut client = client_of(&WireSettings::default(), upload(REPORTED_BYTES + 1), 1, None);
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
    let other = RequestSpec { target: "/b".into(), expected: ExpectedBody::Bytes(b"no".as_slice().into()), ..spec() };
    let mix = RequestMix::new(&WireSettings::default(), &[spec(), other]).expect("valid");
    let mut client = Client::new(ClosedLoop::default(), mix, 1, TIMEOUT_NS);
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
fn every_request_of_a_mix_has_its_own_account() {
    let named = |name: &str, weight| RequestSpec { name: Some(name.into()), weight, ..spec() };
    let settings = WireSettings::default();
    let mix = RequestMix::new(&settings, &[named("often", 3), named("seldom", 1)]).expect("valid");
    assert_eq!(*mix.accounts, ["often", "seldom"]);
    let mut client = Client::new(ClosedLoop { requests: Some(12) }, mix, 1, TIMEOUT_NS);
    client.recorder.measure(true);
    open(&mut client);
    // The answers of the first cycle are wrong, and the connection breaks before the last answer but one.
    for number in 0..10 {
        let body = if number < 4 { "no" } else { "ok" };
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{body}");
        assert_eq!(client.received(0, answer.as_bytes()), Next::Send);
    }
    assert_eq!(client.ended(0), Next::Close);
    client.batch(MIN_BACKOFF_NS);
    open(&mut client);
    let counts = client.recorder.counts;
    client.record_ages();
    let [often, seldom] = &*client.recorder.accounts else { panic!("there are two") };
    assert_eq!((often.sent, seldom.sent), (9, 3));
    assert_eq!((often.errors.of(ErrorKind::Body), seldom.errors.of(ErrorKind::Body)), (3, 1));
    assert_eq!(often.answers + seldom.answers, counts.answers);
    assert_eq!(often.errors.total() + seldom.errors.total(), counts.errors.total());
    assert_eq!(often.in_flight + seldom.in_flight, counts.in_flight());
    for account in [often, seldom] {
        assert_eq!(account.sent, account.answers + account.errors.total() + account.in_flight);
        assert_eq!(account.service.known.len(), account.answers);
    }
}

#[test]
fn a_log_is_sent_in_its_order() {
    let target = |target: &str| RequestSpec { target: target.into(), ..spec() };
    let order = Order::Sequence([1, 0, 0, 1].into());
    let mix = RequestMix::in_order(&WireSettings::default(), &[target("/a"), target("/b")], order).expect("valid");
    let mut client = Client::new(ClosedLoop::default(), mix, 1, TIMEOUT_NS);
    open(&mut client);
    let mut targets = Vec::new();
    for _ in 0..6 {
        targets.push(sends(&mut client).contains("/b"));
        assert_eq!(client.received(0, GOOD), Next::Send);
    }
    assert_eq!(targets, [true, false, false, true, true, false]);
}

#[test]
fn a_request_that_tls_refuses_is_taken_back() {
    let mut client = waiting(Some(2));
    assert_eq!(client.failed(0, IoFailure::Tls), Next::Close);
    assert_eq!((client.recorder.counts.sent, errors(&client, ErrorKind::Tls)), (0, 1));
    client.batch(MIN_BACKOFF_NS);
    assert_eq!(client.open_next(), Some(0));
    assert_eq!(client.connected(0), Next::Send);
    assert_eq!((client.received(0, GOOD), client.received(0, GOOD)), (Next::Send, Next::Nothing));
    assert!(client.is_finished(), "two requests, as was asked for");
    assert_eq!((client.recorder.counts.sent, client.recorder.counts.answers), (2, 2));
}

#[test]
fn an_early_answer_may_come_in_one_batch_with_100_continue() {
    // io_uring reports it as premature: the body is queued, and not submitted. But the head has left.
    let refusal = b"HTTP/1.1 413 X\r\nContent-Length: 2\r\n\r\nno";
    for pieces in [vec![&refusal[..]], vec![&refusal[..9], &refusal[9..]]] {
        let mut client = client_of(&WireSettings::default(), upload(4), 1, None);
        open(&mut client);
        assert_eq!(client.received(0, CONTINUE), Next::Send);
        let nexts: Vec<Next> = pieces.iter().map(|piece| client.premature(0, piece)).collect();
        assert_eq!(nexts.last(), Some(&Next::Close), "the body is in the way of another request");
        assert!(nexts[..nexts.len() - 1].iter().all(|next| *next == Next::Nothing));
        assert_eq!((errors(&client, ErrorKind::Status), errors(&client, ErrorKind::Protocol)), (1, 0));
    }
}
