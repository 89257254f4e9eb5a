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
    use crate::configuration::cors::Cors;
    use crate::configuration::lifecycle::Lifecycle;
    use crate::configuration::{ObjectLock, ObjectOwnership, PublicAccessBlock, Versioning};
    use crate::facts::Tags;

    /// Decodes what release 1 writes, and expects the same when it is encoded again.
    fn check<T: Serialize + DeserializeOwned>(stored: &str) {
        let setting: T = decode(stored.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(encode(&setting).unwrap()).unwrap(), stored);
    }

    #[test]
    fn the_stored_formats_have_not_changed() {
        check::<Versioning>(r#"{"f":1,"s":"Enabled"}"#);
        check::<ObjectOwnership>(r#"{"f":1,"s":"BucketOwnerEnforced"}"#);
        check::<PublicAccessBlock>(r#"{"f":1,"s":{"ba":true,"ia":false,"bp":true,"rb":false}}"#);
        check::<ObjectLock>(r#"{"f":1,"s":{"r":{"m":"GOVERNANCE","p":{"d":30}}}}"#);
        check::<ObjectLock>(r#"{"f":1,"s":{"r":{"m":"COMPLIANCE","p":{"y":7}}}}"#);
        check::<Cors>(concat!(
            r#"{"f":1,"s":{"r":[{"i":"one","o":["*"],"m":["GET"],"h":["x-*"],"x":["ETag"],"a":60},"#,
            r#"{"o":["http://a"],"m":["PUT"]}]}}"#,
        ));
        check::<Lifecycle>(concat!(
            r#"{"f":1,"s":{"r":[{"i":"a","on":true,"w":{"o":true,"p":"logs/"},"e":{"d":1}},"#,
            r#"{"i":"b","on":false,"w":{"p":"x","t":{"k":"v"},"g":1,"l":9},"e":{"t":86400000},"n":{"d":2,"k":3}},"#,
            r#"{"i":"c","on":true,"w":{},"e":{"m":true},"u":7}]}}"#,
        ));
    }

    #[test]
    fn settings_are_stored_with_a_format_number() {
        assert_eq!(encode(&Versioning::Suspended).unwrap(), br#"{"f":1,"s":"Suspended"}"#);
        let tags = Tags::parse_header("team=storage").unwrap();
        assert_eq!(decode::<Tags>(&encode(&tags).unwrap()).unwrap(), tags);
        assert!(decode::<Tags>(br#"{"f":2,"s":{}}"#).is_err());
        assert!(decode::<Tags>(br#"{"f":1,"s":{},"x":1}"#).is_err());
    }
}
