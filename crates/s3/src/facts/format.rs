//! The format number that all facts begin with, and their encoding.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The format of facts that this release writes and reads.
const FORMAT: u32 = 1;

/// The format number. It has no state: reading another number than this release's fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Format;

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(FORMAT)
    }
}

impl<'de> Deserialize<'de> for Format {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Format, D::Error> {
        match u32::deserialize(deserializer)? {
            FORMAT => Ok(Format),
            other => Err(D::Error::custom(format!("format {other}; this release reads format {FORMAT}"))),
        }
    }
}

/// Facts that could not be encoded or decoded.
#[derive(Debug)]
pub struct FactsError {
    what: &'static str,
    source: serde_json::Error,
}

impl std::fmt::Display for FactsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the stored facts of {} are not readable by this release: {}", self.what, self.source)
    }
}

impl std::error::Error for FactsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// Encodes facts for storing.
pub(crate) fn encode<T: Serialize>(what: &'static str, facts: &T) -> Result<Vec<u8>, FactsError> {
    serde_json::to_vec(facts).map_err(|source| FactsError { what, source })
}

/// Decodes stored facts.
pub(crate) fn decode<T: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<T, FactsError> {
    serde_json::from_slice(bytes).map_err(|source| FactsError { what, source })
}
