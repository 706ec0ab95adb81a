//! Work of a known size: a loop whose cost was measured once by the thread's CPU clock.
//!
//! A request's work is a number of rounds, and no clock is read: reading the CPU clock is a system call of some 100 ns,
//! too dear for making a request 2 % dearer. Rounds also stay a fixed share of a request's own cost if the machine gets
//! slower.

use hopcost_common::clock;

/// The loop, and how many of its rounds take a nanosecond of CPU time.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    rounds_per_ns: f64,
}

impl Work {
    /// Measures the loop: the median of 21 runs of some 0.4 ms each, the machine's usual speed.
    pub fn calibrate() -> Self {
        const ROUNDS: u64 = 300_000;
        burn(ROUNDS);
        let mut runs_ns = [0; 21].map(|_: u64| {
            let start = clock::thread_cpu_ns();
            burn(ROUNDS);
            clock::thread_cpu_ns() - start
        });
        runs_ns.sort_unstable();
        let median_ns = runs_ns[runs_ns.len() / 2];
        Self { rounds_per_ns: ROUNDS as f64 / median_ns.max(1) as f64 }
    }

    /// Burns this many rounds on the calling thread.
    pub fn burn_rounds(self, rounds: u64) {
        burn(rounds);
    }

    /// Burns this much CPU time on the calling thread.
    pub fn burn_ns(self, time_ns: u64) {
        if time_ns > 0 {
            burn((time_ns as f64 * self.rounds_per_ns) as u64);
        }
    }
}

/// A chain of dependent operations without memory access; the compiler can neither shorten nor drop it.
fn burn(rounds: u64) {
    let mut state: u64 = std::hint::black_box(0x9e37_79b9_7f4a_7c15);
    for _ in 0..rounds {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    std::hint::black_box(state);
}
