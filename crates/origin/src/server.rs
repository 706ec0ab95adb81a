//! A server from start to stop.

use crate::answer::work::Work;
use crate::arguments::Arguments;
use crate::io::{Common, EventLoop, Listener, Settings, Shared};
use crate::link::Address;
use crate::log::Counts;
use crate::log::requests::RequestFile;
use hopcost_common::failure::Failure;
use hopcost_common::{clock, limits};
use serde_json::json;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

fn on_the_way(what: &str, error: impl std::fmt::Display) -> Failure {
    Failure::run(format!("{what}: {error}"))
}

/// Serves until SIGTERM or SIGINT.
pub fn serve(arguments: Arguments) -> Result<(), Failure> {
    // Before anything is bound: the default action of a signal would leave a socket file behind.
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(|error| on_the_way("signals cannot be caught", error))?;
    // If it fails, the present limit has to do: accepting rests when no descriptors are left.
    let _ = limits::raise_open_files();
    let log = arguments.log.as_deref().map(create).transpose()?;
    let requests = arguments.log_requests.as_deref().map(create).transpose()?;
    let requests = requests
        .map(RequestFile::begin)
        .transpose()
        .map_err(|error| on_the_way("the log of requests cannot be written", error))?;
    let listeners = arguments
        .listen
        .iter()
        .cloned()
        .map(|listen| bind(listen, arguments.backlog))
        .collect::<Result<Vec<_>, _>>()?;
    let settings = Settings {
        seed: arguments.seed,
        greet: arguments.greet,
        requests_per_connection: arguments.requests_per_connection,
        work: Work::calibrate(),
        work_rounds: arguments.work_rounds,
        queue: arguments.queue_settings(),
        any_path: arguments.any_path,
        content_type: arguments.content_type,
    };

    let started_ns = clock::monotonic_ns();
    let cannot_loop = |error: rustix::io::Errno| on_the_way("the loop cannot be set up", error);
    let threads = usize::from(arguments.threads);
    let shared = Arc::new(Shared::new(listeners, threads, Common::new(settings.queue)).map_err(cannot_loop)?);
    let mut running = Vec::new();
    for thread in 0..threads {
        let event_loop = EventLoop::new(shared.clone(), thread, settings, requests.clone()).map_err(cannot_loop)?;
        running.push(std::thread::spawn(move || event_loop.run()));
    }
    say_ready(&shared.listeners);

    signals.forever().next();
    shared.stop();
    let mut counts = vec![Counts::default(); shared.listeners.len()];
    let mut failure = None;
    for thread in running {
        match thread.join() {
            Ok(Ok(of_thread)) => counts.iter_mut().zip(&of_thread).for_each(|(sum, count)| *sum += count),
            Ok(Err(error)) => failure = Some(on_the_way("a thread ended early", error)),
            // Its message has been printed. Its counts are gone, so no log could be trusted.
            Err(_) => failure = Some(Failure::run("a thread panicked")),
        }
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    match log {
        Some(file) => write_log(file, &shared.listeners, &counts, threads, clock::monotonic_ns() - started_ns)
            .map_err(|error| on_the_way("the log cannot be written", error)),
        None => Ok(()),
    }
}

fn bind(listen: crate::link::Listen, backlog: u16) -> Result<Listener, Failure> {
    let (link, address) = (listen.link(), listen.address.clone());
    Listener::bind(listen, backlog).map_err(|error| {
        let hint = match (error, &address) {
            (rustix::io::Errno::ADDRINUSE, Address::Tcp(_)) => {
                "another server listens there; take another port, or port 0"
            }
            (rustix::io::Errno::ADDRINUSE, Address::Unix(_)) => {
                "another server listens there, or one that was killed left its file: remove the file if none does"
            }
            (rustix::io::Errno::ACCESS, _) => "ports below 1024 and directories of others need the right to use them",
            (_, Address::Tcp(_)) => "listen at an address of this machine, such as 127.0.0.1",
            (_, Address::Unix(_)) => "the directory must exist, and the path be shorter than 108 bytes",
        };
        Failure::machine(format!("cannot listen at {link}:{address}: {error}")).hint(hint)
    })
}

fn create(path: &Path) -> Result<File, Failure> {
    File::create(path).map_err(|error| {
        Failure::machine(format!("cannot write {}: {error}", path.display()))
            .hint("name a file in a directory that exists and is yours")
    })
}

fn say_ready(listeners: &[Listener]) {
    let places: Vec<_> = listeners
        .iter()
        .map(|listener| json!({"link": listener.listen.link(), "address": listener.listen.address.to_string()}))
        .collect();
    let mut out = std::io::stdout().lock();
    // It serves even if nobody reads this.
    let _ = writeln!(out, "{}", json!({"ready": true, "listeners": places})).and_then(|()| out.flush());
}

fn write_log(
    mut file: File,
    listeners: &[Listener],
    counts: &[Counts],
    threads: usize,
    elapsed_ns: u64,
) -> std::io::Result<()> {
    let mut total = Counts::default();
    let mut rows = Vec::new();
    for (listener, count) in listeners.iter().zip(counts) {
        total += count;
        let mut row = serde_json::to_value(count)?;
        row["link"] = listener.listen.link().into();
        row["address"] = listener.listen.address.to_string().into();
        rows.push(row);
    }
    let log = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "threads": threads,
        "elapsed_ns": elapsed_ns,
        "total": total,
        "listeners": rows,
    });
    writeln!(file, "{log}")
}
