//! The order: what the harness says on standard input. docs/reference/agent-protocol.md has its form.

use crate::io::control::Credentials;
use crate::plan::{CpuSource, FreezeBy, Hop};
use hopcost_common::failure::Failure;
use rustls::pki_types::ServerName;
use serde::Deserialize;
use std::path::PathBuf;

const fn default_lease_ns() -> u64 {
    5_000_000_000
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Order {
    /// Where to listen, `host:port`.
    pub(super) address: String,
    ca_file: PathBuf,
    cert_file: PathBuf,
    key_file: PathBuf,
    /// The names that may come.
    generators: Vec<String>,
    /// The one of them that leads.
    leader: String,
    /// Those of them that make the same load with the leader.
    #[serde(default)]
    followers: Vec<String>,
    /// How long the leader may be silent.
    #[serde(default = "default_lease_ns")]
    pub(super) lease_ns: u64,
    #[serde(default)]
    pub(super) builds: Builds,
    pub(super) arms: Vec<OrderedArm>,
}

/// Which leaders' binaries are taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Builds {
    /// The same binary as the agent's.
    #[default]
    Same,
    /// Any of the same version.
    Any,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OrderedArm {
    pub(super) name: String,
    /// `None` is never frozen.
    pub(super) freeze: Option<FreezeBy>,
    pub(super) hops: Vec<Hop>,
}

impl Order {
    /// Reads an order and checks what its types do not.
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let order: Self = serde_json::from_str(text).map_err(|error| {
            Failure::usage(format!("the order on standard input: {error}"))
                .hint("docs/reference/agent-protocol.md has the form of an order; it is one line")
        })?;
        let require =
            |holds: bool, what: &str| if holds { Ok(()) } else { Err(Failure::usage(format!("the order: {what}"))) };
        require(order.lease_ns > 0, "`lease_ns` is 0")?;
        require(order.generators.contains(&order.leader), "`leader` is none of `generators`")?;
        for name in &order.generators {
            let what = format!("`generators`: `{name}` is no name that a certificate can have");
            require(ServerName::try_from(name.as_str()).is_ok(), &what)?;
        }
        for (number, name) in order.followers.iter().enumerate() {
            let is_other = *name != order.leader && !order.followers[..number].contains(name);
            let is_one = order.generators.contains(name) && is_other;
            require(is_one, &format!("`followers`: `{name}` is none of `generators`, or there twice"))?;
        }
        require(!order.arms.is_empty(), "`arms` is empty")?;
        for (number, OrderedArm { name, freeze, hops }) in order.arms.iter().enumerate() {
            let is_new = order.arms[..number].iter().all(|other| other.name != *name);
            require(is_new, &format!("two arms have the name `{name}`"))?;
            let is_here = !matches!(freeze, Some(FreezeBy::Agent(_)))
                && hops.iter().all(|hop| !matches!(hop.cpu, CpuSource::Agent(_)));
            require(is_here, &format!("arm `{name}`: an agent asks no other agent"))?;
        }
        Ok(order)
    }

    pub(super) fn credentials(&self) -> Credentials {
        Credentials {
            ca_file: self.ca_file.clone(),
            cert_file: self.cert_file.clone(),
            key_file: self.key_file.clone(),
        }
    }

    /// Those that make the load: the leader, and then the followers.
    pub(super) fn members(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.leader).chain(&self.followers).map(String::as_str)
    }

    /// Which of the generators' names is this one's; a member's before any other.
    pub(super) fn generator(&self, is_named: impl Fn(&str) -> bool) -> Option<&str> {
        self.members().chain(self.generators.iter().map(String::as_str)).find(|name| is_named(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn order(change: impl FnOnce(&mut Value)) -> Result<Order, Failure> {
        let mut order = json!({
            "address": "198.18.100.11:0", "ca_file": "ca.pem", "cert_file": "s.pem", "key_file": "s.key",
            "generators": ["g1", "198.18.100.12"], "leader": "g1",
            "arms": [{
                "name": "nginx-http-tcp", "freeze": {"cgroup2": "/sys/fs/cgroup/hopcost/stack-1"},
                "hops": [{"name": "nginx", "cpu": {"processes": [4711, 4712]}}],
            }],
        });
        change(&mut order);
        Order::parse(&order.to_string())
    }

    #[test]
    fn the_order_of_the_documentation() {
        let order = order(|_| ()).expect("as documented");
        assert_eq!((order.lease_ns, order.builds, order.arms.len()), (5_000_000_000, Builds::Same, 1));
        assert_eq!(order.generator(|_| true), Some("g1"), "the leader, if the certificate has several names");
        assert_eq!(order.generator(|name| name == "198.18.100.12"), Some("198.18.100.12"));
        assert_eq!(order.generator(|name| name == "g2"), None);
    }

    #[test]
    fn what_is_refused_and_where() {
        type Change = fn(&mut Value);
        let table: [(&str, Change); 11] = [
            ("`followers`: `g2` is none", |order| order["followers"] = json!(["g2"])),
            ("`followers`: `g1` is none of `generators`, or there twice", |order| order["followers"] = json!(["g1"])),
            ("`leader` is none of `generators`", |order| order["leader"] = json!("g2")),
            ("`no name` is no name", |order| order["generators"] = json!(["g1", "no name"])),
            ("`lease_ns` is 0", |order| order["lease_ns"] = json!(0)),
            ("`arms` is empty", |order| order["arms"] = json!([])),
            ("two arms have the name `nginx-http-tcp`", |order| {
                let arm = order["arms"][0].clone();
                order["arms"] = json!([arm, arm]);
            }),
            ("an agent asks no other", |order| order["arms"][0]["freeze"] = json!({"agent": 0})),
            ("an agent asks no other", |order| order["arms"][0]["hops"][0]["cpu"] = json!({"agent": 0})),
            ("unknown variant `none`", |order| order["builds"] = json!("none")),
            ("unknown field `port`", |order| order["port"] = json!(1)),
        ];
        for (message, change) in table {
            let failure = order(change).expect_err(message);
            assert!(failure.message.contains(message) && failure.exit_code() == 2, "{failure}");
        }
    }
}
