//! Network namespaces: a socket belongs to the namespace in which its thread was when it made the socket, wherever the
//! thread goes later.

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;

/// The namespaces that one thread goes to, by arm. The thread moves at the edges of slices, because connections may be
/// opened again at any time within a slice. Belongs to the thread that opened it.
#[derive(Debug)]
pub struct Namespaces {
    /// The thread's own namespace, and those of the arms: `None` is the own one. `None` in all if no arm has one.
    places: Option<(File, Vec<Option<File>>)>,
    at: Option<usize>,
}

impl Namespaces {
    /// Opens the namespaces: `arms` has the file of each arm that has its own. The error names the file.
    pub fn open<'a>(arms: impl Iterator<Item = Option<&'a Path>> + Clone) -> io::Result<Self> {
        let open = |path: &Path| {
            File::open(path).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
        };
        if arms.clone().all(|arm| arm.is_none()) {
            return Ok(Self::none());
        }
        let own = open(Path::new("/proc/thread-self/ns/net"))?;
        let arms = arms.map(|arm| arm.map(open).transpose()).collect::<io::Result<_>>()?;
        Ok(Self { places: Some((own, arms)), at: None })
    }

    /// No namespaces, for when no arm is loaded any more.
    pub const fn none() -> Self {
        Self { places: None, at: None }
    }

    /// Moves the calling thread to the arm's namespace; `None` is back to its own.
    pub fn enter(&mut self, arm: Option<usize>) -> io::Result<()> {
        let Some((own, arms)) = &self.places else { return Ok(()) };
        let arm = arm.filter(|&arm| arms[arm].is_some());
        if arm != self.at {
            let file = arm.and_then(|arm| arms[arm].as_ref()).unwrap_or(own);
            move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))?;
            self.at = arm;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_namespaces_nothing_is_opened_or_entered() {
        let mut none = Namespaces::open([None, None].into_iter()).expect("nothing to open");
        assert!(none.places.is_none());
        none.enter(Some(1)).expect("nothing to do");
    }

    #[test]
    fn a_namespace_that_is_not_there_is_named() {
        let error = Namespaces::open([Some(Path::new("/no/such/ns"))].into_iter()).expect_err("not there");
        assert!(error.to_string().contains("/no/such/ns"), "{error}");
    }
}
