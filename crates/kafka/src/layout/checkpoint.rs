//! Checkpoints: offsets of a log directory's partitions, as text.

use std::collections::HashMap;

/// The maximum size of a checkpoint that is read. One of 100,000 partitions has some 6 MiB.
pub const CHECKPOINT_BYTES_MAX: u64 = 32 << 20;

/// Offsets by topic and partition.
pub type Checkpoint = HashMap<(String, u32), u64>;

/// Reads a checkpoint: a version, the number of lines, and a topic, a partition and an offset in each line. `None` if it is not complete.
pub fn checkpoint(content: &[u8]) -> Option<Checkpoint> {
    let mut lines = std::str::from_utf8(content).ok()?.lines();
    let version: u32 = lines.next()?.trim().parse().ok()?;
    let count: usize = lines.next()?.trim().parse().ok()?;
    if version != 0 {
        return None;
    }
    let mut offsets = Checkpoint::new();
    for line in lines.by_ref().take(count) {
        let mut fields = line.split_ascii_whitespace();
        let (topic, partition, offset) =
            (fields.next()?, fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        if fields.next().is_some() {
            return None;
        }
        offsets.insert((topic.to_owned(), partition), offset);
    }
    let is_complete = offsets.len() == count && lines.all(|line| line.trim().is_empty());
    // A line that was cut in its offset would be read as a smaller offset.
    (is_complete && content.ends_with(b"\n")).then_some(offsets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_is_read_only_if_it_is_complete() {
        let text = b"0\n2\norders 0 4711\n__consumer_offsets 49 12\n";
        let found = checkpoint(text).unwrap();
        assert_eq!(found[&("orders".to_owned(), 0)], 4711);
        for length in 0..text.len() {
            let partial = checkpoint(&text[..length]);
            assert!(partial.is_none(), "{length}: {partial:?}");
        }
        assert_eq!(checkpoint(b"0\n0\n").unwrap().len(), 0);
    }

    #[test]
    fn nonsense_is_no_checkpoint() {
        for wrong in [
            "1\n0\n",
            "0\n1\norders 0\n",
            "0\n1\norders 0 1 2\n",
            "0\n1\norders x 1\n",
            "0\n1\na 0 -1\n",
            "0\n1\na 0 1\nb 0 1\n",
            "0\n99999999999999999999\n",
            "0\n18446744073709551615\na 0 1\n",
            "\0\0\0\n",
        ] {
            assert!(checkpoint(wrong.as_bytes()).is_none(), "{wrong:?}");
        }
    }
}
