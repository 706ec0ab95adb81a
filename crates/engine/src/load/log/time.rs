//! The time in an access log, `10/Oct/2000:13:55:36 -0700`. Pure.

/// It always takes so many characters.
pub(super) const LENGTH: usize = 26;

const MONTHS: [&[u8; 3]; 12] =
    [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];

/// Seconds since 1970, UTC. `None` if it is no such time, or not from 1970 to 2106.
pub(super) fn parse_seconds(text: &[u8]) -> Option<u32> {
    let &[
        d1,
        d2,
        b'/',
        m1,
        m2,
        m3,
        b'/',
        y1,
        y2,
        y3,
        y4,
        b':',
        h1,
        h2,
        b':',
        n1,
        n2,
        b':',
        s1,
        s2,
        b' ',
        sign,
        z1,
        z2,
        z3,
        z4,
    ] = text
    else {
        return None;
    };
    let month = MONTHS.iter().position(|name| **name == [m1, m2, m3])? as i64 + 1;
    let day = number(&[d1, d2]).filter(|day| (1..=31).contains(day))?;
    let hour = number(&[h1, h2]).filter(|hour| *hour < 24)?;
    let minute = number(&[n1, n2]).filter(|minute| *minute < 60)?;
    // A leap second is a 60th.
    let second = number(&[s1, s2]).filter(|second| *second <= 60)?;
    let zone_minutes = number(&[z1, z2])? * 60 + number(&[z3, z4])?;
    let ahead_s = match sign {
        b'+' => zone_minutes * 60,
        b'-' => -zone_minutes * 60,
        _ => return None,
    };
    let days = days_since_1970(number(&[y1, y2, y3, y4])?, month, day);
    u32::try_from(days * 86_400 + hour * 3600 + minute * 60 + second - ahead_s).ok()
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0')))
}

/// Of the Gregorian calendar, after Howard Hinnant's `days_from_civil`: years begin in March, so that the leap day is a
/// year's last one.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_by_the_calendar() {
        // By `date -u -d …  +%s`.
        for (text, seconds) in [
            ("01/Jan/1970:00:00:00 +0000", Some(0)),
            ("10/Oct/2000:13:55:36 -0700", Some(971_211_336)),
            ("29/Feb/2024:23:59:59 +0000", Some(1_709_251_199)),
            ("01/Mar/2024:01:00:00 +0100", Some(1_709_251_200)),
            ("31/Dec/1999:23:59:60 +0000", Some(946_684_800)),
            ("07/Feb/2106:06:28:15 +0000", Some(u32::MAX)),
            ("07/Feb/2106:06:28:16 +0000", None),
            ("31/Dec/1969:23:59:59 +0000", None),
            ("32/Oct/2000:13:55:36 -0700", None),
            ("10/Okt/2000:13:55:36 -0700", None),
            ("10/Oct/2000:24:00:00 +0000", None),
            ("10/Oct/2000 13:55:36 -0700", None),
            ("10/Oct/2000:13:55:36 *0700", None),
            ("10/Oct/2000:13:55:36", None),
        ] {
            assert_eq!(parse_seconds(text.as_bytes()), seconds, "{text}");
        }
    }
}
