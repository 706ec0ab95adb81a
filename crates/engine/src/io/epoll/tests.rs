//! A socket that is never empty, and a handler that keeps it so.

use super::*;
use std::io::Write as _;
use std::os::unix::net::{UnixListener, UnixStream};

/// A server that fills the socket again whenever it is read, so many times.
struct Filler {
    server: Option<UnixStream>,
    refills: u32,
    received: u32,
    received_bytes: usize,
}

impl Filler {
    fn refill(&mut self) {
        let server = self.server.as_mut().expect("it has been accepted");
        if self.refills > 0 {
            self.refills -= 1;
            server.write_all(&[b'x'; BUFFER_BYTES]).expect("the socket has been emptied");
        }
    }
}

impl Handler for Filler {
    fn batch(&mut self, _: u64) {}
    fn connected(&mut self, _: Slot) -> Next {
        Next::Nothing
    }
    fn outgoing(&mut self, _: Slot) -> Outgoing {
        unreachable!("nothing is sent")
    }
    fn sent(&mut self, _: Slot) -> Next {
        unreachable!("nothing is sent")
    }
    fn received(&mut self, _: Slot, bytes: &[u8]) -> Next {
        self.received += 1;
        self.received_bytes += bytes.len();
        self.refill();
        Next::Nothing
    }
    fn skipped(&mut self, _: Slot, _: u64) -> Next {
        unreachable!("nothing is skipped")
    }
    fn premature(&mut self, _: Slot, _: &[u8]) -> Next {
        unreachable!("nothing is sent")
    }
    fn ended(&mut self, _: Slot) -> Next {
        Next::Close
    }
    fn failed(&mut self, _: Slot, failure: IoFailure) -> Next {
        unreachable!("{failure:?}")
    }
}

#[test]
fn a_socket_that_is_never_empty_leaves_time_for_others() {
    let path = std::env::temp_dir().join(format!("hopcost-epoll-{}.sock", std::process::id()));
    let listener = UnixListener::bind(&path).expect("the temporary directory is writable");
    let address = Address::Unix(path.clone());
    let messages = crate::io::Messages::default();
    let settings =
        IoSettings { address, messages, tls: None, connections: 1, batch: 1, answer_bytes: None, bytes_per_s: None };
    let mut epoll = Epoll::new(&settings).expect("epoll is everywhere");
    assert_eq!(epoll.open(0).expect("somebody listens"), Opened::Connected);
    let (server, _) = listener.accept().expect("a connection");
    std::fs::remove_file(path).expect("it is there");
    let mut handler = Filler { server: Some(server), refills: 40, received: 0, received_bytes: 0 };
    handler.refill();
    assert!(epoll.poll(&mut handler).expect("events"));
    assert_eq!(handler.received, MAX_RECEIVES);
    while epoll.poll(&mut handler).expect("events") {}
    assert_eq!((handler.received_bytes, handler.refills), (40 * BUFFER_BYTES, 0), "no byte is left behind");
    handler.server = None;
    epoll.wait(u64::MAX, &mut handler).expect("the end");
    assert!(epoll.connections[0].is_none());
}
