//! The stored form of settings: JSON with a format number.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::facts::{FactsError, Format};

const WHAT: &str = "a bucket's setting";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored<T> {
    #[serde(rename = "f")]
    format: Format,
    #[serde(rename = "s")]
    setting: T,
}

/// Encodes a setting for storing.
pub fn encode<T: Serialize>(setting: &T) -> Result<Vec<u8>, FactsError> {
    crate::facts::encode(WHAT, &Stored { format: Format, setting })
}

/// Decodes a stored setting.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, FactsError> {
    crate::facts::decode::<Stored<T>>(WHAT, bytes).map(|stored| stored.setting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::Versioning;
    use crate::facts::Tags;

    #[test]
    fn settings_are_stored_with_a_format_number() {
        assert_eq!(encode(&Versioning::Suspended).unwrap(), br#"{"f":1,"s":"Suspended"}"#);
        let tags = Tags::parse_header("team=storage").unwrap();
        assert_eq!(decode::<Tags>(&encode(&tags).unwrap()).unwrap(), tags);
        assert!(decode::<Tags>(br#"{"f":2,"s":{}}"#).is_err());
        assert!(decode::<Tags>(br#"{"f":1,"s":{},"x":1}"#).is_err());
    }
}
