//! The agent: thaws and freezes the arms of this machine for a leader on another one, and reads their CPU time. A child of
//! the harness: its order comes on standard input, and when that ends it thaws every arm and ends too.

mod arms;
mod gate;
mod lines;
mod order;
mod serving;

use self::arms::{Arms, Refusal};
use self::gate::Guest;
use self::lines::{Line, Reason, tell};
use self::order::Order;
use self::serving::{Asked, End, Serving, send};
use super::binary;
use super::messages::{Answer, ErrorKind, PROTOCOL};
use crate::io::process::{self, Scheduling};
use crate::io::signal;
use hopcost_common::clock;
use hopcost_common::failure::Failure;
use rustls::ServerConfig;
use std::io::{self, BufRead as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// So many may shake hands at a time.
const MAX_GUESTS: usize = 16;

/// Never tighter. A thread that goes before all others and polls keeps those off its core that have to freeze: that took
/// a second instead of 0.1 ms.
const LOOK: Duration = Duration::from_micros(20);

struct Agent {
    order: Order,
    tls: Arc<ServerConfig>,
    sha256: String,
    arms: Mutex<Arms>,
    lobby: Mutex<Lobby>,
    guests: AtomicUsize,
}

/// Where those wait who make the load, until all of them have come.
enum Lobby {
    /// By member; `None` has not come yet.
    Open(Vec<Option<Guest>>),
    /// They are being served.
    Closed,
}

impl Lobby {
    fn empty(members: usize) -> Self {
        Self::Open((0..members).map(|_| None).collect())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that panicked has aborted the process.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sleeps until this reading of `CLOCK_MONOTONIC`, a little at a time.
fn sleep_until(due_ns: u64) {
    loop {
        let left_ns = due_ns.saturating_sub(clock::monotonic_ns());
        if left_ns == 0 {
            return;
        }
        thread::sleep(LOOK.min(Duration::from_nanos(left_ns)));
    }
}

/// Runs the agent. It ends the process itself, by [`Agent::end`], unless it cannot begin.
pub fn run() -> Result<ExitCode, Failure> {
    let mut text = String::new();
    io::stdin()
        .lock()
        .read_line(&mut text)
        .map_err(|error| Failure::usage(format!("the order cannot be read from standard input: {error}")))?;
    let order = Order::parse(&text)?;
    let tls = order.credentials().server().map_err(Failure::machine)?;
    let sha256 = binary::sha256()?;
    let listener = TcpListener::bind(&order.address)
        .map_err(|error| Failure::machine(format!("nothing can listen on {}: {error}", order.address)))?;
    let address = listener
        .local_addr()
        .map_err(|error| Failure::machine(format!("the address that was bound is not known: {error}")))?;
    let arms = Mutex::new(Arms::new(&order.arms)?);
    let lobby = Mutex::new(Lobby::empty(order.members().count()));
    let agent = Arc::new(Agent { order, tls, sha256, arms, lobby, guests: AtomicUsize::new(0) });
    // Before it says that it listens: whoever has read that may send a signal.
    let signals =
        signal::hold_back().map_err(|error| Failure::machine(format!("signals cannot be handled: {error}")))?;
    agent.watch_for_its_end(signals);
    // What a leader's thread will come to.
    let scheduling = thread::spawn(process::go_first).join().unwrap_or(Scheduling::Other);
    let sha256 = &agent.sha256;
    tell(&Line::Listening { address, version: binary::VERSION, sha256, protocol: PROTOCOL, scheduling });
    loop {
        match listener.accept() {
            Ok((socket, peer)) => agent.receive(socket, peer),
            // Somebody who has gone before he came, or no files left for a moment.
            Err(_) => thread::sleep(Duration::from_millis(10)),
        }
    }
}

impl Agent {
    /// Ends the process when standard input ends, or by a signal.
    fn watch_for_its_end(self: &Arc<Self>, mut signals: signal::Held) {
        let agent = Arc::clone(self);
        thread::spawn(move || {
            // What comes after the order is nothing.
            let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
            agent.end(Reason::Input, "standard input has ended")
        });
        let agent = Arc::clone(self);
        thread::spawn(move || {
            if let Some(number) = signals.wait() {
                agent.end(Reason::Signal, &format!("signal {number} came"));
            }
        });
    }

    /// Thaws every arm and ends the process. Whoever comes later waits for the lock: no arm is frozen behind this.
    fn end(&self, reason: Reason, message: &str) -> ! {
        let mut arms = lock(&self.arms);
        arms.thaw_all();
        tell(&Line::End { reason, message });
        std::process::exit(reason.exit_code())
    }

    /// Takes somebody who has connected to a thread of his own.
    fn receive(self: &Arc<Self>, socket: TcpStream, peer: SocketAddr) {
        if self.guests.fetch_add(1, Ordering::AcqRel) >= MAX_GUESTS {
            self.guests.fetch_sub(1, Ordering::AcqRel);
            // Not one more thread: not even to say why.
            drop(socket);
            let message = "too many others shake hands";
            tell(&Line::Refused { peer, error: ErrorKind::Busy, message });
            return;
        }
        let agent = Arc::clone(self);
        thread::spawn(move || {
            let guest = gate::receive(socket, Arc::clone(&agent.tls), &agent.order, &agent.sha256);
            agent.guests.fetch_sub(1, Ordering::AcqRel);
            match guest {
                Ok(guest) => agent.admit(guest, peer),
                Err(Refusal { error, message }) => tell(&Line::Refused { peer, error, message: &message }),
            }
        });
    }

    /// Has somebody wait for the others. With the last one, all are served on this thread.
    fn admit(&self, guest: Guest, peer: SocketAddr) {
        let mut lobby = lock(&self.lobby);
        let Lobby::Open(places) = &mut *lobby else {
            drop(lobby);
            let refusal = Refusal::new(ErrorKind::Busy, "somebody else leads already");
            gate::refuse(&guest.secure, Some(guest.id), &refusal);
            tell(&Line::Refused { peer, error: refusal.error, message: &refusal.message });
            return;
        };
        let name = &guest.name;
        tell(&if guest.member == 0 { Line::Leader { name, peer } } else { Line::Follower { name, peer } });
        // Whoever of the same name has waited there has been given up by his own side.
        let member = guest.member;
        places[member] = Some(guest);
        if places.iter().any(Option::is_none) {
            return;
        }
        let guests: Vec<Guest> = places.drain(..).flatten().collect();
        *lobby = Lobby::Closed;
        drop(lobby);
        self.serve(&guests);
    }

    fn serve(&self, guests: &[Guest]) {
        let scheduling = process::go_first();
        // If it is refused the timer is 50 us late or so, and the length is measured all the same.
        let _ = process::wake_in_time();
        for guest in guests {
            if let Err(error) = self.welcome(guest, guests.len(), scheduling) {
                self.end(Reason::Lost, &format!("the connection to `{}` broke: {error}", guest.name));
            }
        }
        let end = Serving::new(guests, &self.arms, self.order.lease_ns).serve();
        lock(&self.arms).thaw_all();
        match end {
            End::Bye(asked) => {
                // The places are free before the leader knows: another one may follow at once.
                *lock(&self.lobby) = Lobby::empty(guests.len());
                tell(&Line::Left { name: &guests[0].name });
                for (guest, Asked { id, received_ns }) in guests.iter().zip(asked) {
                    // Whoever has gone needs no answer.
                    let _ = send(&guest.secure, |sent_ns| Answer::Bye { id, received_ns, sent_ns });
                }
                guests.iter().for_each(|guest| guest.secure.close());
            }
            End::Lost { reason, message } => self.end(reason, &message),
            End::Refused { member, id, refusal } => {
                for (number, guest) in guests.iter().enumerate() {
                    gate::refuse(&guest.secure, id.filter(|_| number == member), &refusal);
                }
                let reason = match refusal.error {
                    ErrorKind::Frame => Reason::Frame,
                    ErrorKind::Edge => Reason::Edge,
                    _ => Reason::Order,
                };
                self.end(reason, &refusal.message)
            }
        }
    }

    fn welcome(&self, guest: &Guest, members: usize, scheduling: Scheduling) -> io::Result<()> {
        let &Guest { id, received_ns, member, .. } = guest;
        let arms = lock(&self.arms).facts();
        send(&guest.secure, |sent_ns| Answer::Welcome {
            id,
            received_ns,
            sent_ns,
            protocol: PROTOCOL,
            version: binary::VERSION.to_owned(),
            sha256: self.sha256.clone(),
            scheduling,
            lease_ns: self.order.lease_ns,
            member,
            members,
            arms,
        })
    }
}
