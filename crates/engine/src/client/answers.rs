//! Reading answers and judging them.

use super::Client;
use super::asked::Upload;
use crate::check::Correct;
use crate::io::{Next, Slot};
use crate::recorder::ErrorKind;
use crate::schedule::Schedule;
use crate::wire::Event;

impl<S: Schedule> Client<S> {
    /// Its answer is counted: the connection takes the next request, if it still may. A request whose end has not left,
    /// because the answer came early, would be in the way of the next.
    #[inline]
    pub(super) fn free_or_reconnect(&mut self, slot: Slot) -> Next {
        let connection = &self.connections[slot as usize];
        if connection.requests_left == 0 || connection.upload != Upload::Done {
            return self.reconnect(slot);
        }
        self.free(slot)
    }

    #[inline]
    pub(super) fn correct(&mut self, slot: Slot, correct: Correct) {
        let connection = &mut self.connections[slot as usize];
        connection.failures = 0;
        self.in_flight -= 1;
        self.recorder.counts.compared += u64::from(correct == Correct::Compared);
        // A thread that left the last slice late has read a clock that the arm's has yet to reach.
        let since = |ns: u64| self.now_ns.saturating_sub(ns);
        self.recorder.answer(since(connection.since_ns), since(connection.intended_ns));
    }

    /// Reads an answer that is not the last one's copy.
    pub(super) fn read(&mut self, slot: Slot, bytes: &[u8]) -> Next {
        let connection = &mut self.connections[slot as usize];
        let check = &mut self.lane_requests[usize::from(connection.request)].check;
        let whole = connection.response.is_at_start();
        let mut input = bytes;
        let mut go_on = None;
        loop {
            match connection.response.next(&mut input) {
                Ok(Event::Interim(status)) => {
                    if let (100, Upload::Waits(body)) = (status, connection.upload) {
                        go_on = Some(body);
                    }
                }
                Ok(Event::Head(head)) => {
                    connection.status_is_right = check.status(head.status);
                    connection.closes = head.closes;
                    if connection.status_is_right {
                        check.begin(&mut connection.progress);
                    }
                }
                Ok(Event::Body(body)) if connection.status_is_right => check.body(&mut connection.progress, body),
                Ok(Event::Body(_)) => {}
                Ok(Event::More) => {
                    return match go_on {
                        Some(body) => {
                            self.send_body(slot as usize, body);
                            Next::Send
                        }
                        None => connection.skippable(),
                    };
                }
                Ok(Event::End) => break,
                Err(_) => return self.fail(slot, ErrorKind::Protocol),
            }
        }
        if !input.is_empty() {
            return self.fail(slot, ErrorKind::Protocol);
        }
        let correct = self.complete(slot);
        if self.connections[slot as usize].closes {
            return self.reconnect(slot);
        }
        if correct == Some(Correct::Compared) && whole {
            let request = usize::from(self.connections[slot as usize].request);
            let last_correct = &mut self.lane_requests[request].last_correct;
            last_correct.clear();
            last_correct.extend_from_slice(bytes);
        }
        self.free_or_reconnect(slot)
    }

    /// An answer is complete: it is judged and counted. The connection is in step with the server in any case.
    pub(super) fn complete(&mut self, slot: Slot) -> Option<Correct> {
        let connection = &mut self.connections[slot as usize];
        let check = &mut self.lane_requests[usize::from(connection.request)].check;
        let judged =
            if connection.status_is_right { check.end(&mut connection.progress) } else { Err(ErrorKind::Status) };
        match judged {
            Ok(correct) => {
                self.correct(slot, correct);
                Some(correct)
            }
            Err(kind) => {
                self.in_flight -= 1;
                self.recorder.counts.errors.add(kind);
                None
            }
        }
    }
}
