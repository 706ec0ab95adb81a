//! The arguments of `load` about slow clients and idle connections.

use super::shape::{duration, nanoseconds};
use crate::plan::{Beside, IdleConnections, SlowClients};
use clap::Args;
use hopcost_common::failure::Failure;

/// Connections beside the fast ones.
#[derive(Debug, Args)]
pub(in crate::load) struct BesideArguments {
    /// So many more connections that read and write slowly, as 1000@30KB/s; their accounts and times are apart
    #[arg(long, value_name = "N@RATE", value_parser = slow_clients)]
    pub(in crate::load) slow: Option<SlowClients>,
    /// So many more connections that are kept open, each asking once in so long, as 5000@30s
    #[arg(long, value_name = "N@TIME", value_parser = idle_connections)]
    pub(in crate::load) idle: Option<IdleConnections>,
}

impl BesideArguments {
    pub(super) fn beside(&self) -> Result<Beside, Failure> {
        let beside = Beside { slow: self.slow, idle: self.idle };
        beside.check().map_err(|what| Failure::usage(format!("--slow or --idle: {what}")))?;
        Ok(beside)
    }
}

fn slow_clients(text: &str) -> Result<SlowClients, String> {
    let (number, rate) = split(text, "1000@30KB/s")?;
    let units = [("KB/s", 1000), ("kB/s", 1000), ("MB/s", 1_000_000), ("B/s", 1)];
    let rate_and_unit = units.iter().find_map(|(unit, bytes)| Some((rate.strip_suffix(unit)?, *bytes)));
    let (rate, unit_bytes) = rate_and_unit.ok_or_else(|| format!("`{rate}` is not a rate in B/s, KB/s or MB/s"))?;
    let bytes_per_s = rate.parse::<u64>().ok().and_then(|rate| rate.checked_mul(unit_bytes));
    Ok(SlowClients { number, bytes_per_s: bytes_per_s.ok_or("the rate is not a whole number, as in 1000@30KB/s")? })
}

fn idle_connections(text: &str) -> Result<IdleConnections, String> {
    let (number, time) = split(text, "5000@30s")?;
    Ok(IdleConnections { number, every_ns: nanoseconds(duration(time)?) })
}

fn split<'t>(text: &'t str, example: &str) -> Result<(u32, &'t str), String> {
    let (number, rest) = text.split_once('@').ok_or_else(|| format!("no @ in it, as in {example}"))?;
    let number = number.parse().map_err(|_| format!("`{number}` is not a number of connections, as in {example}"))?;
    Ok((number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_rates() {
        for (text, number, bytes_per_s) in
            [("1000@30KB/s", 1000, 30_000), ("1@500B/s", 1, 500), ("2@3MB/s", 2, 3_000_000), ("7@1kB/s", 7, 1000)]
        {
            assert_eq!(slow_clients(text), Ok(SlowClients { number, bytes_per_s }), "{text}");
        }
        for text in
            ["1000", "@30KB/s", "x@30KB/s", "10@30", "10@KB/s", "10@-1B/s", "10@1.5KB/s", "1@99999999999999999MB/s"]
        {
            assert!(slow_clients(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_and_times() {
        assert_eq!(idle_connections("5000@30s"), Ok(IdleConnections { number: 5000, every_ns: 30_000_000_000 }));
        assert_eq!(idle_connections("2@500ms"), Ok(IdleConnections { number: 2, every_ns: 500_000_000 }));
        for text in ["5000", "5000@", "@30s", "-1@30s", "5@30x"] {
            assert!(idle_connections(text).is_err(), "{text}");
        }
    }

    #[test]
    fn none_at_all_is_refused() {
        let slow =
            |number, bytes_per_s| BesideArguments { slow: Some(SlowClients { number, bytes_per_s }), idle: None };
        assert!(slow(1, 1).beside().is_ok());
        for arguments in [slow(0, 1), slow(1, 0)] {
            assert_eq!(arguments.beside().expect_err("nothing would come").exit_code(), 2);
        }
    }
}
