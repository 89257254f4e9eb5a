//! The description of an experiment in a report.

/// The description of an experiment in a report.
#[derive(Debug, Clone, Copy)]
pub struct Subject {
    /// The experiment's title.
    pub title: &'static str,
    /// The question that the experiment answers, in one or two sentences.
    pub question: &'static str,
    /// The steps of the experiment, in enough detail for a reader to repeat them by hand.
    pub method: &'static str,
}

/// Returns the description of the experiment with a name; `None` if this version does not know the experiment.
pub type SubjectOf = fn(&str) -> Option<Subject>;
