//! Formats text, numbers and times for pages.

use std::borrow::Cow;

/// Escapes text for use between tags and in attributes.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"', '\'']) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}

/// A number with three significant digits, and with all digits before the decimal point. Commas separate thousands.
pub fn number(value: f64) -> String {
    let magnitude = value.abs();
    // A file may contain a number of any size. Written in full, it could fill the page.
    if magnitude >= 1e15 || (magnitude > 0.0 && magnitude < 1e-6) {
        return format!("{value:.2e}");
    }
    let decimals = match magnitude {
        0.0 | 100.0.. => 0,
        10.0.. if magnitude.fract() != 0.0 => 1,
        1.0.. if magnitude.fract() != 0.0 => 2,
        1.0.. => 0,
        0.1.. => 3,
        0.01.. => 4,
        0.001.. => 5,
        _ => 7,
    };
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), None), |(a, b)| (a, Some(b)));
    let mut grouped = group(whole);
    if let Some(fraction) = fraction {
        grouped.push('.');
        grouped.push_str(fraction);
    }
    grouped
}

fn group(whole: &str) -> String {
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    let mut grouped = sign.to_owned();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A time in the run: minutes and seconds since its start.
pub fn clock(ms: u64) -> String {
    format!("{}:{:02}", ms / 60_000, ms / 1000 % 60)
}

/// A duration in seconds, or in minutes and seconds.
pub fn duration(ms: u64) -> String {
    match ms {
        0..10_000 => format!("{:.1} s", f64::from(u32::try_from(ms).unwrap_or(u32::MAX)) / 1000.0),
        10_000..120_000 => format!("{} s", ms / 1000),
        _ => format!("{} min {} s", ms / 60_000, ms / 1000 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_log_cannot_become_a_tag() {
        assert_eq!(escape("<b a=\"1\">&'"), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;");
        assert_eq!(escape("plain"), "plain");
    }

    #[test]
    fn figures_are_as_long_as_they_are_sure() {
        assert_eq!(number(300_000.0), "300,000");
        assert_eq!(number(1_234.56), "1,235");
        assert_eq!(number(24.56), "24.6");
        assert_eq!(number(2.5), "2.50");
        assert_eq!(number(0.0), "0");
        assert_eq!(number(0.25), "0.250");
        assert_eq!(number(0.012_345), "0.0123");
        assert_eq!(number(1e300), "1.00e300");
        assert_eq!(number(-1_234.0), "-1,234");
    }

    #[test]
    fn moments_and_lengths() {
        assert_eq!(clock(61_500), "1:01");
        assert_eq!(duration(1_500), "1.5 s");
        assert_eq!(duration(61_500), "61 s");
        assert_eq!(duration(125_000), "2 min 5 s");
    }
}
