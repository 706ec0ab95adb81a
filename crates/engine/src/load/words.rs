//! Counts in words.

/// `1 error`, `2 errors`.
pub(super) fn count(number: impl Into<u64>, noun: &str) -> String {
    let number = number.into();
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        assert_eq!([0_u32, 1, 2].map(|number| count(number, "error")), ["0 errors", "1 error", "2 errors"]);
    }
}
