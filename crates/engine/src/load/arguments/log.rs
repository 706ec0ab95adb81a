//! The arguments of `load` about an access log to be sent.

use super::requests::ExpectationArguments;
use crate::check::StatusSet;
use crate::load::log::{LineOrder, Log, LogReceipt, LoggedRequest, Methods};
use crate::requests::{Order, RequestId, RequestSpec};
use clap::Args;
use hopcost_common::failure::Failure;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct LogArguments {
    /// An access log of nginx or Apache whose requests are sent, in the combined format; - is standard input
    #[arg(long, value_name = "LOG", conflicts_with_all = ["requests", "method", "body_file"])]
    from: Option<PathBuf>,
    /// With --from: the order of the lines
    #[arg(long, value_enum, default_value = "file", requires = "from")]
    order: LineOrder,
    /// With --from: send each line when it was, from the first one's time on
    #[arg(long, requires = "from", conflicts_with_all = ["rate", "ramp", "steps"])]
    pub(in crate::load) timed: bool,
    /// With --from: the methods that are sent, like GET,POST, or all; without bodies (default: GET, HEAD, OPTIONS)
    #[arg(long, value_name = "LIST", requires = "from", value_parser = methods)]
    methods: Option<Methods>,
}

/// Requests that a log gave.
pub(super) struct LoggedLoad {
    requests: Vec<LoggedRequest>,
    sequence: Vec<RequestId>,
    pub(super) receipt: LogReceipt,
    /// When each line is due, and how long the log is.
    pub(super) times_ns: Option<(Vec<u64>, u64)>,
}

impl LogArguments {
    pub(super) fn read(&self, seed: u64) -> Result<Option<LoggedLoad>, Failure> {
        let Some(path) = &self.from else { return Ok(None) };
        let log = Log::read(path, self.methods.as_ref().unwrap_or(&Methods::Safe), self.timed)?;
        let (sequence, times_ns) = log.schedule(self.order, seed);
        Ok(Some(LoggedLoad { requests: log.requests, sequence, receipt: log.receipt, times_ns }))
    }
}

impl LoggedLoad {
    /// The requests, with what the command line says of all of them, and their order.
    pub(super) fn specs(
        self,
        target: &str,
        headers: &[(String, String)],
        expectations: &ExpectationArguments,
    ) -> Result<(Vec<RequestSpec>, Order), Failure> {
        if target != "/" {
            return Err(Failure::usage(format!("--from, and a URL with the target `{target}`"))
                .hint("the log has the targets; the URL names the server alone"));
        }
        // A log has no bodies to compare with, and those of an app differ.
        let expected = expectations.body_of_log()?;
        let spec = |LoggedRequest { method, target, lines, statuses }| RequestSpec {
            name: None,
            weight: lines,
            method,
            target,
            headers: headers.to_vec(),
            body: None,
            status: expectations.status_or(if statuses.is_empty() {
                StatusSet::from_range(200..400)
            } else {
                statuses
            }),
            expected: expected.clone(),
        };
        Ok((self.requests.into_iter().map(spec).collect(), Order::Sequence(self.sequence.into())))
    }
}

fn methods(text: &str) -> Result<Methods, String> {
    if text == "all" {
        return Ok(Methods::All);
    }
    let methods: Vec<String> = text.split(',').map(str::to_owned).collect();
    let is_method =
        |method: &String| !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-');
    if methods.iter().all(is_method) {
        Ok(Methods::These(methods))
    } else {
        Err("not methods, like GET,POST, nor all".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_methods() {
        assert_eq!(methods("all"), Ok(Methods::All));
        assert_eq!(methods("GET,POST"), Ok(Methods::These(vec!["GET".into(), "POST".into()])));
        for text in ["", "get", "GET,", "GET POST", "GET, POST"] {
            assert!(methods(text).is_err(), "{text}");
        }
    }
}
