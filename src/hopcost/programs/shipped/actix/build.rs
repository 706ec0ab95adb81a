//! Makes the program's receipt: the version of actix-web that Cargo.lock names, and the compiler's.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=Cargo.lock");
    let lock = std::fs::read_to_string("Cargo.lock").expect("beside Cargo.toml: builds are --locked");
    let library = lock
        .split("[[package]]")
        .find(|package| package.contains("name = \"actix-web\"\n"))
        .and_then(|package| package.split("version = \"").nth(1)?.split('"').next())
        .expect("it is a dependency");
    let rustc = std::env::var("RUSTC").expect("cargo sets it for build scripts");
    let compiler = Command::new(rustc).arg("--version").output().expect("it compiled this").stdout;
    let compiler = String::from_utf8_lossy(&compiler);
    let compiler = compiler.split(' ').nth(1).unwrap_or("unknown");
    println!("cargo::rustc-env=RECEIPT=actix-web {library} built with rustc {compiler}");
}
