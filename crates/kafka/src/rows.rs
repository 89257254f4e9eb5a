//! Rounds the parts of all rows, so that they add up to what the pool stores.

use crate::count::PART_BITS;

/// What one row stores.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Share {
    /// Parts of chunks, in units of 2^-[`PART_BITS`] bytes, as far as the sample tells.
    pub parts: u128,
    /// Bytes in the metadata store.
    pub inline: u64,
}

/// All rows, in order.
pub(crate) struct Rows {
    bits: u32,
    shares: Vec<Share>,
    /// Parts of the chunks in the sample that all rows have in common.
    common: u128,
}

/// The rows in bytes.
pub(crate) struct Rounded {
    /// Bytes of chunks and bytes in the metadata store, of each row.
    pub bytes: std::vec::IntoIter<(u64, u64)>,
    /// Bytes of chunks that belong to no row.
    pub bytes_snapshots: u64,
}

impl Rows {
    /// No rows yet. The common sample has one chunk of 2 to the power of `bits`.
    pub fn new(bits: u32) -> Rows {
        Rows { bits, shares: Vec::new(), common: 0 }
    }
    pub fn push(&mut self, share: Share) {
        self.shares.push(share);
    }
    /// Adds what rows store of the common sample.
    pub fn common(&mut self, parts: u128) {
        self.common += parts;
    }

    /// The rows in bytes. `bytes_live` is what the pool stores, and `common_stored` what it stores of the common sample.
    ///
    /// Rows are rounded along the running total, so their sum is the rounded total. If all chunks were counted, what is missing from
    /// the pool's figure belongs to no row. Otherwise that is known from the common sample, in which the same chunks are missing,
    /// and the rows are scaled to the rest.
    pub fn round(self, bytes_live: u64, common_stored: u64) -> Rounded {
        let total: u128 = self.shares.iter().map(|share| share.parts).sum();
        let whole =
            |parts: u128| u64::try_from((parts + (1 << (PART_BITS - 1))) >> PART_BITS).unwrap_or(u64::MAX);
        let missing = (u128::from(common_stored) << PART_BITS).saturating_sub(self.common);
        let bytes_snapshots = match self.bits {
            0 => bytes_live.saturating_sub(whole(total)),
            bits => whole(missing.checked_shl(bits).unwrap_or(u128::MAX >> 1)).min(bytes_live),
        };
        let target = bytes_live - bytes_snapshots;
        let factor = (u128::from(target) << PART_BITS) as f64 / total.max(1) as f64;
        let scaled = |parts: u128| if self.bits == 0 { parts } else { (parts as f64 * factor) as u128 };
        let (mut running, mut given) = (0_u128, 0_u64);
        let mut bytes: Vec<(u64, u64)> = Vec::with_capacity(self.shares.len());
        for share in &self.shares {
            running += scaled(share.parts);
            let upto = whole(running).min(target);
            bytes.push((upto.saturating_sub(given), share.inline));
            given = given.max(upto);
        }
        // What rounding left over goes to the largest row.
        if let Some((largest, _)) = bytes.iter_mut().max_by_key(|(stored, _)| *stored) {
            *largest += target - given;
        }
        Rounded { bytes: bytes.into_iter(), bytes_snapshots }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(rows: Rows, live: u64, common: u64) -> (Vec<u64>, u64) {
        let rounded = rows.round(live, common);
        (rounded.bytes.map(|(bytes, _)| bytes).collect(), rounded.bytes_snapshots)
    }

    #[test]
    fn thirds_add_up_to_the_byte() {
        for bytes in [1_u64, 2, 100, 1_000_003, u64::MAX >> 10] {
            let mut rows = Rows::new(0);
            for _ in 0..3 {
                rows.push(Share { parts: (u128::from(bytes) << PART_BITS) / 3, inline: 0 });
            }
            let (rows, snapshots) = rounded(rows, bytes, bytes);
            assert_eq!((rows.iter().sum::<u64>(), snapshots), (bytes, 0), "{rows:?}");
        }
    }

    #[test]
    fn what_no_row_has_is_in_snapshots() {
        let mut rows = Rows::new(0);
        rows.push(Share { parts: 70 << PART_BITS, inline: 0 });
        assert_eq!(rounded(rows, 100, 100), (vec![70], 30));
    }

    #[test]
    fn a_sample_is_scaled_to_the_pools_figure() {
        let mut rows = Rows::new(2);
        rows.push(Share { parts: (30 * 4) << PART_BITS, inline: 0 });
        rows.push(Share { parts: (60 * 4) << PART_BITS, inline: 0 });
        rows.common(90 << PART_BITS);
        // The sample has 100 of 390 bytes, of which the rows have 90.
        let (rows, snapshots) = rounded(rows, 390, 100);
        assert_eq!((rows.iter().sum::<u64>() + snapshots, snapshots), (390, 40));
        assert!(rows[0].abs_diff(117) <= 1 && rows[1].abs_diff(233) <= 1, "{rows:?}");
        let none = Rows::new(2);
        assert_eq!(rounded(none, 0, 0), (vec![], 0));
    }
}
