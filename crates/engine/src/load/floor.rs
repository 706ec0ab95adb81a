//! `floor` moves the bytes of `load` through the same sockets, but parses, checks and records nothing. Its cost is the
//! lower bound for a load generator on this backend.

use crate::io::Backend;
use crate::io::epoll::Epoll;
use crate::io::uring::{self, Uring};
use crate::io::{Handler, Io, IoFailure, IoSettings, Next, Opened, Outgoing, Slot, process};
use crate::load::{LoadArguments, reach};
use crate::plan::Target;
use crate::requests::PreparedRequest;
use crate::wire::{Event, Reader, Wire};
use hopcost_common::failure::Failure;
use hopcost_common::{clock, limits};
use serde::Serialize;
use std::io::{self, Read as _, Write as _};
use std::sync::Arc;

/// The number of connections that are being opened at once.
const MAX_CONNECTING: u32 = 64;

#[derive(Debug, Serialize)]
struct Json<'a> {
    io: &'a str,
    answers: u64,
    errors: Errors,
    received_bytes: u64,
    elapsed_ns: u64,
    generator_cpu_ns: u64,
}

#[derive(Debug, Serialize)]
struct Errors {
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<u64>,
}

/// Counts bytes. Every answer is as long as the first one.
struct Counter {
    answer_bytes: u64,
    /// The bytes that the current answer still lacks, by connection.
    missing: Vec<u64>,
    connecting: u32,
    answers: u64,
    errors: u64,
    received_bytes: u64,
    now_ns: u64,
}

impl Counter {
    #[inline]
    fn count(&mut self, slot: Slot, bytes: u64) -> Next {
        self.received_bytes += bytes;
        let missing = &mut self.missing[slot as usize];
        if bytes < *missing {
            *missing -= bytes;
            return Next::Nothing;
        }
        *missing = self.answer_bytes;
        self.answers += 1;
        Next::Send
    }

    fn error(&mut self) -> Next {
        self.errors += 1;
        Next::Close
    }
}

impl Handler for Counter {
    #[inline]
    fn batch(&mut self, monotonic_ns: u64) {
        self.now_ns = monotonic_ns;
    }

    fn connected(&mut self, _: Slot) -> Next {
        self.connecting -= 1;
        Next::Send
    }

    #[inline]
    fn outgoing(&mut self, _: Slot) -> Outgoing {
        Outgoing::Message(0)
    }

    fn sent(&mut self, _: Slot) -> Next {
        Next::Nothing
    }

    #[inline]
    fn received(&mut self, slot: Slot, bytes: &[u8]) -> Next {
        self.count(slot, bytes.len() as u64)
    }

    fn skipped(&mut self, slot: Slot, bytes: u64) -> Next {
        self.count(slot, bytes)
    }

    fn premature(&mut self, _: Slot, _: &[u8]) -> Next {
        self.error()
    }

    fn ended(&mut self, _: Slot) -> Next {
        self.error()
    }

    fn failed(&mut self, _: Slot, failure: IoFailure) -> Next {
        self.connecting -= u32::from(failure == IoFailure::Connect);
        self.error()
    }
}

/// Measures, and prints one JSON object.
pub fn run(arguments: &LoadArguments) -> Result<(), Failure> {
    let session = arguments.prepare()?.session;
    let target = &session.arms[0].target;
    let is_plain = target.tls.is_none() && target.requests.wire != Wire::Http2;
    let only = match &*target.requests.list {
        [only] if only.kept == only.last && only.kept.continued.is_none() && is_plain => only,
        _ => return Err(Failure::usage("floor: one request, without TLS or HTTP/2, on connections that are kept")),
    };
    let failed = |what: &str, error: io::Error| Failure::machine(format!("{}: {what}: {error}", arguments.url));
    let answer_bytes = first_answer(target, only).map_err(|error| failed("no first answer", error))?;
    limits::raise_open_files().map_err(|error| failed("open files", error))?;
    process::pin_to_core(session.cores[0]).map_err(|error| failed("the thread cannot be pinned", error))?;
    let settings = IoSettings {
        address: target.address.clone(),
        messages: Arc::clone(&target.requests.messages),
        tls: None,
        connections: target.connections,
        batch: session.batch_of(0, target.connections),
        answer_bytes: target.requests.answer_bytes.map(|_| answer_bytes),
        bytes_per_s: None,
    };
    let by_uring = match session.io {
        Backend::Epoll => false,
        Backend::Auto => uring::probe().is_ok(),
        Backend::Uring => true,
    };
    let (name, outcome) = if by_uring {
        ("uring", drive::<Uring>(&settings, answer_bytes, session.slice_ns))
    } else {
        ("epoll", drive::<Epoll>(&settings, answer_bytes, session.slice_ns))
    };
    let json = Json { io: name, ..outcome.map_err(|error| failed(name, error))? };
    let text = serde_json::to_string(&json).map_err(|error| Failure::run(error.to_string()))?;
    writeln!(io::stdout(), "{text}").map_err(|error| Failure::run(format!("standard output: {error}")))
}

fn drive<I: Io>(settings: &IoSettings, answer_bytes: u64, length_ns: u64) -> io::Result<Json<'static>> {
    let mut io = I::new(settings)?;
    let mut counter = Counter {
        answer_bytes,
        missing: vec![answer_bytes; settings.connections as usize],
        connecting: 0,
        answers: 0,
        errors: 0,
        received_bytes: 0,
        now_ns: clock::monotonic_ns(),
    };
    let start_ns = counter.now_ns;
    let generator_ns = clock::process_cpu_ns();
    let until_ns = start_ns.saturating_add(length_ns);
    let mut to_open = 0..settings.connections;
    while counter.now_ns < until_ns {
        while counter.connecting < MAX_CONNECTING
            && let Some(slot) = to_open.next()
        {
            counter.connecting += 1;
            if io.open(slot)? == Opened::Connected {
                let next = counter.connected(slot);
                io.apply(slot, next, &mut counter);
            }
        }
        io.wait(until_ns, &mut counter)?;
    }
    Ok(Json {
        io: "",
        answers: counter.answers,
        errors: Errors { read: (counter.errors > 0).then_some(counter.errors) },
        received_bytes: counter.received_bytes,
        elapsed_ns: counter.now_ns - start_ns,
        generator_cpu_ns: clock::process_cpu_ns() - generator_ns,
    })
}

/// The length of an answer, head included, from one request.
fn first_answer(target: &Target, request: &PreparedRequest) -> io::Result<u64> {
    let mut stream = reach::connect(&target.address)?;
    stream.write_all(&target.requests.messages[request.kept.first as usize])?;
    let mut response = Reader::new(target.requests.wire);
    response.begin(request.to_head);
    let mut buffer = vec![0; 65_536];
    let mut bytes = 0;
    loop {
        let received = stream.read(&mut buffer)?;
        if received == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes += received as u64;
        let mut input = &buffer[..received];
        loop {
            match response.next(&mut input).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))? {
                Event::More => break,
                Event::End => return Ok(bytes),
                Event::Head(head) if head.closes => {
                    return Err(io::Error::other("the server closes after each answer"));
                }
                Event::Interim(_) | Event::Head(_) | Event::Body(_) => {}
            }
        }
    }
}
