//! Cross-origin resource sharing.
//!
//! [`Cors`] is a bucket's setting. [`Cors::preflight`] answers OPTIONS, and [`Cors::headers`] adds to other answers.

mod answer;
mod convert;
mod pattern;

use serde::{Deserialize, Serialize};

pub use answer::{AnswerHeaders, missing_configuration};

/// The methods that a rule may allow.
const METHODS: [&str; 5] = ["GET", "PUT", "HEAD", "POST", "DELETE"];

/// The CORS setting of a bucket.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cors {
    #[serde(rename = "r")]
    rules: Vec<Rule>,
}

/// One rule. The first that matches a request decides.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    #[serde(rename = "i", default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(rename = "o")]
    allowed_origins: Vec<String>,
    #[serde(rename = "m")]
    allowed_methods: Vec<String>,
    #[serde(rename = "h", default, skip_serializing_if = "Vec::is_empty")]
    allowed_headers: Vec<String>,
    #[serde(rename = "x", default, skip_serializing_if = "Vec::is_empty")]
    expose_headers: Vec<String>,
    #[serde(rename = "a", default, skip_serializing_if = "Option::is_none")]
    max_age_seconds: Option<u32>,
}

/// Returns whether a text is the name of a header, in which `*` may stand.
fn is_header_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}
