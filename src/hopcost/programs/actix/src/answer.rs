//! The routes, alike in all origins; the files are those of hopcost's content folder.

use actix_web::http::header::{CONTENT_TYPE, SERVER};
use actix_web::{HttpRequest, HttpResponse, web};
use std::collections::HashMap;
use std::path::Path;

const PLAIN: &str = "text/plain";
const ROUTES: [(&str, &str, &str); 4] = [
    ("/", "hello.txt", PLAIN),
    ("/512", "512.txt", PLAIN),
    ("/json", "1k.json", "application/json"),
    ("/static.txt", "static.txt", PLAIN),
];

/// What each path answers: content type and body.
pub struct Answers(HashMap<&'static str, (&'static str, web::Bytes)>);

impl Answers {
    /// Read the files of all routes.
    pub fn read(folder: &str) -> Result<Self, String> {
        let read = |(path, file, content_type)| {
            let file = Path::new(folder).join(file);
            std::fs::read(&file)
                .map(|body| (path, (content_type, web::Bytes::from(body))))
                .map_err(|error| format!("{}: {error}", file.display()))
        };
        ROUTES.map(read).into_iter().collect::<Result<_, _>>().map(Answers)
    }
}

/// The answer to any request; 404 to a path without a route.
pub async fn answer(request: HttpRequest, answers: web::Data<Answers>) -> HttpResponse {
    let Some((content_type, body)) = answers.0.get(request.path()) else {
        return HttpResponse::NotFound().finish();
    };
    // Five letters as in "nginx", by which nginx replaces it. "Connection: keep-alive" cannot be had: actix-web drops it.
    HttpResponse::Ok().insert_header((SERVER, "actix")).insert_header((CONTENT_TYPE, *content_type)).body(body.clone())
}
