//! What other programs take of the machine. Nobody knows which processes serve the URL, so the look is taken before the
//! load, while its server has nothing to do.

use crate::session::Cores;
use std::thread;
use std::time::Duration;

/// A shorter load is not worth the wait.
const MIN_LOAD_NS: u64 = 5_000_000_000;
/// The look takes this share of the load's time, and a second at most.
const LOOK_SHARE: u64 = 10;
const MAX_LOOK_NS: u64 = 1_000_000_000;
/// From this share of all cores on, a load is suspect: where `hopcost run` calls a block disturbed.
const MAX_SHARE: f64 = 0.03;

/// The share of all cores that was in use before a load of this length; `None` for a short one, or if it is not known.
pub(super) fn look_before(load_ns: u64) -> Option<f64> {
    let look = look_time(load_ns)?;
    let before = Cores::read();
    thread::sleep(look);
    before.busy_until(&Cores::read())
}

fn look_time(load_ns: u64) -> Option<Duration> {
    (load_ns >= MIN_LOAD_NS).then(|| Duration::from_nanos((load_ns / LOOK_SHARE).min(MAX_LOOK_NS)))
}

/// Why the load is suspect, if others took too much.
pub(super) fn reason(share: f64) -> Option<String> {
    (share >= MAX_SHARE).then(|| {
        let percent = share * 100.0;
        format!(
            "disturbed: other programs took {percent:.0} % of all cores just before, and answers may look slower than \
             they were (hopcost doctor names them)"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_load_of_some_seconds_is_worth_a_look() {
        for (load_s, look_ms) in [(1, None), (4, None), (5, Some(500)), (10, Some(1000)), (3600, Some(1000))] {
            assert_eq!(look_time(load_s * 1_000_000_000), look_ms.map(Duration::from_millis), "{load_s} s");
        }
    }

    #[test]
    fn from_three_per_cent_on_it_is_disturbed() {
        assert_eq!(reason(0.029), None);
        assert!(reason(0.43).expect("much").starts_with("disturbed: other programs took 43 % of all cores"));
    }
}
