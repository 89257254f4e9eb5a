//! GetBucketAcl, PutBucketAcl, GetObjectAcl and PutObjectAcl, and the ACL headers of requests that create something.
//!
//! All buckets are as AWS makes them today: ACLs are off (`BucketOwnerEnforced`). An ACL that says what is the case anyway is
//! accepted, and any other is refused, so that nobody believes that it has an effect.

use hyper::HeaderMap;
use s3s::dto::{
    AccessControlPolicy, GetBucketAclInput, GetBucketAclOutput, GetObjectAclInput, GetObjectAclOutput, Grant,
    Grantee, Permission, PutBucketAclInput, PutBucketAclOutput, PutObjectAclInput, PutObjectAclOutput, Type,
};
use s3s::{S3Error, S3ErrorCode, S3Request, S3Response, S3Result};

use super::answer::owner;
use super::named::{Named, WhenHidden};
use super::request::header;
use crate::errors::invalid_argument;
use crate::pool_error::OrS3;
use crate::shared::Shared;
use crate::store::{BucketFacts, Entries, Setting};

/// Canned ACLs that say what is the case anyway.
const WITHOUT_EFFECT: [&str; 2] = ["private", "bucket-owner-full-control"];
/// The other canned ACLs.
const REFUSED: [&str; 6] = [
    "public-read",
    "public-read-write",
    "authenticated-read",
    "aws-exec-read",
    "bucket-owner-read",
    "log-delivery-write",
];
/// Headers that grant something to somebody.
const GRANTS: [&str; 5] = [
    "x-amz-grant-full-control",
    "x-amz-grant-read",
    "x-amz-grant-read-acp",
    "x-amz-grant-write",
    "x-amz-grant-write-acp",
];

/// Returns the grants on a bucket: its owner has full control.
pub async fn get_bucket_acl(
    shared: &Shared,
    request: S3Request<GetBucketAclInput>,
) -> S3Result<S3Response<GetBucketAclOutput>> {
    let bucket = shared.bucket(&request.input.bucket)?;
    let name = owner_name(&shared.stored(&bucket))?;
    let output = GetBucketAclOutput { grants: Some(vec![full_control(&name)]), owner: Some(owner(&name)) };
    Ok(S3Response::new(output))
}

/// Accepts an ACL without effect.
pub async fn put_bucket_acl(
    shared: &Shared,
    request: S3Request<PutBucketAclInput>,
) -> S3Result<S3Response<PutBucketAclOutput>> {
    let bucket = shared.bucket(&request.input.bucket)?;
    let name = owner_name(&shared.stored(&bucket))?;
    check_put(&request.headers, request.input.access_control_policy.as_ref(), &name)?;
    Ok(S3Response::new(PutBucketAclOutput::default()))
}

/// Returns the grants on an object: the owner of its bucket has full control.
pub async fn get_object_acl(
    shared: &Shared,
    request: S3Request<GetObjectAclInput>,
) -> S3Result<S3Response<GetObjectAclOutput>> {
    let input = request.input;
    let named = Named::new(input.key, input.version_id.as_deref())?;
    let bucket = shared.bucket(&input.bucket)?;
    let stored = shared.stored(&bucket);
    named.find(&stored, WhenHidden::NoSuchKey).or_s3()??;
    let name = owner_name(&stored)?;
    let output = GetObjectAclOutput {
        grants: Some(vec![full_control(&name)]),
        owner: Some(owner(&name)),
        ..GetObjectAclOutput::default()
    };
    Ok(S3Response::new(output))
}

/// Accepts an ACL without effect.
pub async fn put_object_acl(
    shared: &Shared,
    request: S3Request<PutObjectAclInput>,
) -> S3Result<S3Response<PutObjectAclOutput>> {
    let input = request.input;
    let named = Named::new(input.key, input.version_id.as_deref())?;
    let bucket = shared.bucket(&input.bucket)?;
    let stored = shared.stored(&bucket);
    named.find(&stored, WhenHidden::MethodNotAllowed).or_s3()??;
    check_put(&request.headers, input.access_control_policy.as_ref(), &owner_name(&stored)?)?;
    Ok(S3Response::new(PutObjectAclOutput::default()))
}

/// Checks the ACL headers of a request that creates an object.
pub fn check_new_object(headers: &HeaderMap) -> S3Result {
    if is_without_effect(headers)? { Ok(()) } else { Err(not_supported()) }
}

/// Checks the ACL headers of a request that creates a bucket.
pub fn check_new_bucket(headers: &HeaderMap) -> S3Result {
    if is_without_effect(headers)? {
        return Ok(());
    }
    let message = "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting";
    Err(S3Error::with_message(S3ErrorCode::InvalidBucketAclWithObjectOwnership, message))
}

/// Checks a request that replaces an ACL by a header or a document.
fn check_put(headers: &HeaderMap, document: Option<&AccessControlPolicy>, owner: &str) -> S3Result {
    check_new_object(headers)?;
    match document {
        Some(document) if is_full_control(document, owner) => Ok(()),
        Some(_) => Err(not_supported()),
        None if headers.contains_key("x-amz-acl") => Ok(()),
        None => {
            let message = "Your request was missing a required header";
            Err(S3Error::with_message(S3ErrorCode::MissingSecurityHeader, message))
        }
    }
}

/// Whether the headers of a request say only what is the case anyway.
fn is_without_effect(headers: &HeaderMap) -> S3Result<bool> {
    if GRANTS.iter().any(|name| headers.contains_key(*name)) {
        return Ok(false);
    }
    match header(headers, "x-amz-acl") {
        None if headers.contains_key("x-amz-acl") => Err(unknown()),
        None => Ok(true),
        Some(canned) if WITHOUT_EFFECT.contains(&canned) => Ok(true),
        Some(canned) if REFUSED.contains(&canned) => Ok(false),
        Some(_) => Err(unknown()),
    }
}

/// Whether a document says only that the owner has full control.
fn is_full_control(document: &AccessControlPolicy, owner: &str) -> bool {
    let is_owner = |id: Option<&String>| id.is_some_and(|id| id == owner);
    let has_owner = document.owner.as_ref().is_none_or(|named| is_owner(named.id.as_ref()));
    let grants = document.grants.as_deref().unwrap_or_default();
    let is_harmless = |grant: &Grant| {
        let grantee = grant.grantee.as_ref().and_then(|grantee| grantee.id.as_ref());
        let permission = grant.permission.as_ref().map(Permission::as_str);
        is_owner(grantee) && permission == Some(Permission::FULL_CONTROL)
    };
    has_owner && !grants.is_empty() && grants.iter().all(is_harmless)
}

fn owner_name(entries: &impl Entries) -> S3Result<String> {
    let facts: Option<BucketFacts> = Setting::Facts.get(entries).or_s3()?;
    Ok(facts.map(|facts| facts.owner).unwrap_or_default())
}

fn full_control(user: &str) -> Grant {
    let grantee = Grantee {
        display_name: Some(user.to_owned()),
        email_address: None,
        id: Some(user.to_owned()),
        type_: Type::from_static(Type::CANONICAL_USER),
        uri: None,
    };
    Grant { grantee: Some(grantee), permission: Some(Permission::from_static(Permission::FULL_CONTROL)) }
}

fn not_supported() -> S3Error {
    S3Error::with_message(S3ErrorCode::AccessControlListNotSupported, "The bucket does not allow ACLs.")
}

fn unknown() -> S3Error {
    invalid_argument("The canned ACL in the header x-amz-acl is not known.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(result: S3Result) -> Option<String> {
        result.err().map(|error| error.code().as_str().to_owned())
    }

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(hyper::header::HeaderName::from_static(name), value.parse().unwrap())])
    }

    #[test]
    fn only_acls_without_effect_are_accepted() {
        for canned in WITHOUT_EFFECT {
            assert_eq!(code(check_new_object(&headers("x-amz-acl", canned))), None, "{canned}");
        }
        for canned in REFUSED {
            let headers = headers("x-amz-acl", canned);
            assert_eq!(code(check_new_object(&headers)).as_deref(), Some("AccessControlListNotSupported"));
            let refused = code(check_new_bucket(&headers));
            assert_eq!(refused.as_deref(), Some("InvalidBucketAclWithObjectOwnership"));
        }
        let unknown = headers("x-amz-acl", "everyone");
        assert_eq!(code(check_new_object(&unknown)).as_deref(), Some("InvalidArgument"));
        let grant = headers("x-amz-grant-read", "uri=\"http://acs.amazonaws.com/groups/global/AllUsers\"");
        assert_eq!(code(check_new_object(&grant)).as_deref(), Some("AccessControlListNotSupported"));
        assert_eq!(code(check_new_object(&HeaderMap::new())), None);
    }

    #[test]
    fn the_acl_that_is_returned_is_accepted() {
        let document =
            AccessControlPolicy { grants: Some(vec![full_control("alice")]), owner: Some(owner("alice")) };
        assert_eq!(code(check_put(&HeaderMap::new(), Some(&document), "alice")), None);
        let refused = code(check_put(&HeaderMap::new(), Some(&document), "bob"));
        assert_eq!(refused.as_deref(), Some("AccessControlListNotSupported"));
        let refused = code(check_put(&HeaderMap::new(), None, "bob"));
        assert_eq!(refused.as_deref(), Some("MissingSecurityHeader"));
    }
}
