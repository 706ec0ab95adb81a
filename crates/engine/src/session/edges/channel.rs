//! The leader's end of an agent: what it is asked, and what it says of itself.

use super::binary;
use super::link::Link;
use super::messages::{Answer, ArmFacts, MOST_BYTES_TO_LEADER, PROTOCOL, Request};
use crate::io::control::{Secure, tls_error};
use crate::io::process::Scheduling;
use crate::lines;
use crate::plan::AgentAddress;
use crate::schedule::Share;
use hopcost_common::failure::Failure;
use rustls::pki_types::ServerName;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// A connection to an agent that has taken this process as its leader. Dropping it says goodbye: the agent thaws every
/// arm.
#[derive(Debug)]
pub(in crate::session) struct Channel {
    pub(super) link: Arc<Link>,
    pub(super) facts: AgentFacts,
    reader: Option<JoinHandle<()>>,
}

/// What the agent says of itself.
#[derive(Debug)]
pub(in crate::session) struct AgentFacts {
    pub(super) address: String,
    pub(super) version: String,
    pub(super) sha256: String,
    pub(super) scheduling: Scheduling,
    pub(super) lease_ns: u64,
    /// Which of the generators this one is, from 0 (the leader), and how many there are.
    pub(super) member: usize,
    pub(super) members: usize,
    pub(super) arms: Vec<ArmFacts>,
}

impl Channel {
    /// Connects, and asks to be the leader.
    pub(super) fn open(agent: &AgentAddress) -> Result<Self, Failure> {
        let usage = |what: String| Failure::usage(format!("the plan: `agent`: {what}"));
        let config = agent.credentials().client().map_err(usage)?;
        let name = ServerName::try_from(agent.server_name.clone())
            .map_err(|_| usage(format!("`{}` is no name that a certificate can have", agent.server_name)))?;
        let sha256 = binary::sha256()?;
        let secure = Secure::connect(&agent.address, &name, config, agent.patience_ns, MOST_BYTES_TO_LEADER).map_err(
            |error| {
                let failure = Failure::machine(format!("the agent at {} cannot be reached: {error}", agent.address));
                if tls_error(&error).is_some() {
                    failure.hint("`server_name` and `ca_file` have to be those of the agent's certificate")
                } else {
                    failure.hint("its line `listening` has the address; is there a way to it?")
                }
            },
        )?;
        let link = Arc::new(Link::new(secure, agent.address.clone(), agent.patience_ns));
        let reader = thread::spawn({
            let link = Arc::clone(&link);
            move || link.follow()
        });
        let mut channel = Self { link, facts: AgentFacts::none(&agent.address), reader: Some(reader) };
        channel.facts = channel.welcome(sha256)?;
        Ok(channel)
    }

    fn welcome(&self, sha256: String) -> Result<AgentFacts, Failure> {
        let version = binary::VERSION.to_owned();
        let answer = self.link.ask(|id| Request::Hello { id, protocol: PROTOCOL, version, sha256 })?.answer;
        let Answer::Welcome { version, sha256, scheduling, lease_ns, member, members, arms, .. } = answer else {
            return Err(self.link.surprised(&answer));
        };
        self.link.be_welcome();
        let address = self.facts.address.clone();
        Ok(AgentFacts { address, version, sha256, scheduling, lease_ns, member, members, arms })
    }

    /// Whether all generators say so.
    pub(super) fn agree(&self, vote: bool) -> Result<bool, Failure> {
        match self.link.ask(|id| Request::Agree { id, vote })?.answer {
            Answer::Agreed { vote, .. } => Ok(vote),
            other => Err(self.link.surprised(&other)),
        }
    }

    /// The share that this generator has of a load.
    pub(super) fn share(&self) -> Share {
        // Both are small numbers.
        Share { own: self.facts.member as u64, of: self.facts.members as u64 }
    }
}

impl AgentFacts {
    /// Before the agent has said anything.
    fn none(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            version: String::new(),
            sha256: String::new(),
            scheduling: Scheduling::Other,
            lease_ns: 0,
            member: 0,
            members: 1,
            arms: Vec::new(),
        }
    }

    pub(super) fn line(&self) -> lines::Agent<'_> {
        let &Self { ref address, ref version, ref sha256, scheduling, lease_ns, member, members, .. } = self;
        lines::Agent { address, version, sha256, scheduling, lease_ns, member, members }
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.link.close();
        if let Some(reader) = self.reader.take() {
            // A panic has aborted the process.
            let _ = reader.join();
        }
    }
}
