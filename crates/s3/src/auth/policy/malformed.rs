//! Why a policy is refused: S3's error `MalformedPolicy`.

use std::fmt::{self, Display, Formatter};

use forebay_pool::Explain;

/// A policy that cannot be used. The message names the place in the policy and the cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MalformedPolicy {
    /// The place, such as `Statement 2, Action`. Empty: the whole policy.
    place: String,
    cause: String,
}

/// What parsers of policies return.
pub(super) type Parsed<T> = Result<T, MalformedPolicy>;

impl MalformedPolicy {
    pub(super) fn new(place: impl Into<String>, cause: impl Into<String>) -> MalformedPolicy {
        MalformedPolicy { place: place.into(), cause: cause.into() }
    }
}

impl Explain for MalformedPolicy {
    fn object(&self) -> Option<String> {
        Some(if self.place.is_empty() { "policy".to_owned() } else { format!("policy, {}", self.place) })
    }

    fn cause(&self) -> String {
        self.cause.clone()
    }

    fn remedy(&self) -> Option<String> {
        None
    }
}

impl Display for MalformedPolicy {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        self.explain(formatter)
    }
}

impl std::error::Error for MalformedPolicy {}
