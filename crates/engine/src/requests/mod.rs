//! The requests of an arm: how often each is sent, its bytes, and the answer that is expected.
//!
//! Every request is put into bytes once, before any load. After that a request is the number of a message.

mod names;
mod order;

pub use self::order::Order;

use self::names::Accounts;
use crate::check::{Check, ExpectedBody, ExpectedStatus};
use crate::io::{Address, MessageId, Messages, REPORTED_BYTES};
use crate::recorder::AccountId;
use crate::schedule::Place;
use crate::wire::{Request, Wire, fastcgi, h2, http_bytes};
use hopcost_common::failure::Failure;
use std::sync::Arc;

/// A message is kept whole in memory.
const MAX_MESSAGE_BYTES: usize = 1 << 30;

/// The number of a request among those of an arm.
pub type RequestId = u32;

/// One request, and what its answer has to be.
#[derive(Debug, Clone)]
pub struct RequestSpec {
    /// What it is called; `None` is its method and target.
    pub name: Option<String>,
    /// How often it is sent, in proportion to the others.
    pub weight: u32,
    pub method: String,
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<Arc<[u8]>>,
    pub status: ExpectedStatus,
    pub expected: ExpectedBody,
}

impl RequestSpec {
    fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| format!("{} {}", self.method, self.target))
    }
}

/// How requests are put into bytes: the wire, and what it says of the server.
#[derive(Debug, Clone, Default)]
pub struct WireSettings {
    pub wire: Wire,
    /// The value of `Host` if a request has none.
    pub host: String,
    pub parameters: fastcgi::Parameters,
    /// After this many requests a connection is closed.
    pub requests_per_connection: Option<u32>,
    /// HTTP/2: how many requests a connection has at a time.
    pub streams: Option<u32>,
    /// Whether the wire is within TLS: HTTP/2's requests say so.
    pub is_tls: bool,
}

impl WireSettings {
    /// FastCGI's parameters describe the server as a proxy at this address would describe itself.
    pub fn at(address: &Address, wire: Wire, host: &str, fastcgi_params: Vec<(String, String)>) -> Self {
        let (server_address, server_port) = match address {
            Address::Tcp(address) => (address.ip().to_string(), address.port().to_string()),
            Address::Unix(_) => ("127.0.0.1".to_owned(), "80".to_owned()),
        };
        let parameters = fastcgi::Parameters { server_address, server_port, given: fastcgi_params };
        Self { wire, host: host.to_owned(), parameters, ..Self::default() }
    }
}

/// The messages of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestMessages {
    /// What is sent at once.
    pub first: MessageId,
    /// What is sent when the server says 100 Continue.
    pub continued: Option<MessageId>,
    /// Whether the backend reports when the first message has left.
    pub is_long: bool,
}

/// One request, ready to be sent.
#[derive(Debug, Clone)]
pub struct PreparedRequest {
    /// Whether this is HEAD: the answer has no body whatever its head says.
    pub to_head: bool,
    /// The messages if the connection is kept.
    pub kept: RequestMessages,
    /// The messages of a connection's last request.
    pub last: RequestMessages,
    /// Where it is entered besides the whole.
    pub account: AccountId,
    status: ExpectedStatus,
    expected: ExpectedBody,
}

impl PreparedRequest {
    pub fn check(&self) -> Check {
        Check::new(self.status, self.expected.clone())
    }
}

/// All requests of an arm.
#[derive(Debug, Clone)]
pub struct RequestMix {
    pub wire: Wire,
    /// After this many requests a connection is closed.
    pub requests_per_connection: Option<u32>,
    /// How many requests a connection has at a time.
    pub streams: u32,
    pub messages: Messages,
    /// What is sent on HTTP/2 in place of messages.
    pub http2: Arc<h2::Requests>,
    pub list: Arc<[PreparedRequest]>,
    /// The names of the accounts; none if there is one request.
    pub accounts: Arc<[String]>,
    order: Order,
    /// The length of the longest body, if all are known.
    pub answer_bytes: Option<u64>,
}

impl RequestMix {
    /// Puts requests into bytes that are sent as often as their weights say.
    pub fn new(settings: &WireSettings, specs: &[RequestSpec]) -> Result<Self, Failure> {
        let names: Vec<String> = specs.iter().map(RequestSpec::name).collect();
        let weights = names.iter().map(String::as_str).zip(specs.iter().map(|spec| spec.weight));
        Self::in_order(settings, specs, Order::by_weight(weights)?)
    }

    /// Puts requests into bytes that are sent in this order.
    pub fn in_order(settings: &WireSettings, specs: &[RequestSpec], order: Order) -> Result<Self, Failure> {
        let weights: Vec<u32> = specs.iter().map(|spec| spec.weight).collect();
        let Accounts { names, of_requests } = Accounts::of(&weights, |request| specs[request].name());
        let mut messages = Vec::new();
        let mut list = Vec::new();
        for (spec, account) in specs.iter().zip(of_requests) {
            let closes_at_once = settings.requests_per_connection == Some(1);
            let kept = put(&mut messages, settings, spec, !closes_at_once)?;
            let last = match settings.requests_per_connection {
                None | Some(1) => kept,
                Some(_) => put(&mut messages, settings, spec, false)?,
            };
            let to_head = spec.method == "HEAD";
            let expected = if to_head { ExpectedBody::Bytes([].into()) } else { spec.expected.clone() };
            list.push(PreparedRequest { to_head, kept, last, account, status: spec.status, expected });
        }
        Ok(Self {
            wire: settings.wire,
            requests_per_connection: settings.requests_per_connection,
            streams: settings.streams.unwrap_or(1),
            messages: messages.into(),
            http2: Arc::new(put_http2(settings, specs)?),
            answer_bytes: longest(list.iter().map(|request| request.expected.length())),
            list: list.into(),
            accounts: names.into(),
            order,
        })
    }

    /// Whether the requests have an order of their own, as those of a log.
    pub fn is_sequence(&self) -> bool {
        matches!(self.order, Order::Sequence(_))
    }

    /// Which of the requests is sent at this place of the schedule.
    #[inline]
    pub fn at(&self, place: Place) -> RequestId {
        self.order.at(place)
    }
}

/// The longest of these lengths; `None` if one is unknown.
fn longest(lengths: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    lengths.collect::<Option<Vec<_>>>()?.into_iter().max()
}

fn request_of<'a>(settings: &'a WireSettings, spec: &'a RequestSpec) -> Request<'a> {
    Request {
        method: &spec.method,
        target: &spec.target,
        host: &settings.host,
        headers: &spec.headers,
        body: spec.body.as_deref(),
    }
}

/// The requests of HTTP/2; none on other wires.
fn put_http2(settings: &WireSettings, specs: &[RequestSpec]) -> Result<h2::Requests, Failure> {
    if settings.wire != Wire::Http2 {
        return Ok(h2::Requests::default());
    }
    let requests: Vec<_> = specs.iter().map(|spec| request_of(settings, spec)).collect();
    let scheme = if settings.is_tls { "https" } else { "http" };
    h2::Requests::new(scheme, &requests).map_err(Failure::usage)
}

fn put(
    messages: &mut Vec<Box<[u8]>>,
    settings: &WireSettings,
    spec: &RequestSpec,
    keeps: bool,
) -> Result<RequestMessages, Failure> {
    let request = request_of(settings, spec);
    let mut add = |bytes: &[u8]| {
        if bytes.len() > MAX_MESSAGE_BYTES {
            return Err(Failure::usage(format!("request `{}`: longer than 1 GiB", spec.target)));
        }
        messages.push(bytes.into());
        // A plan with 2^32 requests does not fit into memory.
        Ok((messages.len() - 1) as MessageId)
    };
    let (bytes, first_bytes) = match settings.wire {
        // Its frames depend on the connection.
        Wire::Http2 => return Ok(RequestMessages { first: 0, continued: None, is_long: false }),
        Wire::FastCgi => (fastcgi::request_bytes(&request, &settings.parameters, keeps), usize::MAX),
        Wire::Http => match http_bytes(&request, keeps) {
            (bytes, head_bytes) if request.waits_for_continue() => (bytes, head_bytes),
            (bytes, _) => (bytes, usize::MAX),
        },
    };
    let (first, continued) = bytes.split_at(first_bytes.min(bytes.len()));
    Ok(RequestMessages {
        first: add(first)?,
        continued: if continued.is_empty() { None } else { Some(add(continued)?) },
        is_long: first.len() > REPORTED_BYTES,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(target: &str, weight: u32) -> RequestSpec {
        RequestSpec {
            name: None,
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
    fn the_longest_answer_is_known_only_if_all_are() {
        let answer_bytes = |expected: [ExpectedBody; 2]| {
            let specs = expected.map(|expected| RequestSpec { expected, ..spec("/", 1) });
            RequestMix::new(&WireSettings::default(), &specs).expect("valid").answer_bytes
        };
        assert_eq!(answer_bytes([ExpectedBody::Length(5), ExpectedBody::Length(9)]), Some(9));
        assert_eq!(answer_bytes([ExpectedBody::Length(5), ExpectedBody::Any]), None, "it may be a long one");
    }

    #[test]
    fn messages_by_the_connections_life() {
        let message = |requests: &RequestMix, id: MessageId| {
            String::from_utf8_lossy(&requests.messages[id as usize]).into_owned()
        };
        let mut settings = WireSettings { host: "h".into(), ..WireSettings::default() };
        let requests = RequestMix::new(&settings, &[spec("/", 1)]).expect("valid");
        assert_eq!((requests.list[0].kept, requests.messages.len()), (requests.list[0].last, 1));
        settings.requests_per_connection = Some(2);
        let requests = RequestMix::new(&settings, &[spec("/", 1)]).expect("valid");
        assert!(!message(&requests, requests.list[0].kept.first).contains("Connection: close"));
        assert!(message(&requests, requests.list[0].last.first).contains("Connection: close"));
        let mut waiting = spec("/", 1);
        waiting.headers.push(("Expect".into(), "100-continue".into()));
        let requests = RequestMix::new(&settings, &[waiting]).expect("valid");
        let RequestMessages { first, continued, is_long: false } = requests.list[0].kept else { panic!("it is short") };
        assert!(message(&requests, first).ends_with("\r\n\r\n"));
        assert_eq!(message(&requests, continued.expect("it waits")), "body");
    }
}
