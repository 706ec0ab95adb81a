//! The routes, alike in all origins; the files are those of hopcost's content folder.

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_TYPE, SERVER};
use actix_web::web::Bytes;
use std::path::Path;

const PLAIN: &str = "text/plain";
const ROUTES: [(&str, &str, &str); 4] = [
    ("/", "hello.txt", PLAIN),
    ("/512", "512.txt", PLAIN),
    ("/json", "1k.json", "application/json"),
    ("/static.txt", "static.txt", PLAIN),
];

/// What one route answers.
#[derive(Clone)]
pub struct Answer {
    /// The path of the route.
    pub path: &'static str,
    content_type: &'static str,
    body: Bytes,
}

impl Answer {
    /// Five letters in Server as in "nginx", by which nginx replaces it. "Connection: keep-alive" cannot be had:
    /// actix-web drops it.
    pub fn response(&self) -> HttpResponse {
        HttpResponse::Ok()
            .insert_header((SERVER, "actix"))
            .insert_header((CONTENT_TYPE, self.content_type))
            .body(self.body.clone())
    }
}

/// Read the files of all routes.
pub fn read(folder: &str) -> Result<Vec<Answer>, String> {
    let read = |(path, file, content_type)| {
        let file = Path::new(folder).join(file);
        std::fs::read(&file)
            .map(|body| Answer { path, content_type, body: body.into() })
            .map_err(|error| format!("{}: {error}", file.display()))
    };
    ROUTES.into_iter().map(read).collect()
}
