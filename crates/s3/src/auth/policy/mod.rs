//! Policies: AWS policy documents as groups and buckets have them.
//!
//! ```text
//!   text ──json──▶ Json ──mod, statement──▶ Policy ─┐
//!                                                   ├─ evaluate ─▶ Decision
//!   principal, action, resource, Context ─▶ Request ┘
//! ```
//!
//! [`Policy::parse_group`] and [`Policy::parse_bucket`] refuse whatever they do not know, because a statement whose meaning is partly
//! unknown could allow too much or deny too little. [`evaluate`] starts from *no*: a statement that denies wins over all that allow,
//! and nothing is allowed that no statement allows. The tables are in `actions.rs`, `keys.rs` and `operator.rs`.

mod actions;
mod condition;
mod date;
mod json;
mod keys;
mod malformed;
mod operator;
mod pattern;
mod principal;
mod resource;
mod statement;
mod values;
mod wildcard;

use std::collections::BTreeSet;

pub use actions::{Action, ResourceKind};
pub(crate) use condition::USER_ID_START;
use json::Json;
pub use keys::{Context, Key};
pub use malformed::MalformedPolicy;
use malformed::Parsed;
pub use principal::{ACCOUNT_ID, user_arn};
pub use resource::Resource;
use statement::Statement;

/// The longest policy, in bytes, as in AWS.
pub const POLICY_BYTES_MAX: usize = 20 << 10;

/// What a statement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Allow,
    Deny,
}

/// What a policy is attached to.
#[derive(Clone, Copy, Debug)]
enum PolicyKind<'a> {
    Group,
    /// The bucket of this name.
    Bucket(&'a str),
}

/// A policy that was parsed.
#[derive(Clone, Debug)]
pub struct Policy {
    statements: Vec<Statement>,
    is_public: bool,
}

/// The sender of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Principal {
    /// The request has no signature.
    Anonymous,
    /// A user, whose signature was checked.
    User {
        /// The user's name.
        name: String,
        /// The user's id.
        id: String,
    },
}

/// A request, as policies see it.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    principal: &'a Principal,
    action: Action,
    resource: Resource<'a>,
    context: Context,
}

/// What policies say about a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// A statement allows it, and none denies it.
    Allow,
    /// A statement denies it.
    ExplicitDeny,
    /// No statement is about it.
    ImplicitDeny,
}

impl Policy {
    /// Parses a policy of a group, which has no principals.
    pub fn parse_group(text: &[u8]) -> Result<Policy, MalformedPolicy> {
        Policy::parse(text, PolicyKind::Group)
    }

    /// Parses a policy of a bucket. It must name principals, and no other bucket.
    pub fn parse_bucket(text: &[u8], bucket: &str) -> Result<Policy, MalformedPolicy> {
        Policy::parse(text, PolicyKind::Bucket(bucket))
    }

    fn parse(text: &[u8], kind: PolicyKind<'_>) -> Parsed<Policy> {
        if text.len() > POLICY_BYTES_MAX {
            let cause = format!("is {} bytes long; at most {POLICY_BYTES_MAX} are allowed", text.len());
            return Err(MalformedPolicy::new("", cause));
        }
        let mut members = Json::parse(text)?.into_members("")?;
        let variables = match members.take("Version") {
            Some(Json::Text(version)) if version == "2012-10-17" => true,
            Some(Json::Text(version)) if version == "2008-10-17" => false,
            // The older version is AWS's default.
            None => false,
            Some(_) => {
                return Err(MalformedPolicy::new("Version", "must be 2012-10-17 or 2008-10-17")
                    .worded("The policy must contain a valid version string"));
            }
        };
        if let Some(id) = members.take("Id") {
            id.into_text("Id")?;
        }
        let statements = members
            .take("Statement")
            .ok_or_else(|| {
                MalformedPolicy::new("", "needs a Statement").worded("Missing required field Statement")
            })?
            .into_list("Statement")
            .map_err(|error| error.worded("Could not parse the policy: Statement is empty!"))?;
        members.finish()?;
        let statements: Vec<Statement> = statements
            .into_iter()
            .zip(1..)
            .map(|(json, number)| Statement::parse(json, kind, variables, &format!("Statement {number}")))
            .collect::<Parsed<_>>()?;
        let mut ids = BTreeSet::new();
        if let Some(id) =
            statements.iter().filter_map(|statement| statement.id.as_ref()).find(|id| !ids.insert(*id))
        {
            return Err(MalformedPolicy::new("Statement", format!("has the Sid {id:?} twice")));
        }
        let is_public = statements.iter().any(Statement::is_public);
        Ok(Policy { statements, is_public })
    }

    /// Whether the policy is public by S3's rule: it allows something to everyone, and not only to certain users or from certain
    /// addresses. For GetBucketPolicyStatus, `BlockPublicPolicy` and `RestrictPublicBuckets`.
    pub fn is_public(&self) -> bool {
        self.is_public
    }

    /// Whether the answer can depend on the tags of an existing object, which the caller then has to read.
    pub fn asks_for_existing_tags(&self) -> bool {
        let is_tag = |key: &Key| matches!(key, Key::ExistingObjectTag(_));
        self.statements.iter().flat_map(Statement::keys).any(is_tag)
    }

    /// The users whom a bucket policy names as principals, so that its author can be told of those who do not exist.
    pub fn named_users(&self) -> BTreeSet<&str> {
        self.statements.iter().flat_map(Statement::named_users).collect()
    }
}

impl Principal {
    /// The user's name. A request without a signature has none.
    pub fn name(&self) -> Option<&str> {
        match self {
            Principal::Anonymous => None,
            Principal::User { name, .. } => Some(name),
        }
    }
}

impl<'a> Request<'a> {
    /// A request. The context's values of `aws:username`, `aws:userid` and `aws:PrincipalArn` become those of the principal.
    pub fn new(
        principal: &'a Principal,
        action: Action,
        resource: Resource<'a>,
        mut context: Context,
    ) -> Request<'a> {
        let id = match principal {
            Principal::Anonymous => "anonymous",
            Principal::User { id, .. } => id,
        };
        context.set(Key::UserId, Some(id.to_owned()));
        context.set(Key::Username, principal.name().map(str::to_owned));
        context.set(Key::PrincipalArn, principal.name().map(user_arn));
        Request { principal, action, resource, context }
    }

    /// The same request for another action or resource, such as the next key of a DeleteObjects request.
    #[must_use]
    pub fn with(self, action: Action, resource: Resource<'a>) -> Request<'a> {
        Request { action, resource, ..self }
    }

    /// The sender.
    pub fn principal(&self) -> &'a Principal {
        self.principal
    }

    /// The action.
    pub fn action(&self) -> Action {
        self.action
    }
}

/// What the policies, taken together, say about a request.
pub fn evaluate<'p>(policies: impl IntoIterator<Item = &'p Policy>, request: &Request<'_>) -> Decision {
    let path = request.resource.path();
    let mut decision = Decision::ImplicitDeny;
    for statement in policies.into_iter().flat_map(|policy| &policy.statements) {
        // A statement that allows need not be looked at once another one did.
        if statement.effect == Effect::Allow && decision == Decision::Allow {
            continue;
        }
        if statement.applies(request, &path) {
            match statement.effect {
                Effect::Deny => return Decision::ExplicitDeny,
                Effect::Allow => decision = Decision::Allow,
            }
        }
    }
    decision
}

/// Parses arbitrary bytes as policies, and evaluates them. For fuzzing: it must not panic.
pub fn fuzz_policy(bytes: &[u8]) {
    let user = Principal::User { name: "alice".to_owned(), id: "AIDAALICE".to_owned() };
    let mut context = Context::at(std::time::SystemTime::UNIX_EPOCH);
    context.add_source_ip([192, 0, 2, 1].into());
    context.add_request_tag("team", "blue");
    context.add(Key::Prefix, "home/*");
    context.add(Key::MaxKeys, "-1.5");
    for policy in [Policy::parse_group(bytes), Policy::parse_bucket(bytes, "logs")].into_iter().flatten() {
        for principal in [&Principal::Anonymous, &user] {
            for action in Action::ALL {
                for resource in [
                    Resource::Account,
                    Resource::Bucket("logs"),
                    Resource::Object { bucket: "logs", key: "a/b" },
                ] {
                    let request = Request::new(principal, *action, resource, context.clone());
                    evaluate([&policy], &request);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
