//! The result of `load` as one JSON object. docs/how-to/load-a-url.md says what each key is.

use super::beside::{self, BesideFigures};
use super::log::LogReceipt;
use super::quantile::{Figures, Quantiles};
use super::{LoadArguments, LoadResult, Opening, SliceCounts};
use crate::lines::{CountedFault, TlsHandshakes, Validity};
use crate::recorder::{Account, Distribution, Errors};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Json<'a> {
    url: &'a str,
    connections: u32,
    /// Requests at a time on each connection; `None` if not over HTTP/2.
    streams: Option<u32>,
    established: u32,
    io: &'a str,
    batch: u32,
    arrivals: &'static str,
    /// In words, as on the screen.
    shape: String,
    /// What was read of a log.
    log: Option<&'a LogReceipt>,
    #[serde(flatten)]
    counts: SliceCounts,
    in_flight: u64,
    /// Sent in the warm-up and still unanswered when the measurement began.
    in_flight_at_start: u64,
    compared: u64,
    opened: u64,
    opening: Opening,
    elapsed_ns: u64,
    drain_ns: Option<u64>,
    throughput_per_s: f64,
    offered_per_s: Option<f64>,
    response_time_ns: Option<Figures>,
    service_time_ns: Figures,
    send_lag_ns: Option<Figures>,
    /// Only for an open loop on one thread.
    send_gap_variation: Option<f64>,
    handshake_time_ns: Option<Figures>,
    handshakes_resumed: u64,
    tls: Vec<TlsHandshakes>,
    server_faults: Vec<CountedFault>,
    slow_clients: Option<BesideFigures>,
    idle_connections: Option<BesideFigures>,
    generator_cpu_ns: u64,
    generator_spin_ns: u64,
    warm_up_plateau: Option<bool>,
    /// Of a mix, what became of each of its requests.
    requests: Vec<RequestFigures<'a>>,
    validity: Validity,
    reasons: &'a [String],
}

#[derive(Serialize)]
struct RequestFigures<'a> {
    request: &'a str,
    answers: u64,
    sent: u64,
    not_sent: u64,
    in_flight: u64,
    errors: Errors,
    response_time_ns: Option<Figures>,
    service_time_ns: Figures,
}

impl<'a> RequestFigures<'a> {
    fn of((name, account): &'a (String, Account)) -> Self {
        let &Account { sent, not_sent, answers, in_flight, errors, ref service, ref response } = account;
        Self {
            request: name,
            answers,
            sent,
            not_sent,
            in_flight,
            errors,
            response_time_ns: response.as_deref().map(|times| Quantiles::new(times).figures()),
            service_time_ns: Quantiles::new(service).figures(),
        }
    }
}

impl<'a> Json<'a> {
    pub(super) fn new(arguments: &'a LoadArguments, result: &'a LoadResult) -> Self {
        let counts = result.slice;
        let arm = &result.arm;
        let open = arm.times.open.as_deref();
        let figures = |times: &Distribution| Quantiles::new(times).figures();
        let in_flight = arm.counts.in_flight();
        let [slow_clients, idle_connections] = beside::figures(arguments, result);
        Self {
            url: &arguments.url,
            connections: arguments.connections,
            streams: arguments.streams(),
            established: arm.established,
            io: &result.io,
            batch: result.batch,
            arrivals: result.arrivals,
            shape: arguments.shape_text(),
            log: result.log.as_ref(),
            counts,
            in_flight,
            in_flight_at_start: (in_flight + counts.answers + counts.errors.after_sending())
                .saturating_sub(counts.sent),
            compared: arm.counts.compared,
            opened: arm.counts.opened,
            opening: result.opening,
            elapsed_ns: result.elapsed_ns,
            drain_ns: result.drain_ns,
            throughput_per_s: result.throughput_per_s(),
            offered_per_s: result.offered_per_s,
            response_time_ns: open.map(|open| figures(&open.response)),
            service_time_ns: figures(&arm.times.service),
            send_lag_ns: open.map(|open| figures(&open.send_lag)),
            send_gap_variation: open.filter(|_| result.threads == 1).and_then(|open| open.gaps.variation()),
            handshake_time_ns: result.handshake_times().as_ref().map(figures),
            handshakes_resumed: arm.handshakes.resumed,
            tls: TlsHandshakes::of(&arm.handshakes),
            server_faults: CountedFault::of(&arm.faults),
            slow_clients,
            idle_connections,
            generator_cpu_ns: result.generator_cpu_ns,
            generator_spin_ns: result.spin_ns,
            warm_up_plateau: result.warm_up_plateau,
            requests: arm.requests.iter().map(RequestFigures::of).collect(),
            validity: result.end.validity,
            reasons: &result.end.reasons,
        }
    }
}
