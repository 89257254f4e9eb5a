//! Export policies: which clients can see a volume, and what they may do with it.
//!
//! A policy is a named list of rules ([`rule`]). Each volume has one; the default is `default`. [`Policies`]
//! keeps both in the pool ([`record`]) and in memory, and makes decisions. [`crate::gate`] asks it before every
//! operation on a filehandle. The answer is cached per connection until a policy changes ([`decisions`]), so a
//! change applies to all requests that begin after it was acknowledged. [`hosts`] resolves host names, and
//! [`Refusals`] reports refusals to operators.
//!
//! What must hold: a change is durable before it takes effect and before it is acknowledged; and a client
//! that cannot be told apart from one without access gets no access.

mod clients;
mod decisions;
mod error;
pub(crate) mod hosts;
mod record;
mod refusals;
mod rule;
mod store;

pub use clients::{BadClients, Clients, Network};
pub(crate) use decisions::{Decision, Decisions};
pub use error::PolicyError;
pub use hosts::Resolver;
pub use refusals::{Reason, Refusal, Refusals, TOLD_EVERY, Telling};
pub use rule::{
    Access, Admission, Anonymous, Grant, Groups, Mapping, NO_ID, Policy, Rule, Security, Squash, TlsUse,
};
pub use store::{Assignment, DEFAULT, Deciding, Policies, RuleChange};
