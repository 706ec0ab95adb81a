//! Name-value pairs (FastCGI Specification 1.0, 3.4), and the request that they describe.

use crate::answer::{Method, Script};

/// Reads pairs one after another. Ends at the last pair, or before one that makes no sense.
#[derive(Debug)]
pub(crate) struct Pairs<'a> {
    rest: &'a [u8],
    /// Whether every pair so far made sense.
    pub sound: bool,
}

impl<'a> Pairs<'a> {
    /// The pairs in the content of a stream.
    pub fn of(bytes: &'a [u8]) -> Self {
        Pairs { rest: bytes, sound: true }
    }

    fn length(&mut self) -> Option<usize> {
        let (&first, rest) = self.rest.split_first()?;
        if first < 0x80 {
            self.rest = rest;
            return Some(usize::from(first));
        }
        let (four, rest) = self.rest.split_first_chunk::<4>()?;
        self.rest = rest;
        Some((u32::from_be_bytes(*four) & 0x7fff_ffff) as usize)
    }

    fn pair(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        let name = self.length()?;
        let value = self.length()?;
        let (name, rest) = self.rest.split_at_checked(name)?;
        let (value, rest) = rest.split_at_checked(value)?;
        self.rest = rest;
        Some((name, value))
    }
}

impl<'a> Iterator for Pairs<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let pair = self.pair();
        if pair.is_none() {
            self.sound = false;
            self.rest = &[];
        }
        pair
    }
}

/// Appends a pair.
pub fn push_pair(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    for length in [name.len(), value.len()] {
        if length < 0x80 {
            out.push(length as u8);
        } else {
            // Lengths beyond 31 bits cannot be held by a stream of records in practice.
            out.extend_from_slice(&(length as u32 | 0x8000_0000).to_be_bytes());
        }
    }
    out.extend_from_slice(name);
    out.extend_from_slice(value);
}

#[derive(Debug, PartialEq)]
pub(crate) struct Parameters {
    pub method: Method,
    /// REQUEST_URI; without it SCRIPT_NAME and QUERY_STRING.
    pub script: Script,
    /// CONTENT_LENGTH, if it is there and not empty.
    pub content_length: Option<u64>,
}

impl Parameters {
    /// Reads the parameters of a request; `None` if they make no sense.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut method = Method::Other;
        let mut content_length = None;
        let (mut uri, mut script_name, mut query): (Option<&[u8]>, &[u8], &[u8]) = (None, b"", b"");
        let mut pairs = Pairs::of(bytes);
        for (name, value) in &mut pairs {
            match name {
                b"REQUEST_METHOD" => method = Method::named(value),
                b"REQUEST_URI" => uri = Some(value),
                b"SCRIPT_NAME" => script_name = value,
                b"QUERY_STRING" => query = value,
                b"CONTENT_LENGTH" if !value.is_empty() => {
                    content_length = Some(std::str::from_utf8(value).ok()?.parse().ok()?);
                }
                _ => {}
            }
        }
        if !pairs.sound {
            return None;
        }
        let script = match uri {
            Some(uri) => Script::of(uri),
            None => Script::of(&[if script_name.is_empty() { b"/" } else { script_name }, b"?", query].concat()),
        };
        Some(Self { method, script, content_length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Route;
    use proptest::prelude::*;

    #[test]
    fn requests_from_parameters() {
        let params = |pairs: &[(&str, &str)]| {
            let mut bytes = Vec::new();
            for (name, value) in pairs {
                push_pair(&mut bytes, name.as_bytes(), value.as_bytes());
            }
            Parameters::read(&bytes)
        };
        let plain = Parameters { method: Method::Other, script: Script::plain(Route::Hello), content_length: None };
        assert_eq!(params(&[]), Some(plain));
        let found = params(&[("REQUEST_METHOD", "HEAD"), ("REQUEST_URI", "/json?work=1us"), ("CONTENT_LENGTH", "12")])
            .expect("these make sense");
        assert_eq!((found.method, found.content_length, found.script.work_ns), (Method::Head, Some(12), 1000));
        let found = params(&[("SCRIPT_NAME", "/text"), ("QUERY_STRING", "every=2"), ("CONTENT_LENGTH", "")])
            .expect("these make sense");
        assert_eq!((found.script.route, found.script.every, found.content_length), (Route::Text, 2, None));
        assert_eq!(params(&[("CONTENT_LENGTH", "many")]), None);
    }

    proptest! {
        #[test]
        fn pairs_are_read_as_written(
            pairs in proptest::collection::vec(
                (proptest::collection::vec(any::<u8>(), 0..200), proptest::collection::vec(any::<u8>(), 0..200)), 0..10),
        ) {
            let mut bytes = Vec::new();
            for (name, value) in &pairs {
                push_pair(&mut bytes, name, value);
            }
            let back: Vec<_> = Pairs::of(&bytes).map(|(name, value)| (name.to_vec(), value.to_vec())).collect();
            prop_assert_eq!(back, pairs);
            if !bytes.is_empty() {
                let mut cut = Pairs::of(&bytes[..bytes.len() - 1]);
                (&mut cut).count();
                prop_assert!(!cut.sound);
            }
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            Parameters::read(&bytes);
        }
    }
}
