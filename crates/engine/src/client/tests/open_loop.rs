//! Requests that are due at times of their own.

use super::super::connections::MIN_BACKOFF_NS;
use super::*;
use crate::recorder::LATE_NS;
use crate::schedule::Constant;

/// A client of an open loop with a request every 10 us, its connections open and idle at time 0.
fn open_loop(connections: u32, requests: Option<u64>) -> Client<Constant> {
    let mix = RequestMix::new(&WireSettings::default(), &[spec()]).expect("valid");
    let mut client = Client::new(Constant::new(1e5, requests), mix, connections, TIMEOUT_NS);
    client.recorder.measure(true);
    client.batch(0);
    client.open_only();
    while let Some(slot) = client.open_next() {
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
    client.load(u64::MAX);
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
    client.load(u64::MAX);
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
    client.load(u64::MAX);
    client.batch(LATE_NS + 5_000);
    assert_eq!((client.send_due(), client.send_due()), (Some(0), Some(1)));
    assert_eq!(client.recorder.counts.late, 1, "the second one was less than 1 ms late");
}

#[test]
fn what_was_due_and_never_sent_is_counted_with_its_age() {
    let mut client = open_loop(1, None);
    client.load(50_000);
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
    client.set_clock(ArmClock::default().with_schedule_from(10_000));
    client.load(100_000);
    assert_eq!(client.received(0, GOOD), Next::Nothing);
    assert_eq!(client.send_due(), Some(0));
    assert_eq!(client.recorder.counts.due(), 6);
}

#[test]
fn an_idle_connection_that_closes_is_opened_again_and_not_asked_meanwhile() {
    let mut client = open_loop(2, None);
    client.load(u64::MAX);
    assert_eq!(client.ended(0), Next::Close);
    assert_eq!(client.send_due(), Some(1));
    assert_eq!(client.open_next(), Some(0), "at once");
    assert_eq!(client.connected(0), Next::Nothing);
    assert_eq!((client.recorder.counts.opened, client.established()), (3, 2));
    // A server that closes again and again without answering is given time.
    assert_eq!(client.ended(0), Next::Close);
    assert_eq!(client.open_next(), None);
    client.batch(MIN_BACKOFF_NS);
    assert_eq!(client.open_next(), Some(0));
}

#[test]
fn an_open_loop_ends_with_its_schedule() {
    let mut client = open_loop(2, Some(2));
    client.load(u64::MAX);
    client.batch(10_000);
    assert_eq!((client.send_due(), client.send_due()), (Some(0), Some(1)));
    assert_eq!(client.received(0, GOOD), Next::Nothing);
    assert!(!client.is_finished());
    assert_eq!(client.received(1, GOOD), Next::Nothing);
    assert!(client.is_finished());
}

#[test]
fn a_request_of_an_open_loop_that_tls_refuses_is_not_sent() {
    let mut client = open_loop(2, Some(1));
    client.load(u64::MAX);
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
