//! The buckets and objects that a statement names, by ARN.

use super::actions::ResourceKind;
use super::keys::{Context, Key};
use super::malformed::{MalformedPolicy, Parsed};
use super::pattern::{Pattern, Syntax};

const ARN_START: &str = "arn:aws:s3:::";

/// What a request wants to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource<'a> {
    /// No bucket, as in a list of all buckets.
    Account,
    /// A bucket.
    Bucket(&'a str),
    /// An object, which need not exist.
    Object {
        /// The bucket.
        bucket: &'a str,
        /// The key.
        key: &'a str,
    },
}

impl Resource<'_> {
    /// The resource's ARN.
    pub fn arn(&self) -> String {
        format!("{ARN_START}{}", self.path())
    }

    /// What the resource's ARN has after `arn:aws:s3:::`.
    pub(super) fn path(&self) -> String {
        match self {
            Resource::Account => "*".to_owned(),
            Resource::Bucket(bucket) => (*bucket).to_owned(),
            Resource::Object { bucket, key } => format!("{bucket}/{key}"),
        }
    }
}

/// One element of `Resource` or `NotResource`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ResourcePattern(Pattern);

impl ResourcePattern {
    /// Parses `*` or an ARN.
    pub(super) fn parse(text: &str, variables: bool, place: &str) -> Parsed<ResourcePattern> {
        let wrong =
            |cause: String| MalformedPolicy::new(place, format!("has an invalid resource {text:?}: {cause}"));
        let path = if text == "*" { Some(text) } else { text.strip_prefix(ARN_START) };
        match path {
            Some(path) if !path.is_empty() && !path.starts_with('/') => {
                let pattern = Pattern::parse(path, Syntax { wildcards: true, variables }).map_err(wrong)?;
                Ok(ResourcePattern(pattern))
            }
            _ => Err(wrong(format!("must be \"*\", \"{ARN_START}BUCKET\" or \"{ARN_START}BUCKET/KEY\""))),
        }
    }

    /// Whether the resource of this path is meant.
    pub(super) fn matches(&self, path: &str, context: &Context) -> bool {
        self.0.matches(path, |key| context.value(key))
    }

    /// The keys of the variables.
    pub(super) fn variables(&self) -> impl Iterator<Item = &Key> {
        self.0.variables()
    }

    /// Whether only this bucket and its objects are meant.
    pub(super) fn is_of(&self, bucket: &str) -> bool {
        self.covers(ResourceKind::Bucket, bucket) || self.covers(ResourceKind::Object, bucket)
    }

    /// Whether this bucket, or some of its objects, are meant.
    pub(super) fn covers(&self, kind: ResourceKind, bucket: &str) -> bool {
        let (start, is_all) = self.0.fixed_start();
        let is_open = start == bucket && self.0.is_open_after_start();
        match kind {
            ResourceKind::Account => false,
            ResourceKind::Bucket => is_open || (is_all && start == bucket),
            ResourceKind::Object => {
                is_open || start.strip_prefix(bucket).is_some_and(|rest| rest.starts_with('/'))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> ResourcePattern {
        ResourcePattern::parse(text, true, "Resource").unwrap()
    }

    fn matches(text: &str, resource: Resource<'_>) -> bool {
        pattern(text).matches(&resource.path(), &Context::default())
    }

    #[test]
    fn arns_name_buckets_and_objects() {
        let (bucket, other) = (Resource::Bucket("logs"), Resource::Bucket("logs-2"));
        let object = Resource::Object { bucket: "logs", key: "a/b.txt" };
        assert!(matches("arn:aws:s3:::logs", bucket) && !matches("arn:aws:s3:::logs", object));
        assert!(!matches("arn:aws:s3:::logs/*", bucket) && matches("arn:aws:s3:::logs/*", object));
        assert!(!matches("arn:aws:s3:::logs", other) && matches("arn:aws:s3:::logs*", other));
        assert!(matches("arn:aws:s3:::*/*.txt", object) && !matches("arn:aws:s3:::*/*.txt", bucket));
        for all in ["*", "arn:aws:s3:::*"] {
            assert!(
                [bucket, other, object, Resource::Account].iter().all(|resource| matches(all, *resource))
            );
        }
        assert!(!matches("arn:aws:s3:::logs", Resource::Account));
    }

    #[test]
    fn bad_arns_are_refused() {
        for wrong in [
            "",
            "logs",
            "arn:aws:s3:::",
            "arn:aws:s3:::/key",
            "arn:aws:s3::000000000000:logs",
            "arn:aws:s3:eu-west-1::logs",
            "arn:aws:sqs:::logs",
            "arn:aws:s3:::logs/${aws:nonsense}",
            "*arn:aws:s3:::logs",
        ] {
            assert!(ResourcePattern::parse(wrong, true, "Resource").is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_bucket_policy_is_about_its_own_bucket() {
        for own in [
            "arn:aws:s3:::logs",
            "arn:aws:s3:::logs/*",
            "arn:aws:s3:::logs*",
            "arn:aws:s3:::logs/${aws:username}",
        ] {
            assert!(pattern(own).is_of("logs"), "{own}");
        }
        for foreign in [
            "*",
            "arn:aws:s3:::*",
            "arn:aws:s3:::logs-2",
            "arn:aws:s3:::log?",
            "arn:aws:s3:::lo*",
            "arn:aws:s3:::logs?",
        ] {
            assert!(!pattern(foreign).is_of("logs"), "{foreign}");
        }
    }
}
