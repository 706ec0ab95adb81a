//! One connection over a Unix socket. Only lower bounds of times: a busy machine makes things later, never earlier.

use super::*;
use crate::io::{Address, Messages};
use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};

const BYTES_PER_S: u64 = 20_000;
const PIECE_BYTES: usize = 2000;

/// Sends one message when it is told to, and notes what happens.
#[derive(Default)]
struct Notes {
    pieces: Vec<usize>,
    sent: u32,
    ended: u32,
}

impl Handler for Notes {
    fn batch(&mut self, _: u64) {}
    fn connected(&mut self, _: Slot) -> Next {
        unreachable!("a Unix socket is open at once")
    }
    fn outgoing(&mut self, _: Slot) -> Outgoing {
        Outgoing::Bytes(vec![b'x'; 2 * PIECE_BYTES + 1])
    }
    fn sent(&mut self, _: Slot) -> Next {
        self.sent += 1;
        Next::Nothing
    }
    fn received(&mut self, _: Slot, bytes: &[u8]) -> Next {
        self.pieces.push(bytes.len());
        Next::Skip(1 << 20)
    }
    fn skipped(&mut self, _: Slot, _: u64) -> Next {
        unreachable!("that would not keep the pace")
    }
    fn premature(&mut self, _: Slot, _: &[u8]) -> Next {
        unreachable!("nothing comes early")
    }
    fn ended(&mut self, _: Slot) -> Next {
        self.ended += 1;
        Next::Close
    }
    fn failed(&mut self, _: Slot, failure: IoFailure) -> Next {
        unreachable!("{failure:?}")
    }
}

fn connected(name: &str) -> (Paced, UnixStream) {
    connected_at(name, BYTES_PER_S)
}

fn connected_at(name: &str, bytes_per_s: u64) -> (Paced, UnixStream) {
    let path = std::env::temp_dir().join(format!("hopcost-paced-{name}-{}.sock", std::process::id()));
    let listener = UnixListener::bind(&path).expect("the temporary directory is writable");
    let settings = IoSettings {
        address: Address::Unix(path.clone()),
        messages: Messages::default(),
        tls: None,
        connections: 1,
        batch: 1,
        answer_bytes: None,
        bytes_per_s: Some(bytes_per_s),
    };
    let mut paced = Paced::new(&settings).expect("epoll is everywhere");
    assert_eq!(paced.open(0).expect("somebody listens"), Opened::Connected);
    let (server, _) = listener.accept().expect("a connection");
    std::fs::remove_file(path).expect("it is there");
    paced.thawed(0);
    (paced, server)
}

#[test]
fn it_reads_piece_by_piece_and_then_the_end() {
    let (mut paced, mut server) = connected("reads");
    server.write_all(&[b'x'; 3 * PIECE_BYTES + 500]).expect("there is room");
    drop(server);
    let (begin_ns, mut notes) = (clock::monotonic_ns(), Notes::default());
    while notes.ended == 0 {
        paced.wait(u64::MAX, &mut notes).expect("events");
    }
    assert_eq!(notes.pieces, [PIECE_BYTES, PIECE_BYTES, PIECE_BYTES, 500]);
    // Three pieces of 100 ms are before the last one, less the slack of the first.
    assert!(clock::monotonic_ns() - begin_ns >= 285_000_000);
    assert!(paced.connections[0].is_none());
}

#[test]
fn it_writes_piece_by_piece_and_reports_the_end() {
    let (mut paced, mut server) = connected("writes");
    server.set_nonblocking(true).expect("a socket option");
    let (begin_ns, mut notes, mut buffer) = (clock::monotonic_ns(), Notes::default(), [0; 3 * PIECE_BYTES]);
    paced.apply(0, Next::Send, &mut notes);
    assert_eq!(server.read(&mut buffer).expect("the first piece leaves at once"), PIECE_BYTES);
    while notes.sent == 0 {
        paced.wait(u64::MAX, &mut notes).expect("events");
    }
    assert!(clock::monotonic_ns() - begin_ns >= 185_000_000);
    assert_eq!(server.read(&mut buffer).expect("the rest"), PIECE_BYTES + 1);
}

#[test]
fn its_clock_is_the_arms() {
    let (mut paced, mut server) = connected_at("clock", 1);
    paced.thawed(clock::monotonic_ns() - 10_000_000_000);
    server.write_all(b"ab").expect("there is room");
    let mut notes = Notes::default();
    paced.poll(&mut notes).expect("events");
    paced.poll(&mut notes).expect("nothing");
    assert_eq!(notes.pieces, [1], "the second byte comes after a second");
    // The arm's clock is two seconds further on.
    paced.thawed(paced.offset_ns - 2_000_000_000);
    paced.poll(&mut notes).expect("its time has come");
    assert_eq!(notes.pieces, [1, 1]);
}
