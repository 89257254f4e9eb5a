//! The gate between the library and the operations: whose request it is, and whether policies allow it.

mod caller;
mod context;
mod judge;
mod operations;

use std::sync::Arc;

use s3s::access::{S3Access, S3AccessContext};
use s3s::auth::{S3Auth, SecretKey};
use s3s::path::S3Path;
use s3s::{S3Error, S3ErrorCode, S3Result};

use super::policy::{Action, Resource};
use super::users::{Refusal, Users};
use crate::memory::Account;
use crate::not_built;
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
        match self.users.lookup(access_key) {
            Ok(found) => Ok(found.secret),
            Err(refusal) => {
                tracing::info!(access_key, %refusal, "s3: an access key was refused");
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
        let needed = needed(&operation).ok_or_else(|| not_built::refusal(&operation))?;
        let identity = match request.credentials() {
            // The signature was checked.
            Some(credentials) => {
                self.users.used(&credentials.access_key);
                Some(self.users.lookup(&credentials.access_key).map_err(refused_key)?.identity)
            }
            None => None,
        };
        if identity.is_some() {
            Account::of(request.extensions_mut()).identified();
        }
        let extensions = request.extensions_mut().clone();
        let said = context(request.uri(), request.headers(), &extensions, identity.is_some());
        let judge = Judge::new(self.shared.clone(), identity, said);
        let resource = match request.s3_path() {
            S3Path::Root => Resource::Account,
            S3Path::Bucket { bucket } => Resource::Bucket(bucket),
            S3Path::Object { bucket, key } => Resource::Object { bucket, key },
        };
        let query = request.uri().query().unwrap_or_default();
        let names_version = parameter(query, "versionId").is_some();
        match needed {
            Needed::One(action) => judge.require(action, resource)?,
            Needed::Versioned(_, action) if names_version => judge.require(action, resource)?,
            Needed::Versioned(action, _) => judge.require(action, resource)?,
            // Whoever may delete nothing learns that for each key.
            Needed::EachKey => {}
        }
        for action in further(&operation, request.headers()) {
            judge.require(action, resource)?;
        }
        let asks = request.headers().get("x-amz-bypass-governance-retention");
        let asks = asks.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"true"));
        let caller = Caller {
            user: judge.user().unwrap_or_default().to_owned(),
            bypasses_governance: asks && judge.allows(Action::BypassGovernanceRetention, resource)?,
            judge: Some(Arc::new(judge)),
        };
        request.extensions_mut().insert(caller);
        Ok(())
    }
}
