//! JSON as policies use it: of limited depth, and without two members of one name, of which a reader would have to ignore one.

use std::fmt::{self, Formatter};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::malformed::{MalformedPolicy, Parsed};

/// Deeper than any valid policy, which needs seven.
const DEPTH_MAX: usize = 10;

/// A JSON value. Numbers and truth values are kept as texts, because conditions take them as texts too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Json {
    Null,
    Text(String),
    /// A number, or `true` or `false`.
    Bare(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Parses a whole text.
    pub(super) fn parse(bytes: &[u8]) -> Parsed<Json> {
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        let value = Depth(0).deserialize(&mut deserializer);
        value.and_then(|value| deserializer.end().map(|()| value)).map_err(|error| {
            let is_object = bytes.trim_ascii_start().first() == Some(&b'{');
            let invalid = "This policy contains invalid Json";
            let other = "Policies must be valid JSON and the first byte must be '{'";
            MalformedPolicy::new("", format!("is not valid JSON: {error}")).worded(if is_object {
                invalid
            } else {
                other
            })
        })
    }

    /// The members of an object.
    pub(super) fn into_members(self, place: &str) -> Parsed<Members> {
        match self {
            Json::Object(members) => Ok(Members { place: place.to_owned(), members }),
            _ if place.is_empty() => Err(MalformedPolicy::new(place, "must be a JSON object")
                .worded("Policies must be valid JSON and the first byte must be '{'")),
            _ => Err(MalformedPolicy::new(place, "must be a JSON object")),
        }
    }

    /// A text.
    pub(super) fn into_text(self, place: &str) -> Parsed<String> {
        match self {
            Json::Text(text) => Ok(text),
            _ => Err(MalformedPolicy::new(place, "must be a string")),
        }
    }

    /// The values of a list, or the one value that stands for a list of one. A list must not be empty.
    pub(super) fn into_list(self, place: &str) -> Parsed<Vec<Json>> {
        match self {
            Json::List(list) if list.is_empty() => Err(MalformedPolicy::new(place, "must not be empty")),
            Json::List(list) => Ok(list),
            one => Ok(vec![one]),
        }
    }

    /// A text, or a list of texts.
    pub(super) fn into_texts(self, place: &str) -> Parsed<Vec<String>> {
        self.into_list(place)?.into_iter().map(|value| value.into_text(place)).collect()
    }
}

/// The members of an object that were not taken yet.
pub(super) struct Members {
    place: String,
    members: Vec<(String, Json)>,
}

impl Members {
    /// Takes a member.
    pub(super) fn take(&mut self, name: &str) -> Option<Json> {
        let index = self.members.iter().position(|(member, _)| member == name)?;
        Some(self.members.swap_remove(index).1)
    }

    /// Takes exactly one of two members: the flag says whether it is the second one.
    pub(super) fn take_one_of(&mut self, one: &str, other: &str) -> Parsed<(Json, bool)> {
        match (self.take(one), self.take(other)) {
            (Some(value), None) => Ok((value, false)),
            (None, Some(value)) => Ok((value, true)),
            (Some(_), Some(_)) => Err(MalformedPolicy::new(
                &self.place,
                format!("has both {one} and {other}; only one is allowed"),
            )),
            (None, None) => Err(MalformedPolicy::new(&self.place, format!("needs {one} or {other}"))),
        }
    }

    /// All members.
    pub(super) fn into_all(self) -> Vec<(String, Json)> {
        self.members
    }

    /// Fails if a member is left, which nobody knows.
    pub(super) fn finish(self) -> Parsed<()> {
        match self.members.first() {
            None => Ok(()),
            Some((name, _)) => {
                Err(MalformedPolicy::new(self.place, format!("has an unknown element {name:?}")))
            }
        }
    }
}

/// Reads a value this deep in the text.
#[derive(Clone, Copy)]
struct Depth(usize);

impl Depth {
    fn deeper<E: Error>(self) -> Result<Depth, E> {
        if self.0 < DEPTH_MAX { Ok(Depth(self.0 + 1)) } else { Err(E::custom("nested too deeply")) }
    }
}

impl<'de> DeserializeSeed<'de> for Depth {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Depth {
    type Value = Json;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bare(value.to_string()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Bare(value.to_string()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Bare(value.to_string()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Bare(value.to_string()))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Json, A::Error> {
        let deeper = self.deeper()?;
        let mut list = Vec::new();
        while let Some(value) = values.next_element_seed(deeper)? {
            list.push(value);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let deeper = self.deeper()?;
        let mut members: Vec<(String, Json)> = Vec::new();
        let mut names = std::collections::BTreeSet::new();
        while let Some(name) = entries.next_key::<String>()? {
            if !names.insert(name.clone()) {
                return Err(A::Error::custom(format!("two members are named {name:?}")));
            }
            members.push((name, entries.next_value_seed(deeper)?));
        }
        Ok(Json::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(text: &str) -> String {
        Json::parse(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn two_members_of_one_name_are_refused() {
        assert!(
            cause(r#"{"Effect": "Deny", "Effect": "Allow"}"#).contains(r#"two members are named "Effect""#)
        );
        assert!(cause(r#"[{"a": {"b": 1, "\u0062": 2}}]"#).contains("two members"));
    }

    #[test]
    fn deep_nesting_and_what_follows_the_policy_are_refused() {
        assert!(cause(&"[".repeat(20_000)).contains("nested too deeply"));
        assert!(cause(&format!("{}1{}", "[".repeat(11), "]".repeat(11))).contains("nested too deeply"));
        assert!(Json::parse(format!("{}1{}", "[".repeat(10), "]".repeat(10)).as_bytes()).is_ok());
        assert!(cause("{} {}").contains("trailing"));
        assert!(Json::parse(b"\"\xff\"").is_err() && Json::parse(b"").is_err());
    }
}
