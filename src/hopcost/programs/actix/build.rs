//! Makes the version of actix-web that Cargo.lock names known to the program: its receipt.

fn main() {
    println!("cargo::rerun-if-changed=Cargo.lock");
    let lock = std::fs::read_to_string("Cargo.lock").expect("beside Cargo.toml: builds are --locked");
    let version = lock
        .split("[[package]]")
        .find(|package| package.contains("name = \"actix-web\"\n"))
        .and_then(|package| package.split("version = \"").nth(1)?.split('"').next())
        .expect("it is a dependency");
    println!("cargo::rustc-env=ACTIX_WEB_VERSION={version}");
}
