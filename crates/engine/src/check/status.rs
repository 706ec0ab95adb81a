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
            (first..=last).for_each(|status| set.insert(status));
        }
        Ok(set)
    }

    pub fn from_range(statuses: std::ops::Range<u16>) -> Self {
        let mut set = Self::default();
        statuses.for_each(|status| set.insert(status));
        set
    }

    /// Adds a status from 100 to 599; others are in no set.
    pub fn insert(&mut self, status: u16) {
        if let Some(bit) = status.checked_sub(100).map(usize::from).filter(|bit| *bit < 500) {
            self.0[bit / 64] |= 1 << (bit % 64);
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn has(&self, status: u16) -> bool {
        let Some(bit) = status.checked_sub(100).map(usize::from) else { return false };
        self.0.get(bit / 64).is_some_and(|bits| bits >> (bit % 64) & 1 == 1)
    }
}

impl ExpectedStatus {
    #[inline]
    pub fn has(self, status: u16) -> bool {
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
        let mut set = StatusSet::from_range(200..203);
        [99, 600, 65_535].into_iter().for_each(|status| set.insert(status));
        assert_eq!(set, StatusSet::parse("200-202").expect("valid"), "others are no statuses");
        assert!(StatusSet::default().is_empty() && !set.is_empty());
        for text in ["", "2xx", "99", "600", "300-200", "200,"] {
            assert!(StatusSet::parse(text).is_err(), "{text}");
        }
    }
}
