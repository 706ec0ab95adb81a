//! `hopcost-forward`: carries an app's connections from a stack's network namespace to a service of the host.
//!
//! It listens in the namespace that it is started in, at the addresses that the service has in the host's. Then it
//! moves into the host's namespace, and connects from there: a socket belongs to the namespace in which it was made. If
//! it may not go there, a process that is there hands it connected sockets.
//!
//! Two threads carry a connection, one for each direction, with one read and one write for what is there: an app asks
//! its database and waits, so that there is nothing to be gained by waiting for several connections at once.

use clap::Parser;
use hopcost_common::failure::Failure;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::File;
use std::io::{self, IoSliceMut, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// What is carried at once at most.
const BUFFER_BYTES: usize = 64 << 10;
/// A thread has its buffer on its stack.
const STACK_BYTES: usize = BUFFER_BYTES + (64 << 10);
/// After an error of `accept`, as when no file descriptor is left: it would come again at once.
const PAUSE: Duration = Duration::from_millis(10);

/// Carries connections from this network namespace to a service in another one.
#[derive(Debug, Parser)]
#[command(name = "hopcost-forward", version)]
struct Arguments {
    /// The namespace that the service is in, as a file (/proc/PID/ns/net)
    #[arg(long, value_name = "FILE", required_unless_present = "connector", conflicts_with = "connector")]
    namespace: Option<PathBuf>,

    /// A Unix socket on which somebody hands out connections to the service
    #[arg(long, value_name = "PATH")]
    connector: Option<PathBuf>,

    /// Where the service listens there, and this program here; of several addresses the first that accepts is taken
    #[arg(long, value_name = "IP:PORT", required = true)]
    service: Vec<SocketAddr>,
}

/// Where connections are carried to.
#[derive(Debug)]
struct Service {
    addresses: Vec<SocketAddr>,
    connector: Option<PathBuf>,
}

impl Service {
    /// A connection to the first address that accepts one.
    fn connect(&self) -> io::Result<TcpStream> {
        let Some(connector) = &self.connector else { return TcpStream::connect(self.addresses.as_slice()) };
        let mut asking = UnixStream::connect(connector)?;
        let places: Vec<_> = self.addresses.iter().map(ToString::to_string).collect();
        asking.write_all(places.join(" ").as_bytes())?;
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        recvmsg(&asking, &mut [IoSliceMut::new(&mut [0])], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
        let files = ancillary.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut files) => files.next(),
            _ => None,
        });
        files.last().map(TcpStream::from).ok_or_else(|| io::ErrorKind::ConnectionRefused.into())
    }
}

fn main() -> ExitCode {
    let Err(failure) = forward(&Arguments::parse());
    eprintln!("{failure}");
    ExitCode::from(failure.exit_code())
}

/// Never returns but with a failure: it is ended by a signal.
fn forward(arguments: &Arguments) -> Result<std::convert::Infallible, Failure> {
    let listeners = listen(&arguments.service)?;
    if let Some(namespace) = &arguments.namespace {
        enter(namespace).map_err(|error| Failure::machine(format!("{}: {error}", namespace.display())))?;
    }
    println!("listening");
    let service = Arc::new(Service { addresses: arguments.service.clone(), connector: arguments.connector.clone() });
    let threads: Vec<_> = listeners
        .into_iter()
        .map(|listener| {
            let service = Arc::clone(&service);
            thread::spawn(move || accept(&listener, &service))
        })
        .collect();
    for thread in threads {
        // A panic aborts the process (Cargo.toml), and the threads have no end.
        let _ = thread.join();
    }
    Err(Failure::run("nothing is left to listen on"))
}

/// A listener at each address. A machine without IPv6 has no `::1`: then the other addresses will do.
fn listen(addresses: &[SocketAddr]) -> Result<Vec<TcpListener>, Failure> {
    let mut listeners = Vec::new();
    let mut refusal = None;
    for address in addresses {
        match TcpListener::bind(address) {
            Ok(listener) => listeners.push(listener),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                return Err(Failure::machine(format!("{address}: {error}")));
            }
            Err(error) => refusal = Some(Failure::machine(format!("{address}: {error}"))),
        }
    }
    match refusal {
        Some(failure) if listeners.is_empty() => Err(failure),
        _ => Ok(listeners),
    }
}

fn enter(namespace: &Path) -> io::Result<()> {
    let file = File::open(namespace)?;
    move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))?;
    Ok(())
}

fn accept(listener: &TcpListener, service: &Arc<Service>) {
    for client in listener.incoming() {
        let begun = client.and_then(|client| {
            let service = Arc::clone(service);
            thread::Builder::new().stack_size(STACK_BYTES).spawn(move || carry(client, &service))
        });
        if let Err(error) = begun {
            eprintln!("a connection cannot be accepted: {error}");
            thread::sleep(PAUSE);
        }
    }
}

/// Carries a connection to its end. If nobody accepts it there, it is closed here: so the app sees an error at once.
fn carry(client: TcpStream, service: &Service) {
    if let Err(error) = carry_both_ways(client, service) {
        eprintln!("{:?}: {error}", service.addresses);
    }
}

fn carry_both_ways(client: TcpStream, service: &Service) -> io::Result<()> {
    let server = service.connect()?;
    for stream in [&client, &server] {
        stream.set_nodelay(true)?;
    }
    let (from_client, to_server) = (client.try_clone()?, server.try_clone()?);
    let there = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || pass_on(from_client, to_server))?;
    pass_on(server, client);
    // As above: no panic comes here.
    let _ = there.join();
    Ok(())
}

/// Passes bytes on until one side ends. An end in this direction is passed on; after an error both directions end.
fn pass_on(mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = [0; BUFFER_BYTES];
    let how = loop {
        match from.read(&mut buffer) {
            Ok(0) => break Shutdown::Write,
            Ok(count) => {
                if to.write_all(&buffer[..count]).is_err() {
                    let _ = from.shutdown(Shutdown::Both); // fails if the other side closed it: then it is done
                    break Shutdown::Both;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break Shutdown::Both,
        }
    };
    let _ = to.shutdown(how); // as above
}
