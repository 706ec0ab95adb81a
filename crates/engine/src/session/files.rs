//! How many files a session has open. Pure.

use crate::plan::{BesideKind, CpuSource, FreezeBy};
use crate::session::{Session, SessionArm};
use hopcost_common::failure::Failure;

/// Standard streams, output files, and what is opened for a moment.
const OTHER_FILES: u64 = 32;

/// Refuses a session that this limit does not allow. With io_uring the connections are no files of the process, but for
/// slow clients: the limit holds for those of each ring.
pub(super) fn check(session: &Session, is_uring: bool, most: u64) -> Result<(), Failure> {
    let lanes = |arm| (0..session.cores.len()).map(move |thread| u64::from(session.connections_of(arm, thread)));
    let beside = |kind| session.arms.iter().map(move |arm| u64::from(arm.beside.number(kind)));
    let (slow, idle): (u64, u64) = (beside(BesideKind::Slow).sum(), beside(BesideKind::Idle).sum());
    let fast: u64 = session.arms.iter().map(|arm| u64::from(arm.target.connections)).sum();
    let files = files_of(session);
    let (connections, what) = match (is_uring, slow + idle) {
        (true, _) => (slow, "slow clients"),
        (false, 0) => (fast, "connections"),
        (false, beside) => (fast + beside, "connections, slow and idle ones included"),
    };
    let rings = (0..session.arms.len()).flat_map(lanes).chain(beside(BesideKind::Idle));
    let largest_ring = rings.max().filter(|_| is_uring).unwrap_or(0);
    let (what, room) = if files + connections > most {
        (format!("{connections} {what}, over all arms, and {files} other files"), most.saturating_sub(files))
    } else if largest_ring > most {
        (format!("{largest_ring} connections of one arm on one thread"), most)
    } else {
        return Ok(());
    };
    Err(Failure::machine(format!("{what} are more than the limit of {most} open files allows"))
        .hint(format!("at most {room} connections; or raise the hard limit (ulimit -Hn)")))
}

/// All but the connections.
fn files_of(session: &Session) -> u64 {
    let threads = (session.cores.len() + session.kinds_beside().count()) as u64;
    let namespaces = session.arms.iter().filter(|arm| arm.network_namespace.is_some()).count() as u64;
    // Each thread has its own namespace at hand as well.
    let namespace_files = if namespaces == 0 { 0 } else { (namespaces + 1) * threads };
    let arms: u64 = session.arms.iter().map(files_of_arm).sum();
    // A ring or an epoll set each.
    let lanes_of = |arm: usize| {
        let beside = &session.arms[arm].beside;
        session.lanes_of(arm) + BesideKind::ALL.into_iter().filter(|kind| beside.number(*kind) > 0).count()
    };
    let lanes: usize = (0..session.arms.len()).map(lanes_of).sum();
    OTHER_FILES + namespace_files + arms + lanes as u64
}

/// What the leader keeps open to freeze an arm and to read its CPU time.
fn files_of_arm(arm: &SessionArm) -> u64 {
    let freezing = match &arm.freeze {
        // An agent is one connection, whatever it freezes.
        None | Some(FreezeBy::Agent(_)) => 0,
        Some(FreezeBy::Cgroup1(_)) => 1,
        Some(FreezeBy::Cgroup2(_)) => 2,
        Some(FreezeBy::Signal(processes)) => processes.len(),
    };
    let counting = arm.hops.iter().map(|hop| match &hop.cpu {
        CpuSource::Agent(_) => 0,
        CpuSource::Cgroup(_) => 1,
        CpuSource::Processes(processes) => processes.len(),
    });
    (freezing + counting.sum::<usize>()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{IdleConnections, Plan, SlowClients};

    /// So many arms of 10 connections each, on as many threads; each arm has two processes and a namespace.
    fn session(arms: usize, threads: usize) -> Session {
        let arm = |number| {
            serde_json::json!({
                "name": format!("arm {number}"),
                "address": {"tcp": "127.0.0.1:1"},
                "network_namespace": "/proc/self/ns/net",
                "connections": 10,
                "timeout_ns": 1,
                "request": {"method": "GET", "target": "/", "headers": []},
                "expect": {"status": 200},
                "freeze": {"signal": [1, 2]},
                "hops": [{"name": "hop", "cpu": {"processes": [1, 2]}}],
            })
        };
        let plan = serde_json::json!({
            "seed": 1, "cores": (0..threads).collect::<Vec<_>>(), "io": "auto", "batch": 1, "slice_ns": 1, "rounds": 1,
            "warm_up": {"least_ns": 0, "most_ns": 0},
            "arms": (0..arms).map(arm).collect::<Vec<_>>(),
        });
        Session::from_plan(Plan::parse(&plan.to_string()).expect("a good plan")).expect("a good plan")
    }

    #[test]
    fn every_thread_and_arm_has_files_of_its_own() {
        // Six arms on ten threads: 60 lanes, 70 namespaces, 24 descriptors of processes.
        let many = session(6, 10);
        assert_eq!(files_of(&many), 32 + 60 + 70 + 24);
        assert!(check(&many, false, 186 + 60).is_ok());
        let failure = check(&many, false, 186 + 59).expect_err("one too many");
        assert_eq!(failure.exit_code(), 3);
        assert!(failure.to_string().contains("60 connections, over all arms, and 186 other files"), "{failure}");
    }

    #[test]
    fn slow_clients_are_files_and_idle_connections_are_if_the_others_are() {
        let mut mixed = session(2, 1);
        mixed.arms[0].beside.slow = Some(SlowClients { number: 100, bytes_per_s: 1 });
        mixed.arms[0].beside.idle = Some(IdleConnections { number: 500, every_ns: 1_000_000_000 });
        // Two arms on three threads: four lanes, nine namespaces, eight descriptors of processes.
        assert_eq!(files_of(&mixed), 32 + 4 + 9 + 8);
        assert!(check(&mixed, false, 53 + 620).is_ok());
        let failure = check(&mixed, false, 53 + 619).expect_err("one too many");
        let words = failure.to_string();
        assert!(words.contains("620 connections, slow and idle ones included, over all arms, and 53"), "{words}");
        assert!(words.contains("hint: at most 619 connections"), "{words}");
        assert!(check(&mixed, true, 500).is_ok());
        let failure = check(&mixed, true, 499).expect_err("the idle ones have a ring");
        assert!(failure.to_string().contains("500 connections of one arm on one thread"), "{failure}");
        assert!(check(&mixed, true, 152).expect_err("slow ones").to_string().contains("100 slow clients"));
    }

    #[test]
    fn connections_of_a_ring_are_no_files() {
        let mut large = session(6, 1);
        for arm in &mut large.arms {
            arm.target.connections = 200;
        }
        assert!(check(&large, false, 1000).is_err());
        assert!(check(&large, true, 200).is_ok(), "each ring has 200 at most");
        let failure = check(&large, true, 199).expect_err("a ring may not have them");
        assert!(failure.to_string().contains("200 connections of one arm on one thread"), "{failure}");
    }
}
