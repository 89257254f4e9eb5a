//! Sizes as people write them: `500GiB`, `1.5 TB`, `128M`, `4096`.
//!
//! Units with an `i` and bare letters are powers of 1,024, as in other storage systems; `KB` to `PB` are powers of 1,000. Sizes are
//! shown in binary units.

/// Binary units, and the power of 2 of each.
const UNITS: [(&str, u32); 6] = [("PiB", 50), ("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10), ("B", 0)];

/// The letters of units, from the smallest.
const LETTERS: &str = "KMGTP";

/// More digits after the point do not change a number of bytes below 16 EiB.
const DECIMALS_MAX: usize = 18;

/// Parses a size in bytes: a number, which may have a fraction, with or without a unit. A part of a byte is left out.
pub fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let number_end = text.find(|character: char| !matches!(character, '0'..='9' | '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(number_end);
    let hint = || format!("`{text}` is not a size; write it like 500GiB, 1.5TB or 4096 (bytes)");
    let (mantissa, divisor) = decimal(number).ok_or_else(hint)?;
    let unit = factor(unit.trim())
        .ok_or_else(|| format!("{}; units are B, KiB, MiB, GiB, TiB, PiB, and KB, MB, GB, TB, PB", hint()))?;
    let bytes = mantissa.checked_mul(unit).map(|product| product / divisor);
    bytes.and_then(|bytes| u64::try_from(bytes).ok()).ok_or_else(|| format!("`{text}` is more than 16 EiB"))
}

/// The number as an integer and what it must be divided by.
fn decimal(number: &str) -> Option<(u128, u128)> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.len() + fraction.len() == 0 || fraction.contains('.') {
        return None;
    }
    let fraction = &fraction[..fraction.len().min(DECIMALS_MAX)];
    let mantissa = format!("0{whole}{fraction}").parse().ok()?;
    Some((mantissa, 10_u128.pow(fraction.len() as u32)))
}

/// The bytes of a unit.
fn factor(unit: &str) -> Option<u128> {
    let unit = unit.to_ascii_uppercase();
    if matches!(unit.as_str(), "" | "B") {
        return Some(1);
    }
    let (letter, rest) = unit.split_at_checked(1)?;
    let power = LETTERS.find(letter)? as u32 + 1;
    match rest {
        "" | "IB" => Some(1 << (10 * power)),
        "B" => Some(1000_u128.pow(power)),
        _ => None,
    }
}

/// Formats a size exactly, with the largest unit that gives an integer: a binary one, or else a decimal one. [`parse`] reads it back.
pub fn exact(bytes: u64) -> String {
    if bytes == 0 {
        return "0B".to_owned();
    }
    let binary = UNITS.iter().find(|(_, shift)| *shift > 0 && bytes.trailing_zeros() >= *shift);
    if let Some((unit, shift)) = binary {
        return format!("{}{unit}", bytes >> shift);
    }
    let decimal =
        (1..).zip(LETTERS.chars()).filter(|(power, _)| bytes.is_multiple_of(1000_u64.pow(*power))).last();
    match decimal {
        Some((power, letter)) => format!("{}{letter}B", bytes / 1000_u64.pow(power)),
        None => format!("{bytes}B"),
    }
}

/// Formats a size for people, with about three digits: `1.46 GiB`.
pub fn rounded(bytes: u64) -> String {
    let Some((unit, shift)) = UNITS.iter().find(|(_, shift)| bytes >> shift != 0) else {
        return "0 B".to_owned();
    };
    let whole = bytes >> shift;
    if *shift == 0 || whole >= 100 {
        return format!("{whole} {unit}");
    }
    #[expect(clippy::cast_precision_loss, reason = "two decimals are all that is shown")]
    let value = bytes as f64 / (1_u64 << shift) as f64;
    format!("{value:.2} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_and_without_unit() {
        for (text, bytes) in [
            ("4096", 4096),
            ("0", 0),
            ("128MiB", 128 << 20),
            ("500 gib", 500 << 30),
            ("500GB", 500_000_000_000),
            ("12 kb", 12_000),
            ("5G", 5 << 30),
            ("2p", 2 << 50),
            ("1.5TiB", 3 << 39),
            (".5K", 512),
            ("1.2GB", 1_200_000_000),
            ("0.1KiB", 102),
            ("1.0000000000000000000000000001 B", 1),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        assert_eq!(parse("18446744073709551615"), Ok(u64::MAX));
    }

    #[test]
    fn a_text_that_is_no_size_is_refused_with_a_hint() {
        for text in [
            "",
            "GiB",
            ".",
            "1.2.3G",
            "12GiBs",
            "12XB",
            "-1",
            "1e3",
            "lots",
            "99999999999TiB",
            "1 0 G",
            "5 ä",
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.contains(text), "{message}");
        }
    }

    #[test]
    fn a_size_is_written_so_that_it_reads_back() {
        for bytes in [0, 1, 1023, 7 << 50, 1024, 1536, 1500, 100_000_000, 128 << 20, 500 << 30, u64::MAX] {
            assert_eq!(parse(&exact(bytes)), Ok(bytes));
        }
        assert_eq!(exact(500 << 30), "500GiB");
        assert_eq!((exact(100_000_000), exact(1501)), ("100MB".to_owned(), "1501B".to_owned()));
    }

    #[test]
    fn people_get_a_few_digits() {
        assert_eq!(rounded(0), "0 B");
        assert_eq!(rounded(900), "900 B");
        assert_eq!(rounded(1536), "1.50 KiB");
        assert_eq!(rounded(300 << 30), "300 GiB");
    }
}
