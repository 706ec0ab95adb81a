//! Times as people write them: `50us`, `1.5ms`, `2s`.

/// A unit's name, and its length in nanoseconds.
pub type Unit = (&'static str, f64);

/// Why a text is not a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotATime<'a> {
    /// This is not one of the units.
    Unit(&'a str),
    /// No number stands before the unit.
    Number,
}

/// Reads a number with one of these units, in nanoseconds. It is never negative, and may be too large for an integer.
pub fn parse_ns<'a>(text: &'a str, units: &[Unit]) -> Result<f64, NotATime<'a>> {
    let is_of_number = |character: char| character.is_ascii_digit() || character == '.';
    let (number, unit) = text.split_at(text.find(|character| !is_of_number(character)).unwrap_or(text.len()));
    let (_, unit_ns) = units.iter().find(|(name, _)| *name == unit).ok_or(NotATime::Unit(unit))?;
    number.parse::<f64>().map(|number| number * unit_ns).map_err(|_| NotATime::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_units() {
        let units = [("us", 1e3), ("s", 1e9), ("", 1e9)];
        for (text, expected) in [
            ("50us", Ok(5e4)),
            ("1.5s", Ok(1.5e9)),
            ("2", Ok(2e9)),
            ("0s", Ok(0.0)),
            ("", Err(NotATime::Number)),
            ("us", Err(NotATime::Number)),
            ("1.2.3s", Err(NotATime::Number)),
            ("5ms", Err(NotATime::Unit("ms"))),
            ("1 s", Err(NotATime::Unit(" s"))),
            ("-1s", Err(NotATime::Unit("-1s"))),
        ] {
            assert_eq!(parse_ns(text, &units), expected, "{text}");
        }
    }
}
