//! The file of several requests: one JSON object per line, with weights.

use super::requests::{check_method, contains, digest, first_body, header, read};
use crate::check::{ExpectedBody, ExpectedStatus, StatusSet};
use crate::requests::RequestSpec;
use hopcost_common::failure::Failure;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// One line of the file. The command line says what the line leaves out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// What it is called in the results.
    name: Option<String>,
    #[serde(default = "one")]
    weight: u32,
    method: Option<String>,
    target: Option<String>,
    /// Like `"Accept: text/html"`, added to the headers of the command line.
    #[serde(default)]
    headers: Vec<String>,
    body: Option<String>,
    body_file: Option<PathBuf>,
    expect: Option<Expect>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    /// Like `"200,204,300-399"`.
    status: Option<String>,
    body: Option<String>,
    body_file: Option<PathBuf>,
    length: Option<u64>,
    sha256: Option<String>,
    contains: Option<String>,
    #[serde(default)]
    any_body: bool,
}

const fn one() -> u32 {
    1
}

/// Reads the file. Paths in it are relative to its folder.
pub(super) fn parse(path: &Path, usual: &RequestSpec) -> Result<Vec<RequestSpec>, Failure> {
    let text = read("--requests", path)?;
    let text =
        String::from_utf8(text).map_err(|error| Failure::usage(format!("--requests {}: {error}", path.display())))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut specs = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = format!("{}:{}", path.display(), number + 1);
        let entry: Entry = serde_json::from_str(line).map_err(|error| {
            // serde counts lines from the start of this line; a reader would take its number for one of the file.
            let error = error.to_string();
            let what = error.split(" at line ").next().unwrap_or_default();
            Failure::usage(format!("{place}: {what}"))
                .hint(r#"like {"weight": 3, "target": "/a", "expect": {"status": "200"}}"#)
        })?;
        specs.push(entry.spec(&place, folder, usual)?);
    }
    if specs.is_empty() {
        return Err(Failure::usage(format!("--requests {}: no request in it", path.display()))
            .hint(r#"a JSON object per line, like {"weight": 3, "target": "/a"}"#));
    }
    Ok(specs)
}

impl Entry {
    fn spec(self, place: &str, folder: &Path, usual: &RequestSpec) -> Result<RequestSpec, Failure> {
        let body = match (self.body, self.body_file) {
            (Some(_), Some(_)) => return Err(Failure::usage(format!("{place}: both `body` and `body_file`"))),
            (Some(text), None) => Some(text.into_bytes().into()),
            (None, Some(file)) => Some(read(&format!("{place}: `body_file`"), &folder.join(file))?.into()),
            (None, None) => usual.body.clone(),
        };
        let method = match self.method {
            Some(method) => method,
            None if body.is_some() && usual.body.is_none() && usual.method == "GET" => "POST".to_owned(),
            None => usual.method.clone(),
        };
        check_method(&format!("{place}: `method`"), &method)?;
        let target = self.target.unwrap_or_else(|| usual.target.clone());
        if !target.starts_with('/') || target.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
            return Err(Failure::usage(format!("{place}: `target` is `{target}`, not a path and query like /a?b=c")));
        }
        let mut headers = usual.headers.clone();
        for text in &self.headers {
            headers.push(header(&format!("{place}: `headers`"), text)?);
        }
        let (status, expected) = match self.expect {
            None => (None, None),
            Some(expect) => expect.parts(place, folder)?,
        };
        let expected = expected.unwrap_or_else(|| match &usual.expected {
            // Each request has its own first answer.
            ExpectedBody::First(_) => first_body(),
            known => known.clone(),
        });
        let status = status.unwrap_or(usual.status);
        Ok(RequestSpec { name: self.name, weight: self.weight, method, target, headers, body, status, expected })
    }
}

impl Expect {
    fn parts(self, place: &str, folder: &Path) -> Result<(Option<ExpectedStatus>, Option<ExpectedBody>), Failure> {
        let wrong = |what: String| Failure::usage(format!("{place}: `expect`: {what}"));
        let status = self.status.as_deref().map(StatusSet::parse).transpose().map_err(wrong)?;
        let mut bodies = Vec::new();
        bodies.extend(self.body.map(|text| ExpectedBody::Bytes(text.into_bytes().into())));
        bodies.extend(self.length.map(ExpectedBody::Length));
        bodies.extend(self.any_body.then_some(ExpectedBody::Any));
        if let Some(file) = self.body_file {
            bodies.push(ExpectedBody::Bytes(read(&format!("{place}: `body_file`"), &folder.join(file))?.into()));
        }
        if let Some(text) = self.sha256 {
            bodies.push(ExpectedBody::Sha256(digest(&text).map_err(wrong)?));
        }
        if let Some(text) = self.contains {
            bodies.push(contains(&format!("{place}: `contains`"), &text)?);
        }
        if bodies.len() > 1 {
            return Err(wrong("the body is described twice".to_owned()));
        }
        Ok((status.map(ExpectedStatus::OneOf), bodies.pop()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usual() -> RequestSpec {
        RequestSpec {
            name: None,
            weight: 1,
            method: "GET".into(),
            target: "/".into(),
            headers: vec![("A".into(), "b".into())],
            body: None,
            status: ExpectedStatus::Successful,
            expected: first_body(),
        }
    }

    fn entry(line: &str) -> Result<RequestSpec, Failure> {
        let entry: Entry = serde_json::from_str(line).map_err(|error| Failure::usage(error.to_string()))?;
        entry.spec("file:1", Path::new(""), &usual())
    }

    #[test]
    fn what_a_line_says_and_what_it_leaves_to_the_command_line() {
        let spec = entry(r#"{"name": "put", "weight": 3, "target": "/x?y", "headers": ["C: d"], "body": "z"}"#);
        let spec = spec.expect("valid");
        assert_eq!((spec.weight, spec.method.as_str(), spec.target.as_str()), (3, "POST", "/x?y"));
        assert_eq!(spec.name.as_deref(), Some("put"));
        assert_eq!((spec.headers.len(), spec.body.as_deref()), (2, Some(&b"z"[..])));
        let spec = entry(r#"{"expect": {"status": "404", "contains": "no"}}"#).expect("valid");
        assert_eq!((spec.method.as_str(), spec.target.as_str()), ("GET", "/"));
        assert!(matches!(spec.status, ExpectedStatus::OneOf(_)));
        assert!(matches!(spec.expected, ExpectedBody::Contains(_)));
    }

    #[test]
    fn what_is_refused() {
        for (line, message) in [
            (r#"{"targett": "/"}"#, "unknown field"),
            (r#"{"target": "x"}"#, "file:1: `target`"),
            (r#"{"method": "G T"}"#, "file:1: `method`"),
            (r#"{"headers": ["x"]}"#, "file:1: `headers`"),
            (r#"{"body": "x", "body_file": "y"}"#, "both `body` and"),
            (r#"{"body_file": "/nowhere/at/all"}"#, "file:1: `body_file` /nowhere"),
            (r#"{"expect": {"length": 1, "any_body": true}}"#, "described twice"),
            (r#"{"expect": {"status": "9"}}"#, "file:1: `expect`"),
            (r#"{"expect": {"sha256": "9"}}"#, "not a SHA-256"),
            (r#"{"expect": {"contains": ""}}"#, "nothing to look for"),
        ] {
            let failure = entry(line).expect_err(line);
            assert!(failure.message.contains(message), "{}", failure.message);
        }
    }
}
