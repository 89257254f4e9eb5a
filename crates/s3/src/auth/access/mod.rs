//! The gate between the library and the operations: whose request it is, and whether policies allow it.

mod caller;
mod context;
pub mod expected_owner;
mod judge;
mod operations;

use std::sync::Arc;

use s3s::access::{S3Access, S3AccessContext};
use s3s::auth::{S3Auth, SecretKey};
use s3s::path::S3Path;
use s3s::{S3Error, S3ErrorCode, S3Result};

use super::policy::{Action, Resource};
use super::users::{Refusal, Users};
use crate::exchange::{self, Denied};
use crate::lenient::Verified;
use crate::memory::Account;
use crate::not_built;
use crate::pool_error::no_such_key;
use crate::shared::Shared;
pub use caller::Caller;
use context::{context, parameter};
pub use judge::Judge;
use operations::{Needed, further, needed};

/// Authenticates and authorizes requests.
#[derive(Clone)]
pub struct Gate {
    shared: Arc<Shared>,
    users: Users,
}

impl Gate {
    /// A gate for these users.
    pub fn new(shared: Arc<Shared>, users: Users) -> Gate {
        Gate { shared, users }
    }
}

#[async_trait::async_trait]
impl S3Auth for Gate {
    async fn get_secret_key(&self, access_key: &str) -> S3Result<SecretKey> {
        exchange::current(|exchange| exchange.set_key_id(access_key));
        match self.users.lookup(access_key) {
            Ok(found) => Ok(found.secret),
            Err(refusal) => {
                let user = self.users.key(access_key).ok().map(|key| key.user);
                exchange::current(|exchange| {
                    exchange.set_denied(|| Denied::AccessKey { user, reason: refusal.words() });
                });
                Err(refused_key(refusal))
            }
        }
    }
}

/// The same answer for every reason, so that nobody learns which keys exist.
fn refused_key(_: Refusal) -> S3Error {
    S3Error::with_message(
        S3ErrorCode::InvalidAccessKeyId,
        "The AWS Access Key Id you provided does not exist in our records.",
    )
}

#[async_trait::async_trait]
impl S3Access for Gate {
    async fn check(&self, request: &mut S3AccessContext<'_>) -> S3Result<()> {
        let operation = request.s3_op().name().to_owned();
        exchange::current(|exchange| exchange.set_operation(&operation));
        let needed = needed(&operation).ok_or_else(|| not_built::refusal(&operation))?;
        let extensions = request.extensions_mut().clone();
        let verified = extensions.get::<Verified>();
        let access_key = match (verified, request.credentials()) {
            (Some(verified), _) => verified.access_key.clone(),
            (None, credentials) => credentials.map(|credentials| credentials.access_key.clone()),
        };
        let identity = match access_key {
            // The signature was checked.
            Some(access_key) => {
                self.users.used(&access_key);
                Some(self.users.lookup(&access_key).map_err(refused_key)?.identity)
            }
            None => None,
        };
        if identity.is_some() {
            Account::of(request.extensions_mut()).identified();
        }
        let (uri, headers) = match verified {
            Some(verified) => (&verified.uri, &verified.headers),
            None => (request.uri(), request.headers()),
        };
        let said = context(uri, headers, &extensions, identity.is_some());
        let judge = Judge::new(self.shared.clone(), identity, said);
        let resource = match request.s3_path() {
            S3Path::Root => Resource::Account,
            S3Path::Bucket { bucket } => Resource::Bucket(bucket),
            S3Path::Object { bucket, key } => Resource::Object { bucket, key },
        };
        exchange::current(|exchange| {
            if let Some(user) = judge.user() {
                exchange.set_user(user);
            }
            if let Resource::Bucket(bucket) | Resource::Object { bucket, .. } = resource {
                exchange.set_bucket(bucket, self.shared.bucket(bucket).ok().map(|bucket| bucket.id));
            }
        });
        let query = request.uri().query().unwrap_or_default();
        let names_version = parameter(query, "versionId").is_some();
        let action = match needed {
            Needed::One(action) => Some(action),
            Needed::Versioned(_, action) if names_version => Some(action),
            Needed::Versioned(action, _) => Some(action),
            // Whoever may delete nothing learns that for each key.
            Needed::EachKey => None,
        };
        if let Some(action) = action {
            // Whoever may list a key, and not read it, learns that it is missing.
            if let (Action::GetObject, Resource::Object { bucket, key }) = (action, resource)
                && !judge.allows(action, resource)?
                && judge.sees_missing(bucket, key)?
            {
                return Err(no_such_key());
            }
            judge.require(action, resource)?;
        }
        for action in further(&operation, request.headers()) {
            judge.require(action, resource)?;
        }
        if let S3Path::Bucket { bucket } | S3Path::Object { bucket, .. } = request.s3_path() {
            expected_owner::check(&self.shared, headers, "x-amz-expected-bucket-owner", bucket)?;
        }
        let asks = request.headers().get("x-amz-bypass-governance-retention");
        let asks = asks.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"true"));
        let caller = Caller {
            user: judge.user().unwrap_or_default().to_owned(),
            bypasses_governance: asks && judge.allows(Action::BypassGovernanceRetention, resource)?,
            object: match resource {
                Resource::Object { bucket, key } => Some((bucket.to_owned(), key.to_owned())),
                _ => None,
            },
            judge: Some(Arc::new(judge)),
        };
        request.extensions_mut().insert(caller);
        Ok(())
    }
}
