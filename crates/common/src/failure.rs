//! What ends a run: a message, a remedy, an exit code.

use std::fmt;

/// Whose failure it is, and so the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Something measured failed: 1.
    Run,
    /// The command line or the plan is wrong: 2.
    Usage,
    /// This machine cannot do it: 3.
    Machine,
}

/// The end of a run.
#[derive(Debug, Clone)]
pub struct Failure {
    /// Whose failure it is.
    pub kind: Kind,
    /// What happened, where, and what was expected.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Failure {
    /// Something measured failed.
    pub fn run(message: impl Into<String>) -> Self {
        Self { kind: Kind::Run, message: message.into(), hint: None }
    }

    /// The command line or the plan is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { kind: Kind::Usage, message: message.into(), hint: None }
    }

    /// This machine cannot do it.
    pub fn machine(message: impl Into<String>) -> Self {
        Self { kind: Kind::Machine, message: message.into(), hint: None }
    }

    /// With a remedy.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The exit code.
    pub const fn exit_code(&self) -> u8 {
        match self.kind {
            Kind::Run => 1,
            Kind::Usage => 2,
            Kind::Machine => 3,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}
