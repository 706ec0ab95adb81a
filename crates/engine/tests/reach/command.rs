//! The command line: its help, and what it says of mistakes.

use crate::origin::Origin;
use hopcost_engine::io::Address;
use std::process::{Command, Output};

fn load(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hopcost-engine")).arg("load").args(arguments).output().expect("it runs")
}

#[test]
fn help_is_one_page_in_short_and_long() {
    for option in ["-h", "--help"] {
        let help = String::from_utf8(load(&[option]).stdout).expect("UTF-8");
        assert_eq!(help, hopcost_engine::load::HELP);
    }
}

#[test]
fn mistakes_are_one_line_with_a_hint() {
    let table: [(&[&str], i32, &str); 15] = [
        (&[], 2, "required arguments were not provided: <URL>"),
        (&["h", "--durration", "1s"], 2, "unexpected argument '--durration'"),
        (&["h", "-c", "x"], 2, "invalid value 'x' for '--connections"),
        (&["127.0.0.1:1"], 3, "127.0.0.1:1 cannot be reached: Connection refused"),
        (&["gopher://h/"], 2, "`gopher` is not spoken here"),
        (&["http://h/", "-H", "x"], 2, "-H `x`: not a header"),
        (&["http://h/", "-m", "G T"], 2, "-m `G T`: not a method"),
        (&["http://h/", "-D", "/nowhere/at/all"], 2, "--body-file /nowhere/at/all: No such file"),
        (&["http://h/", "--requests", "/nowhere/at/all"], 2, "--requests /nowhere/at/all: No such file"),
        (&["https://127.0.0.1/", "--ca", "/nowhere/at/all"], 2, "/nowhere/at/all: "),
        (&["http://127.0.0.1/", "--insecure"], 2, "are about TLS"),
        (&["http://127.0.0.1/", "--fastcgi-param", "A=b"], 2, "--fastcgi-param without FastCGI"),
        (&["http://name.invalid/"], 3, "`name.invalid` cannot be resolved"),
        (&["http+unix://%2Fnowhere%2Fat%2Fall/"], 3, "cannot be reached: No such file"),
        (&["http://127.0.0.1:1/"], 3, "cannot be reached: Connection refused"),
    ];
    for (arguments, code, message) in table {
        let output = load(arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
        let lines: Vec<&str> = text.lines().collect();
        let [error, hint] = lines[..] else { panic!("{arguments:?}: {text}") };
        assert!(error.starts_with("error: ") && error.contains(message), "{arguments:?}: {text}");
        assert!(hint.starts_with("hint: "), "{arguments:?}: {text}");
    }
}

#[test]
fn a_file_of_requests_and_an_upload() {
    let origin = Origin::start("http+tcp");
    let Address::Tcp(address) = origin.address else { panic!("TCP was asked for") };
    let folder = std::env::temp_dir().join(format!("hopcost-reach-{}-mix", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary directory is writable");
    std::fs::write(folder.join("body"), [7; 30_000]).expect("writable");
    let lines = [
        r#"{"weight": 3, "target": "/hello", "expect": {"contains": "World"}}"#,
        "",
        r#"{"target": "/echo-length", "body_file": "body", "headers": ["X: y"], "expect": {"body": "30000\n"}}"#,
    ];
    std::fs::write(folder.join("mix.jsonl"), lines.join("\n")).expect("writable");
    let output = load(&[
        &format!("http://{address}/"),
        "--requests",
        folder.join("mix.jsonl").to_str().expect("UTF-8"),
        "-n",
        "40",
        "-c",
        "4",
        "--expect-status",
        "200,300-399",
        "--json",
    ]);
    let _ = std::fs::remove_dir_all(&folder);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!((&json["answers"], &json["errors"]), (&40.into(), &serde_json::json!({})), "{json}");
    assert_eq!(origin.stop().body_bytes_in, 10 * 30_000, "one in four");
}
