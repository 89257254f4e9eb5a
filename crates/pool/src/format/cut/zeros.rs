//! Runs of zeros, which take no space.

/// Whether all bytes are zero.
pub(crate) fn all_zero(bytes: &[u8]) -> bool {
    zero_prefix(bytes) == bytes.len()
}

/// The number of zeros at the start of the bytes.
pub(crate) fn zero_prefix(bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks::<16>();
    let whole = words.iter().take_while(|word| u128::from_ne_bytes(**word) == 0).count() * 16;
    let rest = bytes.get(whole..).unwrap_or_default();
    whole + rest.iter().take_while(|byte| **byte == 0).count()
}

/// The start of the first run of at least `run_bytes` zeros, except a run at the very start. `run_bytes` is even.
pub(super) fn find_run(bytes: &[u8], run_bytes: usize) -> Option<usize> {
    // In a run that long, the first probed byte and the zeros after it are at least `step` bytes.
    let step = (run_bytes / 2).max(1);
    let mut at = step;
    while at < bytes.len() {
        let (head, tail) = bytes.split_at_checked(at)?;
        let behind = zero_prefix(tail);
        if behind >= step {
            let before = head.iter().rev().take_while(|byte| **byte == 0).count();
            if before < at && before + behind >= run_bytes {
                return Some(at - before);
            }
        }
        at += (behind / step).max(1) * step;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_zeros_is_found_wherever_it_begins() {
        for start in [1, 31, 32, 33, 63, 64, 65, 100, 135] {
            for length in [63, 64, 65, 100] {
                let mut bytes = vec![7; 300];
                bytes[start..start + length].fill(0);
                let expected = (length >= 64).then_some(start);
                assert_eq!(find_run(&bytes, 64), expected, "{length} zeros at {start}");
                let cut = &bytes[..start + length];
                assert_eq!(find_run(cut, 64), expected, "{length} zeros at {start}, at the end");
            }
        }
        assert_eq!(find_run(&[0; 300], 64), None);
        assert_eq!(find_run(&[], 64), None);
    }

    #[test]
    fn leading_zeros_are_counted_to_the_byte() {
        for zeros in 0..100 {
            let mut bytes = vec![0; zeros];
            assert!(all_zero(&bytes));
            bytes.extend([1, 0, 0]);
            assert_eq!(zero_prefix(&bytes), zeros);
        }
    }
}
