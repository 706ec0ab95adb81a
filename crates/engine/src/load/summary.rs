//! The summary that `load` prints at the end: one screen that names each number.

use super::log::LogReceipt;
use super::quantile::{Quantile, Quantiles};
use super::words::count;
use super::{LoadArguments, LoadResult, Opening, SliceCounts, beside};
use crate::lines::Validity;
use crate::recorder::{Account, Distribution, Errors, ServerFault, Times, TlsReceipt};

const NAME_COLUMNS: usize = 17;
const VALUE_COLUMNS: usize = 44;
/// Requests of a mix that have a line each.
const MAX_SHOWN_REQUESTS: usize = 10;
/// Ways of breaking the protocol that have a line each.
const MAX_SHOWN_FAULTS: usize = 5;

/// The summary, within the width of a terminal if there is one.
pub(super) fn text(arguments: &LoadArguments, result: &LoadResult, width: Option<usize>) -> String {
    let SliceCounts { answers, due, sent, not_sent, reconnects, received_bytes, errors, .. } = result.slice;
    let load_s = result.load_s();
    let mut text = String::new();
    let mut line = |name: &str, value: String, meaning: &str| text += &laid_out(name, &value, meaning, width);
    let is_open = result.offered_per_s.is_some();
    let connections = count(arguments.connections, "connection");
    let streams = arguments.streams().map_or_else(String::new, |streams| format!(" of {}", count(streams, "stream")));
    let load = format!("{connections}{streams}, {}, {load_s:.2} s", arguments.shape_text());
    line("load", load, &format!("{} by {}", arguments.url, result.io));
    if let Some(log) = &result.log {
        let LogReceipt { file, lines, sent_lines, requests, left_out } = log;
        line("log", format!("{sent_lines} of {lines} lines, {requests} distinct requests"), file);
        for (number, lines) in left_out.iter().enumerate() {
            line(if number == 0 { "left out" } else { "" }, lines.text(), "");
        }
    }
    let Opening { elapsed_ns, connections, established, errors: failed } = result.opening;
    let failures = if failed.total() > 0 { format!(", {}", count(failed.total(), "failure")) } else { String::new() };
    let opened = format!("{established} in {}{failures}", time(Quantile::Is(elapsed_ns)));
    line("opened", opened, &format!("of {}, before load began", count(connections, "connection")));
    if is_open {
        let requests = format!("{due} due, {sent} sent, {not_sent} not sent");
        line("requests", requests, "not sent: no connection was free before the end");
    }
    line("correct answers", answers.to_string(), "status, length and bytes as expected");
    line("throughput", format!("{:.1} /s", result.throughput_per_s()), "correct answers per second");
    let megabytes = received_bytes as f64 / 1e6 / load_s;
    line("received", format!("{megabytes:.2} MB/s"), "heads and bodies");
    if let Some(drain_s) = result.long_drain_s() {
        line("drain", format!("{drain_s:.2} s"), "wait for the last answers, not in the time above");
    }
    let mut show = |name: &str, times: &Distribution, meaning: [&str; 2]| {
        let times = Quantiles::new(times);
        let quantile = |quantile| time(times.quantile(quantile));
        let usual = format!("p50 {}  p90 {}  p99 {}", quantile(0.5), quantile(0.9), quantile(0.99));
        line(name, usual, meaning[0]);
        line("", format!("p99.9 {}  max {}", quantile(0.999), time(times.max())), meaning[1]);
    };
    let Times { service, open } = &result.arm.times;
    if let Some(open) = open {
        show(
            "response time",
            &open.response,
            ["due to last byte: what a user waits for;", "\">\" where answers are missing"],
        );
        show("service time", service, ["sent to last byte: what the server and", "the way there took"]);
        show("send lag", &open.send_lag, ["due to sent: waiting for a free connection,", "or for this program"]);
    } else {
        let meaning = ["sent to last byte, as the load met it:", "in a closed loop it is not what a user waits for"];
        show("service time", service, meaning);
    }
    if let Some(times) = result.handshake_times() {
        let times = Quantiles::new(&times);
        let shown = format!("p50 {}  p99 {}", time(times.quantile(0.5)), time(times.quantile(0.99)));
        let resumed = result.arm.handshakes.resumed;
        line("TLS handshakes", shown, &format!("their time, warm-up included; {resumed} resumed a session"));
        for (TlsReceipt { version, cipher_suite, group }, handshakes) in &result.arm.handshakes.receipts {
            let agreed = format!("{version} {cipher_suite} {}", group.unwrap_or("without key exchange"));
            line("", agreed, &format!("in {}", count(*handshakes, "handshake")));
        }
    }
    for [name, value, meaning] in beside::lines(arguments, result) {
        line(&name, value, &meaning);
    }
    let requests = &result.arm.requests;
    for (number, request) in shown_requests(requests).into_iter().enumerate() {
        let (value, meaning) = request_line(request);
        line(if number == 0 { "by request" } else { "" }, value, &meaning);
    }
    if requests.len() > MAX_SHOWN_REQUESTS {
        line("", format!("{} more", requests.len() - MAX_SHOWN_REQUESTS), "--json has all of them");
    }
    line("errors", kinds(&errors), "requests that got no correct answer, by kind");
    for (number, (fault, times)) in result.arm.faults.by_frequency().into_iter().take(MAX_SHOWN_FAULTS).enumerate() {
        let [value, meaning] = fault_words(&fault, times);
        line(if number == 0 { "server's faults" } else { "" }, value, &meaning);
    }
    line("in flight", result.arm.counts.in_flight().to_string(), "sent and still unanswered at the end");
    if reconnects > 0 {
        line("reconnects", reconnects.to_string(), "connections opened again without an error");
    }
    let own = result.generator_cpu_ns as f64;
    let per_answer =
        if answers > 0 { format!("{:.2} us per answer, ", own / 1e3 / answers as f64) } else { String::new() };
    let cores = own / result.elapsed_ns.max(1) as f64;
    let meaning = if is_open { "of this program, looking for the next due one" } else { "of this program" };
    line("generator CPU", format!("{per_answer}{cores:.2} cores"), meaning);
    if result.end.reasons.is_empty() {
        line("caution", "none".to_owned(), "what makes these figures doubtful");
    }
    let name = if result.end.validity == Validity::Void { "not valid" } else { "caution" };
    for (number, reason) in result.end.reasons.iter().enumerate() {
        line(if number == 0 { name } else { "" }, plain(reason).to_owned(), "");
    }
    text
}

/// Those of a mix that were sent most often, in their order.
fn shown_requests(requests: &[(String, Account)]) -> Vec<&(String, Account)> {
    let mut by_sent: Vec<usize> = (0..requests.len()).collect();
    by_sent.sort_by_key(|&request| std::cmp::Reverse(requests[request].1.sent));
    by_sent.truncate(MAX_SHOWN_REQUESTS);
    by_sent.sort_unstable();
    by_sent.into_iter().map(|request| &requests[request]).collect()
}

/// One request of a mix: its times, and what they are the times of.
fn request_line((name, account): &(String, Account)) -> (String, String) {
    let times = Quantiles::new(account.response.as_deref().unwrap_or(&account.service));
    let quantile = |quantile| time(times.quantile(quantile));
    let value = format!("p50 {}  p90 {}  p99 {}", quantile(0.5), quantile(0.9), quantile(0.99));
    let failed =
        if account.errors.total() > 0 { format!(", errors: {}", kinds(&account.errors)) } else { String::new() };
    let never = if account.not_sent > 0 { format!(", {} not sent", account.not_sent) } else { String::new() };
    (value, format!("{name}: {} correct{never}{failed}", account.answers))
}

/// Errors by kind, in words.
fn kinds(errors: &Errors) -> String {
    let kinds: Vec<String> = errors.occurred().map(|(name, count)| format!("{name} {count}")).collect();
    if kinds.is_empty() { "none".to_owned() } else { kinds.join(", ") }
}

/// How often a server did something wrong, where that is written, and what it was.
fn fault_words(fault: &ServerFault, times: u64) -> [String; 2] {
    let ServerFault { rfc, section, what, detail } = fault;
    let detail = detail.map_or_else(String::new, |detail| format!(" ({detail})"));
    [format!("{}, {rfc}, section {section}", count(times, "time")), format!("{what}{detail}")]
}

/// A reason without the arm that it is about: there is one.
fn plain(reason: &str) -> &str {
    reason.strip_prefix("arm `").and_then(|rest| rest.split_once("`: ")).map_or(reason, |(_, words)| words)
}

/// A time with three significant digits.
pub(super) fn time(quantile: Quantile) -> String {
    let shown = |ns: u64| {
        let (value, unit) = match ns {
            0..1_000_000 => (ns as f64 / 1e3, "us"),
            1_000_000..1_000_000_000 => (ns as f64 / 1e6, "ms"),
            _ => (ns as f64 / 1e9, "s"),
        };
        let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
        format!("{value:.decimals$} {unit}")
    };
    match quantile {
        Quantile::Is(ns) => shown(ns),
        Quantile::Above(ns) => format!("> {}", shown(ns)),
        Quantile::Unknown => "-".to_owned(),
    }
}

/// A line in columns. If it does not fit into the width, the meaning stands right after the value, or else below it.
fn laid_out(name: &str, value: &str, meaning: &str, width: Option<usize>) -> String {
    let columns = format!("{name:<NAME_COLUMNS$} {value:<VALUE_COLUMNS$} {meaning}");
    let columns = columns.trim_end();
    let Some(width) = width.filter(|width| *width < columns.chars().count()) else { return format!("{columns}\n") };
    let beside = format!("{name:<NAME_COLUMNS$} {value}  {meaning}");
    if beside.chars().count() <= width {
        return beside + "\n";
    }
    let mut text = String::new();
    let room = width.saturating_sub(NAME_COLUMNS + 1);
    let lines = wrapped(value, room).into_iter().chain(wrapped(meaning, room));
    for (number, line) in lines.filter(|line| !line.is_empty()).enumerate() {
        let name = if number == 0 { name } else { "" };
        text += &format!("{name:<NAME_COLUMNS$} {line}\n");
    }
    text
}

/// Breaks a text into lines of at most this many characters; a longer word gets a line of its own.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_on_the_screen() {
        for (ns, text) in [(950, "0.95 us"), (12_345, "12.3 us"), (123_456, "123 us"), (1_940_000_000, "1.94 s")] {
            assert_eq!(time(Quantile::Is(ns)), text);
        }
        assert_eq!(time(Quantile::Above(10_000_000_000)), "> 10.0 s");
    }

    #[test]
    fn what_fits_stands_in_columns_and_the_rest_beside_or_below() {
        let columns = format!("errors{}none{}by kind\n", " ".repeat(12), " ".repeat(41));
        assert_eq!(laid_out("errors", "none", "by kind", None), columns);
        assert_eq!(laid_out("errors", "none", "by kind", Some(70)), columns);
        assert_eq!(laid_out("errors", "none", "by kind", Some(69)), "errors            none  by kind\n");
        let below = "errors            none\n                  by kind,\n                  all\n";
        assert_eq!(laid_out("errors", "none", "by kind, all", Some(28)), below);
        assert_eq!(laid_out("caution", "none", "", Some(10)), "caution           none\n");
    }

    #[test]
    fn a_request_of_a_mix_in_one_line() {
        let mut account = Account::new(false);
        account.answers = 2;
        account.service.known.record_n(120_000, 2).expect("within bounds");
        let mut request = ("GET /a".to_owned(), account);
        let (value, meaning) = request_line(&request);
        assert_eq!((value.as_str(), meaning.as_str()), ("p50 120 us  p90 120 us  p99 120 us", "GET /a: 2 correct"));
        request.1.errors.add(crate::recorder::ErrorKind::Status);
        request.1.not_sent = 3;
        assert_eq!(request_line(&request).1, "GET /a: 2 correct, 3 not sent, errors: status 1");
    }

    #[test]
    fn what_a_server_did_wrong_has_its_section() {
        let fault = ServerFault { rfc: "RFC 9113", section: "6.9", what: "a wrong length", detail: Some("PING") };
        assert_eq!(fault_words(&fault, 2), ["2 times, RFC 9113, section 6.9", "a wrong length (PING)"]);
        let fault = ServerFault { detail: None, ..fault };
        assert_eq!(fault_words(&fault, 1), ["1 time, RFC 9113, section 6.9", "a wrong length"]);
    }

    #[test]
    fn of_many_requests_those_that_were_sent_most_often_are_shown() {
        let sent = |sent: u64| (format!("sent {sent}"), Account { sent, ..Account::default() });
        let requests: Vec<_> = (0..30).map(|number| sent(number * 7 % 30)).collect();
        let shown = shown_requests(&requests);
        assert!(shown.len() == MAX_SHOWN_REQUESTS && shown.iter().all(|(_, account)| account.sent >= 20));
        assert_eq!(shown[0].0, "sent 21", "in their order");
    }

    #[test]
    fn a_reason_does_not_name_the_only_arm() {
        assert_eq!(plain("arm `http://[::1]:80/`: 3 bytes came"), "3 bytes came");
        assert_eq!(plain("it ended early"), "it ended early");
    }
}
