//! The command line.

use crate::answer::{Fault, Pause, QueueSettings, Route, duration_ns};
use crate::link::Listen;
use clap::Parser;
use std::path::PathBuf;

/// An HTTP/1.1 and FastCGI server that answers cheaply, counts exactly, and delays, works and misbehaves on request.
#[derive(Clone, Debug, Parser)]
#[command(name = "hopcost-origin", version, after_long_help = after_help())]
pub struct Arguments {
    /// Where to listen; may be given several times. LINK is http+tcp, http+unix, fastcgi+tcp or fastcgi+unix; port 0 takes a free one
    #[arg(long, value_name = "LINK:ADDRESS", required = true)]
    pub listen: Vec<Listen>,

    /// Threads, each with its own loop; connections are dealt to them in turn
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,

    /// Seed of the scripted delays
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// The Nth answer of a connection says Connection: close, and closes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub requests_per_connection: Option<u64>,

    /// Rounds of arithmetic before each answer: some ns each, and the same number whatever the clock says
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    pub work_rounds: u64,

    /// Makes all threads together one virtual server that takes TIME for each request, one after the other, without using CPU: an answer is due at max(arrival, the answer before) + TIME
    #[arg(long, value_name = "TIME", value_parser = queue_time)]
    pub queue: Option<u64>,

    /// Virtual servers behind the one queue
    #[arg(long, value_name = "N", default_value_t = 1, requires = "queue", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub servers: u16,

    /// When no virtual server works: 50ms@1s are the first 50 ms of each second
    #[arg(long, value_name = "TIME@PERIOD", requires = "queue")]
    pub pause: Option<Pause>,

    /// Answers every path, whatever its query, with the body of this route, such as /512
    #[arg(long, value_name = "ROUTE", value_parser = route)]
    pub any_path: Option<Route>,

    /// What the Content-Type of answers says, in place of the route's own
    #[arg(long, value_name = "TYPE", value_parser = content_type)]
    pub content_type: Option<&'static str>,

    /// So many connections may wait to be accepted (no more than net.core.somaxconn)
    #[arg(long, value_name = "N", default_value_t = u16::MAX, value_parser = clap::value_parser!(u16).range(1..))]
    pub backlog: u16,

    /// Sends an answer as soon as a connection is open, before any request (a fault)
    #[arg(long)]
    pub greet: bool,

    /// Writes the counts to this file at the end, as one JSON object
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,

    /// Writes one row of 24 bytes per request to this file
    #[arg(long, value_name = "FILE")]
    pub log_requests: Option<PathBuf>,
}

impl Arguments {
    /// The virtual servers, if there are any.
    pub fn queue_settings(&self) -> Option<QueueSettings> {
        self.queue.map(|time_ns| QueueSettings { time_ns, servers: self.servers, pause: self.pause })
    }
}

fn queue_time(text: &str) -> Result<u64, String> {
    duration_ns(text).filter(|time_ns| *time_ns > 0).ok_or_else(|| "expected a time above 0, such as 200us".to_owned())
}

/// Kept until the process ends, as the types of the routes are.
fn content_type(text: &str) -> Result<&'static str, String> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
        return Err("expected a type such as text/html".to_owned());
    }
    Ok(text.to_owned().leak())
}

fn route(path: &str) -> Result<Route, String> {
    match Route::of(path.as_bytes()) {
        Route::Unknown => Err("expected a route, such as /512 or /bytes/1000".to_owned()),
        route => Ok(route),
    }
}

fn after_help() -> String {
    let mut text = String::from(
        "Routes: / and /hello (12 bytes), /512, /json and /static.txt (1,024 bytes), as in all origins of hopcost; /text as /static.txt, \
         /bytes/N and /text/N (up to 64 MiB; byte i is i mod 251, or words, which compress as pages do), \
         /echo-length and /echo-head-length (of the request).\n\n\
         Parameters, in the query of any route; one that is not known is answered with 400:\n  \
         delay=DISTRIBUTION  constant:TIME, uniform:LOW:HIGH, exponential:MEAN or lognormal:MEDIAN:SIGMA\n  \
         work=TIME           CPU time burnt before the answer\n  \
         work-after=TIME     CPU time burnt after the answers of the batch were sent\n  \
         fault=FAULT         what shall go wrong\n  \
         every=N             only each Nth request of the server that asks for this fault gets it\n  \
         pause=TIME          between the parts of slow-body (10ms)\n\
         TIME is a number with a unit: 300ns, 50us, 1.5ms, 2s.\n\n\
         Faults:\n",
    );
    for fault in Fault::ALL {
        text += &format!("  {:<19} {}\n", fault.name(), fault.what());
    }
    text +=
        "\nExit codes: 0 stopped by SIGTERM or SIGINT, 1 a file could not be written, 2 usage, 3 cannot listen here.";
    text
}
