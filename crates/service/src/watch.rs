//! Reports what happens in the pool by itself: a scrub that ends or finds damage, a missing copy, a pool that fills up.

use std::sync::Arc;
use std::time::Duration;

use forebay_pool::{Pool, ScrubStatus, Space, Stored};

use crate::Service;
use crate::events::{Kind, Who};

/// How often it looks at the pool.
const EVERY: Duration = Duration::from_secs(5);

/// A pool with less than a tenth free is nearly full. With a fifth free it has room again.
const NEARLY_FULL_PART: u64 = 10;

/// What the pool reported last.
#[derive(Default)]
struct Seen {
    scrub: ScrubStatus,
    nearly_full: bool,
    missing: u64,
    aside: u64,
}

/// Watches the pool for as long as it is polled.
pub async fn run(service: Arc<Service>) {
    let mut seen = Seen { scrub: service.pool.scrub_status().unwrap_or_default(), ..Seen::default() };
    // Otherwise damage from before the start would never be reported.
    (seen.scrub.damaged, seen.scrub.degraded) = (0, false);
    loop {
        for (kind, message) in seen.look(&service.pool) {
            service.events.note(kind, "pool", message, Who::default());
        }
        tokio::time::sleep(EVERY).await;
    }
}

impl Seen {
    fn look(&mut self, pool: &Pool) -> Vec<(Kind, String)> {
        // A pool that is closing has nothing to report.
        let (Ok(scrub), Ok(space)) = (pool.scrub_status(), pool.space()) else { return Vec::new() };
        let mut told = self.compare_scrub(&scrub);
        told.extend(self.compare_space(&space));
        if let Ok(stored) = pool.stored() {
            told.extend(self.compare_stored(&stored));
        }
        self.scrub = scrub;
        told
    }

    fn compare_scrub(&self, now: &ScrubStatus) -> Vec<(Kind, String)> {
        let mut told = Vec::new();
        let then = &self.scrub;
        if now.damaged > then.damaged {
            let damage = now.damage.last().map(String::as_str).unwrap_or_default();
            told.push((
                Kind::DataDamaged,
                format!("{} frames are damaged in every copy; {damage}", now.damaged),
            ));
        }
        if now.repaired > then.repaired {
            let count = now.repaired.saturating_sub(then.repaired);
            told.push((
                Kind::DataRepaired,
                format!("{count} damaged frames were repaired from the other copy"),
            ));
        }
        if now.degraded != then.degraded {
            told.push(match now.degraded {
                true => (Kind::CopyMissing, "the second copy is missing; the log says why".to_owned()),
                false => (Kind::CopyBack, "the second copy is available again".to_owned()),
            });
        }
        if now.finished != then.finished {
            let message = match now.damaged {
                0 => format!("scrub finished: {} bytes verified, no damage", now.bytes),
                damaged => format!("scrub finished: {} bytes verified, {damaged} damaged frames", now.bytes),
            };
            told.push((Kind::ScrubFinished, message));
        }
        told
    }

    fn compare_stored(&mut self, now: &Stored) -> Vec<(Kind, String)> {
        let mut told = Vec::new();
        let (missing, aside) = (now.segments_missing, now.lost_found_segments);
        if missing > self.missing {
            let message = format!("{missing} segments that hold data are missing; their data cannot be read");
            told.push((Kind::SegmentsMissing, message));
        }
        if aside > self.aside {
            let message = format!(
                "{aside} segments ({} bytes) that no metadata names are in lost+found; `forebay pool lost-found` lists and deletes them",
                now.lost_found_bytes
            );
            told.push((Kind::SegmentsSetAside, message));
        }
        (self.missing, self.aside) = (missing, aside);
        told
    }

    fn compare_space(&mut self, now: &Space) -> Option<(Kind, String)> {
        let free_is_below = |part: u64| now.bytes_free < now.bytes_total / part;
        let percent = now.bytes_free.saturating_mul(100) / now.bytes_total.max(1);
        if !self.nearly_full && free_is_below(NEARLY_FULL_PART) {
            self.nearly_full = true;
            let remedy = "delete files or snapshots, or give it more space";
            return Some((Kind::PoolNearlyFull, format!("{percent}% of the pool are free; {remedy}")));
        }
        if self.nearly_full && !free_is_below(NEARLY_FULL_PART / 2) {
            self.nearly_full = false;
            return Some((Kind::PoolHasRoom, format!("{percent}% of the pool are free")));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_that_fills_up_is_told_of_once_until_it_has_room() {
        let mut seen = Seen::default();
        let mut at = |free| {
            let space = Space { bytes_total: 1000, bytes_free: free, ..Space::default() };
            seen.compare_space(&space).map(|(kind, _)| kind)
        };
        let told = [500, 99, 50, 150, 199, 200, 99].map(&mut at);
        let (full, room) = (Some(Kind::PoolNearlyFull), Some(Kind::PoolHasRoom));
        assert_eq!(told, [None, full, None, None, None, room, full]);
    }

    #[test]
    fn what_a_scrub_finds_is_told_when_it_is_found() {
        let seen = Seen::default();
        let now = ScrubStatus { damaged: 2, degraded: true, repaired: 1, ..ScrubStatus::default() };
        let kinds: Vec<Kind> = seen.compare_scrub(&now).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, [Kind::DataDamaged, Kind::DataRepaired, Kind::CopyMissing]);
        assert!(Seen { scrub: now.clone(), ..Seen::default() }.compare_scrub(&now).is_empty());
    }

    #[test]
    fn segments_that_are_missing_or_unnamed_are_told_of_once() {
        let mut seen = Seen::default();
        let now = Stored { segments_missing: 1, lost_found_segments: 2, ..Stored::default() };
        let kinds = |told: Vec<(Kind, String)>| told.into_iter().map(|(kind, _)| kind).collect::<Vec<_>>();
        assert_eq!(kinds(seen.compare_stored(&now)), [Kind::SegmentsMissing, Kind::SegmentsSetAside]);
        assert!(seen.compare_stored(&now).is_empty());
        assert!(seen.compare_stored(&Stored::default()).is_empty());
    }
}
