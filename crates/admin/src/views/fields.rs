//! How fields are read and written.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::base::words::bytes;

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

/// The fields of an edit, and what they were and are: `size limit removed (was 1 GiB), mode set to 0755`.
pub fn changes_in_words<V: Serialize>(edit: &impl Serialize, before: &V, after: &V) -> String {
    let fields = |value: serde_json::Result<Value>| match value {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let edited = fields(serde_json::to_value(edit));
    let (before, after) = (fields(serde_json::to_value(before)), fields(serde_json::to_value(after)));
    let change = |field: &String| {
        let value =
            |fields: &Map<String, Value>| value_in_words(field, fields.get(field).unwrap_or(&Value::Null));
        let name = name_in_words(field);
        match (value(&before), value(&after)) {
            (from, to) if from == to => format!("{name} still {}", to.unwrap_or_else(|| NOTHING.to_owned())),
            (Some(from), None) => format!("{name} removed (was {from})"),
            (None, to) => format!("{name} set to {}", to.unwrap_or_else(|| NOTHING.to_owned())),
            (Some(from), Some(to)) => format!("{name} changed from {from} to {to}"),
        }
    };
    edited.keys().map(change).collect::<Vec<_>>().join(", ")
}

/// What a limit or a schedule is if there is none.
const NOTHING: &str = "none";

fn name_in_words(field: &str) -> String {
    match field {
        "size" => "size limit".to_owned(),
        "max_bytes_per_second" => "throughput limit".to_owned(),
        "export" => "export policy".to_owned(),
        "preserve_unlink" => "survival of deleted open files".to_owned(),
        "snapshots" => "snapshot schedule".to_owned(),
        other => other.replace('_', " "),
    }
}

/// `None` if there is nothing.
fn value_in_words(field: &str, value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        Value::Bool(is_on) => (if *is_on { "on" } else { "off" }).to_owned(),
        Value::Number(number) => match (field, number.as_u64()) {
            ("size", Some(size)) => bytes(size),
            ("max_bytes_per_second", Some(rate)) => format!("{}/s", bytes(rate)),
            _ => number.to_string(),
        },
        // Labels, or a schedule: what is zero is not kept.
        Value::Object(parts) => {
            let kept = parts.iter().filter(|(_, value)| value.as_u64() != Some(0));
            let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let parts: Vec<String> = kept.map(|(name, value)| format!("{name}={}", word(value))).collect();
            return (!parts.is_empty()).then(|| parts.join(","));
        }
        other => other.to_string(),
    })
}
