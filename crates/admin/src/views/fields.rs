//! How fields are read and written.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// Reads a field that may be null as `Some(None)`, so that `None` means the field is absent.
pub fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

/// Reads a field that may be absent, but not null.
pub fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A time in the API's format.
pub fn time(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}

/// A time in milliseconds since 1970 in the API's format. What it cannot express becomes the last time that it can.
pub fn time_of_ms(ms: u64) -> String {
    const LAST_MS: u64 = 253_402_300_799_000;
    time(SystemTime::UNIX_EPOCH + Duration::from_millis(ms.min(LAST_MS)))
}

/// The fields of an edit, and what they were and are: `size changed from 1073741824 to none`.
pub fn changes_in_words<V: Serialize>(edit: &impl Serialize, before: &V, after: &V) -> String {
    let fields = |value: serde_json::Result<Value>| match value {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let word = |value: Option<&Value>| match value {
        None | Some(Value::Null) => "none".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let edited = fields(serde_json::to_value(edit));
    let (before, after) = (fields(serde_json::to_value(before)), fields(serde_json::to_value(after)));
    let change = |field: &String| {
        let (from, to) = (word(before.get(field)), word(after.get(field)));
        if from == to {
            format!("{field} stays {to}")
        } else {
            format!("{field} changed from {from} to {to}")
        }
    };
    edited.keys().map(change).collect::<Vec<_>>().join(", ")
}
