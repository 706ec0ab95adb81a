//! Answers hopcost's routes with actix-web, on TCP or a Unix socket.

mod answer;
mod arguments;

use actix_web::{App, HttpServer, web};
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
    let answers = answer::read(&arguments.content)?;
    let server = HttpServer::new(move || {
        answers.clone().into_iter().fold(App::new(), |app, answer| {
            app.route(answer.path, web::get().to(move || std::future::ready(answer.response())))
        })
    })
    .workers(arguments.workers)
    .keep_alive(arguments.keep_alive)
    .shutdown_timeout(0);
    let bound = match arguments.listen.split_once(':') {
        Some(("http+tcp", address)) => server.bind(address),
        Some(("http+unix", path)) => server.bind_uds(path),
        _ => return Err(format!("--listen {}: expected http+tcp:ADDRESS or http+unix:PATH", arguments.listen)),
    };
    let server = bound.map_err(|error| format!("--listen {}: {error}", arguments.listen))?;
    actix_web::rt::System::new().block_on(server.run()).map_err(|error| error.to_string())
}
