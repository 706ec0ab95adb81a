//! `hopcost-origin`: parse, serve, say what went wrong.

use clap::Parser;
use hopcost_origin::arguments::Arguments;
use hopcost_origin::server;
use std::process::ExitCode;

fn main() -> ExitCode {
    match server::serve(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}
