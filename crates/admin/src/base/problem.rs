//! What is wrong with a part of a request.

use std::fmt::{self, Display, Formatter};

/// What is wrong with a field of a body, or a parameter, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The field or parameter.
    pub field: String,
    /// What it must be.
    pub cause: String,
    /// What to do, if the cause does not say it.
    pub remedy: Option<String>,
}

impl Problem {
    /// A problem of that field.
    pub fn new(field: impl Into<String>, cause: impl Into<String>) -> Problem {
        Problem { field: field.into(), cause: cause.into(), remedy: None }
    }

    /// The same with a remedy.
    #[must_use]
    pub fn with_remedy(mut self, remedy: impl Into<String>) -> Problem {
        self.remedy = Some(remedy.into());
        self
    }
}

impl Display for Problem {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.field, self.cause)?;
        self.remedy.iter().try_for_each(|remedy| write!(formatter, "; {remedy}"))
    }
}

impl std::error::Error for Problem {}
