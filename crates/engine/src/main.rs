//! The command line of the load engine.

use clap::{Parser, Subcommand};
use hopcost_common::failure::Failure;
use hopcost_engine::io::{process, signal};
use hopcost_engine::lines::{self, BesideArm, Line};
use hopcost_engine::load::{self, LoadArguments};
use hopcost_engine::plan::Plan;
use hopcost_engine::recorder;
use hopcost_engine::session::{ArmResult, BesideResult, Observer, Session, agent};
use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;

/// Puts load on web servers, checks every answer, and accounts for every request.
#[derive(Debug, Parser)]
#[command(name = "hopcost-engine", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a plan: a JSON object on standard input; JSON lines on standard output (docs/reference/engine-protocol.md)
    Run,
    /// Thaw and freeze arms for an engine on another machine: an order on standard input, JSON lines on standard output (docs/reference/agent-protocol.md)
    Agent,
    /// Load one URL and print what came of it
    #[command(override_help = load::HELP, override_usage = load::USAGE)]
    Load(Box<LoadArguments>),
    /// Move the bytes of `load` and do nothing else: the lower bound of its cost (JSON on standard output)
    ///
    /// Takes the options of `load`; those about warming up, checking and printing have no effect. Every answer has to be as
    /// long as the first one, and one thread is used.
    Floor(Box<LoadArguments>),
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(answer) if !answer.use_stderr() => answer.exit(), // --help and --version
        Err(refusal) => {
            eprintln!("{}", in_our_words(&refusal));
            return ExitCode::from(2);
        }
    };
    let result = match arguments.command {
        Command::Run => run(),
        Command::Agent => agent::run(),
        Command::Load(arguments) => load::run(&arguments),
        Command::Floor(arguments) => load::floor::run(&arguments).map(|()| ExitCode::SUCCESS),
    };
    match result {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

/// A refused command line in the form of all other failures: what, and a hint.
fn in_our_words(refusal: &clap::Error) -> Failure {
    let text = refusal.render().to_string();
    let what: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    let tip = text.lines().find_map(|line| line.trim().strip_prefix("tip: "));
    let is_load = std::env::args().nth(1).is_some_and(|verb| verb == "load");
    let help = if is_load { format!("{} load --help", load::called()) } else { "hopcost-engine --help".to_owned() };
    Failure::usage(what.join(" ").trim_start_matches("error: ")).hint(tip.unwrap_or(&help))
}

fn run() -> Result<ExitCode, Failure> {
    let mut text = String::new();
    io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| Failure::usage(format!("the plan cannot be read from standard input: {error}")))?;
    let session = Session::from_plan(Plan::parse(&text)?)?;
    // If the harness is gone, the load has to end and the arms have to be thawed.
    std::thread::spawn(|| {
        process::wait_until_output_is_closed();
        signal::request_stop();
    });
    session.run(&mut JsonLines)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes each line at once.
struct JsonLines;

impl Observer for JsonLines {
    fn line(&mut self, line: &Line<'_>) -> io::Result<()> {
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, line)?;
        out.write_all(b"\n")?;
        out.flush()
    }

    fn arm(&mut self, result: ArmResult) -> io::Result<()> {
        let counts = result.counts;
        let open = result.times.open.as_deref();
        let [slow_clients, idle_connections] = result.beside.map(|beside| {
            beside.map(|BesideResult { number, established, counts, times }| {
                BesideArm::new(number, established, &counts, &times)
            })
        });
        self.line(&Line::Arm(lines::Arm {
            arm: &result.name,
            due: counts.due(),
            sent: counts.sent,
            not_sent: counts.not_sent,
            answers: counts.answers,
            compared: counts.compared,
            in_flight: counts.in_flight(),
            established: result.established,
            all_opened: result.all_opened,
            opened: counts.opened,
            reconnects: counts.reconnects,
            errors: counts.errors,
            service_time: recorder::encode(&result.times.service.known),
            unanswered: recorder::encode(&result.times.service.at_least),
            response_time: open.map(|open| recorder::encode(&open.response.known)),
            response_unanswered: open.map(|open| recorder::encode(&open.response.at_least)),
            send_lag: open.map(|open| recorder::encode(&open.send_lag.known)),
            unsent: open.map(|open| recorder::encode(&open.send_lag.at_least)),
            handshake_time: result.handshakes.time.as_ref().map(recorder::encode),
            handshakes_resumed: result.handshakes.resumed,
            tls: lines::TlsHandshakes::of(&result.handshakes),
            server_faults: lines::CountedFault::of(&result.faults),
            slow_clients,
            idle_connections,
            requests: result.requests.iter().map(lines::RequestAccount::of).collect(),
        }))
    }
}
