//! One decision from the policies of the user's groups, the bucket's policy, and its public access block.
//!
//! As in AWS within one account, which owns all buckets: a denial in any policy wins; otherwise either the groups' policies or the
//! bucket's must allow the request. A request without a signature has only the bucket's policy, and not even that if the policy is
//! public and the bucket is restricted.
//!
//! As AWS's root user, administrators can always read, replace and delete a bucket's policy, whatever it denies: otherwise a policy
//! that denies everything could never be removed.

use super::policy::{Action, Decision, Policy, Request, evaluate};
use super::users::Identity;

/// The rules of a bucket.
#[derive(Clone, Copy, Debug, Default)]
pub struct BucketRules<'a> {
    /// Its policy.
    pub policy: Option<&'a Policy>,
    /// Its public access block.
    pub block: PublicAccessBlock,
}

/// The settings of a public access block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PublicAccessBlock {
    /// ACLs that grant something to everyone are refused.
    pub block_public_acls: bool,
    /// ACLs that grant something to everyone have no effect.
    pub ignore_public_acls: bool,
    /// A policy that is public is refused.
    pub block_public_policy: bool,
    /// A policy that is public allows nothing to requests without a signature.
    pub restrict_public_buckets: bool,
}

/// Whether a request is allowed, and why. Clients get `AccessDenied` for all that is not; the reason is for the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A policy of a group allows it.
    AllowedByGroup,
    /// The bucket's policy allows it.
    AllowedByBucket,
    /// A policy of a group denies it.
    DeniedByGroup,
    /// The bucket's policy denies it.
    DeniedByBucket,
    /// The bucket's policy would allow it, but is public, and the bucket is restricted.
    DeniedByPublicAccessBlock,
    /// No policy allows it.
    NotAllowed,
}

impl Verdict {
    /// Whether the request is allowed.
    pub fn is_allowed(self) -> bool {
        matches!(self, Verdict::AllowedByGroup | Verdict::AllowedByBucket)
    }

    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::AllowedByGroup => "a policy of a group allows it",
            Verdict::AllowedByBucket => "the bucket's policy allows it",
            Verdict::DeniedByGroup => "a policy of a group denies it",
            Verdict::DeniedByBucket => "the bucket's policy denies it",
            Verdict::DeniedByPublicAccessBlock => "the bucket's public access block denies it",
            Verdict::NotAllowed => "no policy allows it",
        }
    }
}

impl PublicAccessBlock {
    /// Whether a bucket with this block refuses the policy: PutBucketPolicy answers AccessDenied.
    pub fn refuses(&self, policy: &Policy) -> bool {
        self.block_public_policy && policy.is_public()
    }
}

/// Decides on a request. `identity` is `None` for a request without a signature, and must be that of the request's principal. The
/// rules are those of the bucket that the request is for; a request for no bucket has none.
pub fn decide(identity: Option<&Identity>, rules: BucketRules<'_>, request: &Request<'_>) -> Verdict {
    let of_groups = match identity {
        Some(identity) => evaluate(identity.policies(), request),
        None => Decision::ImplicitDeny,
    };
    let of_bucket = evaluate(rules.policy, request);
    match (of_groups, of_bucket) {
        (Decision::ExplicitDeny, _) => Verdict::DeniedByGroup,
        (Decision::Allow, Decision::ExplicitDeny) if can_unlock(identity, request.action()) => {
            Verdict::AllowedByGroup
        }
        (_, Decision::ExplicitDeny) => Verdict::DeniedByBucket,
        (Decision::Allow, _) => Verdict::AllowedByGroup,
        (Decision::ImplicitDeny, Decision::Allow) => {
            let is_public = rules.policy.is_some_and(Policy::is_public);
            if identity.is_none() && is_public && rules.block.restrict_public_buckets {
                Verdict::DeniedByPublicAccessBlock
            } else {
                Verdict::AllowedByBucket
            }
        }
        (Decision::ImplicitDeny, Decision::ImplicitDeny) => Verdict::NotAllowed,
    }
}

/// Whether a denial by the bucket's policy is disregarded, so that the policy can be removed.
fn can_unlock(identity: Option<&Identity>, action: Action) -> bool {
    let is_about_policy =
        matches!(action, Action::GetBucketPolicy | Action::PutBucketPolicy | Action::DeleteBucketPolicy);
    is_about_policy && identity.is_some_and(Identity::is_administrator)
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::auth::policy::{Context, Principal, Resource};
    use crate::auth::users::ADMINISTRATORS;

    const ALLOW_ALL: &str =
        r#"{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}"#;

    fn identity(name: &str, groups: &[&str], policies: &[&str]) -> Identity {
        Identity::for_tests(name, groups, policies)
    }

    fn bucket(statement: &str) -> Policy {
        let text = format!(
            r#"{{"Version": "2012-10-17", "Statement": {{{statement}, "Resource": ["arn:aws:s3:::logs", "arn:aws:s3:::logs/*"]}}}}"#
        );
        Policy::parse_bucket(text.as_bytes(), "logs").unwrap()
    }

    fn verdict(
        identity: Option<&Identity>,
        policy: Option<&Policy>,
        restricted: bool,
        action: Action,
    ) -> Verdict {
        let principal = identity.map_or(Principal::Anonymous, |identity| identity.principal().clone());
        let request =
            Request::new(&principal, action, Resource::Bucket("logs"), Context::at(SystemTime::UNIX_EPOCH));
        let block = PublicAccessBlock { restrict_public_buckets: restricted, ..PublicAccessBlock::default() };
        decide(identity, BucketRules { policy, block }, &request)
    }

    #[test]
    fn either_the_groups_or_the_bucket_must_allow_and_neither_may_deny() {
        let deny_all = ALLOW_ALL.replace("Allow", "Deny");
        let none = identity("alice", &[], &[]);
        let allowed = identity("alice", &["staff"], &[ALLOW_ALL]);
        let denied = identity("alice", &["staff", "banned"], &[ALLOW_ALL, &deny_all]);
        let allow = bucket(
            r#""Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::000000000000:user/alice"}, "Action": "s3:*""#,
        );
        let deny = bucket(r#""Effect": "Deny", "Principal": "*", "Action": "s3:*""#);
        let list = |identity: &Identity, policy| verdict(Some(identity), policy, true, Action::ListBucket);
        assert_eq!(list(&none, None), Verdict::NotAllowed);
        assert_eq!(list(&none, Some(&allow)), Verdict::AllowedByBucket);
        assert_eq!(list(&none, Some(&deny)), Verdict::DeniedByBucket);
        assert_eq!(list(&allowed, None), Verdict::AllowedByGroup);
        assert_eq!(list(&allowed, Some(&deny)), Verdict::DeniedByBucket);
        assert_eq!(list(&denied, Some(&allow)), Verdict::DeniedByGroup);
        assert_eq!(list(&identity("bob", &[], &[]), Some(&allow)), Verdict::NotAllowed);
    }

    #[test]
    fn allowing_the_account_leaves_it_to_the_groups() {
        let account = bucket(r#""Effect": "Allow", "Principal": {"AWS": "000000000000"}, "Action": "s3:*""#);
        let list = |identity: &Identity| verdict(Some(identity), Some(&account), false, Action::ListBucket);
        assert_eq!(list(&identity("alice", &[], &[])), Verdict::NotAllowed);
        assert_eq!(list(&identity("alice", &["staff"], &[ALLOW_ALL])), Verdict::AllowedByGroup);
    }

    #[test]
    fn without_a_signature_a_public_policy_allows_unless_the_bucket_is_restricted() {
        let public = bucket(r#""Effect": "Allow", "Principal": "*", "Action": "s3:ListBucket""#);
        let list = |policy, restricted| verdict(None, policy, restricted, Action::ListBucket);
        assert_eq!(list(None, false), Verdict::NotAllowed);
        assert_eq!(list(Some(&public), false), Verdict::AllowedByBucket);
        assert_eq!(list(Some(&public), true), Verdict::DeniedByPublicAccessBlock);
        let alice = identity("alice", &[], &[]);
        assert_eq!(verdict(Some(&alice), Some(&public), true, Action::ListBucket), Verdict::AllowedByBucket);
        let refusing = PublicAccessBlock { block_public_policy: true, ..PublicAccessBlock::default() };
        assert!(refusing.refuses(&public) && !PublicAccessBlock::default().refuses(&public));
    }

    #[test]
    fn administrators_can_always_remove_a_policy_and_nothing_else_against_it() {
        let deny = bucket(r#""Effect": "Deny", "Principal": "*", "Action": "s3:*""#);
        let administrator = identity("root", &[ADMINISTRATORS], &[ALLOW_ALL]);
        let other = identity("alice", &["staff"], &[ALLOW_ALL]);
        for action in [Action::GetBucketPolicy, Action::PutBucketPolicy, Action::DeleteBucketPolicy] {
            assert_eq!(verdict(Some(&administrator), Some(&deny), false, action), Verdict::AllowedByGroup);
            assert_eq!(verdict(Some(&other), Some(&deny), false, action), Verdict::DeniedByBucket);
        }
        assert_eq!(
            verdict(Some(&administrator), Some(&deny), false, Action::ListBucket),
            Verdict::DeniedByBucket
        );
    }
}
