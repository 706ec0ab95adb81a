//! Logs that are read.

use super::*;
use crate::check::ExpectedStatus;

fn line(second: u32, request: &str, status: u16) -> String {
    format!("203.0.113.9 - - [10/Oct/2000:13:55:{second:02} +0000] \"{request}\" {status} 1 \"-\" \"x\"\n")
}

fn read(text: impl AsRef<[u8]>, methods: &Methods) -> Result<Log, Failure> {
    Log::of(text.as_ref(), "access.log", methods, true)
}

#[test]
fn each_distinct_request_is_kept_once() {
    let text = [
        line(0, "GET /a HTTP/1.1", 200),
        line(0, "GET /b HTTP/1.1", 404),
        "\n".to_owned(),
        line(1, "GET /a HTTP/2.0", 304),
        line(1, "HEAD /a HTTP/1.1", 200),
        line(1, "GET /a HTTP/1.1", 301).replace('\n', "\r\n"),
    ]
    .concat();
    let log = read(text, &Methods::Safe).expect("a good log");
    let requests: Vec<String> =
        log.requests.iter().map(|one| format!("{} {} {}", one.method, one.target, one.lines)).collect();
    assert_eq!(requests, ["GET /a 3", "GET /b 1", "HEAD /a 1"]);
    assert_eq!(log.sequence, [0, 1, 0, 2, 0]);
    let LogReceipt { lines, sent_lines, requests, left_out, .. } = log.receipt;
    assert_eq!((lines, sent_lines, requests, left_out), (6, 5, 3, Vec::new()));
    let right = |request: usize| {
        let statuses = ExpectedStatus::OneOf(log.requests[request].statuses);
        [200, 301, 304, 404].map(|status| statuses.has(status))
    };
    assert_eq!(right(0), [true, true, false, false], "unconditionally it is no 304");
    assert_eq!(right(1), [false, false, false, true]);
}

#[test]
fn what_cannot_be_sent_is_counted_by_kind() {
    let text = [
        line(0, "POST /form HTTP/1.1", 200).into_bytes(),
        line(0, r"\x16\x03\x01", 400).into_bytes(),
        line(0, "GET /a HTTP/1.1", 200).into_bytes(),
        line(0, "POST /form HTTP/1.1", 200).into_bytes(),
        b"\x00\xff\xfe\n".to_vec(),
        line(0, "-", 408).into_bytes(),
        line(0, "CONNECT a:1 HTTP/1.1", 400).into_bytes(),
        line(0, "PURGE /a HTTP/1.1", 400).into_bytes(),
        [vec![b'x'; 3 * MAX_LINE_BYTES], vec![b'\n']].concat(),
        line(0, "GET /b HTTP/1.1", 200).trim_end().into(),
    ]
    .concat();
    let log = read(&text, &Methods::Safe).expect("two lines are left");
    let left_out: Vec<String> = log.receipt.left_out.iter().map(LeftOut::text).collect();
    assert_eq!(
        left_out,
        [
            "2 POST (first on line 1)",
            "1 CONNECT (first on line 7)",
            "1 binary (first on line 2)",
            "1 longer than 64 KiB (first on line 9)",
            "1 not in the combined format (first on line 5)",
            "1 with other methods (first on line 8)",
            "1 without a request (first on line 6)",
        ]
    );
    assert_eq!(
        (log.sequence.len(), log.receipt.lines),
        (2, 10),
        "the line after a long one is read, and one without an end"
    );
    let sent = |methods: &Methods| read(&text, methods).expect("some are left").sequence.len();
    assert_eq!(sent(&Methods::All), 5);
    assert_eq!(sent(&Methods::These(vec!["POST".into(), "PURGE".into()])), 3);
}

#[test]
fn a_log_of_which_nothing_is_left_is_refused() {
    let post = line(0, "POST /a HTTP/1.1", 200);
    for (text, message) in [
        (&b""[..], "no line of 0 can be sent: it is empty"),
        (b"\n\n", "no line of 2 can be sent: it is empty"),
        (b"\x00\x01\n\xff\n", "no line of 2 can be sent: 2 not in the combined format (first on line 1)"),
        (post.as_bytes(), "no line of 1 can be sent: 1 POST (first on line 1)"),
        (b"\x1f\x8b\x08\x00", "it is compressed"),
    ] {
        let failure = read(text, &Methods::Safe).expect_err("refused");
        assert!(failure.message.contains(message) && failure.hint.is_some(), "{failure}");
        assert_eq!(failure.exit_code(), 2);
    }
    let missing = Log::read(Path::new("/nowhere/at/all"), &Methods::Safe, false).expect_err("it is not there");
    assert!(missing.message.contains("--from /nowhere/at/all") && missing.hint.is_some());
}

#[test]
fn lines_are_due_when_they_were_and_those_of_one_second_lie_evenly_in_it() {
    let text = [(7, "/a"), (5, "/b"), (5, "/c"), (7, "/d"), (5, "/e"), (5, "/f")]
        .map(|(second, target)| line(second, &format!("GET {target} HTTP/1.1"), 200))
        .concat();
    let log = read(text, &Methods::Safe).expect("a good log");
    let (sequence, times) = log.schedule(LineOrder::File, 0);
    assert_eq!(sequence, [1, 2, 4, 5, 0, 3], "by time, and in the file's order within a second");
    let milliseconds = |times: Vec<u64>| times.into_iter().map(|ns| ns / 1_000_000).collect::<Vec<_>>();
    let (times_ns, length_ns) = times.expect("it was read with its times");
    assert_eq!((milliseconds(times_ns), length_ns), (vec![0, 250, 500, 750, 2000, 2500], 3_000_000_000));
}

#[test]
fn shuffled_lines_are_the_same_for_the_same_seed() {
    let text: String = (0..50).map(|number| line(0, &format!("GET /{number} HTTP/1.1"), 200)).collect();
    let log = Log::of(text.as_bytes(), "access.log", &Methods::Safe, false).expect("a good log");
    let (in_order, times) = log.schedule(LineOrder::File, 1);
    assert!(in_order.is_sorted() && times.is_none());
    let shuffled = |seed| log.schedule(LineOrder::Shuffled, seed).0;
    assert_eq!(shuffled(1), shuffled(1));
    assert!(shuffled(1) != shuffled(2) && !shuffled(1).is_sorted());
    let mut sorted = shuffled(1);
    sorted.sort_unstable();
    assert_eq!(sorted, in_order, "each line once");
}
