//! Decides whether an owner is silent. Nothing here waits or reads a clock, so every case can be tested.

use std::time::Duration;

use crate::owner::{Owner, Phase};

/// How often a standby looks.
pub(crate) const PERIOD: Duration = Duration::from_millis(500);
/// An owner that is silent for so long is suspected.
const SILENCE_MAX: Duration = Duration::from_millis(3500);
/// An owner that answers but does not appear in the directory for so long uses another directory.
const UNSEEN_MAX: Duration = Duration::from_secs(10);
/// After a longer pause the standby itself did not run, and knows nothing of what happened meanwhile.
const PAUSE_MAX: Duration = Duration::from_secs(2);

/// Whether the standby's own network works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Witness {
    /// Nobody was named who could tell.
    None,
    /// The witness answers.
    Answers,
    /// It does not: the standby may be the one that is cut off.
    Silent,
}

/// What a look tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The owner is there.
    Alive,
    /// It does not answer over the network, for so long; but that is no proof, because it still writes to the directory, or because the standby may be
    /// cut off itself.
    Unproved(Duration),
    /// It has been silent for so long that it must be fenced.
    Suspect(Duration),
    /// It answers over the network, but what it writes does not appear in the directory: the two machines do not share one file system.
    NotShared,
}

/// What a standby has seen of the owner.
#[derive(Debug)]
pub struct Watch {
    instance: String,
    beat: u64,
    /// When the beat last rose.
    beat_at: Duration,
    /// When the owner last answered.
    answered_at: Duration,
    looked_at: Duration,
    /// Whether this owner was seen to write: its beat rose, or its file came after another's.
    has_risen: bool,
}

impl Watch {
    /// Begins at this time of a monotonic clock.
    pub fn new(now: Duration) -> Watch {
        Watch {
            instance: String::new(),
            beat: 0,
            beat_at: now,
            answered_at: now,
            looked_at: now,
            has_risen: false,
        }
    }

    /// Whether this owner was seen to write to the directory: what it writes does appear here.
    pub fn has_seen_rise(&self, owner: &Owner) -> bool {
        self.has_risen && self.instance == owner.instance
    }

    /// A look at the owner that was not possible: the time since the last one does not count.
    pub fn blind(&mut self, now: Duration) {
        (self.beat_at, self.answered_at, self.looked_at) = (now, now, now);
    }

    /// A look at the owner. `answers` tells whether it answers over the network; none if it has no address yet.
    pub fn look(&mut self, now: Duration, owner: &Owner, answers: Option<bool>, witness: Witness) -> Verdict {
        if now.saturating_sub(self.looked_at) > PAUSE_MAX {
            self.blind(now);
        }
        self.looked_at = now;
        if self.instance != owner.instance {
            // Another owner's file replaced one that this standby had read, so what the new owner writes does appear here.
            let has_risen = !self.instance.is_empty();
            *self =
                Watch { instance: owner.instance.clone(), beat: owner.beat, has_risen, ..Watch::new(now) };
        }
        if self.beat != owner.beat {
            (self.beat, self.beat_at, self.has_risen) = (owner.beat, now, true);
        }
        if answers == Some(true) {
            self.answered_at = now;
        }
        let unseen = now.saturating_sub(self.beat_at);
        let unheard = match (owner.phase, answers) {
            (Phase::Serving, Some(_)) => now.saturating_sub(self.answered_at),
            // It need not answer yet.
            _ => unseen,
        };
        let silence = unseen.min(unheard);
        if silence >= SILENCE_MAX && witness != Witness::Silent {
            Verdict::Suspect(silence)
        } else if unheard >= SILENCE_MAX && witness == Witness::Answers {
            // Clients cannot reach it either.
            Verdict::Suspect(unheard)
        } else if unheard >= SILENCE_MAX {
            Verdict::Unproved(unheard)
        } else if unseen >= UNSEEN_MAX {
            Verdict::NotShared
        } else {
            Verdict::Alive
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::owner::tests::{first, node};

    /// A watch on an owner that serves, and looks twice a second.
    struct Scene {
        watch: Watch,
        owner: Owner,
        now: Duration,
    }

    impl Scene {
        fn new(phase: Phase) -> Scene {
            let owner = Owner { phase, ..Owner::new(node("a"), first()).unwrap() };
            Scene { watch: Watch::new(Duration::ZERO), owner, now: Duration::ZERO }
        }

        /// What the look says after so many periods in each of which the owner did this.
        fn after(&mut self, periods: u32, beats: bool, answers: Option<bool>, witness: Witness) -> Verdict {
            let mut verdict = Verdict::Alive;
            for _ in 0..periods {
                self.now += PERIOD;
                self.owner.beat += u64::from(beats);
                verdict = self.watch.look(self.now, &self.owner, answers, witness);
            }
            verdict
        }
    }

    #[test]
    fn an_owner_that_is_silent_everywhere_is_suspected_after_three_and_a_half_seconds() {
        let mut scene = Scene::new(Phase::Serving);
        assert_eq!(scene.after(20, true, Some(true), Witness::None), Verdict::Alive);
        assert_eq!(scene.after(6, false, Some(false), Witness::None), Verdict::Alive);
        assert_eq!(scene.after(1, false, Some(false), Witness::None), Verdict::Suspect(SILENCE_MAX));
    }

    #[test]
    fn an_owner_that_only_the_network_loses_is_suspected_if_a_witness_answers() {
        for (witness, verdict) in [
            (Witness::None, Verdict::Unproved(SILENCE_MAX)),
            (Witness::Silent, Verdict::Unproved(SILENCE_MAX)),
            (Witness::Answers, Verdict::Suspect(SILENCE_MAX)),
        ] {
            let mut scene = Scene::new(Phase::Serving);
            scene.after(1, true, Some(true), witness);
            assert_eq!(scene.after(6, true, Some(false), witness), Verdict::Alive);
            assert_eq!(scene.after(1, true, Some(false), witness), verdict);
        }
    }

    #[test]
    fn a_standby_that_may_be_cut_off_itself_suspects_nobody() {
        let mut scene = Scene::new(Phase::Serving);
        scene.after(1, true, Some(true), Witness::Answers);
        assert!(matches!(scene.after(60, false, Some(false), Witness::Silent), Verdict::Unproved(_)));
    }

    #[test]
    fn an_owner_that_opens_the_pool_need_not_answer_but_must_be_seen() {
        let mut scene = Scene::new(Phase::Opening);
        assert_eq!(scene.after(600, true, None, Witness::Answers), Verdict::Alive);
        assert_eq!(scene.after(600, true, Some(false), Witness::Answers), Verdict::Alive);
        assert_eq!(scene.after(7, false, None, Witness::None), Verdict::Suspect(SILENCE_MAX));
    }

    #[test]
    fn an_owner_that_answers_and_is_not_seen_uses_another_directory() {
        let mut scene = Scene::new(Phase::Serving);
        scene.after(1, false, Some(true), Witness::None);
        assert_eq!(scene.after(18, false, Some(true), Witness::None), Verdict::Alive);
        assert_eq!(scene.after(2, false, Some(true), Witness::None), Verdict::NotShared);
        assert!(!scene.watch.has_seen_rise(&scene.owner));
        assert_eq!(scene.after(1, true, Some(true), Witness::None), Verdict::Alive);
        assert!(scene.watch.has_seen_rise(&scene.owner));
    }

    #[test]
    fn time_in_which_the_standby_did_not_look_does_not_count() {
        let mut scene = Scene::new(Phase::Serving);
        scene.after(1, true, Some(true), Witness::None);
        scene.after(6, false, Some(false), Witness::None);
        scene.now += Duration::from_secs(60);
        assert_eq!(scene.after(1, false, Some(false), Witness::None), Verdict::Alive, "it was suspended");
        scene.after(5, false, Some(false), Witness::None);
        scene.watch.blind(scene.now);
        assert_eq!(scene.after(6, false, Some(false), Witness::None), Verdict::Alive, "it could not look");
        assert!(matches!(scene.after(1, false, Some(false), Witness::None), Verdict::Suspect(_)));
    }

    #[test]
    fn an_owner_that_was_there_first_was_not_seen_to_write() {
        let mut scene = Scene::new(Phase::Serving);
        assert!(matches!(scene.after(8, false, Some(false), Witness::None), Verdict::Suspect(_)));
        assert!(!scene.watch.has_seen_rise(&scene.owner));
    }

    /// A daemon was killed and started again, and its machine failed before the standby looked twice: the standby refused to have it fenced.
    #[test]
    fn another_owner_begins_anew_and_was_seen_to_write() {
        let mut scene = Scene::new(Phase::Serving);
        scene.after(1, true, Some(true), Witness::None);
        scene.after(6, false, Some(false), Witness::None);
        scene.owner = Owner { phase: Phase::Serving, ..Owner::new(node("b"), first()).unwrap() };
        assert_eq!(scene.after(6, false, Some(false), Witness::None), Verdict::Alive);
        assert!(scene.watch.has_seen_rise(&scene.owner));
        assert!(matches!(scene.after(2, false, Some(false), Witness::None), Verdict::Suspect(_)));
    }
}
