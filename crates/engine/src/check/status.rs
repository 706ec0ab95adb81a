//! Which statuses are right.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedStatus {
    Exactly(u16),
    /// From 200 to 299.
    Successful,
    OneOf(StatusSet),
}

/// A set of statuses from 100 to 599: a bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatusSet([u64; 8]);

impl StatusSet {
    /// Reads a list of numbers and ranges, like `200,204,300-399`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut set = Self::default();
        for item in text.split(',') {
            let (first, last) = item.split_once('-').unwrap_or((item, item));
            let number = |text: &str| {
                let number = text.trim().parse().ok().filter(|status| (100..600).contains(status));
                number.ok_or_else(|| format!("`{item}` is not a status from 100 to 599, nor a range of them"))
            };
            let (first, last): (u16, u16) = (number(first)?, number(last)?);
            if first > last {
                return Err(format!("`{item}` is a range that ends before it begins"));
            }
            for status in first..=last {
                let bit = usize::from(status - 100);
                set.0[bit / 64] |= 1 << (bit % 64);
            }
        }
        Ok(set)
    }

    fn has(&self, status: u16) -> bool {
        let Some(bit) = status.checked_sub(100).map(usize::from) else { return false };
        self.0.get(bit / 64).is_some_and(|bits| bits >> (bit % 64) & 1 == 1)
    }
}

impl ExpectedStatus {
    #[inline]
    pub(super) fn has(self, status: u16) -> bool {
        match self {
            Self::Exactly(expected) => status == expected,
            Self::Successful => (200..300).contains(&status),
            Self::OneOf(set) => set.has(status),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_statuses() {
        let set = ExpectedStatus::OneOf(StatusSet::parse("200,204, 300-399").expect("valid"));
        let right: Vec<u16> = (0..1000).filter(|&status| set.has(status)).collect();
        assert_eq!((right.len(), &right[..3]), (102, &[200, 204, 300][..]));
        for text in ["", "2xx", "99", "600", "300-200", "200,"] {
            assert!(StatusSet::parse(text).is_err(), "{text}");
        }
    }
}
