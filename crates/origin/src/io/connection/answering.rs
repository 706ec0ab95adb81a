//! From a request to an answer on its way, and the accounts of both.

use super::{Connection, Origin, Stage};
use crate::answer::fault::Reply;
use crate::answer::{Answer, Ending, Extent, Fault, Request, Script};
use crate::io::context::Context;
use crate::io::output::Mark;
use crate::link::Protocol;
use crate::log::requests::NEVER;
use crate::log::{Counts, Outcome, Row};
use hopcost_common::clock;

impl Connection {
    pub(super) fn arrived(&mut self, context: &mut Context, mut request: Request) {
        if let Some(route) = context.settings.any_path {
            request.script = Script::plain(route);
        }
        let counts = self.counts(context);
        counts.requests_received += 1;
        counts.body_bytes_in += request.body_bytes;
        self.requests += 1;
        let delay_ns = request.script.delay.map(|delay| delay.draw(&mut context.random));
        let (arrival_ns, done_ns) = match context.enter_queue() {
            Some((arrival_ns, done_ns)) => (arrival_ns, Some(done_ns)),
            None if delay_ns.is_some() || context.requests.is_some() => (clock::monotonic_ns(), None),
            None => (0, None),
        };
        let due_ns = match (done_ns, delay_ns) {
            (None, None) => None,
            (done_ns, delay_ns) => Some(done_ns.unwrap_or(arrival_ns) + delay_ns.unwrap_or(0)),
        };
        match due_ns {
            Some(until_ns) => {
                context.timers.push(until_ns, self.token);
                self.stage = Stage::Delayed { until_ns, arrival_ns, request: Box::new(request) };
            }
            None => self.answer(context, request, arrival_ns),
        }
    }

    pub(super) fn answer(&mut self, context: &mut Context, request: Request, arrival_ns: u64) {
        let script = request.script;
        let settings = context.settings;
        settings.work.burn_rounds(settings.work_rounds);
        settings.work.burn_ns(script.work_ns);
        context.owed_ns += script.work_after_ns;
        let mut answer = Answer::to(&request);
        if let Some(content_type) = settings.content_type {
            answer.content_type = content_type;
        }
        if context.settings.requests_per_connection.is_some_and(|most| self.requests >= most) {
            answer.close_announced();
        }
        let mut fault = script.fault.filter(|fault| context.fault_hits(*fault, script.every));
        let outcome = match fault {
            None => Reply::Answer(answer),
            Some(kind) => {
                let (outcome, done) = kind.apply(answer, self.codec.protocol(), script.pause_ns);
                fault = fault.filter(|_| done);
                outcome
            }
        };
        let answer = match outcome {
            Reply::Answer(answer) => answer,
            withheld => {
                self.stage = if withheld == Reply::Hang { Stage::Silent } else { Stage::HalfClosing };
                if let Some(kind) = fault {
                    self.counts(context).faults.count(kind);
                }
                return self.lost(context, arrival_ns, fault, Outcome::Withheld);
            }
        };
        if answer.ending != Ending::KeepAlive {
            self.stage = Stage::Ending(answer.ending);
        }
        let cut = matches!(answer.extent, Extent::Half | Extent::HalfHead)
            && (self.codec.protocol() == Protocol::Http || answer.ending == Ending::Reset);
        let mut mark = Mark { end: 0, arrival_ns, fault, body_bytes: answer.body_bytes(), cut };
        match self.codec.encode(answer, &context.date, &mut self.output.queue.bytes) {
            Some(stream) => self.output.stream = Some(Box::new((stream, mark))),
            None => {
                mark.end = self.output.queue.bytes.len();
                self.output.queue.marks.push(mark);
            }
        }
    }

    /// Counts the answers that are out.
    pub(super) fn settle(&mut self, context: &mut Context) {
        let mut now_ns = None;
        while let Some(mark) = self.output.completed() {
            let counts = self.counts(context);
            if mark.cut {
                counts.answers_cut += 1;
            } else {
                counts.answers_sent += 1;
            }
            counts.body_bytes_out += mark.body_bytes;
            if let Some(fault) = mark.fault {
                counts.faults.count(fault);
            }
            let outcome = if mark.cut { Outcome::Cut } else { Outcome::Sent };
            if context.requests.is_some() {
                let sent_ns = *now_ns.get_or_insert_with(clock::monotonic_ns);
                self.row(context, mark.arrival_ns, sent_ns, mark.fault, outcome);
            }
        }
    }

    /// Accounts for the requests that will have no answer.
    pub fn give_up(&mut self, context: &mut Context, outcome: Outcome) {
        for mark in self.output.unsent() {
            self.lost(context, mark.arrival_ns, mark.fault, outcome);
        }
        if let Stage::Delayed { arrival_ns, .. } = std::mem::replace(&mut self.stage, Stage::Silent) {
            self.lost(context, arrival_ns, None, outcome);
        }
    }

    pub(super) fn lost(&self, context: &mut Context, arrival_ns: u64, fault: Option<Fault>, outcome: Outcome) {
        let counts = self.counts(context);
        match outcome {
            Outcome::Withheld => counts.answers_withheld += 1,
            Outcome::InFlight => counts.answers_in_flight += 1,
            _ => counts.answers_lost += 1,
        }
        self.row(context, arrival_ns, NEVER, fault, outcome);
    }

    fn row(&self, context: &mut Context, arrival_ns: u64, sent_ns: u64, fault: Option<Fault>, outcome: Outcome) {
        if let Some(requests) = &mut context.requests {
            let Origin { listener, number, .. } = self.origin;
            requests.push(Row { arrival_ns, sent_ns, connection: number, listener, outcome, fault });
        }
    }

    pub(super) fn counts<'a>(&self, context: &'a mut Context) -> &'a mut Counts {
        &mut context.counts[usize::from(self.origin.listener)]
    }
}
