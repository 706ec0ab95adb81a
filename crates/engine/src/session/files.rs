//! How many files a session has open. Pure.

use crate::plan::{CpuSource, FreezeBy};
use crate::session::{Session, SessionArm};
use hopcost_common::failure::Failure;

/// Standard streams, output files, and what is opened for a moment.
const OTHER_FILES: u64 = 32;

/// Refuses a session that this limit does not allow. With io_uring the connections are no files of the process: the
/// limit holds for those of each ring.
pub(super) fn check(session: &Session, is_uring: bool, most: u64) -> Result<(), Failure> {
    let lanes = |arm| (0..session.cores.len()).map(move |thread| u64::from(session.connections_of(arm, thread)));
    let connections: u64 = session.arms.iter().map(|arm| u64::from(arm.target.connections)).sum();
    let largest_ring = (0..session.arms.len()).flat_map(lanes).max().unwrap_or(0);
    let files = files_of(session);
    let needed = if is_uring { files.max(largest_ring) } else { files + connections };
    if needed <= most {
        return Ok(());
    }
    let (what, room) = if is_uring && files <= most {
        (format!("{largest_ring} connections of one arm on one thread"), most)
    } else {
        (format!("{connections} connections, over all arms, and {files} other files"), most.saturating_sub(files))
    };
    Err(Failure::machine(format!("{what} are more than the limit of {most} open files allows"))
        .hint(format!("at most {room} connections; or raise the hard limit (ulimit -Hn)")))
}

/// All but the connections.
fn files_of(session: &Session) -> u64 {
    let threads = session.cores.len() as u64;
    let namespaces = session.arms.iter().filter(|arm| arm.network_namespace.is_some()).count() as u64;
    // Each thread has its own namespace at hand as well.
    let namespace_files = if namespaces == 0 { 0 } else { (namespaces + 1) * threads };
    let arms: u64 = session.arms.iter().map(files_of_arm).sum();
    // A ring or an epoll set each.
    let lanes: usize = (0..session.arms.len()).map(|arm| session.lanes_of(arm)).sum();
    OTHER_FILES + namespace_files + arms + lanes as u64
}

/// What the leader keeps open to freeze an arm and to read its CPU time.
fn files_of_arm(arm: &SessionArm) -> u64 {
    let freezing = match &arm.freeze {
        None => 0,
        Some(FreezeBy::Cgroup1(_)) => 1,
        Some(FreezeBy::Cgroup2(_)) => 2,
        Some(FreezeBy::Signal(processes)) => processes.len(),
    };
    let counting = arm.hops.iter().map(|hop| match &hop.cpu {
        CpuSource::Cgroup(_) => 1,
        CpuSource::Processes(processes) => processes.len(),
    });
    (freezing + counting.sum::<usize>()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

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
