//! Names of the files in a replica's directory.

/// The length of the offset in a file's name.
const OFFSET_DIGITS: usize = 20;

/// What a file of a segment is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Records.
    Log,
    /// An index by offset, by time, or of transactions, or a snapshot of producers.
    Beside,
    /// A file that Kafka has replaced or deletes, or one of a compaction that is not finished.
    Leftover,
}

/// A file of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogFile {
    /// The offset of the segment's first record.
    pub base: u64,
    /// What the file is for.
    pub role: Role,
}

/// The segment's file with this name.
pub fn log_file(name: &[u8]) -> Option<LogFile> {
    let (digits, rest) = std::str::from_utf8(name).ok()?.split_at_checked(OFFSET_DIGITS)?;
    let base = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    let role = match rest {
        ".log" => Role::Log,
        ".index" | ".timeindex" | ".txnindex" | ".snapshot" => Role::Beside,
        rest => {
            let is_leftover = [".deleted", ".swap", ".cleaned"].iter().any(|suffix| rest.ends_with(suffix));
            return (is_leftover && rest.starts_with('.')).then_some(LogFile { base, role: Role::Leftover });
        }
    };
    Some(LogFile { base, role })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_segments_are_told_apart() {
        let role = |name: &str| log_file(name.as_bytes()).map(|file| file.role);
        assert_eq!(log_file(b"00000000000000004711.log").unwrap().base, 4711);
        assert_eq!(role("00000000000000000000.timeindex"), Some(Role::Beside));
        assert_eq!(role("00000000000000000000.snapshot"), Some(Role::Beside));
        assert_eq!(role("00000000000000000000.log.deleted"), Some(Role::Leftover));
        assert_eq!(role("00000000000000000000.log.swap"), Some(Role::Leftover));
        for other in [
            "leader-epoch-checkpoint",
            "0.log",
            "0000000000000000000x.log",
            "99999999999999999999.log",
            "",
            "00000000000000000000.txt",
            "+0000000000000000000.log",
        ] {
            assert_eq!(role(other), None, "{other}");
        }
        assert_eq!(log_file("0000000000000000000ü.log".as_bytes()), None);
    }
}
