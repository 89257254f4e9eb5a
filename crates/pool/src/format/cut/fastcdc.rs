//! FastCDC: content-defined chunk boundaries in bytes without a known structure.
//!
//! From Xia et al., "FastCDC: a Fast and Efficient Content-Defined Chunking Approach for Data Deduplication", USENIX
//! ATC 2016. A gear hash rolls over the bytes, and a chunk ends where the hash has zeros under a mask. Bytes before the
//! minimum length are skipped. *Normalised chunking* requires more zeros before the normal length and fewer after it,
//! so that most chunks have about that length.

use super::{CHUNK_BYTES_MAX, CHUNK_BYTES_MIN};

/// Most chunks have about this length.
const NORMAL_BYTES: usize = 96 << 10;
/// The number of bytes that the hash depends on: after this many more, a byte is shifted out.
const HASH_WINDOW_BYTES: usize = 64;
/// The number of lanes that search a block in parallel, and the bytes of the block for each lane.
const LANES: usize = 4;
const LANE_BYTES: usize = 2 << 10;
/// Each byte ends the chunk with a chance of 1 in 2^18 up to the normal length, and of 1 in 2^15 after it. The masks
/// take the upper bits, which depend on the whole window.
const MASK_BEFORE: u64 = !0 << (64 - 18);
const MASK_BEHIND: u64 = !0 << (64 - 15);

/// A random number for each value of a byte. With any change, new chunks would no longer match stored ones.
static GEAR: [u64; 256] = gear();

/// SplitMix64 (Steele, Lea, Flood 2014), from the seed "FOREBAY\x01".
const fn gear() -> [u64; 256] {
    let mut table = [0; 256];
    let mut state = u64::from_be_bytes(*b"FOREBAY\x01");
    let mut at = 0;
    while at < 256 {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        table[at] = mixed ^ (mixed >> 31);
        at += 1;
    }
    table
}

/// The end of the chunk that begins with these bytes (at most [`CHUNK_BYTES_MAX`]), or `None` if it needs more bytes.
/// The caller knows that the chunk does not end within the first `searched` bytes.
pub(super) fn end(bytes: &[u8], searched: usize) -> Option<usize> {
    let from = CHUNK_BYTES_MIN.max(searched.saturating_sub(HASH_WINDOW_BYTES));
    let mut hash = 0;
    let mut at = from;
    if let Some(known) = bytes.get(from..searched.min(bytes.len())) {
        hash = known.iter().fold(0, |hash, byte| rolled(hash, *byte));
        at = from + known.len();
    }
    let found = roll(bytes, &mut hash, &mut at, NORMAL_BYTES, MASK_BEFORE)
        || roll(bytes, &mut hash, &mut at, CHUNK_BYTES_MAX, MASK_BEHIND);
    (found || bytes.len() >= CHUNK_BYTES_MAX).then_some(at)
}

fn rolled(hash: u64, byte: u8) -> u64 {
    (hash << 1).wrapping_add(GEAR[usize::from(byte)])
}

/// Rolls the hash from `at` to `to`. Stops and returns true where the hash has zeros under `mask`.
fn roll(bytes: &[u8], hash: &mut u64, at: &mut usize, to: usize, mask: u64) -> bool {
    let Some(rest) = bytes.get(*at..to.min(bytes.len())) else { return false };
    let (blocks, rest) = rest.as_chunks::<{ LANES * LANE_BYTES }>();
    for block in blocks {
        if let Some(found) = roll_block(block, hash, mask) {
            *at += found;
            return true;
        }
        *at += block.len();
    }
    for (index, byte) in rest.iter().enumerate() {
        *hash = rolled(*hash, *byte);
        if *hash & mask == 0 {
            *at += index + 1;
            return true;
        }
    }
    *at += rest.len();
    false
}

/// Rolls the hash over a block in several lanes in parallel, because a single lane mostly waits for its own last step.
/// The hash depends only on the last [`HASH_WINDOW_BYTES`], so a lane computes it from the bytes before its start.
/// Returns the length up to the first byte after which the hash has zeros under `mask`, that byte included.
fn roll_block(block: &[u8; LANES * LANE_BYTES], hash: &mut u64, mask: u64) -> Option<usize> {
    let (lanes, _) = block.as_chunks::<LANE_BYTES>();
    let [first, second, third, fourth] = lanes else { return None };
    let (mut one, mut two, mut three, mut four) = (*hash, warm(first), warm(second), warm(third));
    let mut ends: [Option<usize>; LANES] = [None; LANES];
    for (index, (((a, b), c), d)) in first.iter().zip(second).zip(third).zip(fourth).enumerate() {
        (one, two, three, four) = (rolled(one, *a), rolled(two, *b), rolled(three, *c), rolled(four, *d));
        let hashes = [one, two, three, four];
        if hashes.iter().any(|hash| hash & mask == 0) {
            for (lane, (end, hash)) in ends.iter_mut().zip(hashes).enumerate() {
                if hash & mask == 0 {
                    end.get_or_insert(lane * LANE_BYTES + index + 1);
                }
            }
            if ends.first().is_some_and(Option::is_some) {
                break;
            }
        }
    }
    *hash = four;
    ends.into_iter().flatten().next()
}

/// The hash at the end of a lane.
fn warm(lane: &[u8; LANE_BYTES]) -> u64 {
    lane.last_chunk::<HASH_WINDOW_BYTES>()
        .map_or(0, |last| last.iter().fold(0, |hash, byte| rolled(hash, *byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_what_all_stored_chunks_were_cut_with() {
        let mut hasher = blake3::Hasher::new();
        GEAR.iter().for_each(|number| {
            hasher.update(&number.to_le_bytes());
        });
        assert_eq!(&hasher.finalize().to_hex()[..16], "9775c4e99472f9ed");
    }

    #[test]
    fn equal_bytes_give_the_longest_chunks() {
        for byte in 0..=255 {
            assert_eq!(end(&vec![byte; CHUNK_BYTES_MAX], 0), Some(CHUNK_BYTES_MAX), "byte {byte}");
        }
    }

    #[test]
    fn lanes_end_a_chunk_where_one_lane_does() {
        let slowly = |bytes: &[u8]| {
            let mut hash = 0;
            (CHUNK_BYTES_MIN..bytes.len()).find_map(|at| {
                hash = rolled(hash, bytes[at]);
                let mask = if at < NORMAL_BYTES { MASK_BEFORE } else { MASK_BEHIND };
                (hash & mask == 0 || at + 1 == CHUNK_BYTES_MAX).then_some(at + 1)
            })
        };
        let mut bytes = vec![0; CHUNK_BYTES_MAX];
        for seed in 0..100u8 {
            blake3::Hasher::new().update(&[seed]).finalize_xof().fill(&mut bytes);
            for length in [CHUNK_BYTES_MAX, CHUNK_BYTES_MAX - 1, NORMAL_BYTES + 5000] {
                assert_eq!(end(&bytes[..length], 0), slowly(&bytes[..length]), "seed {seed}, {length}");
            }
        }
    }

    #[test]
    fn what_was_searched_before_changes_nothing() {
        let mut bytes = vec![0; CHUNK_BYTES_MAX];
        for seed in 0..20u8 {
            blake3::Hasher::new().update(&[seed]).finalize_xof().fill(&mut bytes);
            let whole = end(&bytes, 0).unwrap();
            for searched in [0, 1, CHUNK_BYTES_MIN - 1, CHUNK_BYTES_MIN + 1, whole / 2, whole - 65, whole - 1]
            {
                assert_eq!(end(&bytes, searched), Some(whole), "searched {searched}");
            }
            assert_eq!(end(&bytes[..whole - 1], 0), None);
        }
    }
}
