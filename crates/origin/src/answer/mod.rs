//! From a request to what answers it. Alike on every wire; knows no bytes of a protocol and no sockets.

pub mod body;
pub mod delay;
pub mod fault;
pub mod route;
pub mod script;
pub mod work;

pub use body::{Body, Payload};
pub use delay::Delay;
pub use fault::Fault;
pub use route::Route;
pub use script::Script;

/// What the origin needs to know of a request method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Answered without a body.
    Head,
    /// Any other method: all are answered alike.
    Other,
}

impl Method {
    /// The method of this name, which is case-sensitive (RFC 9110, 9.1).
    pub fn named(name: &[u8]) -> Self {
        if name == b"HEAD" { Method::Head } else { Method::Other }
    }
}

/// Whether the client lets the connection live on after the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Persistence {
    /// HTTP keep-alive, or FCGI_KEEP_CONN.
    KeepAlive,
    /// The connection ends after this answer.
    Close,
}

/// A request that has been received completely.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Whether a body is wanted in the answer.
    pub method: Method,
    /// Route and script, as its target asks for.
    pub script: Script,
    /// Bytes of the request's body, framing excluded.
    pub body_bytes: u64,
    /// What the client wants of the connection.
    pub persistence: Persistence,
}

/// A status code with its reason phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub u16, pub &'static str);

/// How the end of the body is told to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Content-Length.
    Length,
    /// HTTP: chunked coding with extensions and trailers. FastCGI: many padded records, no Content-Length.
    Pieces,
    /// No Content-Length; HTTP: the end of the connection is the end of the body.
    UntilClose,
}

/// Bytes that follow an answer and belong to no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surplus {
    /// None, as it should be.
    None,
    /// Sixteen bytes that are no answer.
    Bytes,
    /// A whole second answer, that of `/hello`.
    Answer,
}

/// What becomes of the connection once the answer has been sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It waits for the next request.
    KeepAlive,
    /// Closed in order (FIN).
    Close,
    /// Closed by a reset (RST) on TCP.
    Reset,
}

/// An answer, with everything that is wrong with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Status line.
    pub status: Status,
    /// Content-Type.
    pub content_type: &'static str,
    /// The body that the head speaks of.
    pub payload: Payload,
    /// How much of the answer is sent.
    pub extent: Extent,
    /// How the body's end is told.
    pub framing: Framing,
    /// 103 Early Hints goes first.
    pub early_hints: bool,
    /// Header fields of more than 100,000 bytes.
    pub huge_head: bool,
    /// What follows it.
    pub surplus: Surplus,
    /// What the Connection header field says.
    pub announced: Persistence,
    /// What happens to the connection.
    pub ending: Ending,
    /// Pause between the tenths of the body, 0 for none.
    pub pause_ns: u64,
}

/// How much of an answer is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// The head alone: the request was HEAD.
    HeadOnly,
    /// Cut off in the middle of the body; of an answer without body, in the middle of the head.
    Half,
    /// As `Half`, for HEAD.
    HalfHead,
}

impl Answer {
    /// A plain answer to `request`-independent circumstances: 200, kept alive.
    pub fn plain(status: Status, content_type: &'static str, body: Body) -> Self {
        Answer {
            status,
            content_type,
            payload: Payload::of(body),
            extent: Extent::Whole,
            framing: Framing::Length,
            early_hints: false,
            huge_head: false,
            surplus: Surplus::None,
            announced: Persistence::KeepAlive,
            ending: Ending::KeepAlive,
            pause_ns: 0,
        }
    }

    /// The answer to `request` before any fault is applied to it.
    pub fn to(request: &Request) -> Self {
        let mut answer = request.script.route.answer(request.body_bytes);
        if request.method == Method::Head {
            answer.extent = Extent::HeadOnly;
        }
        if request.persistence == Persistence::Close {
            answer.close_announced();
        }
        answer
    }

    /// The connection ends after this answer, and the head says so.
    pub fn close_announced(&mut self) {
        self.announced = Persistence::Close;
        self.ending = Ending::Close;
    }

    /// Whether body bytes go out with this answer.
    pub fn has_body(&self) -> bool {
        matches!(self.extent, Extent::Whole | Extent::Half) && self.payload.length() > 0
    }

    /// Body bytes that will be sent.
    pub fn body_bytes(&self) -> u64 {
        match self.extent {
            Extent::Whole => self.payload.length(),
            Extent::Half => self.payload.length() / 2,
            Extent::HeadOnly | Extent::HalfHead => 0,
        }
    }
}
