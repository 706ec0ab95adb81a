//! Delays and work. Only lower bounds of times: a busy machine makes things later, never earlier.

use crate::support::Server;
use hopcost_common::clock::monotonic_ns;

/// CPU time of the server in clock ticks of 10 ms.
fn cpu_ticks(server: &Server) -> u64 {
    let stat = server.proc("stat");
    let after_name = stat.rsplit(") ").next().expect("the name is in parentheses");
    after_name.split(' ').skip(11).take(2).map(|ticks| ticks.parse::<u64>().expect("ticks")).sum()
}

#[test]
fn a_delayed_answer_is_not_early() {
    let server = Server::start(&[]);
    let mut stream = server.connect("http+tcp");
    let start_ns = monotonic_ns();
    stream.get("/?delay=constant:100ms");
    stream.read_answer();
    assert!(monotonic_ns() - start_ns >= 100_000_000);
    let (arrival_ns, sent_ns, _) = server.stop().rows()[0];
    assert!(sent_ns - arrival_ns >= 100_000_000);
}

#[test]
fn a_delayed_answer_holds_up_no_one() {
    let server = Server::start(&[]);
    let mut slow = server.connect("http+tcp");
    slow.get("/?delay=constant:3600s");
    let mut quick = server.connect("http+tcp");
    quick.get("/");
    assert_eq!(quick.read_answer().1, b"Hello World\n");
    assert_eq!(server.stop().total("answers_in_flight"), 1);
}

#[test]
fn requests_behind_a_delayed_one_keep_their_order() {
    let server = Server::start(&[]);
    let mut stream = server.connect("http+tcp");
    stream.write(
        b"GET /json?delay=constant:20ms HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n\
          GET /text?delay=exponential:1ms HTTP/1.1\r\nHost: a\r\n\r\n",
    );
    let lengths = [0; 3].map(|_| stream.read_answer().1.len());
    assert_eq!(lengths, [1024, 12, 1024]);
    server.stop();
}

/// Requests over 5 connections, one after the other as fast as answers come; the server's own arrivals, put through the
/// queue by hand, say when each answer may be sent at the earliest.
#[test]
fn all_threads_and_connections_queue_for_the_same_virtual_server() {
    let server = Server::start(&["--queue", "5ms", "--threads", "3"]);
    let mut streams: Vec<_> = (0..5).map(|_| server.connect("http+tcp")).collect();
    for _ in 0..4 {
        for stream in &mut streams {
            stream.get("/");
        }
        for stream in &mut streams {
            assert_eq!(stream.read_answer().1, b"Hello World\n");
        }
    }
    let log = server.stop();
    assert_eq!((log.total("requests_received"), log.total("answers_sent")), (20, 20));
    let mut rows = log.rows();
    rows.sort_unstable();
    let mut done_ns = 0;
    for (arrival_ns, sent_ns, _) in rows {
        done_ns = arrival_ns.max(done_ns) + 5_000_000;
        assert!(sent_ns >= done_ns, "sent {} ns too early", done_ns - sent_ns);
    }
}

#[test]
fn in_a_pause_of_an_hour_nothing_is_answered_and_a_delay_comes_after_the_queue() {
    let server = Server::start(&["--queue", "1ms", "--servers", "2", "--pause", "3599s@3600s"]);
    let mut stream = server.connect("http+tcp");
    stream.get("/");
    // That request has been read once a later connection's is refused, which does not queue.
    let mut last = server.connect("http+tcp");
    last.write(b"nonsense\r\n\r\n");
    assert!(last.read_head().contains(" 400 "));
    let log = server.stop();
    assert_eq!((log.total("answers_sent"), log.total("answers_in_flight")), (0, 1));

    let server = Server::start(&["--queue", "20ms"]);
    let mut stream = server.connect("http+unix");
    stream.get("/?delay=constant:30ms");
    stream.read_answer();
    let (arrival_ns, sent_ns, _) = server.stop().rows()[0];
    assert!(sent_ns - arrival_ns >= 50_000_000);
}

#[test]
fn work_burns_cpu_before_or_after_the_answer() {
    let server = Server::start(&[]);
    let mut stream = server.connect("http+tcp");
    for parameter in ["work", "work-after"] {
        let before = cpu_ticks(&server);
        for _ in 0..4 {
            stream.get(&format!("/?{parameter}=100ms"));
            stream.read_answer();
        }
        // The loop serves this only once the work after the answers is done.
        stream.get("/");
        stream.read_answer();
        // Without work there would be none or one. The bar is far below 40: the calibration may run on a core that the
        // other tests share, and the work on a free one. How exact the work is, `make truth` says.
        let burnt = cpu_ticks(&server) - before;
        assert!(burnt >= 8, "{parameter}: {burnt} ticks of 40");
    }
    server.stop();
}

#[test]
fn rounds_of_work_are_done_before_each_answer_whatever_it_asks_for() {
    let server = Server::start(&["--work-rounds", "100000000"]);
    let mut stream = server.connect("http+tcp");
    let before = cpu_ticks(&server);
    for target in ["/", "/json", "/nothing"] {
        stream.get(target);
        stream.read_answer();
    }
    // 100 million rounds of six dependent operations are 60 ms at 10 GHz.
    let burnt = cpu_ticks(&server) - before;
    assert!(burnt >= 15, "{burnt} ticks");
    server.stop();
}

#[test]
fn requests_in_flight_at_the_end_are_counted() {
    let server = Server::start(&[]);
    let mut streams: Vec<_> = (0..5).map(|_| server.connect("http+unix")).collect();
    for stream in &mut streams {
        stream.get("/");
        stream.read_answer();
        stream.get("/?delay=constant:1000s");
    }
    // Those requests have been read once a later connection's answer has come.
    let mut last = server.connect("http+unix");
    last.get("/");
    last.read_answer();
    let log = server.stop();
    assert_eq!((log.total("answers_sent"), log.total("answers_in_flight")), (6, 5));
    assert_eq!(log.rows().iter().filter(|row| row.1 == u64::MAX && row.2 == 4).count(), 5);
}
