//! A run: every arm connected and warmed up, then rounds of slices, each slice on one arm while the others are frozen.

mod beside;
mod cores;
mod edges;
mod files;
mod judgement;
mod leader;
mod preparation;
mod run_delay;
mod setup;
mod state;
mod worker;

pub use self::edges::agent;
pub use self::setup::{ArmResult, BesideResult, Observer, Session, SessionArm};
use crate::io::epoll::Epoll;
use crate::io::tls::MaybeTls;
use crate::io::uring::{self, Uring};
use crate::io::{Backend, signal};
use hopcost_common::failure::Failure;

impl Session {
    /// Runs the session on the calling thread, for the first core, and on one more thread for each further core. When
    /// this returns, also with an error, every arm is thawed.
    pub fn run(mut self, observer: &mut dyn Observer) -> Result<(), Failure> {
        self.check_machine()?;
        signal::stop_on_signals(edges::thaw_in_signal_handler)
            .map_err(|error| Failure::machine(format!("signals cannot be handled: {error}")))?;
        let uring = match self.io {
            Backend::Epoll => None,
            Backend::Auto => uring::probe().ok(),
            Backend::Uring => Some(uring::probe().map_err(|error| {
                Failure::machine(format!("io_uring cannot be used here: {error}"))
                    .hint("--io epoll works everywhere; --io auto (\"io\": \"auto\" in a plan) picks what there is")
            })?),
        };
        self.check_open_files(uring.is_some())?;
        let channel = edges::connect(&mut self)?;
        match uring {
            Some(()) => leader::run::<MaybeTls<Uring>>(&self, channel, "uring", observer),
            None => {
                self.batch = 1;
                leader::run::<MaybeTls<Epoll>>(&self, channel, "epoll", observer)
            }
        }
    }
}
