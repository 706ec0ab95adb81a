//! The command line.

use std::time::Duration;

/// What the command line asks for.
pub struct Arguments {
    /// `LINK:ADDRESS`.
    pub listen: String,
    /// The folder of the files to serve.
    pub content: String,
    /// Worker threads, each with its own loop.
    pub workers: usize,
    /// How long an idle connection is kept.
    pub keep_alive: Duration,
}

impl Arguments {
    /// From words as `--listen http+tcp:127.0.0.1:8080`; all are needed.
    pub fn parse(words: &[String]) -> Result<Self, String> {
        let value = |name: &str| {
            words
                .windows(2)
                .find(|pair| pair[0] == name)
                .map(|pair| pair[1].clone())
                .ok_or(format!("{name} and its value are missing"))
        };
        let number = |name: &str| {
            let text = value(name)?;
            let number = text.parse::<u32>().ok().filter(|number| *number > 0);
            number.ok_or(format!("{name} {text}: expected a whole number from 1"))
        };
        Ok(Arguments {
            listen: value("--listen")?,
            content: value("--content")?,
            workers: number("--workers")? as usize,
            keep_alive: Duration::from_secs(number("--keepalive-timeout-s")?.into()),
        })
    }
}
