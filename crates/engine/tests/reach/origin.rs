//! The embedded origin inside the test's own process, on one of its links.

use hopcost_engine::io::Address;
use hopcost_engine::wire::Wire;
use hopcost_origin::answer::work::Work;
use hopcost_origin::io::{Common, EventLoop, Listener, Settings, Shared};
use hopcost_origin::link;
use hopcost_origin::log::Counts;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;

pub const LINKS: [&str; 4] = ["http+tcp", "http+unix", "fastcgi+tcp", "fastcgi+unix"];

pub struct Origin {
    pub address: Address,
    pub wire: Wire,
    socket: Option<PathBuf>,
    shared: Arc<Shared>,
    thread: JoinHandle<std::io::Result<Vec<Counts>>>,
}

impl Origin {
    pub fn start(link: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("hopcost-reach-{}-{}.sock", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let socket = std::env::temp_dir().join(name);
        let place = if link.ends_with("tcp") { "127.0.0.1:0".to_owned() } else { socket.display().to_string() };
        let listener =
            Listener::bind(format!("{link}:{place}").parse().expect("a link"), u16::MAX).expect("it can listen");
        let (address, socket) = match &listener.listen.address {
            link::Address::Tcp(address) => (Address::Tcp(*address), None),
            link::Address::Unix(path) => (Address::Unix(path.clone()), Some(path.clone())),
        };
        let settings = Settings {
            seed: 1,
            greet: false,
            requests_per_connection: None,
            work: Work::calibrate(),
            work_rounds: 0,
            queue: None,
            any_path: None,
            content_type: None,
        };
        let shared = Arc::new(Shared::new(vec![listener], 1, Common::new(None)).expect("a loop"));
        let event_loop = EventLoop::new(Arc::clone(&shared), 0, settings, None).expect("a loop");
        let wire = if link.starts_with("fastcgi") { Wire::FastCgi } else { Wire::Http };
        Self { address, wire, socket, shared, thread: std::thread::spawn(move || event_loop.run()) }
    }

    /// What it counted.
    pub fn stop(self) -> Counts {
        self.shared.stop();
        let counts = self.thread.join().expect("it does not panic").expect("it runs to its end");
        if let Some(socket) = self.socket {
            let _ = std::fs::remove_file(socket);
        }
        counts[0].clone()
    }
}
