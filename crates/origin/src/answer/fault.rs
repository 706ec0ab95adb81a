//! What can be wrong with an answer, on purpose.

use super::body::Body;
use super::{Answer, Ending, Extent, Framing, Status, Surplus};
use crate::link::Protocol;

macro_rules! faults {
    ($($name:literal $fault:ident $what:literal;)*) => {
        /// A fault, by the name that the query parameter `fault` gives it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Fault { $(#[doc = $what] $fault,)* }

        impl Fault {
            /// All of them, in the order of the log.
            pub const ALL: &[Fault] = &[$(Fault::$fault,)*];

            /// Its name in queries and in the log.
            pub fn name(self) -> &'static str {
                match self { $(Fault::$fault => $name,)* }
            }

            /// What it does, as `--help` says it.
            pub fn what(self) -> &'static str {
                match self { $(Fault::$fault => $what,)* }
            }
        }
    };
}

faults! {
    "short-body" ShortBody "half of the body; then HTTP closes, FastCGI ends the request";
    "trailing-bytes" TrailingBytes "16 bytes after the answer that belong to no request";
    "two-answers" TwoAnswers "the answer of /hello once more after the answer";
    "wrong-length" WrongLength "one byte more than the route's body; the head agrees with it";
    "wrong-bytes" WrongBytes "the middle byte of the body is its complement";
    "status-500" Status500 "500 in place of the route's answer";
    "reset-mid-answer" ResetMidAnswer "half of the body, then a reset (on Unix sockets: the end of the stream)";
    "half-close" HalfClose "no answer: the sending side is shut down, the other stays open";
    "hang" Hang "never answers, keeps the connection";
    "slow-body" SlowBody "the body in ten parts with `pause` between them";
    "close-after-answer" CloseAfterAnswer "closes though the head says keep-alive";
    "connection-close" ConnectionClose "says Connection: close, and closes";
    "chunked" Chunked "chunked coding with extensions and trailers; FastCGI: many padded records";
    "close-delimited" CloseDelimited "no Content-Length: the body ends where the connection ends";
    "1xx" EarlyHints "103 Early Hints before the answer; HTTP only";
    "huge-head" HugeHead "header fields of more than 100,000 bytes";
    "greet" Greet "an answer as soon as a connection is open (flag --greet, not a parameter)";
}

/// What a request gets once its fault has been applied.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    Answer(Answer),
    /// No answer, and the connection stays as it is.
    Hang,
    /// No answer, and the sending side is shut down.
    HalfClose,
}

impl Fault {
    /// The fault of this name, if a query may ask for it.
    pub fn named(name: &[u8]) -> Option<Self> {
        Self::ALL.iter().copied().find(|fault| *fault != Self::Greet && fault.name().as_bytes() == name)
    }

    /// Applies the fault. The second value is false if nothing can go wrong, because there are no bytes to spoil or the
    /// protocol has no such thing. The answer is unchanged then.
    pub(crate) fn apply(self, mut answer: Answer, protocol: Protocol, pause_ns: u64) -> (Reply, bool) {
        let mut done = true;
        match self {
            Self::ShortBody => {
                cut(&mut answer);
                if protocol == Protocol::Http {
                    answer.ending = Ending::Close;
                }
            }
            Self::ResetMidAnswer => {
                cut(&mut answer);
                answer.ending = Ending::Reset;
            }
            Self::TrailingBytes => answer.surplus = Surplus::Bytes,
            Self::TwoAnswers => answer.surplus = Surplus::Answer,
            Self::WrongLength => answer.payload.lengthen(),
            Self::WrongBytes => done = answer.has_body() && answer.payload.spoil_byte(),
            Self::Status500 => {
                let wrong =
                    Answer::plain(Status(500, "Internal Server Error"), "text/plain", Body::Fixed(b"asked to fail\n"));
                answer.status = wrong.status;
                answer.content_type = wrong.content_type;
                answer.payload = wrong.payload;
            }
            Self::HalfClose => return (Reply::HalfClose, true),
            Self::Hang => return (Reply::Hang, true),
            Self::SlowBody if answer.has_body() => answer.pause_ns = pause_ns,
            Self::CloseAfterAnswer => answer.ending = Ending::Close,
            Self::ConnectionClose => answer.close_announced(),
            Self::Chunked => answer.framing = Framing::Pieces,
            Self::CloseDelimited => {
                answer.framing = Framing::UntilClose;
                answer.close_announced();
            }
            Self::EarlyHints if protocol == Protocol::Http => answer.early_hints = true,
            Self::HugeHead => answer.huge_head = true,
            Self::SlowBody | Self::EarlyHints | Self::Greet => done = false,
        }
        (Reply::Answer(answer), done)
    }
}

fn cut(answer: &mut Answer) {
    answer.extent = match answer.extent {
        Extent::HeadOnly | Extent::HalfHead => Extent::HalfHead,
        Extent::Whole | Extent::Half => Extent::Half,
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Route;

    #[test]
    fn names_are_found_again() {
        for fault in Fault::ALL.iter().copied().filter(|fault| *fault != Fault::Greet) {
            assert_eq!(Fault::named(fault.name().as_bytes()), Some(fault));
        }
        assert_eq!(Fault::named(b"greet"), None);
        assert_eq!(Fault::named(b"nonsense"), None);
    }

    #[test]
    fn nothing_to_spoil_is_not_done() {
        let empty = Route::Bytes(0).answer(0);
        let (outcome, done) = Fault::WrongBytes.apply(empty.clone(), Protocol::Http, 0);
        assert_eq!((outcome, done), (Reply::Answer(empty.clone()), false));
        let (outcome, done) = Fault::EarlyHints.apply(empty.clone(), Protocol::FastCgi, 0);
        assert_eq!((outcome, done), (Reply::Answer(empty), false));
    }
}
