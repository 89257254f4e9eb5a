//! Quantities as planners write them, with a unit: `1.2GB/s`, `400MiB/s`, `100TB`.

use crate::config::size;

/// Units in which disks are sold.
const UNITS: [(&str, f64); 6] =
    [("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1.0)];

/// Parses bytes.
pub fn parse_bytes(text: &str) -> Result<f64, String> {
    parse(text).ok_or_else(|| format!("`{text}` is not a size; write it like 100TB or 1.5TiB"))
}

/// Parses bytes per second; the `/s` is optional.
pub fn parse_rate(text: &str) -> Result<f64, String> {
    let bytes = text.trim().strip_suffix("/s").unwrap_or(text);
    parse(bytes).ok_or_else(|| format!("`{text}` is not a rate; write it like 1.2GB/s or 400MiB/s"))
}

/// A number without a unit is more likely a mistake than a number of bytes.
fn parse(text: &str) -> Option<f64> {
    let has_unit = text.contains(|character: char| character.is_ascii_alphabetic());
    size::parse(text).ok().filter(|_| has_unit).map(|bytes| bytes as f64)
}

/// Formats bytes with three digits, in decimal units as disks are sold.
pub fn show(bytes: f64) -> String {
    let unit = UNITS.iter().find(|(_, size)| bytes >= *size);
    let (name, size) = unit.unwrap_or(&("B", 1.0));
    let amount = bytes / size;
    let digits = if amount >= 99.95 {
        0
    } else if amount >= 9.995 {
        1
    } else {
        2
    };
    format!("{amount:.digits$} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_in_both_kinds_of_units() {
        assert_eq!(parse_rate("1.2GB/s"), Ok(1.2e9));
        assert_eq!(parse_rate("400 MiB/s"), Ok(400.0 * 1_048_576.0));
        assert_eq!(parse_rate("5mb"), Ok(5e6));
        assert_eq!(parse_bytes("100TB"), Ok(1e14));
        for wrong in ["", "12", "GB", "-1GB", "1GB/h", "infB", "nanB", "1e400GB"] {
            assert!(parse_rate(wrong).unwrap_err().contains(wrong), "{wrong}");
        }
    }

    #[test]
    fn amounts_are_written_with_three_digits() {
        assert_eq!(show(0.0), "0.00 B");
        assert_eq!(show(3.6e9), "3.60 GB");
        assert_eq!(show(778.2e12), "778 TB");
        assert_eq!(show(2.177e15), "2.18 PB");
        assert_eq!(show(12.34e6), "12.3 MB");
    }
}
