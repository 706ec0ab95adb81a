//! What a request's target asks for: its path names the route, its query names delay, work and fault.

use super::delay::{self, Delay};
use super::{Fault, Route};

/// The pause of `slow-body` unless told otherwise.
const PAUSE_NS: u64 = 10_000_000;
/// The longest work that a request may ask for: it stops the whole thread.
const MAX_WORK_NS: u64 = 1_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Script {
    pub route: Route,
    /// From the request's arrival to its answer.
    pub delay: Option<Delay>,
    /// CPU time burnt before the answer.
    pub work_ns: u64,
    /// CPU time burnt after the answers of the batch were sent.
    pub work_after_ns: u64,
    pub fault: Option<Fault>,
    /// Only one in this many requests gets the fault.
    pub every: u64,
    /// The pause between the parts of `slow-body`.
    pub pause_ns: u64,
}

impl Script {
    pub fn plain(route: Route) -> Self {
        Self { route, delay: None, work_ns: 0, work_after_ns: 0, fault: None, every: 1, pause_ns: PAUSE_NS }
    }

    /// Reads a target in origin form or absolute form. An unknown parameter or a bad value gets 400 as its answer: a
    /// fault that silently does not happen would spoil a test.
    pub fn of(target: &[u8]) -> Self {
        let target = origin_form(target);
        let Some(question) = target.iter().position(|byte| *byte == b'?') else {
            return Self::plain(Route::of(target));
        };
        let mut script = Self::plain(Route::of(&target[..question]));
        for parameter in target[question + 1..].split(|byte| *byte == b'&').filter(|part| !part.is_empty()) {
            if let Err(why) = script.take(parameter) {
                return Self::plain(Route::Refused(why));
            }
        }
        script
    }

    fn take(&mut self, parameter: &[u8]) -> Result<(), &'static str> {
        let equals = parameter.iter().position(|byte| *byte == b'=').ok_or("a parameter needs a value")?;
        let value = std::str::from_utf8(&parameter[equals + 1..]).map_err(|_| "a value that is not UTF-8")?;
        match &parameter[..equals] {
            b"delay" => {
                self.delay = Some(Delay::parse(value).ok_or(
                    "delay: expected constant:TIME, uniform:LOW:HIGH, exponential:MEAN or lognormal:MEDIAN:SIGMA",
                )?);
            }
            b"work" => self.work_ns = work(value)?,
            b"work-after" => self.work_after_ns = work(value)?,
            b"fault" => self.fault = Some(Fault::named(value.as_bytes()).ok_or("fault: no such fault")?),
            b"every" => {
                self.every = value.parse().ok().filter(|every| *every > 0).ok_or("every: expected a number above 0")?;
            }
            b"pause" => self.pause_ns = delay::duration_ns(value).ok_or("pause: expected a time such as 10ms")?,
            _ => {
                return Err("no such parameter: known are delay, work, work-after, fault, every, pause");
            }
        }
        Ok(())
    }
}

fn work(value: &str) -> Result<u64, &'static str> {
    delay::duration_ns(value)
        .filter(|time| *time <= MAX_WORK_NS)
        .ok_or("work: expected a time such as 50us, at most 1s")
}

/// `http://host/path` as `/path`: a server must take both (RFC 9112, 3.2.2).
fn origin_form(target: &[u8]) -> &[u8] {
    if target.first() == Some(&b'/') {
        return target;
    }
    let Some(rest) = target.strip_prefix(b"http://") else {
        return target;
    };
    match rest.iter().position(|byte| *byte == b'/') {
        Some(path) => &rest[path..],
        None => b"/",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn targets() {
        let hello = Script::plain(Route::Hello);
        for (target, expected) in [
            ("/", hello),
            ("/hello?", hello),
            ("http://127.0.0.1:80/hello", hello),
            ("http://host", hello),
            ("/?delay=constant:1ms", Script { delay: Some(Delay::Constant(1_000_000)), ..hello }),
            ("/?work=50us&work-after=2us", Script { work_ns: 50_000, work_after_ns: 2000, ..hello }),
            (
                "/json?fault=slow-body&every=3&pause=1ms",
                Script { fault: Some(Fault::SlowBody), every: 3, pause_ns: 1_000_000, ..Script::plain(Route::Json) },
            ),
            ("/nothing", Script::plain(Route::Unknown)),
        ] {
            assert_eq!(Script::of(target.as_bytes()), expected, "{target}");
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for target in [
            "/?x=1",
            "/?fault=nonsense",
            "/?every=0",
            "/?work=2s",
            "/?work=5",
            "/?delay=1ms",
            "/?delay",
            "/?fault=greet",
        ] {
            assert!(matches!(Script::of(target.as_bytes()).route, Route::Refused(_)), "{target}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(target in proptest::collection::vec(any::<u8>(), 0..200)) {
            Script::of(&target);
        }
    }
}
