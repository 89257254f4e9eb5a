//! Runs of any experiments and storages, grouped by experiment.

use super::figure_table::{Named, named};
use super::read::Found;
use super::subject::{Subject, SubjectOf};

/// All runs of one experiment.
#[derive(Debug)]
pub struct Group<'a> {
    /// Its name.
    pub experiment: &'a str,
    /// Its description, if this version knows the experiment.
    pub subject: Option<Subject>,
    /// Its runs, in the order read.
    pub runs: Vec<Named<'a>>,
}

impl Group<'_> {
    /// The experiment's title, or its name.
    pub fn title(&self) -> &str {
        self.subject.map_or(self.experiment, |subject| subject.title)
    }
}

/// Puts the runs of each experiment together, in the order of the first of each.
pub fn groups(found: &[Found], subject_of: SubjectOf) -> Vec<Group<'_>> {
    let mut experiments: Vec<&str> = Vec::new();
    for one in found {
        if !experiments.contains(&one.run.experiment.as_str()) {
            experiments.push(&one.run.experiment);
        }
    }
    let of = |experiment: &str| {
        let runs = found.iter().map(|found| &found.run).filter(|run| run.experiment == experiment);
        named(&runs.collect::<Vec<_>>())
    };
    let group = |experiment| Group { experiment, subject: subject_of(experiment), runs: of(experiment) };
    experiments.into_iter().map(group).collect()
}
