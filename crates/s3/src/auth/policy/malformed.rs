//! Why a policy is refused: S3's error `MalformedPolicy`.

use std::fmt::{self, Display, Formatter};

use forebay_pool::Explain;

/// A policy that cannot be used. The message names the place in the policy and the cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MalformedPolicy {
    /// The place, such as `Statement 2, Action`. Empty: the whole policy.
    place: String,
    cause: String,
    /// What AWS says instead of the cause.
    wording: Option<String>,
}

/// What parsers of policies return.
pub(super) type Parsed<T> = Result<T, MalformedPolicy>;

impl MalformedPolicy {
    pub(super) fn new(place: impl Into<String>, cause: impl Into<String>) -> MalformedPolicy {
        MalformedPolicy { place: place.into(), cause: cause.into(), wording: None }
    }

    /// The same error with the message that AWS has for it.
    pub(super) fn worded(mut self, wording: impl Into<String>) -> MalformedPolicy {
        self.wording = Some(wording.into());
        self
    }

    /// The message of AWS, which programs may compare. It says less than the error itself.
    pub fn wording(&self) -> String {
        let element = self.place.rsplit(", ").next().unwrap_or_default();
        match (&self.wording, element) {
            (Some(wording), _) => wording.clone(),
            (None, "Principal" | "NotPrincipal") => "Invalid principal in policy".to_owned(),
            (None, "Action" | "NotAction") => "Policy has invalid action".to_owned(),
            (None, "Resource" | "NotResource") => "Policy has invalid resource".to_owned(),
            (None, _) => self.to_string(),
        }
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
