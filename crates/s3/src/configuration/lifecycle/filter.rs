//! Which objects a rule is about.

use std::collections::BTreeSet;

use s3s::{S3Result, dto};
use serde::{Deserialize, Serialize};

use crate::errors::{invalid_request, malformed_xml};
use crate::facts::Tags;
use crate::names::KEY_BYTES_MAX;

/// Which objects a rule is about. All that is set must match.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    /// Whether the prefix stood in the rule itself, as old clients have it. It is returned there.
    #[serde(rename = "o", default, skip_serializing_if = "std::ops::Not::not")]
    old_form: bool,
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    prefix: Option<String>,
    #[serde(rename = "t", default, skip_serializing_if = "Tags::is_empty")]
    tags: Tags,
    #[serde(rename = "g", default, skip_serializing_if = "Option::is_none")]
    size_greater_than: Option<u64>,
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    size_less_than: Option<u64>,
}

impl Filter {
    /// Takes the Prefix or the Filter of a rule, of which exactly one is there.
    pub(super) fn from_dto(rule: &dto::LifecycleRule) -> S3Result<Filter> {
        let filter = match (&rule.prefix, &rule.filter) {
            (Some(prefix), None) => {
                Filter { old_form: true, prefix: Some(prefix.clone()), ..Filter::default() }
            }
            (None, Some(filter)) => from_filter(filter)?,
            _ => return Err(malformed_xml()),
        };
        if filter.prefix.as_ref().is_some_and(|prefix| prefix.len() > KEY_BYTES_MAX) {
            return Err(invalid_request("The maximum size of a prefix is 1024."));
        }
        if let (Some(greater), Some(less)) = (filter.size_greater_than, filter.size_less_than)
            && greater >= less
        {
            let message = "'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'.";
            return Err(invalid_request(message));
        }
        Ok(filter)
    }

    /// Returns the Prefix and the Filter of a rule.
    pub(super) fn to_dto(&self) -> (Option<String>, Option<dto::LifecycleRuleFilter>) {
        if self.old_form {
            return (self.prefix.clone(), None);
        }
        let size = |size: Option<u64>| size.and_then(|size| i64::try_from(size).ok());
        let (greater, less) = (size(self.size_greater_than), size(self.size_less_than));
        let predicates = usize::from(self.prefix.is_some())
            + self.tags.len()
            + usize::from(greater.is_some())
            + usize::from(less.is_some());
        let tags = self.tags.to_set();
        let filter = if predicates > 1 {
            let and = dto::LifecycleRuleAndOperator {
                object_size_greater_than: greater,
                object_size_less_than: less,
                prefix: self.prefix.clone(),
                tags: (!tags.is_empty()).then_some(tags),
            };
            dto::LifecycleRuleFilter { and: Some(and), ..dto::LifecycleRuleFilter::default() }
        } else {
            dto::LifecycleRuleFilter {
                object_size_greater_than: greater,
                object_size_less_than: less,
                prefix: self.prefix.clone(),
                tag: tags.into_iter().next(),
                ..dto::LifecycleRuleFilter::default()
            }
        };
        (None, Some(filter))
    }

    /// Returns whether the rule is about a key, whatever is stored under it.
    pub(super) fn matches_key(&self, key: &str) -> bool {
        self.prefix.as_ref().is_none_or(|prefix| key.starts_with(prefix.as_str()))
    }

    /// Returns whether the rule is about an object.
    pub(super) fn matches(&self, key: &str, tags: &Tags, size: u64) -> bool {
        self.matches_key(key)
            && tags.contains_all(&self.tags)
            && self.size_greater_than.is_none_or(|bound| size > bound)
            && self.size_less_than.is_none_or(|bound| size < bound)
    }

    pub(super) fn has_tags(&self) -> bool {
        !self.tags.is_empty()
    }

    pub(super) fn has_sizes(&self) -> bool {
        self.size_greater_than.is_some() || self.size_less_than.is_some()
    }
}

fn from_filter(filter: &dto::LifecycleRuleFilter) -> S3Result<Filter> {
    let given = [
        filter.and.is_some(),
        filter.prefix.is_some(),
        filter.tag.is_some(),
        filter.object_size_greater_than.is_some(),
        filter.object_size_less_than.is_some(),
    ];
    if given.into_iter().filter(|given| *given).count() > 1 {
        return Err(malformed_xml());
    }
    let Some(and) = &filter.and else {
        return Ok(Filter {
            old_form: false,
            prefix: filter.prefix.clone(),
            tags: tags(filter.tag.as_slice())?,
            size_greater_than: filter.object_size_greater_than.map(size).transpose()?,
            size_less_than: filter.object_size_less_than.map(size).transpose()?,
        });
    };
    let filter = Filter {
        old_form: false,
        prefix: and.prefix.clone(),
        tags: tags(and.tags.as_deref().unwrap_or_default())?,
        size_greater_than: and.object_size_greater_than.map(size).transpose()?,
        size_less_than: and.object_size_less_than.map(size).transpose()?,
    };
    if filter == Filter::default() { Err(malformed_xml()) } else { Ok(filter) }
}

fn tags(set: &[dto::Tag]) -> S3Result<Tags> {
    let keys: BTreeSet<_> = set.iter().map(|tag| &tag.key).collect();
    if keys.len() < set.len() {
        return Err(invalid_request("Duplicate Tag Keys are not allowed."));
    }
    Tags::of_object(set)
}

fn size(size: i64) -> S3Result<u64> {
    u64::try_from(size).map_err(|_| invalid_request("An object size in a filter must not be negative."))
}
