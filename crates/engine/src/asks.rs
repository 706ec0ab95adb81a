//! What is asked of an arm: its requests, how often each of them, and what their answers have to be.
//!
//! Every request is put into bytes once, before any load; on the way of a request there are only numbers of messages.

use crate::check::{Check, ExpectedBody, ExpectedStatus};
use crate::failure::Failure;
use crate::io::{MessageId, Messages, REPORTED_BYTES};
use crate::session::Order;
use crate::wire::{Parts, Wire, fastcgi, http_bytes};
use std::sync::Arc;

/// A message is kept whole in memory.
const MESSAGE_BYTES_MOST: usize = 1 << 30;
/// The weights together, once what they have in common is divided out.
const CYCLE_MOST: u64 = 65_536;

/// One request, and what its answer has to be.
#[derive(Debug, Clone)]
pub struct Question {
    /// How often it is asked, in proportion to the others.
    pub weight: u32,
    /// `GET` and so on.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names and values, in their order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Option<Arc<[u8]>>,
    /// Which statuses are right.
    pub status: ExpectedStatus,
    /// Which body is right.
    pub expected: ExpectedBody,
}

/// How requests are put into bytes: the wire, and what it says of the server.
#[derive(Debug, Clone, Default)]
pub struct Speech {
    /// The wire.
    pub wire: Wire,
    /// The value of `Host`, where a request has none.
    pub host: String,
    /// FastCGI's parameters.
    pub parameters: fastcgi::Parameters,
    /// After so many requests a connection is closed.
    pub requests_per_connection: Option<u32>,
}

/// The messages of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sending {
    /// What is sent at once.
    pub first: MessageId,
    /// What is sent when the server says 100 Continue.
    pub continued: Option<MessageId>,
    /// Whether the end of the first message is reported by the backends.
    pub is_long: bool,
}

/// One request, ready to be sent.
#[derive(Debug, Clone)]
pub struct Ask {
    /// Whether its answer has no body whatever the head says.
    pub to_head: bool,
    /// In the middle of a connection's life.
    pub kept: Sending,
    /// As the last request of a connection.
    pub last: Sending,
    status: ExpectedStatus,
    expected: ExpectedBody,
}

impl Ask {
    /// A judge of its answers.
    pub fn check(&self) -> Check {
        Check::new(self.status, self.expected.clone())
    }
}

/// All requests of an arm.
#[derive(Debug, Clone)]
pub struct Asks {
    /// The wire that they are made for.
    pub wire: Wire,
    /// After so many requests a connection is closed.
    pub requests_per_connection: Option<u32>,
    /// What a backend sends, by number.
    pub messages: Messages,
    list: Arc<[Ask]>,
    /// The order in which they are asked, over and over.
    cycle: Arc<[u16]>,
    answer_bytes: Option<u64>,
}

impl Asks {
    /// Puts the requests into bytes.
    pub fn new(speech: &Speech, questions: &[Question]) -> Result<Self, Failure> {
        let mut messages = Vec::new();
        let mut list = Vec::new();
        for question in questions {
            let closes_at_once = speech.requests_per_connection == Some(1);
            let kept = put(&mut messages, speech, question, !closes_at_once)?;
            let last = match speech.requests_per_connection {
                None | Some(1) => kept,
                Some(_) => put(&mut messages, speech, question, false)?,
            };
            let to_head = question.method == "HEAD";
            let expected = if to_head { ExpectedBody::Bytes([].into()) } else { question.expected.clone() };
            list.push(Ask { to_head, kept, last, status: question.status, expected });
        }
        let weights: Vec<u32> = questions.iter().map(|question| question.weight).collect();
        Ok(Self {
            wire: speech.wire,
            requests_per_connection: speech.requests_per_connection,
            messages: messages.into(),
            answer_bytes: list.iter().map(|ask| ask.expected.length()).max().flatten(),
            list: list.into(),
            cycle: cycle(&weights)?,
        })
    }

    /// One for each request.
    pub fn list(&self) -> &[Ask] {
        &self.list
    }

    /// Which request has this number.
    #[inline]
    pub fn at(&self, count: u64) -> u16 {
        match &*self.cycle {
            [only] => *only,
            // Below the length.
            several => several[(count % several.len() as u64) as usize],
        }
    }

    /// How long the longest body is likely to be, where known for all.
    pub fn answer_bytes(&self) -> Option<u64> {
        self.answer_bytes
    }
}

/// Adds a request's messages.
fn put(messages: &mut Vec<Box<[u8]>>, speech: &Speech, question: &Question, keeps: bool) -> Result<Sending, Failure> {
    let parts = Parts {
        method: &question.method,
        target: &question.target,
        host: &speech.host,
        headers: &question.headers,
        body: question.body.as_deref(),
    };
    let mut add = |bytes: &[u8]| {
        if bytes.len() > MESSAGE_BYTES_MOST {
            return Err(Failure::usage(format!("request `{}`: longer than 1 GiB", question.target)));
        }
        messages.push(bytes.into());
        // A plan with 2^32 requests does not fit into memory.
        Ok((messages.len() - 1) as MessageId)
    };
    match speech.wire {
        Wire::FastCgi => {
            let bytes = fastcgi::request_bytes(&parts, &speech.parameters, keeps);
            Ok(Sending { first: add(&bytes)?, continued: None, is_long: bytes.len() > REPORTED_BYTES })
        }
        Wire::Http => {
            let (bytes, head_bytes) = http_bytes(&parts, keeps);
            let split = if parts.waits_for_continue() { head_bytes } else { bytes.len() };
            let (first, continued) = bytes.split_at(split);
            Ok(Sending {
                first: add(first)?,
                continued: if continued.is_empty() { None } else { Some(add(continued)?) },
                is_long: first.len() > REPORTED_BYTES,
            })
        }
    }
}

/// Each request as often as its weight says, shuffled, the same way every time.
fn cycle(weights: &[u32]) -> Result<Arc<[u16]>, Failure> {
    let divisor = weights.iter().copied().fold(0, greatest_common_divisor).max(1);
    let total: u64 = weights.iter().map(|weight| u64::from(weight / divisor)).sum();
    if total == 0 || total > CYCLE_MOST || weights.len() > usize::from(u16::MAX) {
        return Err(Failure::usage(format!("the weights add up to {total}, not 1 to {CYCLE_MOST}"))
            .hint("weights are proportions: 1 and 3 do as well as 1000 and 3000"));
    }
    let each = weights.iter().zip(0_u16..);
    let sorted: Vec<u16> =
        each.flat_map(|(weight, number)| std::iter::repeat_n(number, (weight / divisor) as usize)).collect();
    Ok(Order::new(1).round(sorted.len()).into_iter().map(|place| sorted[place]).collect())
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(target: &str, weight: u32) -> Question {
        Question {
            weight,
            method: "PUT".into(),
            target: target.into(),
            headers: Vec::new(),
            body: Some(b"body".as_slice().into()),
            status: ExpectedStatus::Successful,
            expected: ExpectedBody::Any,
        }
    }

    #[test]
    fn shares_are_exact_and_shuffled() {
        let asks = Asks::new(&Speech::default(), &[question("/a", 30), question("/b", 10)]).expect("valid");
        let cycle: Vec<u16> = (0..4).map(|count| asks.at(count)).collect();
        assert_eq!(cycle.iter().filter(|&&ask| ask == 1).count(), 1);
        assert_eq!(asks.at(4), asks.at(0));
        let cycle = super::cycle(&[500, 499]).expect("valid");
        assert!(cycle[..500].contains(&1), "shuffled");
    }

    #[test]
    fn weights_that_make_no_cycle() {
        for weights in [vec![0, 0], vec![], vec![65_536, 1]] {
            assert_eq!(super::cycle(&weights).expect_err("refused").exit_code(), 2);
        }
    }

    #[test]
    fn messages_by_the_connections_life() {
        let message = |asks: &Asks, id: MessageId| String::from_utf8_lossy(&asks.messages[id as usize]).into_owned();
        let mut speech = Speech { host: "h".into(), ..Speech::default() };
        let asks = Asks::new(&speech, &[question("/", 1)]).expect("valid");
        assert_eq!((asks.list()[0].kept, asks.messages.len()), (asks.list()[0].last, 1));
        speech.requests_per_connection = Some(2);
        let asks = Asks::new(&speech, &[question("/", 1)]).expect("valid");
        assert!(!message(&asks, asks.list()[0].kept.first).contains("Connection: close"));
        assert!(message(&asks, asks.list()[0].last.first).contains("Connection: close"));
        let mut waiting = question("/", 1);
        waiting.headers.push(("Expect".into(), "100-continue".into()));
        let asks = Asks::new(&speech, &[waiting]).expect("valid");
        let Sending { first, continued, is_long: false } = asks.list()[0].kept else { panic!("it is short") };
        assert!(message(&asks, first).ends_with("\r\n\r\n"));
        assert_eq!(message(&asks, continued.expect("it waits")), "body");
    }
}
