//! Reads JSON as its schemas say it. Serde by itself also takes an array for an object, its elements for the fields in their order; who sends
//! that has made a mistake.

use std::fmt::Display;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

/// Reads a value. What it says of an error is where, and what is wrong.
pub fn from_slice<T: DeserializeOwned>(text: &[u8]) -> Result<T, impl Display + use<T>> {
    // First as it is: that refuses a field which comes twice, and knows lines and columns.
    serde_json::from_slice::<T>(text)?;
    T::deserialize(Strict(serde_json::from_slice(text)?))
}

struct Strict(Value);

impl<'de> IntoDeserializer<'de, serde_json::Error> for Strict {
    type Deserializer = Strict;

    fn into_deserializer(self) -> Strict {
        self
    }
}

impl<'de> Deserializer<'de> for Strict {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.0 {
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Strict))),
            Value::Object(fields) => {
                let fields = fields.into_iter().map(|(name, value)| (name, Strict(value)));
                visitor.visit_map(MapDeserializer::new(fields))
            }
            other => other.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        if self.0.is_array() {
            return Err(Error::custom("an array, where an object must be"));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map
        identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::{NewVolume, PolicyRules, SetUser, VolumeEdit};

    fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
        from_slice(text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn an_array_is_no_object_at_any_depth() {
        assert!(read::<SetUser>(r#"{"role":"admin"}"#).is_ok());
        assert!(read::<SetUser>(r#"["admin"]"#).unwrap_err().contains("an object must be"));
        assert!(read::<PolicyRules>(r#"{"rules":[{"clients":"*"}]}"#).is_ok());
        assert!(read::<PolicyRules>(r#"{"rules":[["*"]]}"#).is_err());
        let snapshots = r#"{"hourly":1,"daily":2,"weekly":3}"#;
        assert!(read::<NewVolume>(&format!(r#"{{"name":"a","snapshots":{snapshots}}}"#)).is_ok());
        assert!(read::<NewVolume>(r#"{"name":"a","snapshots":[1,2,3]}"#).is_err());
    }

    #[test]
    fn null_and_absence_differ_where_they_should_and_nothing_comes_twice() {
        let edit = read::<VolumeEdit>(r#"{"size":null}"#).unwrap();
        assert_eq!((edit.size, edit.max_bytes_per_second), (Some(None), None));
        assert_eq!(read::<VolumeEdit>(r#"{"size":7}"#).unwrap().size, Some(Some(7)));
        assert!(read::<SetUser>(r#"{"role":"admin","role":"admin"}"#).unwrap_err().contains("duplicate"));
        assert!(read::<SetUser>(r#"{"role":"admin","more":1}"#).unwrap_err().contains("more"));
    }
}
