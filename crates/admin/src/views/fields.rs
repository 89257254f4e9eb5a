//! How fields are read and written.

use std::time::SystemTime;

use serde::{Deserialize, Deserializer};

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
