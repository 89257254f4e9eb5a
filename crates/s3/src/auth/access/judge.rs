//! Decides what the sender of one request may do.

use std::sync::{Arc, Mutex, PoisonError};

use s3s::{S3Error, S3ErrorCode, S3Result};

use crate::auth::decide::{BucketRules, PublicAccessBlock, Verdict, decide};
use crate::auth::policy::{Action, Context, Key, Policy, Principal, Request, Resource};
use crate::auth::users::Identity;
use crate::configuration;
use crate::exchange::{self, Denied};
use crate::pool_error::OrS3;
use crate::shared::Shared;
use crate::store::{self, Setting};

/// The rules of a bucket, read once for each request.
#[derive(Clone)]
struct Rules {
    bucket: String,
    policy: Option<Arc<Policy>>,
    block: PublicAccessBlock,
}

/// Decides what the sender of one request may do.
pub struct Judge {
    shared: Arc<Shared>,
    identity: Option<Identity>,
    context: Context,
    rules: Mutex<Option<Rules>>,
}

impl std::fmt::Debug for Judge {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Judge").field("user", &self.user()).finish_non_exhaustive()
    }
}

impl Judge {
    pub(super) fn new(shared: Arc<Shared>, identity: Option<Identity>, context: Context) -> Judge {
        Judge { shared, identity, context, rules: Mutex::default() }
    }

    /// The sender's name.
    pub fn user(&self) -> Option<&str> {
        self.identity.as_ref().and_then(|identity| identity.principal().name())
    }

    /// Returns AccessDenied unless the sender may do this.
    pub fn require(&self, action: Action, resource: Resource<'_>) -> S3Result {
        let verdict = self.verdict(action, resource, self.context.clone())?;
        Self::obey(verdict, action, resource)
    }

    /// Returns AccessDenied unless the sender may learn whether a key exists: whoever may list it may.
    pub fn require_listing(&self, bucket: &str, key: &str) -> S3Result {
        let verdict = self.listing(bucket, key)?;
        Self::obey(verdict, Action::ListBucket, Resource::Bucket(bucket))
    }

    /// Whether the sender may learn that a key does not exist, and it does not.
    pub fn sees_missing(&self, bucket: &str, key: &str) -> S3Result<bool> {
        if !self.listing(bucket, key)?.is_allowed() {
            return Ok(false);
        }
        let Ok(found) = self.shared.bucket(bucket) else { return Ok(false) };
        Ok(store::current(&self.shared.stored(&found), key.as_bytes()).or_s3()?.is_none())
    }

    /// Whether the sender may list a key: for conditions, the prefix of the listing is the key.
    fn listing(&self, bucket: &str, key: &str) -> S3Result<Verdict> {
        let mut context = self.context.clone();
        context.set(Key::Prefix, Some(key.to_owned()));
        self.verdict(Action::ListBucket, Resource::Bucket(bucket), context)
    }

    fn obey(verdict: Verdict, action: Action, resource: Resource<'_>) -> S3Result {
        if verdict.is_allowed() {
            return Ok(());
        }
        exchange::current(|exchange| {
            exchange.set_denied(|| Denied::Policies {
                action: action.name(),
                resource: resource.arn(),
                reason: verdict.words(),
            });
        });
        Err(S3Error::with_message(S3ErrorCode::AccessDenied, "Access Denied."))
    }

    /// Whether the sender may do this.
    pub fn allows(&self, action: Action, resource: Resource<'_>) -> S3Result<bool> {
        Ok(self.verdict(action, resource, self.context.clone())?.is_allowed())
    }

    fn verdict(&self, action: Action, resource: Resource<'_>, mut context: Context) -> S3Result<Verdict> {
        let rules = match resource {
            Resource::Account => None,
            Resource::Bucket(bucket) | Resource::Object { bucket, .. } => self.rules(bucket)?,
        };
        if let (Some(rules), Resource::Object { bucket, key }) = (&rules, resource)
            && rules.policy.as_ref().is_some_and(|policy| policy.asks_for_existing_tags())
        {
            self.add_existing_tags(bucket, key, &mut context)?;
        }
        let anonymous = Principal::Anonymous;
        let principal = self.identity.as_ref().map_or(&anonymous, Identity::principal);
        let request = Request::new(principal, action, resource, context);
        let of_bucket = match &rules {
            Some(rules) => BucketRules { policy: rules.policy.as_deref(), block: rules.block },
            None => BucketRules::default(),
        };
        Ok(decide(self.identity.as_ref(), of_bucket, &request))
    }

    /// The rules of a bucket; `None` if it does not exist.
    fn rules(&self, bucket: &str) -> S3Result<Option<Rules>> {
        let mut known = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rules) = known.as_ref().filter(|rules| rules.bucket == bucket) {
            return Ok(Some(rules.clone()));
        }
        let Ok(found) = self.shared.bucket(bucket) else { return Ok(None) };
        let stored = self.shared.stored(&found);
        let policy = match Setting::Policy.bytes(&stored).or_s3()? {
            Some(text) => Some(Arc::new(Policy::parse_bucket(&text, bucket).map_err(|error| {
                // What cannot be understood must not be taken for no policy.
                tracing::error!(bucket, %error, "s3: the stored policy of a bucket is malformed; all requests for it fail");
                S3Error::with_message(S3ErrorCode::InternalError, "We encountered an internal error. Please try again.")
            })?)),
            None => None,
        };
        let block: Option<configuration::PublicAccessBlock> = Setting::PublicAccess.get(&stored).or_s3()?;
        let block = block.map_or_else(PublicAccessBlock::default, |block| PublicAccessBlock {
            block_public_acls: block.block_public_acls,
            ignore_public_acls: block.ignore_public_acls,
            block_public_policy: block.block_public_policy,
            restrict_public_buckets: block.restrict_public_buckets,
        });
        let rules = Rules { bucket: bucket.to_owned(), policy, block };
        *known = Some(rules.clone());
        Ok(Some(rules))
    }

    fn add_existing_tags(&self, bucket: &str, key: &str, context: &mut Context) -> S3Result {
        let found = self.shared.bucket(bucket)?;
        let current = store::current(&self.shared.stored(&found), key.as_bytes()).or_s3()?;
        if let Some(version) = current {
            for (tag, value) in version.facts.tags.iter() {
                context.add(Key::ExistingObjectTag(tag.to_owned()), value);
            }
        }
        Ok(())
    }
}
