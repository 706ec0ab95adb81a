//! The result of `load` as one JSON object. docs/engine.md says what each key is.

use super::quantile::{Figures, Quantiles};
use super::shape::ArrivalsChoice;
use super::summary::Report;
use super::{Opening, SliceCounts};
use crate::lines::Validity;
use crate::recorder::Distribution;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Json<'a> {
    url: &'a str,
    connections: u32,
    established: u32,
    io: &'a str,
    batch: u32,
    arrivals: &'static str,
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
    service_time_ns: Option<Figures>,
    send_lag_ns: Option<Figures>,
    /// Of an open loop on one thread.
    send_gap_variation: Option<f64>,
    handshake_time_ns: Option<Figures>,
    handshakes_resumed: u64,
    generator_cpu_ns: u64,
    generator_spin_ns: u64,
    warm_up_plateau: Option<bool>,
    validity: Validity,
    reasons: &'a [String],
}

impl Report<'_> {
    pub(super) fn json(&self) -> Json<'_> {
        let shape = &self.arguments.shape;
        let counts = self.outcome.slice;
        let arm = self.outcome.arm.as_ref();
        let times = self.outcome.times();
        let open = times.and_then(|times| times.open.as_deref());
        let figures = |times: &Distribution| Quantiles::new(times).figures();
        let in_flight = self.in_flight();
        Json {
            url: &self.arguments.url,
            connections: self.arguments.connections,
            established: arm.map_or(0, |arm| arm.established),
            io: &self.outcome.io,
            batch: self.outcome.batch,
            arrivals: match (shape.rate, shape.arrivals) {
                (None, _) => "closed",
                (Some(_), ArrivalsChoice::Constant) => "constant",
                (Some(_), ArrivalsChoice::Poisson) => "poisson",
            },
            counts,
            in_flight,
            in_flight_at_start: (in_flight + counts.answers + counts.errors.after_sending())
                .saturating_sub(counts.sent),
            compared: arm.map_or(0, |arm| arm.counts.compared),
            opened: arm.map_or(0, |arm| arm.counts.opened),
            opening: self.outcome.opening,
            elapsed_ns: self.outcome.elapsed_ns,
            drain_ns: self.outcome.drain_ns,
            throughput_per_s: self.throughput_per_s(),
            offered_per_s: shape.rate,
            response_time_ns: open.map(|open| figures(&open.response)),
            service_time_ns: times.map(|times| figures(&times.service)),
            send_lag_ns: open.map(|open| figures(&open.send_lag)),
            send_gap_variation: open.filter(|_| self.outcome.threads == 1).and_then(|open| open.gaps.variation()),
            handshake_time_ns: self.handshake_times().as_ref().map(figures),
            handshakes_resumed: self.handshakes_resumed(),
            generator_cpu_ns: self.outcome.generator_cpu_ns,
            generator_spin_ns: self.outcome.spin_ns,
            warm_up_plateau: self.outcome.warm_up_plateau,
            validity: self.validity(),
            reasons: self.reasons(),
        }
    }
}
