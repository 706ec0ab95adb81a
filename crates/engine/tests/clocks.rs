//! Only CLOCK_MONOTONIC and CPU clocks are read: a step of the wall clock changes nothing.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_wall_clock_is_read() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    assert!(files.len() > 20);
    let wall = [
        "SystemTime",
        "UNIX_EPOCH",
        "CLOCK_REALTIME",
        "CLOCK_TAI",
        "CLOCK_BOOTTIME",
        "gettimeofday",
        "time_t::now",
        "libc::time(",
    ];
    for path in files {
        let text = fs::read_to_string(&path).expect("it can be read");
        for word in wall {
            assert!(!text.contains(word), "{}: {word}", path.display());
        }
        let reads = text.matches("clock_gettime").count() + text.matches("Instant::now").count();
        assert!(
            reads == 0 || path.ends_with("io/process.rs"),
            "{}: clocks are read in io/process.rs alone",
            path.display()
        );
    }
    let clock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../common/src/clock.rs");
    let text = fs::read_to_string(clock).expect("it can be read");
    let read: Vec<_> = text.split("ClockId::").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert_eq!(read, ["Monotonic", "ProcessCPUTime", "ThreadCPUTime"]);
}
