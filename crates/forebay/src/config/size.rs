//! Sizes as people write them: `500GiB`, `128 MiB`, `4096`.
//!
//! Only binary units are accepted, since disks, segments and memory are all counted in them here. `GB` is
//! rejected with a hint.

const UNITS: [(&str, u32); 5] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10), ("B", 0)];

/// Parses a size in bytes: an integer with or without a unit.
pub fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits_end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(digits_end);
    let hint = || format!("`{text}` is not a size; write it like 500GiB, 128MiB or 4096 (bytes)");
    let number: u64 = digits.parse().map_err(|_| hint())?;
    let shift = match unit.trim() {
        "" => 0,
        unit => UNITS
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(unit))
            .map(|(_, shift)| *shift)
            .ok_or_else(|| format!("{}; units are B, KiB, MiB, GiB and TiB", hint()))?,
    };
    number.checked_mul(1 << shift).ok_or_else(|| format!("`{text}` is more than 16 EiB"))
}

/// Formats a size exactly, with the largest unit that gives an integer; [`parse`] reads it back.
pub fn exact(bytes: u64) -> String {
    UNITS
        .iter()
        .find(|(_, shift)| bytes != 0 && bytes.trailing_zeros() >= *shift)
        .map_or_else(|| "0B".to_owned(), |(unit, shift)| format!("{}{unit}", bytes >> shift))
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
        assert_eq!(parse("4096"), Ok(4096));
        assert_eq!(parse("128MiB"), Ok(128 << 20));
        assert_eq!(parse("500 gib"), Ok(500 << 30));
        assert_eq!(parse("0"), Ok(0));
    }

    #[test]
    fn what_is_no_size_is_refused_with_a_hint() {
        for text in ["", "GiB", "12GB", "1.5GiB", "-1", "lots", "99999999999TiB"] {
            let message = parse(text).unwrap_err();
            assert!(message.contains(text), "{message}");
        }
    }

    #[test]
    fn a_size_is_written_so_that_it_reads_back() {
        for bytes in [0, 1, 1023, 1024, 1536, 128 << 20, 500 << 30, u64::MAX] {
            assert_eq!(parse(&exact(bytes)), Ok(bytes));
        }
        assert_eq!(exact(500 << 30), "500GiB");
    }

    #[test]
    fn people_get_a_few_digits() {
        assert_eq!(rounded(0), "0 B");
        assert_eq!(rounded(900), "900 B");
        assert_eq!(rounded(1536), "1.50 KiB");
        assert_eq!(rounded(300 << 30), "300 GiB");
    }
}
