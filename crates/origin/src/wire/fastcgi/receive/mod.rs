//! Requests out of records. Only parameters are kept, up to a limit; all other contents are skipped as they come.

use super::encode;
use super::params::{Pairs, Parameters, push_pair};
use super::record::{self, HEADER_BYTES, Header};
use crate::answer::{Answer, Body, Persistence, Request, Status};
use crate::wire::{MAX_HEAD_BYTES, Step};

const RESPONDER: u16 = 1;
const KEEP_CONN: u8 = 1;
/// Capacity that a connection keeps for the parameters of its next request.
const KEPT_CAPACITY: usize = 1024;

/// The receiving side of one connection.
#[derive(Debug, Default)]
pub(crate) struct FastCgi {
    receiving: Option<Receiving>,
    params: Vec<u8>,
    /// How much of a PARAMS record's content is still to come.
    params_left: usize,
    /// How much content and padding to skip is still to come.
    skip: usize,
    answering: u16,
}

#[derive(Debug)]
struct Receiving {
    id: u16,
    persistence: Persistence,
    params_done: bool,
    stdin_bytes: u64,
}

impl FastCgi {
    pub fn answering(&self) -> u16 {
        self.answering
    }

    /// See [`crate::wire::Codec::read_abort`].
    pub fn read_abort(&mut self, input: &[u8]) -> Option<usize> {
        // The rest of the record that completed the request can only be padding.
        let header = Header::read(input.get(self.skip..)?)?;
        let length = self.skip + HEADER_BYTES + usize::from(header.content) + usize::from(header.padding);
        if header.kind != record::ABORT_REQUEST || header.id != self.answering || input.len() < length {
            return None;
        }
        self.skip = 0;
        Some(length)
    }

    /// See [`crate::wire::Codec::advance`].
    pub fn advance(&mut self, input: &[u8], date: &str, out: &mut Vec<u8>) -> (usize, Step) {
        let mut at = 0;
        loop {
            let kept = self.params_left.min(input.len() - at);
            self.params.extend_from_slice(&input[at..at + kept]);
            self.params_left -= kept;
            at += kept;
            let skipped = self.skip.min(input.len() - at);
            self.skip -= skipped;
            at += skipped;
            // Empty if something is still to be kept or skipped.
            let rest = &input[at..];
            let Some(header) = Header::read(rest) else {
                return (at, Step::NeedMore);
            };
            // The contents of these two can be read only as a whole.
            let whole = matches!(header.kind, record::BEGIN_REQUEST | record::GET_VALUES);
            if whole && rest.len() < HEADER_BYTES + usize::from(header.content) {
                return (at, Step::NeedMore);
            }
            at += HEADER_BYTES;
            let step = self.record(header, &rest[HEADER_BYTES..], date, out);
            if step != Step::NeedMore {
                return (at, step);
            }
        }
    }

    fn record(&mut self, header: Header, content: &[u8], date: &str, out: &mut Vec<u8>) -> Step {
        if header.version != record::VERSION {
            return Step::Broken;
        }
        self.skip = usize::from(header.content) + usize::from(header.padding);
        if header.id == 0 {
            return management(header, content, out);
        }
        if header.kind == record::BEGIN_REQUEST {
            return self.begin(header, content, out);
        }
        // The specification wants records of an unknown request to be ignored.
        let Some(receiving) = self.receiving.as_mut().filter(|receiving| receiving.id == header.id) else {
            return Step::NeedMore;
        };
        match header.kind {
            record::ABORT_REQUEST => {
                record::end_request(out, header.id, record::REQUEST_COMPLETE);
                self.receiving = None;
                Step::Aborted
            }
            record::PARAMS if receiving.params_done => Step::Broken,
            record::PARAMS if header.content == 0 => {
                receiving.params_done = true;
                Step::NeedMore
            }
            record::PARAMS => {
                if self.params.len() + usize::from(header.content) > MAX_HEAD_BYTES {
                    return self.refuse(Status(431, "Request Header Fields Too Large"), date, out);
                }
                self.params_left = usize::from(header.content);
                self.skip = usize::from(header.padding);
                Step::NeedMore
            }
            record::STDIN if header.content == 0 && receiving.params_done => self.complete(date, out),
            record::STDIN if header.content == 0 => Step::Broken,
            record::STDIN => {
                receiving.stdin_bytes += u64::from(header.content);
                Step::NeedMore
            }
            _ => Step::NeedMore,
        }
    }

    fn begin(&mut self, header: Header, content: &[u8], out: &mut Vec<u8>) -> Step {
        let Some(body) = content.first_chunk::<8>().filter(|_| header.content == 8) else {
            return Step::Broken;
        };
        if self.receiving.is_some() {
            record::end_request(out, header.id, record::CANT_MPX_CONN);
            return Step::Refused;
        }
        if u16::from_be_bytes([body[0], body[1]]) != RESPONDER {
            record::end_request(out, header.id, record::UNKNOWN_ROLE);
            return if body[2] & KEEP_CONN == 0 { Step::Broken } else { Step::Refused };
        }
        self.params.clear();
        self.params.shrink_to(KEPT_CAPACITY);
        self.receiving = Some(Receiving {
            id: header.id,
            persistence: if body[2] & KEEP_CONN == 0 { Persistence::Close } else { Persistence::KeepAlive },
            params_done: false,
            stdin_bytes: 0,
        });
        Step::NeedMore
    }

    fn complete(&mut self, date: &str, out: &mut Vec<u8>) -> Step {
        let Some(receiving) = self.receiving.as_ref() else {
            return Step::NeedMore;
        };
        let sound = Parameters::read(&self.params)
            .filter(|parameters| parameters.content_length.is_none_or(|length| length == receiving.stdin_bytes));
        let Some(parameters) = sound else {
            return self.refuse(Status(400, "Bad Request"), date, out);
        };
        let request = Request {
            method: parameters.method,
            script: parameters.script,
            head_bytes: self.params.len() as u64,
            body_bytes: receiving.stdin_bytes,
            persistence: receiving.persistence,
        };
        self.answering = receiving.id;
        self.receiving = None;
        Step::Request(request)
    }

    /// Answers and ends the connection: the bytes that follow cannot be trusted.
    fn refuse(&mut self, status: Status, date: &str, out: &mut Vec<u8>) -> Step {
        if let Some(receiving) = self.receiving.take() {
            let answer = Answer::plain(status, "text/plain", Body::Fixed(b"not a request that is served here\n"));
            // A body this small never becomes a stream.
            let _ = encode(answer, receiving.id, date, out);
        }
        Step::Broken
    }
}

fn management(header: Header, content: &[u8], out: &mut Vec<u8>) -> Step {
    if header.kind != record::GET_VALUES {
        record::header(out, record::UNKNOWN_TYPE, 0, 8, 0);
        out.extend_from_slice(&[header.kind, 0, 0, 0, 0, 0, 0, 0]);
        return Step::NeedMore;
    }
    let mut values = Vec::new();
    for name in ["FCGI_MAX_CONNS", "FCGI_MAX_REQS", "FCGI_MPXS_CONNS"] {
        let asked = Pairs::of(&content[..usize::from(header.content)]).any(|(asked, _)| asked == name.as_bytes());
        if asked {
            let value = if name == "FCGI_MPXS_CONNS" { "0" } else { "65535" };
            push_pair(&mut values, name.as_bytes(), value.as_bytes());
        }
    }
    if values.is_empty() {
        record::header(out, record::GET_VALUES_RESULT, 0, 0, 0);
    } else {
        record::stream(out, record::GET_VALUES_RESULT, 0, &values);
    }
    Step::NeedMore
}

#[cfg(test)]
mod tests;
