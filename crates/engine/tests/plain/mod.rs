//! The plain parts of a session. A test changes what it is about.

use hopcost_engine::check::{ExpectedBody, ExpectedStatus};
use hopcost_engine::io::Backend;
use hopcost_engine::io::{process, uring};
use hopcost_engine::plan::{Beside, Target};
use hopcost_engine::requests::{RequestMix, RequestSpec, WireSettings};
use hopcost_engine::session::{Session, SessionArm};

/// Long enough that no busy machine makes an answer late.
pub const LONG_NS: u64 = 60_000_000_000;

pub const HELLO: &[u8] = b"Hello World\n";

/// Those that this machine has.
pub fn backends() -> Vec<Backend> {
    match uring::probe() {
        Ok(_) => vec![Backend::Epoll, Backend::Uring],
        Err(error) => {
            eprintln!("io_uring is not to be had here ({error}): epoll only");
            vec![Backend::Epoll]
        }
    }
}

/// A GET that is answered by 200 and this body.
pub fn get(target: &str, body: &[u8]) -> RequestSpec {
    RequestSpec {
        name: None,
        weight: 1,
        method: "GET".into(),
        target: target.into(),
        headers: Vec::new(),
        body: None,
        status: ExpectedStatus::Exactly(200),
        expected: ExpectedBody::Bytes(body.into()),
    }
}

/// This request alone, over HTTP/1.1.
pub fn only(spec: RequestSpec) -> RequestMix {
    let settings = WireSettings { host: "test".into(), ..WireSettings::default() };
    RequestMix::new(&settings, &[spec]).expect("a valid request")
}

pub fn arm(name: &str, target: Target) -> SessionArm {
    SessionArm {
        name: name.into(),
        target,
        slice_ns: None,
        network_namespace: None,
        freeze: None,
        reopening: None,
        closes_each_round: false,
        beside: Beside::default(),
        hops: Vec::new(),
    }
}

/// One round, on the last core, without a warm-up.
pub fn session(io: Backend, slice_ns: u64, arms: Vec<SessionArm>) -> Session {
    let cores = process::allowed_cores().expect("this process runs on some core");
    Session {
        seed: 1,
        cores: vec![cores[cores.len() - 1]],
        io,
        batch: 1,
        settle_ns: 0,
        slice_ns,
        slice_jitter: 0.0,
        warm_up_slice_ns: 20_000_000,
        rounds: 1,
        shared_cores: true,
        warm_up: None,
        watch: None,
        agent: None,
        arms,
    }
}
