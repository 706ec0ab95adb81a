//! From a request to its answer. The same for every protocol; knows no bytes of a protocol and no sockets.

mod body;
pub(crate) mod delay;
pub(crate) mod fault;
mod queue;
mod route;
mod script;
mod words;
pub mod work;

pub(crate) use body::{Body, Payload};
pub(crate) use delay::duration_ns;
pub use fault::Fault;
pub use queue::{Pause, Queue, QueueSettings};
pub use route::Route;
pub(crate) use route::decimal;
pub(crate) use script::Script;

/// What the origin needs to know about a request method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// Answered without a body.
    Head,
    /// Any other method. All get the same answer.
    Other,
}

impl Method {
    /// The method of this name, which is case-sensitive (RFC 9110, 9.1).
    pub fn named(name: &[u8]) -> Self {
        if name == b"HEAD" { Self::Head } else { Self::Other }
    }
}

/// Whether the client keeps the connection open after the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Persistence {
    KeepAlive,
    Close,
}

/// A request that has been received completely.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    /// Whether a body is wanted in the answer.
    pub method: Method,
    /// The route and the script that its target asks for.
    pub script: Script,
    /// Bytes of the request's head, or of its parameters.
    pub head_bytes: u64,
    /// Bytes of the request's body, without framing.
    pub body_bytes: u64,
    /// Whether the client wants to keep the connection.
    pub persistence: Persistence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Status(pub u16, pub &'static str);

/// How the client learns where the body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    Length,
    /// HTTP: chunked coding with extensions and trailers. FastCGI: many padded records, no Content-Length.
    Pieces,
    /// No Content-Length; HTTP: the end of the connection is the end of the body.
    UntilClose,
}

/// Bytes behind an answer that belong to no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Surplus {
    None,
    Bytes,
    /// A second answer: the one of `/hello`.
    Answer,
}

/// What happens to the connection once the answer has been sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    KeepAlive,
    /// It is closed in order (FIN).
    Close,
    /// It is reset (RST), on TCP.
    Reset,
}

/// An answer, with everything that is wrong with it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub status: Status,
    pub content_type: &'static str,
    /// The body that the head describes.
    pub payload: Payload,
    pub extent: Extent,
    /// How the client learns where the body ends.
    pub framing: Framing,
    pub early_hints: bool,
    /// Whether its header fields have more than 100,000 bytes.
    pub huge_head: bool,
    pub surplus: Surplus,
    /// What the Connection header field says.
    pub announced: Persistence,
    pub ending: Ending,
    /// The pause between the tenths of the body; 0 is no pause.
    pub pause_ns: u64,
}

/// How much of an answer is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    /// The head alone: the request was HEAD.
    HeadOnly,
    /// Up to the middle of the body, or of the head if there is no body.
    Half,
    /// The request was HEAD: up to the middle of the head.
    HalfHead,
}

impl Answer {
    /// A whole answer with nothing wrong, on a connection that is kept.
    pub fn plain(status: Status, content_type: &'static str, body: Body) -> Self {
        Self {
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

    /// The answer to `request` before a fault is applied.
    pub fn to(request: &Request) -> Self {
        let mut answer = request.script.route.answer(match request.script.route {
            Route::EchoHeadLength => request.head_bytes,
            _ => request.body_bytes,
        });
        if request.method == Method::Head {
            answer.extent = Extent::HeadOnly;
        }
        if request.persistence == Persistence::Close {
            answer.close_announced();
        }
        answer
    }

    /// Closes the connection after this answer, and makes the head say so.
    pub fn close_announced(&mut self) {
        self.announced = Persistence::Close;
        self.ending = Ending::Close;
    }

    /// Whether body bytes go out with this answer.
    pub fn has_body(&self) -> bool {
        matches!(self.extent, Extent::Whole | Extent::Half) && self.payload.length() > 0
    }

    pub fn body_bytes(&self) -> u64 {
        match self.extent {
            Extent::Whole => self.payload.length(),
            Extent::Half => self.payload.length() / 2,
            Extent::HeadOnly | Extent::HalfHead => 0,
        }
    }
}
