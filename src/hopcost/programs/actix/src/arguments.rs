//! The command line.

/// What the command line asks for.
pub struct Arguments {
    /// `LINK:ADDRESS`.
    pub listen: String,
    /// The folder of the files to serve.
    pub content: String,
    /// Worker threads, each with its own loop.
    pub workers: usize,
}

impl Arguments {
    /// From words as `--listen http+tcp:127.0.0.1:8080`; all three are needed.
    pub fn parse(words: &[String]) -> Result<Self, String> {
        let value = |name: &str| {
            words
                .windows(2)
                .find(|pair| pair[0] == name)
                .map(|pair| pair[1].clone())
                .ok_or(format!("{name} and its value are missing"))
        };
        let workers = value("--workers")?;
        Ok(Arguments {
            listen: value("--listen")?,
            content: value("--content")?,
            workers: workers
                .parse()
                .ok()
                .filter(|count| *count > 0)
                .ok_or(format!("--workers {workers}: expected a whole number from 1"))?,
        })
    }
}
