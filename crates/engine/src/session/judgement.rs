//! What speaks against a run. Pure.

use super::cores::CoreUse;
use crate::lines::Validity::{self, Suspect, Void};
use crate::plan::BesideKind;
use crate::recorder::{Counts, LATE_NS};

/// Above this share of a frozen arm's CPU time outside its own slices, a run is void.
const MAX_OUTSIDE: f64 = 0.01;
/// Above this share of its time, a generator core is too busy for a punctual open loop, unless another core was
/// [`FULL`].
const MAX_GENERATOR: f64 = 0.8;
/// From this share on a core is full. A full core of the server is a result, no fault of the generator.
const FULL: f64 = 0.95;
/// The share of requests that may be sent late through the generator's fault.
const MAX_LATE: f64 = 0.01;
/// The share of due requests that may be left unsent.
const MAX_NOT_SENT: f64 = 0.01;
/// The share of their time for which the generator's threads may wait for their cores.
const MAX_RUN_DELAY: f64 = 0.01;
/// The share of its cores that the hypervisor may keep.
const MAX_STEAL: f64 = 0.02;

const OTHERS: &str = "other programs ran there, and answers look slower than they were";

#[derive(Debug)]
pub(super) struct Run {
    pub(super) ended_early: bool,
    /// Over the measured slices.
    pub(super) cores: Option<CoreUse>,
    /// Whether what is measured may run on the generator's cores.
    pub(super) shares_cores: bool,
    pub(super) arms: Vec<Arm>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Arm {
    pub(super) name: String,
    pub(super) connections: u32,
    /// Whether every connection has been open; `None` if the run ended before this arm's turn.
    pub(super) all_opened: Option<bool>,
    /// Connections that had never been open when it was measured first.
    pub(super) unopened: u32,
    pub(super) is_open_loop: bool,
    /// Whether it stands still outside its own slices: it is frozen there, and no other arm runs the same processes.
    pub(super) is_frozen: bool,
    /// Of the measured slices.
    pub(super) counts: Counts,
    /// The share of its threads' time, in measured slices, in which the generator did not only wait.
    pub(super) generator_busy: f64,
    /// The share of its threads' time, in measured slices, in which they were ready to run and had to wait.
    pub(super) run_delay: Option<f64>,
    pub(super) own_cpu_ns: u64,
    pub(super) outside_cpu_ns: u64,
    /// Measured slices in which this machine's clock and the agent's did not go alike.
    pub(super) unsteady_slices: u32,
    pub(super) unasked_bytes: u64,
    /// Slow clients and idle connections that have never been open.
    pub(super) unopened_beside: Vec<(BesideKind, u32)>,
}

pub(super) fn judge(run: &Run) -> (Validity, Vec<String>) {
    let mut reasons = Vec::new();
    if run.ended_early {
        let reason = "it ended early: by a signal, or because nobody reads its output any more";
        reasons.push((Suspect, reason.to_owned()));
    }
    let is_alone = run.arms.len() == 1;
    for arm in &run.arms {
        let named = |(validity, reason)| (validity, format!("arm `{}`: {reason}", arm.name));
        reasons.extend(of_arm(arm, run.cores.as_ref(), is_alone).into_iter().map(named));
    }
    // With several arms both of these hit all alike; the harness judges them.
    let alone = run.arms.first().filter(|_| is_alone && !run.shares_cores);
    if let Some(delay) = alone.and_then(|arm| arm.run_delay).filter(|delay| *delay > MAX_RUN_DELAY) {
        let percent = delay * 100.0;
        reasons.push((Suspect, format!("for {percent:.1} % of the time the generator waited for its core: {OTHERS}")));
    }
    if let Some(cores) = run.cores.filter(|cores| is_alone && cores.steal > MAX_STEAL) {
        let percent = cores.steal * 100.0;
        reasons.push((Suspect, format!("the hypervisor kept {percent:.0} % of a generator core's time")));
    }
    let validity = reasons.iter().map(|(validity, _)| *validity).max().unwrap_or(Validity::Valid);
    (validity, reasons.into_iter().map(|(_, reason)| reason).collect())
}

fn of_arm(arm: &Arm, cores: Option<&CoreUse>, is_alone: bool) -> Vec<(Validity, String)> {
    let Arm { counts, connections, generator_busy, unasked_bytes, .. } = arm;
    let share = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
    let mut reasons = Vec::new();
    let mut object = |validity, reason| reasons.push((validity, reason));
    if arm.all_opened == Some(false) {
        object(Suspect, format!("not all of its {connections} connections could be opened"));
    } else if arm.unopened > 0 {
        let late = "connections were not open yet when it was measured first";
        object(Suspect, format!("{} of its {connections} {late}", arm.unopened));
    }
    for (kind, unopened) in &arm.unopened_beside {
        object(Suspect, format!("{unopened} of its {} could not be opened", kind.name()));
    }
    if counts.ports_exhausted > 0 {
        let no_port = "times there was no local port left (net.ipv4.ip_local_port_range) for a connection";
        object(Suspect, format!("{} {no_port}", counts.ports_exhausted));
    }
    if arm.is_open_loop {
        let late = share(counts.late, counts.sent);
        if late > MAX_LATE {
            let late =
                format!("{:.1} % of its requests were sent more than {} ms late", late * 100.0, LATE_NS / 1_000_000);
            object(Suspect, format!("{late} though a connection was free"));
        }
        if *generator_busy > MAX_GENERATOR && cores.is_none_or(|cores| cores.busiest_other < FULL) {
            let percent = generator_busy * 100.0;
            object(Suspect, format!("the generator's cores were {percent:.0} % busy and no other one was full"));
        }
        let not_sent = share(counts.not_sent, counts.due());
        // If arms are compared, a load that one cannot carry is its result.
        if is_alone && not_sent > MAX_NOT_SENT {
            let percent = not_sent * 100.0;
            object(Suspect, format!("{percent:.1} % of the due requests were never sent: every connection was taken"));
        }
    }
    let outside = share(arm.outside_cpu_ns, arm.own_cpu_ns);
    if !is_alone && arm.is_frozen && outside > MAX_OUTSIDE {
        object(Void, format!("{:.1} % of its CPU time was used outside its own slices", outside * 100.0));
    }
    if arm.unsteady_slices > 0 {
        let apart = "slices the clocks of the two machines went apart by more than 0.1 %";
        object(Void, format!("in {} {apart}: one was set, or is not steady", arm.unsteady_slices));
    }
    if *unasked_bytes > 0 {
        object(Suspect, format!("{unasked_bytes} bytes came where no request was in flight"));
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm() -> Arm {
        let counts = Counts { sent: 1000, answers: 1000, ..Counts::default() };
        Arm { name: "a".into(), connections: 4, all_opened: Some(true), is_open_loop: true, counts, ..Arm::default() }
    }

    fn verdict(arms: Vec<Arm>, cores: CoreUse) -> (Validity, String) {
        let (validity, reasons) = judge(&Run { ended_early: false, cores: Some(cores), shares_cores: false, arms });
        (validity, reasons.join("; "))
    }

    #[test]
    fn one_arm_alone() {
        type Change = fn(&mut Arm, &mut CoreUse);
        let table: [(&str, Change); 15] = [
            ("", |_, _| {}),
            ("", |arm, _| arm.all_opened = None),
            ("connections could be opened", |arm, _| arm.all_opened = Some(false)),
            ("3 of its 4 connections were not open yet", |arm, _| arm.unopened = 3),
            ("for 2.0 % of the time the generator waited for its core", |arm, _| arm.run_delay = Some(0.02)),
            ("", |arm, _| arm.run_delay = Some(0.01)),
            ("no local port left", |arm, _| arm.counts.ports_exhausted = 3),
            ("2.0 % of its requests were sent more than 1 ms late", |arm, _| arm.counts.late = 20),
            ("", |arm, _| arm.counts.late = 10),
            ("90 % busy", |arm, _| arm.generator_busy = 0.9),
            ("", |arm, cores| (arm.generator_busy, cores.busiest_other) = (0.9, 0.99)),
            ("", |arm, _| (arm.generator_busy, arm.is_open_loop) = (0.9, false)),
            ("16.7 % of the due requests were never sent", |arm, _| arm.counts.not_sent = 200),
            ("the hypervisor kept 5 %", |_, cores| cores.steal = 0.05),
            ("7 bytes came", |arm, _| arm.unasked_bytes = 7),
        ];
        for (expected, change) in table {
            let (mut arm, mut cores) = (arm(), CoreUse::default());
            change(&mut arm, &mut cores);
            let (validity, reasons) = verdict(vec![arm], cores);
            let is_right = if expected.is_empty() { reasons.is_empty() } else { reasons.contains(expected) };
            assert!(is_right, "`{expected}`: `{reasons}`");
            assert_eq!(validity == Validity::Valid, expected.is_empty(), "{reasons}");
        }
    }

    #[test]
    fn of_arms_that_are_compared_a_load_that_one_cannot_carry_is_its_result() {
        let mut overloaded = arm();
        overloaded.counts.not_sent = 500;
        assert_eq!(verdict(vec![arm(), overloaded], CoreUse { steal: 0.5, ..CoreUse::default() }).0, Validity::Valid);
    }

    #[test]
    fn a_generator_that_shares_its_core_waits_for_it() {
        let waiting = || Arm { run_delay: Some(0.4), ..arm() };
        for (shares_cores, arms, expected) in [
            (false, vec![waiting()], Validity::Suspect),
            (true, vec![waiting()], Validity::Valid),
            (false, vec![waiting(), waiting()], Validity::Valid),
        ] {
            assert_eq!(judge(&Run { ended_early: false, cores: None, shares_cores, arms }).0, expected);
        }
    }

    #[test]
    fn clocks_that_go_apart_make_a_run_void() {
        let (validity, reasons) = verdict(vec![Arm { unsteady_slices: 2, ..arm() }], CoreUse::default());
        assert_eq!(validity, Validity::Void);
        assert!(reasons.starts_with("arm `a`: in 2 slices the clocks of the two machines went apart"), "{reasons}");
    }

    #[test]
    fn work_outside_its_slices_makes_a_run_void() {
        let mut leaky = Arm { is_frozen: true, ..arm() };
        (leaky.own_cpu_ns, leaky.outside_cpu_ns) = (1000, 11);
        let (validity, reasons) = verdict(vec![arm(), leaky.clone()], CoreUse::default());
        assert_eq!(
            (validity, reasons.as_str()),
            (Validity::Void, "arm `a`: 1.1 % of its CPU time was used outside its own slices")
        );
        leaky.is_frozen = false;
        assert_eq!(verdict(vec![arm(), leaky], CoreUse::default()).0, Validity::Valid, "it is never frozen");
    }
}
