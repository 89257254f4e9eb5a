//! Why a replica shares little with the others of its partition.

use std::collections::BTreeSet;

use crate::replica::Contents;
use crate::report::Reason;

/// The reason that the segments of the replica `at` show.
pub(crate) fn reason(is_compacted: bool, replicas: &[&Contents], at: usize) -> Reason {
    if is_compacted {
        return Reason::Compacted;
    }
    let Some(own) = replicas.get(at) else { return Reason::OtherBytes };
    let others =
        || replicas.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, contents)| contents);
    let bases: BTreeSet<u64> = others().flat_map(|contents| contents.segments.keys().copied()).collect();
    let last = bases.last().copied().unwrap_or_default();
    let differ = own.segments.keys().filter(|base| !bases.contains(base)).count() as u64;
    let has_common = differ < own.segments.len() as u64;
    let total: u64 = own.segments.values().map(|segment| segment.bytes).sum();
    let ahead: u64 = own.segments.range(last.saturating_add(1)..).map(|(_, segment)| segment.bytes).sum();
    if has_common && ahead > total / 2 {
        return Reason::OthersLag { bytes: ahead };
    }
    if differ > 0 {
        return Reason::OtherSegments { differ, of: own.segments.len() as u64 };
    }
    Reason::OtherBytes
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::replica::Segment;

    fn contents(bases: &[u64]) -> Contents {
        let segment = Segment { bytes: 100, mtime: SystemTime::UNIX_EPOCH };
        Contents { segments: bases.iter().map(|base| (*base, segment)).collect(), ..Contents::default() }
    }

    fn why(own: &[u64], other: &[u64]) -> Reason {
        let (own, other) = (contents(own), contents(other));
        reason(false, &[&other, &own], 1)
    }

    #[test]
    fn segments_tell_why_replicas_differ() {
        assert_eq!(why(&[0, 70, 90], &[0, 50, 100]), Reason::OtherSegments { differ: 2, of: 3 });
        assert_eq!(why(&[0, 50, 100], &[0]), Reason::OthersLag { bytes: 200 });
        assert_eq!(why(&[0, 50], &[0, 50, 100]), Reason::OtherBytes);
        assert_eq!(why(&[3500], &[0]), Reason::OtherSegments { differ: 1, of: 1 });
        let (one, other) = (contents(&[0, 1]), contents(&[7]));
        assert_eq!(reason(true, &[&one, &other], 0), Reason::Compacted);
        assert_eq!(reason(false, &[], 3), Reason::OtherBytes);
    }
}
