//! What a report says about an experiment itself.

/// What the report says about an experiment itself.
#[derive(Debug, Clone, Copy)]
pub struct Subject {
    /// The experiment's title.
    pub title: &'static str,
    /// The question that it answers, in one or two sentences.
    pub question: &'static str,
    /// What it does, step by step, so that a reader of the report could do the same by hand.
    pub method: &'static str,
}

/// What an experiment is, by its name; `None` for one that this version does not know.
pub type SubjectOf = fn(&str) -> Option<Subject>;
