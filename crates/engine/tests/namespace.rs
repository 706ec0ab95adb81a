//! An arm whose server is in a network namespace of its own is reached there, on both backends, also when connections are
//! opened again; an arm beside it is not.

mod plain;
#[allow(dead_code, reason = "end_to_end.rs uses the rest")]
mod server;

use hopcost_engine::io::{Address, Backend};
use hopcost_engine::lines::Line;
use hopcost_engine::plan::Target;
use hopcost_engine::recorder::ErrorKind;
use hopcost_engine::schedule::{Arrivals, ClosedLoop};
use hopcost_engine::session::{ArmResult, Observer, SessionArm};
use plain::{HELLO, LONG_NS, backends, get, only, session};
use server::{Act, Server, answer, bound_but_deaf};
use std::io;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;

/// Moves the calling thread to a new network namespace, with its loopback up.
fn enter_new_namespace() -> io::Result<()> {
    // SAFETY: the request is plain bytes for which all zeroes is a value, and outlives the call.
    unsafe {
        if libc::unshare(libc::CLONE_NEWNET) < 0 {
            return Err(io::Error::last_os_error());
        }
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        let result = libc::ioctl(socket, libc::SIOCSIFFLAGS, &raw mut request);
        let error = io::Error::last_os_error();
        libc::close(socket);
        if result < 0 { Err(error) } else { Ok(()) }
    }
}

/// A server in a new namespace, and the namespace's file; `None` where there are no rights to make one.
fn server_in_a_namespace() -> Option<(Server, PathBuf)> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let made = enter_new_namespace().map(|()| {
            let thread_id = rustix::thread::gettid();
            // Every third answer closes its connection: the next is opened in the middle of a slice.
            let server = Server::tcp(|number| {
                let last = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 12\r\n\r\nHello World\n";
                if number % 3 == 2 { Act::AnswerAndClose(last.to_vec()) } else { Act::Answer(answer(200, &last[58..])) }
            });
            (server, PathBuf::from(format!("/proc/self/task/{thread_id}/ns/net")))
        });
        tell.send(made).expect("the test waits");
        thread::park(); // the path is good for as long as this thread lives
    });
    match told.recv().expect("the thread tells") {
        Ok(made) => Some(made),
        Err(error) => {
            assert!(!rustix::process::geteuid().is_root(), "root can make a network namespace: {error}");
            eprintln!("skipped: no network namespace can be made here: {error}");
            None
        }
    }
}

fn arm(name: &str, address: &Address, requests: Option<u64>, network_namespace: Option<PathBuf>) -> SessionArm {
    let arrivals = Arrivals::Closed(ClosedLoop { requests });
    let requests = only(get("/", HELLO));
    let target =
        Target { address: address.clone(), connections: 4, timeout_ns: LONG_NS, requests, tls: None, arrivals };
    SessionArm { network_namespace, ..plain::arm(name, target) }
}

#[derive(Default)]
struct Results(Vec<ArmResult>);

impl Observer for Results {
    fn line(&mut self, _line: &Line<'_>) -> io::Result<()> {
        Ok(())
    }

    fn arm(&mut self, result: ArmResult) -> io::Result<()> {
        self.0.push(result);
        Ok(())
    }
}

fn run(io: Backend, slice_ns: u64, arms: Vec<SessionArm>) -> Vec<ArmResult> {
    let mut results = Results::default();
    session(io, slice_ns, arms).run(&mut results).expect("the session runs");
    results.0
}

#[test]
fn an_arm_is_reached_in_its_namespace_and_others_where_they_are() {
    let Some((server, namespace)) = server_in_a_namespace() else { return };
    let (deaf, _socket) = bound_but_deaf();
    let before = std::fs::read_link("/proc/thread-self/ns/net").expect("every thread has one");
    for io in backends() {
        let inside = arm("inside", &server.address, Some(30), Some(namespace.clone()));
        let results = run(io, LONG_NS, vec![inside]);
        assert_eq!((results[0].counts.answers, results[0].counts.errors.total()), (30, 0));
        assert!(results[0].counts.reconnects >= 9, "{io:?}: {}", results[0].counts.reconnects);

        // Both in one session: the one without a namespace must not be looked for in the other's.
        let arms =
            vec![arm("inside", &server.address, None, Some(namespace.clone())), arm("outside", &deaf, None, None)];
        let results = run(io, 100_000_000, arms);
        assert!(results[0].counts.answers > 0, "{io:?}");
        assert_eq!(results[0].counts.errors.total(), 0);
        assert_eq!(results[1].counts.sent, 0);
        assert!(results[1].counts.errors.of(ErrorKind::Connect) >= 4);
    }
    assert_eq!(std::fs::read_link("/proc/thread-self/ns/net").expect("still there"), before, "the thread went back");
}
