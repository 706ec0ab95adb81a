//! The command itself: usage, addresses that cannot be had, the documentation.

use crate::support::{Scratch, Server, command};
use hopcost_origin::log::Counts;

fn run(arguments: &[&str]) -> (i32, String) {
    let output = command().args(arguments).output().expect("it runs");
    (output.status.code().expect("it exits"), String::from_utf8(output.stderr).expect("text"))
}

#[test]
fn bad_usage_exits_2() {
    for arguments in [
        &[][..],
        &["--listen", "http+tcp:nowhere"],
        &["--listen", "smtp+tcp:127.0.0.1:0"],
        &["--listen", "http+tcp:127.0.0.1:0", "--threads", "0"],
        &["--listen", "http+tcp:127.0.0.1:0", "--unheard-of"],
        &["--listen", "http+tcp:127.0.0.1:0", "--any-path", "/nothing"],
        &["--listen", "http+tcp:127.0.0.1:0", "--content-type", ""],
        &["--listen", "http+tcp:127.0.0.1:0", "--queue", "0us"],
        &["--listen", "http+tcp:127.0.0.1:0", "--servers", "2"],
        &["--listen", "http+tcp:127.0.0.1:0", "--queue", "1ms", "--pause", "1s"],
    ] {
        let (code, text) = run(arguments);
        assert_eq!(code, 2, "{arguments:?}");
        assert!(text.starts_with("error:"), "{text}");
    }
}

#[test]
fn what_cannot_be_had_here_exits_3_with_a_hint() {
    let scratch = Scratch::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = format!("http+tcp:{}", taken.local_addr().expect("bound"));
    let file = scratch.path("file");
    std::fs::write(&file, "not a socket").expect("a file");
    let free = scratch.path("free");
    for arguments in [
        &["--listen", &format!("http+unix:{free}"), "--listen", &taken][..],
        &["--listen", &format!("http+unix:{file}")],
        &["--listen", &format!("http+unix:{free}/none/x")],
        &["--listen", "http+tcp:127.0.0.1:0", "--log", &format!("{free}/none/x")],
        &["--listen", "http+tcp:192.0.2.1:0"],
    ] {
        let (code, text) = run(arguments);
        assert_eq!(code, 3, "{arguments:?}: {text}");
        assert!(text.starts_with("error: cannot ") && text.contains("\nhint: "), "{text}");
    }
    assert!(!std::path::Path::new(&free).exists(), "what was bound before the failure is removed");
    assert_eq!(std::fs::read(&file).expect("still there"), b"not a socket");
}

#[test]
fn a_second_server_on_the_same_socket_file_leaves_it_alone() {
    let server = Server::start(&[]);
    let (code, text) = run(&["--listen", &format!("http+unix:{}", server.scratch.path("http+unix"))]);
    assert_eq!(code, 3, "{text}");
    let mut stream = server.connect("http+unix");
    stream.get("/");
    stream.read_answer();
    server.stop();
}

#[test]
fn the_documentation_holds_what_help_says() {
    let help = command().arg("--help").output().expect("it runs").stdout;
    let help = String::from_utf8(help).expect("text");
    let documentation = include_str!("../../../../docs/reference/origin.md");
    let shown = documentation.split("```text\n").nth(1).and_then(|rest| rest.split("```").next());
    assert_eq!(
        shown.expect("a block of text"),
        help,
        "docs/reference/origin.md holds the output of hopcost-origin --help"
    );
    for (name, what) in Counts::WHAT {
        let row = format!("| `{name}` | {what} |");
        assert!(documentation.contains(&row), "docs/reference/origin.md: {row}");
    }
}
