//! HTTP/2: many exchanges on a connection.

use super::super::connections::{CONTINUE_NS, MIN_BACKOFF_NS};
use super::*;
use crate::schedule::Constant;

const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const GO_AWAY: u8 = 7;
const WHOLE: u8 = 5;
const END_HEADERS: u8 = 4;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let [_, length @ ..] = (payload.len() as u32).to_be_bytes();
    [&length[..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// SETTINGS with so many streams at once at most.
fn settings(max_streams: u32) -> Vec<u8> {
    frame(SETTINGS, 0, 0, &[&[0, 3][..], &max_streams.to_be_bytes()].concat())
}

/// An answer on a stream: status 200 and this body.
fn answer(stream: u32, body: &[u8]) -> Vec<u8> {
    [frame(HEADERS, END_HEADERS, stream, b"\x88"), frame(0, 1, stream, body)].concat()
}

/// The right answer on a stream: status 200 and `ok`.
fn good(stream: u32) -> Vec<u8> {
    answer(stream, b"ok")
}

fn go_away(last: u32) -> Vec<u8> {
    frame(GO_AWAY, 0, 0, &[&last.to_be_bytes()[..], &[0; 4]].concat())
}

fn refusal(stream: u32) -> Vec<u8> {
    frame(RST_STREAM, 0, stream, &[0, 0, 0, 7])
}

fn wire(streams: u32) -> WireSettings {
    WireSettings { wire: Wire::Http2, host: "h".into(), streams: Some(streams), ..WireSettings::default() }
}

/// Kinds and streams of what a connection was told to send. The preface and the frames of stream 0 are left out.
fn sends<S: Schedule>(client: &mut Client<S>) -> Vec<(u8, u32)> {
    let before = client.recorder.counts.sent_bytes;
    let Outgoing::Bytes(bytes) = client.outgoing(0) else { panic!("there are no messages") };
    assert_eq!(client.recorder.counts.sent_bytes - before, bytes.len() as u64);
    let mut rest = bytes.strip_prefix(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap_or(&bytes);
    let mut frames = Vec::new();
    while let Some((&[l0, l1, l2, kind, _, s0, s1, s2, s3], behind)) = rest.split_first_chunk() {
        frames.push((kind, u32::from_be_bytes([s0, s1, s2, s3])));
        rest = &behind[u32::from_be_bytes([0, l0, l1, l2]) as usize..];
    }
    frames.retain(|(_, stream)| *stream != 0);
    frames
}

/// A client with one connection of so many streams, which is open, and whose requests have left.
fn loaded(streams: u32, requests: Option<u64>) -> Client<ClosedLoop> {
    let mut client = client_of(&wire(streams), spec(), 1, requests);
    client.batch(0);
    open(&mut client);
    assert_eq!(client.received(0, &settings(100)), Next::Send, "it is acknowledged");
    leave(&mut client);
    client
}

/// Opens the connection, and its first bytes leave.
fn open(client: &mut Client<ClosedLoop>) {
    assert_eq!(client.open_next(), Some(0));
    assert_eq!(client.connected(0), Next::Send);
    leave(client);
}

/// What was to be sent leaves, and there is nothing more.
fn leave(client: &mut Client<ClosedLoop>) -> Vec<(u8, u32)> {
    let frames = sends(client);
    assert_eq!(client.sent(0), Next::Nothing);
    frames
}

fn accounts(client: &Client<ClosedLoop>) -> (u64, u64, u64, u64) {
    let counts = client.recorder.counts;
    assert_eq!(
        (counts.in_flight(), client.in_flight_exchanges().count()),
        (client.in_flight().into(), client.in_flight() as usize)
    );
    (counts.sent, counts.answers, counts.errors.total(), counts.in_flight())
}

/// What the server did wrong, each thing once.
fn faults(client: &Client<ClosedLoop>) -> Vec<(&'static str, &'static str, Option<&'static str>)> {
    let faults = client.recorder.faults.by_frequency();
    assert!(faults.iter().all(|(fault, times)| fault.rfc == "RFC 9113" && *times == 1));
    faults.into_iter().map(|(fault, _)| (fault.section, fault.what, fault.detail)).collect()
}

#[test]
fn every_stream_has_its_request_and_the_next_one_behind_its_answer() {
    let mut client = client_of(&wire(3), spec(), 1, None);
    client.batch(0);
    assert_eq!(client.open_next(), Some(0));
    assert_eq!(client.connected(0), Next::Send);
    assert_eq!(sends(&mut client), [(HEADERS, 1), (HEADERS, 3), (HEADERS, 5)], "the settings are not waited for");
    assert_eq!(client.received(0, &settings(100)), Next::Nothing, "bytes are on their way");
    client.batch(30_000);
    let answers = [good(5), good(1)].concat();
    assert_eq!(client.received(0, &answers[..7]), Next::Nothing);
    assert_eq!(client.received(0, &answers[7..]), Next::Nothing);
    assert_eq!(client.sent(0), Next::Send);
    assert_eq!(sends(&mut client), [(HEADERS, 7), (HEADERS, 9)]);
    assert_eq!(client.premature(0, &good(3)), Next::Nothing, "a server may speak when it likes");
    assert_eq!(accounts(&client), (6, 3, 0, 3));
    assert_eq!(client.recorder.times.service.known.max() / 1000, 30);
    assert_eq!(client.recorder.counts.compared, 3);
}

#[test]
fn answers_are_judged_apart() {
    let mut client = loaded(4, Some(4));
    let wrong_body = answer(1, b"no");
    let wrong_status = frame(HEADERS, WHOLE, 3, b"\x8d");
    let reset = frame(RST_STREAM, 0, 5, &[0, 0, 0, 2]);
    let broken = frame(HEADERS, WHOLE, 7, b"\0\x01A\0");
    assert_eq!(client.received(0, &[wrong_body, wrong_status, reset, broken].concat()), Next::Nothing);
    for kind in [ErrorKind::Body, ErrorKind::Status, ErrorKind::Read, ErrorKind::Protocol] {
        assert_eq!(errors(&client, kind), 1, "{kind:?}");
    }
    assert_eq!(accounts(&client), (4, 0, 4, 0));
    assert!(client.is_finished() && client.established() == 1, "the connection lives");
    let given_up = ("6.4", "an answer given up", Some("INTERNAL_ERROR"));
    assert_eq!(faults(&client), [given_up, ("8.2.1", "a field's name with forbidden bytes", None)]);
}

#[test]
fn every_request_of_a_mix_has_its_own_account() {
    const MIX: [(&str, u32); 3] = [("page", 3), ("image", 2), ("form", 1)];
    let named = |(name, weight): (&str, u32)| {
        let expected = ExpectedBody::Bytes(name.as_bytes().into());
        RequestSpec { name: Some(name.into()), weight, expected, ..spec() }
    };
    let mix = RequestMix::new(&wire(3), &MIX.map(named)).expect("valid");
    let mut client = Client::new(ClosedLoop::default(), mix.clone(), 1, TIMEOUT_NS);
    client.recorder.measure(true);
    client.batch(0);
    open(&mut client);
    assert_eq!(client.received(0, &settings(100)), Next::Send);
    leave(&mut client);
    // One time through the mix each: the answer to another request, the right one, none.
    for number in 0..18 {
        let stream = 2 * number + 1;
        let request = mix.at(ClosedLoop::default().place(number.into())) as usize;
        let bytes = match number / 6 {
            0 => answer(stream, MIX[(request + 1) % 3].0.as_bytes()),
            1 => answer(stream, MIX[request].0.as_bytes()),
            _ => frame(RST_STREAM, 0, stream, &[0, 0, 0, 2]),
        };
        assert_eq!(client.received(0, &bytes), Next::Send);
        leave(&mut client);
    }
    client.record_ages();
    assert_eq!(accounts(&client), (21, 6, 12, 3));
    let of_requests = &client.recorder.accounts;
    for (account, (name, weight)) in of_requests.iter().zip(MIX) {
        let errors = [ErrorKind::Body, ErrorKind::Read].map(|kind| account.errors.of(kind));
        let weight = u64::from(weight);
        assert_eq!((account.answers, errors, account.errors.total()), (weight, [weight; 2], 2 * weight), "{name}");
        assert_eq!(account.sent, 3 * weight + account.in_flight, "{name}");
        assert_eq!((account.service.known.len(), account.service.at_least.len()), (account.answers, account.in_flight));
    }
    assert_eq!(of_requests.iter().map(|account| account.in_flight).sum::<u64>(), 3);
}

#[test]
fn a_violation_ends_the_connection_and_all_that_is_on_it() {
    let mut client = loaded(3, None);
    assert_eq!(client.received(0, &frame(0, 0, 0, b"on stream 0")), Next::Close);
    assert_eq!((errors(&client, ErrorKind::Protocol), accounts(&client)), (3, (3, 0, 3, 0)));
    assert_eq!(faults(&client), [("6.1", "a frame on stream 0, or one that belongs there", Some("DATA"))], "once");
    client.batch(MIN_BACKOFF_NS);
    open(&mut client);
    assert_eq!(accounts(&client), (6, 0, 3, 3));
    assert_eq!(client.ended(0), Next::Close);
    assert_eq!((errors(&client, ErrorKind::Read), accounts(&client)), (3, (6, 0, 6, 0)));
}

#[test]
fn a_connection_without_requests_fails_alone() {
    for bytes in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b""] {
        let mut client = client_of(&wire(3), spec(), 1, None);
        client.batch(0);
        client.open_only();
        open(&mut client);
        let next = if bytes.is_empty() { client.ended(0) } else { client.received(0, bytes) };
        assert_eq!((next, accounts(&client), client.recorder.counts.reconnects), (Next::Close, (0, 0, 0, 0), 1));
    }
}

#[test]
fn a_server_that_refuses_tls_fails_no_request() {
    let mut client = client_of(&wire(3), spec(), 1, None);
    client.batch(0);
    open(&mut client);
    assert_eq!(client.failed(0, IoFailure::Tls), Next::Close);
    assert_eq!((errors(&client, ErrorKind::Tls), accounts(&client)), (1, (0, 0, 1, 0)));
}

#[test]
fn no_more_streams_are_used_than_the_server_allows() {
    let mut client = client_of(&wire(4), spec(), 1, None);
    client.batch(0);
    open(&mut client);
    // It allows two, and refuses the others, which were sent before it could say so.
    let bytes = [settings(2), refusal(5), refusal(7)].concat();
    assert_eq!(client.received(0, &bytes), Next::Send);
    assert_eq!((leave(&mut client), accounts(&client)), (vec![], (2, 0, 0, 2)));
    assert_eq!(client.received(0, &good(1)), Next::Send);
    assert_eq!((leave(&mut client), accounts(&client)), (vec![(HEADERS, 9)], (3, 1, 0, 2)));
    assert_eq!(client.received(0, &settings(4)), Next::Send);
    assert_eq!(leave(&mut client), [(HEADERS, 11), (HEADERS, 13)]);
    assert_eq!(client.received(0, &settings(1)), Next::Send);
    leave(&mut client);
    assert_eq!(client.received(0, &[good(3), good(9), good(11)].concat()), Next::Nothing);
    assert_eq!(accounts(&client), (5, 4, 0, 1));
    assert_eq!(client.received(0, &good(13)), Next::Send);
    assert_eq!((leave(&mut client), accounts(&client)), (vec![(HEADERS, 15)], (6, 5, 0, 1)));
}

#[test]
fn who_refuses_for_ever_is_no_endless_loop() {
    let mut client = loaded(1, None);
    let mut stream = 1;
    while errors(&client, ErrorKind::Read) == 0 {
        assert!(stream < 5000, "it ends");
        assert_eq!(client.received(0, &refusal(stream)), Next::Send);
        leave(&mut client);
        stream += 2;
    }
    assert_eq!(accounts(&client), (2, 0, 1, 1));
}

#[test]
fn a_server_that_goes_away_gets_no_more_and_answers_what_it_took_up() {
    let mut client = loaded(3, Some(4));
    assert_eq!(client.received(0, &go_away(1)), Next::Nothing);
    assert_eq!(accounts(&client), (1, 0, 0, 1), "two were not processed");
    assert!(!client.is_finished());
    assert_eq!(client.received(0, &good(1)), Next::Close);
    assert_eq!((accounts(&client), client.recorder.counts.reconnects), ((1, 1, 0, 0), 1));
    assert_eq!(client.open_next(), Some(0), "at once");
    assert_eq!(client.connected(0), Next::Send);
    assert_eq!(leave(&mut client), [(HEADERS, 1), (HEADERS, 3), (HEADERS, 5)]);
    assert_eq!(client.received(0, &[settings(9), good(1), good(3), good(5)].concat()), Next::Send);
    assert_eq!(accounts(&client), (4, 4, 0, 0));
    assert!(client.is_finished());
}

#[test]
fn who_goes_away_at_once_is_given_time() {
    let mut client = loaded(1, None);
    for wait_ns in [0, MIN_BACKOFF_NS, 2 * MIN_BACKOFF_NS] {
        assert_eq!(client.received(0, &[settings(9), go_away(0)].concat()), Next::Close);
        assert_eq!(accounts(&client), (0, 0, 0, 0));
        let now_ns = client.monotonic_ns();
        if wait_ns > 0 {
            client.batch(now_ns + wait_ns - 1);
            assert_eq!(client.open_next(), None);
        }
        client.batch(now_ns + wait_ns);
        open(&mut client);
    }
}

#[test]
fn in_an_open_loop_what_was_not_processed_is_sent_again_in_its_time() {
    let mix = RequestMix::new(&wire(2), &[spec()]).expect("valid");
    let mut client = Client::new(Constant::new(1e6, Some(2)), mix, 1, TIMEOUT_NS);
    client.recorder.measure(true);
    client.batch(0);
    client.open_only();
    assert_eq!((client.open_next(), client.connected(0)), (Some(0), Next::Send));
    assert_eq!((sends(&mut client), client.sent(0)), (vec![], Next::Nothing));
    client.load(u64::MAX);
    client.batch(1000);
    assert_eq!((client.send_due(), client.send_due(), client.send_due()), (Some(0), Some(0), None));
    assert_eq!(
        (client.send(0), sends(&mut client), client.sent(0)),
        (Next::Send, vec![(HEADERS, 1), (HEADERS, 3)], Next::Nothing)
    );
    client.batch(50_000);
    assert_eq!(client.received(0, &[settings(9), refusal(3), good(1)].concat()), Next::Send);
    assert_eq!((sends(&mut client), client.sent(0)), (vec![], Next::Nothing));
    assert_eq!((client.recorder.counts.sent, client.waiting(), client.is_finished()), (1, 1, false));
    assert_eq!((client.next_send_ns(), client.send_due(), client.send(0)), (50_000, Some(0), Next::Send));
    assert_eq!((sends(&mut client), client.sent(0)), (vec![(HEADERS, 5)], Next::Nothing));
    client.batch(90_000);
    assert_eq!(client.received(0, &good(5)), Next::Nothing);
    let counts = client.recorder.counts;
    assert_eq!((counts.sent, counts.answers, counts.not_sent, counts.late), (2, 2, 0, 0));
    let open = client.recorder.times.open.as_deref().expect("an open loop");
    assert_eq!((open.response.known.len(), open.response.known.max() / 1000), (2, 89), "due at 1 us");
    assert!(client.is_finished());
}

#[test]
fn what_was_not_processed_is_sent_again_before_anything_else() {
    let spec_of = |name: &str| RequestSpec { expected: ExpectedBody::Bytes(name.as_bytes().into()), ..spec() };
    let order = Order::Sequence([0, 1, 2].into());
    let mix = RequestMix::in_order(&wire(2), &["a", "b", "c"].map(spec_of), order).expect("valid");
    let mut client = Client::new(ClosedLoop { requests: Some(3) }, mix, 1, TIMEOUT_NS);
    client.batch(0);
    open(&mut client);
    assert_eq!(client.received(0, &[settings(9), refusal(1)].concat()), Next::Send);
    assert_eq!(leave(&mut client), [(HEADERS, 5)]);
    assert_eq!(client.received(0, &[answer(3, b"b"), answer(5, b"a")].concat()), Next::Send);
    leave(&mut client);
    assert_eq!(client.received(0, &answer(7, b"c")), Next::Nothing);
    assert_eq!((accounts(&client), client.is_finished()), ((3, 3, 0, 0), true));
}

#[test]
fn what_is_taken_back_in_a_drain_is_not_sent() {
    let mix = RequestMix::new(&wire(2), &[spec()]).expect("valid");
    let mut client = Client::new(Constant::new(1e6, None), mix, 1, TIMEOUT_NS);
    client.batch(0);
    assert_eq!((client.open_next(), client.connected(0)), (Some(0), Next::Send));
    assert_eq!((client.send_due(), client.send(0)), (Some(0), Next::Nothing), "the preface is on its way");
    client.drain();
    assert_eq!(client.received(0, &[settings(9), refusal(1)].concat()), Next::Nothing);
    let counts = client.recorder.counts;
    assert_eq!((counts.sent, counts.not_sent, counts.in_flight(), client.is_finished()), (0, 1, 0, true));
}

#[test]
fn what_waits_too_long_is_cancelled_and_nothing_else() {
    let mut client = loaded(2, None);
    client.batch(TIMEOUT_NS / 2);
    assert_eq!(client.received(0, &good(1)), Next::Send);
    assert_eq!(leave(&mut client), [(HEADERS, 5)]);
    client.batch(TIMEOUT_NS);
    client.tick(|_| panic!("the connection lives"));
    assert_eq!((errors(&client, ErrorKind::Timeout), accounts(&client)), (1, (4, 1, 1, 2)));
    assert_eq!((client.next_to_send(), client.send(0), client.next_to_send()), (Some(0), Next::Send, None));
    assert_eq!(leave(&mut client), [(RST_STREAM, 3), (HEADERS, 7)]);
    assert_eq!(client.recorder.times.service.at_least.len(), 1);
    assert_eq!(client.received(0, &[good(3), good(5)].concat()), Next::Send, "an answer that is too late");
    assert_eq!(accounts(&client), (5, 2, 1, 2));
}

#[test]
fn a_body_does_not_wait_for_ever() {
    let headers = vec![("expect".into(), "100-continue".into())];
    let upload = RequestSpec { method: "PUT".into(), headers, body: Some(b"xxxx".as_slice().into()), ..spec() };
    let mut client = client_of(&wire(2), upload, 1, None);
    client.timeout_ns = 10 * CONTINUE_NS;
    client.batch(0);
    open(&mut client);
    let go_on = frame(HEADERS, END_HEADERS, 1, b"\x08\x03100");
    assert_eq!(client.received(0, &[settings(9), go_on].concat()), Next::Send);
    assert_eq!(leave(&mut client), [(0, 1)]);
    client.batch(CONTINUE_NS);
    client.tick(|_| panic!("nothing has timed out"));
    assert_eq!((client.next_to_send(), client.send(0)), (Some(0), Next::Send));
    assert_eq!(leave(&mut client), [(0, 3)]);
}

#[test]
fn a_connection_lives_for_so_many_requests() {
    let settings_of_two = WireSettings { requests_per_connection: Some(2), ..wire(4) };
    let mut client = client_of(&settings_of_two, spec(), 1, None);
    client.batch(0);
    assert_eq!((client.open_next(), client.connected(0)), (Some(0), Next::Send));
    assert_eq!(leave(&mut client), [(HEADERS, 1), (HEADERS, 3)]);
    assert_eq!(client.received(0, &[settings(9), good(3)].concat()), Next::Send);
    leave(&mut client);
    assert_eq!(client.received(0, &good(1)), Next::Close);
    assert_eq!((accounts(&client), client.recorder.counts.reconnects), ((2, 2, 0, 0), 1));
}

#[test]
fn all_are_closed_behind_their_answers() {
    let mut client = loaded(2, None);
    client.close_all(|_| panic!("it is in use"));
    assert_eq!(client.received(0, &good(3)), Next::Nothing);
    assert_eq!(client.received(0, &good(1)), Next::Close);
    assert_eq!((client.is_finished(), client.recorder.counts.reconnects, client.established()), (true, 0, 0));
}
