//! Export policies: which clients see a volume, and what they may do there.
//!
//! A policy is a named list of rules ([`rule`]); each volume has one, `default` if nothing else was said.
//! [`Policies`] keeps both in the pool ([`record`]) and in memory, and decides. [`gate`] asks it for every
//! operation on a filehandle, and remembers the answer for each connection until a policy changes; so a change
//! is in force for all requests that begin after it was answered. [`hosts`] finds out what host names stand for, and
//! [`Refusals`] are for operators to hear of.
//!
//! What must hold: a change is durable before it is in force and before it is answered; and whoever cannot be
//! told from a client that is kept out is kept out.

mod clients;
mod error;
pub(crate) mod gate;
pub(crate) mod hosts;
mod record;
mod refusals;
mod rule;
mod store;

pub use clients::{BadClients, Clients, Network};
pub use error::PolicyError;
pub use hosts::Resolver;
pub use refusals::{Reason, Refusal, Refusals, TOLD_EVERY, Telling};
pub use rule::{
    Access, Admission, Anonymous, Grant, Groups, Mapping, NO_ID, Policy, Rule, Security, Squash, TlsUse,
};
pub use store::{Assignment, Deciding, Policies, RuleChange};

/// The policy of volumes that name none. It is always there.
pub const DEFAULT: &str = "default";
