//! Arms that an agent on another machine freezes and counts.

use super::{Arm, CpuSource, FreezeBy};
use crate::io::control::Credentials;
use serde::Deserialize;
use std::path::PathBuf;

/// Longer than the agent's lease, so that the stacks' machine is clean before it is given up here.
const fn default_patience_ns() -> u64 {
    7_000_000_000
}

/// Where the agent listens, and who both sides are.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentAddress {
    /// `host:port`.
    pub address: String,
    /// The name that its certificate has to have.
    pub server_name: String,
    /// Who signed its certificate.
    pub ca_file: PathBuf,
    /// The engine's own certificate.
    pub cert_file: PathBuf,
    pub key_file: PathBuf,
    /// How long it may be silent.
    #[serde(default = "default_patience_ns")]
    pub patience_ns: u64,
}

impl AgentAddress {
    pub fn credentials(&self) -> Credentials {
        Credentials {
            ca_file: self.ca_file.clone(),
            cert_file: self.cert_file.clone(),
            key_file: self.key_file.clone(),
        }
    }
}

impl Arm {
    /// The agent's number for this arm, `None` if it is frozen and counted here; in words what does not go together.
    pub fn agents_arm(&self) -> Result<Option<usize>, String> {
        let own = match self.freeze {
            Some(FreezeBy::Agent(arm)) => Some(arm),
            _ => None,
        };
        for hop in &self.hops {
            let of_hop = match hop.cpu {
                CpuSource::Agent(arm) => Some(arm),
                _ => None,
            };
            if of_hop != own {
                let alike = "`freeze` and every `hops[].cpu` are the same arm of the agent, or none is";
                return Err(format!("hop `{}`: {alike}", hop.name));
            }
        }
        Ok(own)
    }
}

/// Checks what the plan says of its agent; in words what is wrong.
pub(super) fn check(agent: Option<&AgentAddress>, arms: &[Arm]) -> Result<(), String> {
    let mut is_used = false;
    for arm in arms {
        let is_remote = arm.agents_arm().map_err(|what| format!("arm `{}`: {what}", arm.name))?.is_some();
        if is_remote && agent.is_none() {
            return Err(format!("arm `{}`: an agent freezes it, and the plan has no `agent`", arm.name));
        }
        is_used |= is_remote;
    }
    match agent {
        Some(_) if !is_used => Err("`agent`, and it freezes no arm".to_owned()),
        Some(agent) if agent.patience_ns == 0 => Err("`agent.patience_ns` is 0".to_owned()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::Plan;
    use serde_json::{Value, json};

    fn plan(change: impl FnOnce(&mut Value)) -> Value {
        let mut plan = json!({
            "seed": 7, "cores": [1], "io": "auto", "batch": 1, "slice_ns": 100_000_000, "rounds": 6,
            "warm_up": {"least_ns": 0, "most_ns": 0},
            "agent": {"address": "198.18.100.11:34567", "server_name": "s", "ca_file": "ca.pem",
                      "cert_file": "g1.pem", "key_file": "g1.key"},
            "arms": [{
                "name": "a", "address": {"tcp": "127.0.0.1:20001"}, "connections": 64, "timeout_ns": 1,
                "request": {"method": "GET", "target": "/", "headers": []}, "expect": {"status": 200},
                "freeze": {"agent": 0},
                "hops": [{"name": "nginx", "cpu": {"agent": 0}}, {"name": "go", "cpu": {"agent": 0}}],
            }],
        });
        change(&mut plan);
        plan
    }

    #[test]
    fn the_agent_of_the_documentation() {
        let plan = Plan::parse(&plan(|_| ()).to_string()).expect("as documented");
        let agent = plan.agent.expect("it is there");
        assert_eq!((agent.address.as_str(), agent.patience_ns), ("198.18.100.11:34567", 7_000_000_000));
        assert_eq!(plan.arms[0].agents_arm(), Ok(Some(0)));
    }

    #[test]
    fn what_does_not_go_together() {
        type Change = fn(&mut Value);
        let table: [(&str, Change); 7] = [
            ("`agent`, and it freezes no arm", |plan| {
                plan["arms"][0]["freeze"] = Value::Null;
                plan["arms"][0]["hops"] = json!([]);
            }),
            ("arm `a`: an agent freezes it, and the plan has no `agent`", |plan| plan["agent"] = Value::Null),
            ("arm `a`: hop `nginx`: `freeze` and every", |plan| plan["arms"][0]["freeze"] = Value::Null),
            ("arm `a`: hop `go`: `freeze` and every", |plan| {
                plan["arms"][0]["hops"][1]["cpu"] = json!({"processes": [1]});
            }),
            ("arm `a`: hop `go`: `freeze` and every", |plan| {
                plan["arms"][0]["hops"][1]["cpu"] = json!({"agent": 1});
            }),
            ("`agent.patience_ns` is 0", |plan| plan["agent"]["patience_ns"] = json!(0)),
            ("unknown field `lease_ns`", |plan| plan["agent"]["lease_ns"] = json!(5)),
        ];
        for (message, change) in table {
            let failure = Plan::parse(&plan(change).to_string()).expect_err(message);
            assert!(failure.message.contains(message) && failure.exit_code() == 2, "{failure}");
        }
    }
}
