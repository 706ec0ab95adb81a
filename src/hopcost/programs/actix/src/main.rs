//! Answers hopcost's routes with actix-web, on TCP or a Unix socket.

mod answer;
mod arguments;

use actix_web::{App, HttpServer, web};
use answer::Answers;
use arguments::Arguments;
use std::process::ExitCode;

const NAME: &str = "hopcost-actix";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if arguments == ["--version"] {
        println!("{}", env!("RECEIPT"));
        return ExitCode::SUCCESS;
    }
    match Arguments::parse(&arguments).and_then(|arguments| serve(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{NAME}: {why}");
            ExitCode::FAILURE
        }
    }
}

fn serve(arguments: &Arguments) -> Result<(), String> {
    let answers = web::Data::new(Answers::read(&arguments.content)?);
    let server = HttpServer::new(move || App::new().app_data(answers.clone()).default_service(web::to(answer::answer)))
        .workers(arguments.workers)
        .shutdown_timeout(0);
    let bound = match arguments.listen.split_once(':') {
        Some(("http+tcp", address)) => server.bind(address),
        Some(("http+unix", path)) => server.bind_uds(path),
        _ => return Err(format!("--listen {}: expected http+tcp:ADDRESS or http+unix:PATH", arguments.listen)),
    };
    let server = bound.map_err(|error| format!("--listen {}: {error}", arguments.listen))?;
    actix_web::rt::System::new().block_on(server.run()).map_err(|error| error.to_string())
}
