//! Which build this is. Both machines have to run the same one.

use data_encoding::HEXLOWER;
use hopcost_common::failure::Failure;
use ring::digest::{SHA256, digest};

pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The SHA-256 of the binary that runs, in hexadecimal digits.
pub(super) fn sha256() -> Result<String, Failure> {
    let bytes = std::fs::read("/proc/self/exe")
        .map_err(|error| Failure::machine(format!("this program's own binary cannot be read: {error}")))?;
    Ok(HEXLOWER.encode(digest(&SHA256, &bytes).as_ref()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_the_same_every_time() {
        let first = super::sha256().expect("it runs, so it can be read");
        assert_eq!((first.len(), Ok(first)), (64, super::sha256().map_err(|failure| failure.message)));
    }
}
