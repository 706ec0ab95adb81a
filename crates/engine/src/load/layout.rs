//! How a line of the summary is laid out: its name, its value, and what that means, within the width of the terminal.

const NAME_COLUMNS: usize = 17;
const VALUE_COLUMNS: usize = 44;

/// One line, or more where they do not fit side by side: the meaning right after the value, else below it. Without a
/// width everything stands in columns.
pub(super) fn laid_out(name: &str, value: &str, meaning: &str, width: Option<usize>) -> String {
    let columns = format!("{name:<NAME_COLUMNS$} {value:<VALUE_COLUMNS$} {meaning}");
    let columns = columns.trim_end();
    let Some(width) = width.filter(|width| *width < columns.chars().count()) else { return format!("{columns}\n") };
    let beside = format!("{name:<NAME_COLUMNS$} {value}  {meaning}");
    if beside.chars().count() <= width {
        return beside + "\n";
    }
    let mut text = String::new();
    let room = width.saturating_sub(NAME_COLUMNS + 1);
    let lines = wrapped(value, room).into_iter().chain(wrapped(meaning, room));
    for (number, line) in lines.filter(|line| !line.is_empty()).enumerate() {
        let name = if number == 0 { name } else { "" };
        text += &format!("{name:<NAME_COLUMNS$} {line}\n");
    }
    text
}

/// A text in lines of so many characters at most, unless one word is longer.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stands_in_columns_and_the_rest_beside_or_below() {
        let columns = format!("errors{}none{}by kind\n", " ".repeat(12), " ".repeat(41));
        assert_eq!(laid_out("errors", "none", "by kind", None), columns);
        assert_eq!(laid_out("errors", "none", "by kind", Some(70)), columns);
        assert_eq!(laid_out("errors", "none", "by kind", Some(69)), "errors            none  by kind\n");
        let below = "errors            none\n                  by kind,\n                  all\n";
        assert_eq!(laid_out("errors", "none", "by kind, all", Some(28)), below);
        assert_eq!(laid_out("validity", "valid", "", Some(10)), "validity          valid\n");
    }
}
