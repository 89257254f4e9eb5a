//! Numbers and times in messages.

use std::time::Duration;

/// Bytes in binary units: `1.5 GiB`.
pub fn bytes(value: u64) -> String {
    const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let (mut scaled, mut unit) = (value as f64, 0);
    while scaled >= 999.5 && unit + 1 < UNITS.len() {
        scaled /= 1024.0;
        unit += 1;
    }
    let name = UNITS.get(unit).copied().unwrap_or_default();
    if scaled.fract() == 0.0 || scaled >= 99.95 {
        format!("{scaled:.0} {name}")
    } else {
        format!("{scaled:.1} {name}")
    }
}

/// A short duration: `671 ms`, `1.2 s`.
pub fn millis(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1000.0;
    if ms >= 999.5 {
        format!("{:.1} s", ms / 1000.0)
    } else if ms >= 9.95 {
        format!("{ms:.0} ms")
    } else {
        format!("{ms:.1} ms")
    }
}

/// A duration with one unit: `40 s`, `3 min`, `11 days`.
pub fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        ..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} hours", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// A part of a whole in per cent: `97 %`.
pub fn percent(part: u64, whole: u64) -> String {
    let share = part as f64 * 100.0 / (whole.max(1)) as f64;
    if share > 0.0 && share < 9.95 { format!("{share:.1} %") } else { format!("{share:.0} %") }
}

/// A count with its noun: `1 client`, `2 clients`.
pub fn several(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A few names: `a, b and 3 more`.
pub fn names(mut all: Vec<String>, total: usize) -> String {
    const NAMED_MAX: usize = 5;
    all.truncate(NAMED_MAX);
    let more = total.saturating_sub(all.len());
    let named = all.join(", ");
    if more == 0 { named } else { format!("{named} and {more} more") }
}

/// A client's owner string without what every Linux client says: `Linux NFSv4.2 broker-1` is `broker-1`.
pub fn client_name(owner: &[u8]) -> String {
    let name = owner.escape_ascii().to_string();
    let short = ["Linux NFSv4.1 ", "Linux NFSv4.2 "].iter().find_map(|prefix| name.strip_prefix(prefix));
    short.unwrap_or(&name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_read_well() {
        assert_eq!(
            [bytes(0), bytes(1 << 30), bytes(1536), bytes(700 << 20)],
            ["0 B", "1 GiB", "1.5 KiB", "700 MiB"]
        );
        let times = [0.25, 671.0, 1234.0].map(|ms: f64| millis(Duration::from_secs_f64(ms / 1000.0)));
        assert_eq!(times, ["0.2 ms", "671 ms", "1.2 s"]);
        assert_eq!(
            [40, 200, 8000, 999_999].map(|s| span(Duration::from_secs(s))),
            ["40 s", "3 min", "2 hours", "11 days"]
        );
        assert_eq!((percent(1, 20), percent(97, 100)), ("5.0 %".to_owned(), "97 %".to_owned()));
        let clients = ["a", "b", "c", "d", "e", "f"].map(str::to_owned).to_vec();
        assert_eq!(names(clients, 9), "a, b, c, d, e and 4 more");
        assert_eq!(client_name(b"Linux NFSv4.2 broker-1"), "broker-1");
    }
}
