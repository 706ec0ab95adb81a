//! Opening connections, again and again.

use super::super::connections::QUEUE_FULL_NS;
use super::super::connections::{MAX_BACKOFF_NS, MIN_BACKOFF_NS};
use super::super::pace::{MAX_BURST, MAX_CONNECTING, MIN_PATIENCE_NS};
use super::*;

#[test]
fn errors_back_off_and_an_answer_ends_that() {
    let mut client = waiting(None);
    let mut now = 0;
    let mut waits = Vec::new();
    assert_eq!(client.failed(0, IoFailure::Read), Next::Close);
    for _ in 0..12 {
        assert_eq!(client.open_next(), None);
        client.next_tick_ns = u64::MAX;
        waits.push(client.next_duty_ns() - now);
        now = client.next_duty_ns();
        client.batch(now);
        assert_eq!(client.open_next(), Some(0));
        assert_eq!(client.failed(0, IoFailure::Connect), Next::Close);
    }
    assert_eq!(&waits[..3], [1_000_000, 2_000_000, 4_000_000]);
    assert_eq!(waits[11], MAX_BACKOFF_NS);
    assert_eq!((errors(&client, ErrorKind::Read), errors(&client, ErrorKind::Connect)), (1, 12));
    client.batch(now + MAX_BACKOFF_NS);
    assert_eq!(client.open_next(), Some(0));
    assert_eq!(client.connected(0), Next::Send);
    assert_eq!(client.received(0, GOOD), Next::Send);
    assert_eq!(client.failed(0, IoFailure::Write), Next::Close);
    assert_eq!(client.next_duty_ns(), now + MAX_BACKOFF_NS + MIN_BACKOFF_NS);
}

#[test]
fn under_load_every_connection_is_opened_at_once_and_a_full_queue_is_tried_again() {
    let mut client = client(MAX_CONNECTING + 1, None);
    client.batch(0);
    assert_eq!(std::iter::from_fn(|| client.open_next()).count(), MAX_CONNECTING as usize + 1);
    assert_eq!(client.connected(0), Next::Send);
    assert_eq!(client.queue_full(1), Next::Nothing);
    assert_eq!(client.open_next(), None);
    client.batch(QUEUE_FULL_NS);
    assert_eq!(client.open_next(), Some(1));
    assert_eq!(client.recorder.counts.errors.total(), 0);
}

#[test]
fn a_machine_without_a_free_port_is_told_apart() {
    let mut client = client(2, None);
    client.batch(0);
    assert_eq!((client.open_next(), client.open_next()), (Some(0), Some(1)));
    assert_eq!(client.failed(0, IoFailure::NoLocalPort), Next::Close);
    assert_eq!(client.failed(1, IoFailure::Connect), Next::Close);
    assert_eq!((errors(&client, ErrorKind::Connect), client.recorder.counts.ports_exhausted), (2, 1));
}

#[test]
fn a_closed_loop_opens_all_before_it_sends() {
    let most = MAX_BURST as u32 + 2;
    let mut client = client(most, None);
    client.open_only();
    client.batch(0);
    let mut opened: Vec<Slot> = std::iter::from_fn(|| client.open_next()).collect();
    assert_eq!(opened.len() as u64, MAX_BURST, "a server has to take them");
    client.tick(|slot| panic!("{slot} has not timed out"));
    let next_ns = client.next_duty_ns();
    assert!(next_ns > 0);
    client.batch(next_ns);
    opened.extend(std::iter::from_fn(|| client.open_next()));
    assert_eq!(opened.len() as u32, most);
    for &slot in &opened {
        assert!(!client.is_finished());
        assert_eq!(client.connected(slot), Next::Nothing);
    }
    assert!(client.is_finished());
    assert_eq!(client.recorder.counts.sent, 0);
    client.load(u64::MAX);
    assert_eq!(std::iter::from_fn(|| client.send_due()).collect::<Vec<_>>(), opened);
    assert_eq!((client.in_flight(), client.recorder.counts.late), (most, 0));
}

#[test]
fn a_connection_that_does_not_open_at_once_is_begun_anew() {
    let mut client = client(2, None);
    client.open_only();
    client.batch(0);
    assert_eq!((client.open_next(), client.open_next(), client.open_next()), (Some(0), Some(1), None));
    assert_eq!(client.connected(0), Next::Nothing);
    client.give_up(|slot| panic!("{slot} is given time"));
    client.batch(MIN_PATIENCE_NS);
    let mut closed = Vec::new();
    client.give_up(|slot| closed.push(slot));
    assert_eq!((closed, client.open_next()), (vec![1], None), "the server may empty its queue");
    while client.open_next().is_none() {
        client.tick(|slot| panic!("{slot} has not timed out"));
        client.batch(client.next_duty_ns());
    }
    assert_eq!(client.connected(1), Next::Nothing);
    assert!(client.is_finished());
    assert_eq!(client.recorder.counts.errors.total(), 0, "it has not timed out");
}

#[test]
fn a_connection_that_never_opened_is_missed_though_the_slice_was_drained() {
    for draining in [false, true] {
        let mut client = client(2, None);
        client.batch(0);
        assert_eq!((client.open_next(), client.open_next()), (Some(0), Some(1)));
        assert_eq!(client.connected(0), Next::Send);
        if draining {
            client.drain();
        }
        assert!(!client.is_connected(), "draining: {draining}");
        assert_eq!(client.connected(1), if draining { Next::Nothing } else { Next::Send });
        assert!(client.is_connected());
    }
}

#[test]
fn a_schedule_that_has_ended_needs_no_more_connections() {
    let mut client = client(2, Some(1));
    client.batch(0);
    assert_eq!((client.open_next(), client.open_next()), (Some(0), Some(1)));
    assert_eq!(client.connected(0), Next::Send);
    assert!(client.is_connected());
}

#[test]
fn attempts_that_are_begun_anew_have_one_time_out_together() {
    let mut client = client(1, None);
    client.open_only();
    client.batch(0);
    assert_eq!(client.open_next(), Some(0));
    let mut timed_out_ns = None;
    while client.now_ns < 2 * TIMEOUT_NS && timed_out_ns.is_none() {
        client.batch(client.next_duty_ns());
        client.tick(|_| {});
        timed_out_ns = (errors(&client, ErrorKind::Connect) > 0).then_some(client.now_ns);
        client.give_up(|_| {});
        client.open_next();
    }
    assert!(timed_out_ns.is_some_and(|ns| (TIMEOUT_NS..TIMEOUT_NS * 5 / 4).contains(&ns)), "{timed_out_ns:?}");
}

#[test]
fn a_queue_that_stays_full_is_an_error_after_the_time_out() {
    let mut client = client(1, None);
    client.batch(0);
    while client.recorder.counts.errors.total() == 0 {
        assert_eq!(client.open_next(), Some(0));
        let next = client.queue_full(0);
        assert_eq!(next == Next::Close, client.now_ns >= TIMEOUT_NS);
        client.batch(client.now_ns + QUEUE_FULL_NS);
    }
    assert_eq!(errors(&client, ErrorKind::Connect), 1);
}

/// A drained client of three connections, one of them with a request that is still unanswered.
fn drained() -> Client<ClosedLoop> {
    let mut client = client(3, None);
    client.batch(0);
    for slot in 0..3 {
        assert_eq!(client.open_next(), Some(slot));
        assert_eq!(client.connected(slot), Next::Send);
    }
    client.drain();
    for slot in [0, 2] {
        assert_eq!(client.received(slot, GOOD), Next::Nothing);
    }
    client
}

#[test]
fn all_but_those_in_use_are_opened_again_without_an_error() {
    let mut client = drained();
    let mut closed = Vec::new();
    client.close_idle(|slot| closed.push(slot));
    assert_eq!((closed, client.established()), (vec![0, 2], 1));
    client.open_again(Reopening::Burst);
    assert_eq!(std::iter::from_fn(|| client.open_next()).collect::<Vec<_>>(), [0, 2], "both at once");
    assert!(!client.is_finished());
    for slot in [0, 2] {
        assert_eq!(client.connected(slot), Next::Nothing, "load begins when all are open");
    }
    assert!(client.is_finished());
    let counts = client.recorder.counts;
    assert_eq!((counts.opened, counts.reconnects, counts.errors.total()), (5, 0, 0));
}

#[test]
fn connections_that_come_as_clients_do_are_loaded_while_others_come() {
    let mut client = drained();
    client.close_idle(|_| {});
    client.open_again(Reopening::Spread);
    assert_eq!((client.open_next(), client.open_next()), (Some(0), None));
    assert_eq!(client.connected(0), Next::Send);
    client.next_tick_ns = u64::MAX;
    let next_ns = client.next_duty_ns();
    assert!(next_ns > 0);
    client.batch(next_ns);
    assert_eq!((client.open_next(), client.open_next()), (Some(2), None));
    assert_eq!(client.connected(2), Next::Send);
    assert_eq!((client.is_finished(), client.in_flight()), (true, 3));
}

#[test]
fn those_in_use_are_closed_behind_their_answers_and_none_is_opened_before_the_next_turn() {
    let mut client = drained();
    assert_eq!(client.failed(2, IoFailure::Read), Next::Close, "the server closed this one, and it waits");
    let mut closed = Vec::new();
    client.close_all(|slot| closed.push(slot));
    assert_eq!((closed, client.established(), client.is_finished()), (vec![0], 1, false));
    client.batch(TIMEOUT_NS / 2);
    assert_eq!(client.received(1, GOOD), Next::Close);
    assert_eq!((client.established(), client.in_flight(), client.is_finished()), (0, 0, true));
    client.next_tick_ns = u64::MAX;
    assert_eq!((client.open_next(), client.next_duty_ns()), (None, u64::MAX));
    client.drain();
    assert!(client.is_finished(), "nothing is left to wait for when the next turn begins");
    client.open_again(Reopening::Burst);
    assert_eq!(std::iter::from_fn(|| client.open_next()).count(), 3);
    for slot in 0..3 {
        assert_eq!(client.connected(slot), Next::Nothing);
    }
    client.load(u64::MAX);
    assert_eq!(std::iter::from_fn(|| client.send_due()).count(), 3);
    assert_eq!(client.received(1, GOOD), Next::Send, "it is not the last request of its connection");
    let counts = client.recorder.counts;
    assert_eq!((counts.sent, counts.answers, counts.in_flight(), counts.opened), (7, 4, 3, 6));
    assert_eq!((counts.reconnects, counts.errors.total()), (1, 0));
}

#[test]
fn a_connection_without_an_answer_stays_open_and_is_counted_in_flight() {
    let mut client = drained();
    client.close_all(|_| {});
    assert_eq!((client.in_flight(), client.established()), (1, 1));
    client.drain();
    client.close_idle(|slot| panic!("{slot} is in use"));
    assert_eq!(client.received(1, GOOD), Next::Close, "it comes in the next turn, and its connection is replaced");
    assert_eq!((client.recorder.counts.in_flight(), client.recorder.counts.errors.total()), (0, 0));
}
