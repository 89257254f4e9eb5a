//! `export-policies` and their rules.

use std::net::IpAddr;

use forebay_service::events::Kind;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse, Response};
use forebay_nfs::policy::{self, Anonymous, BadClients, Clients, Policies, Policy, Rule};
use serde::Deserialize;
use utoipa::IntoParams;

use super::common::{Made, Shared, VolumePath, made};
use crate::api::Api;
use crate::base::paths::BASE;
use crate::base::problem::Problem;
use crate::caller::Caller;
use crate::error::{ApiError, Code, ErrorBody, Result};
use crate::request::{Content, Operate, Params, Read};
use crate::views::{
    AccessView, List, NewPolicy, NewRule, PolicyEdit, PolicyRules, PolicyView, RuleChange, RuleView,
};

/// A policy in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct PolicyPath {
    /// The policy's name.
    #[param(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub policy: String,
}

/// A rule in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct RulePath {
    /// The policy's name.
    #[param(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub policy: String,
    /// The rule's position, counted from 1.
    #[param(minimum = 1, maximum = 1000)]
    pub position: u32,
}

/// The position of a new rule.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AtPosition {
    /// The position, counted from 1; default last.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    pub position: Option<u32>,
}

/// Guards against changing the wrong rule.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ForClients {
    /// Refuse unless the rule at this position is for exactly these clients, since another caller may have
    /// inserted a rule before it.
    #[param(min_length = 1, max_length = 255, nullable = false)]
    pub clients: Option<String>,
}

/// List all export policies, by name
#[utoipa::path(get, path = "/export-policies", tag = "exports", responses((status = 200, description = "All export policies", body = List<PolicyView>)))]
pub async fn policy_list(State(api): Shared, _: Read) -> Result<Json<List<PolicyView>>> {
    let policies = api.export_policies()?;
    let all = policies.list();
    let views = all.iter().map(|(name, policy)| view(policies, name, policy)).collect::<Result<_>>()?;
    Ok(Json(List::all(views)))
}

/// Create an export policy
#[utoipa::path(
    post, path = "/export-policies", tag = "exports", request_body = NewPolicy,
    responses(
        (status = 201, description = "The policy", body = PolicyView, headers(("Location" = String, description = "The policy"))),
        (status = 409, description = "The name is already in use, or two rules are for the same clients", body = ErrorBody),
    ),
)]
pub async fn policy_create(
    State(api): Shared,
    asked: Operate,
    Content(new): Content<NewPolicy>,
) -> Result<Made<PolicyView>> {
    api.export_policies()?.create_with(&new.name, rules(&new.rules)?).await?;
    note(&api, Kind::ExportPolicyCreated, &new.name, "created", &asked.caller);
    Ok(made(StatusCode::CREATED, format!("export-policies/{}", new.name), shown(&api, &new.name)?))
}

/// Get an export policy
#[utoipa::path(get, path = "/export-policies/{policy}", tag = "exports", params(PolicyPath), responses((status = 200, description = "The policy", body = PolicyView)))]
pub async fn policy_show(
    State(api): Shared,
    _: Read,
    Params(path): Params<PolicyPath>,
) -> Result<Json<PolicyView>> {
    shown(&api, &path.policy).map(Json)
}

/// Replace all rules of an export policy; create the policy if it does not exist
///
/// Takes effect immediately and in one step. The request is idempotent.
#[utoipa::path(
    put, path = "/export-policies/{policy}", tag = "exports", params(PolicyPath), request_body = PolicyRules,
    responses(
        (status = 200, description = "The policy", body = PolicyView),
        (status = 201, description = "The policy was created", body = PolicyView, headers(("Location" = String, description = "The policy"))),
        (status = 409, description = "Two rules are for the same clients", body = ErrorBody),
    ),
)]
pub async fn policy_put(
    State(api): Shared,
    asked: Operate,
    Params(PolicyPath { policy: name }): Params<PolicyPath>,
    Content(body): Content<PolicyRules>,
) -> Result<Response> {
    let is_new = api.export_policies()?.replace(&name, rules(&body.rules)?).await?;
    if is_new {
        note(&api, Kind::ExportPolicyCreated, &name, "created", &asked.caller);
        let place = [(LOCATION, format!("{}/export-policies/{name}", BASE))];
        return Ok((StatusCode::CREATED, place, Json(shown(&api, &name)?)).into_response());
    }
    let message = format!("all rules replaced; rules now: {}", body.rules.len());
    note(&api, Kind::ExportPolicyChanged, &name, &message, &asked.caller);
    Ok(Json(shown(&api, &name)?).into_response())
}

/// Rename an export policy
///
/// Volumes that use it follow, and clients are not interrupted. The policy `default` cannot be renamed.
#[utoipa::path(
    patch, path = "/export-policies/{policy}", tag = "exports", params(PolicyPath), request_body = PolicyEdit,
    responses(
        (status = 200, description = "The policy", body = PolicyView),
        (status = 409, description = "The name is already in use, or the policy is `default`", body = ErrorBody),
    ),
)]
pub async fn policy_change(
    State(api): Shared,
    asked: Operate,
    Params(path): Params<PolicyPath>,
    Content(edit): Content<PolicyEdit>,
) -> Result<Json<PolicyView>> {
    api.export_policies()?.rename(&path.policy, &edit.name).await?;
    if edit.name != path.policy {
        let message = format!("renamed, before {}", path.policy);
        note(&api, Kind::ExportPolicyChanged, &edit.name, &message, &asked.caller);
    }
    shown(&api, &edit.name).map(Json)
}

/// Delete an export policy that no volume uses
#[utoipa::path(
    delete, path = "/export-policies/{policy}", tag = "exports", params(PolicyPath),
    responses((status = 204, description = "The policy was deleted"), (status = 409, description = "A volume uses the policy", body = ErrorBody)),
)]
pub async fn policy_delete(
    State(api): Shared,
    asked: Operate,
    Params(path): Params<PolicyPath>,
) -> Result<StatusCode> {
    api.export_policies()?.delete(&path.policy).await?;
    note(&api, Kind::ExportPolicyDeleted, &path.policy, "deleted", &asked.caller);
    Ok(StatusCode::NO_CONTENT)
}

/// Add a rule to an export policy
#[utoipa::path(
    post, path = "/export-policies/{policy}/rules", tag = "exports", params(PolicyPath, AtPosition), request_body = NewRule,
    responses(
        (status = 201, description = "The policy", body = PolicyView, headers(("Location" = String, description = "The rule"))),
        (status = 409, description = "The policy already has a rule for these clients", body = ErrorBody),
    ),
)]
pub async fn rule_add(
    State(api): Shared,
    asked: Operate<AtPosition>,
    Params(PolicyPath { policy }): Params<PolicyPath>,
    Content(new): Content<NewRule>,
) -> Result<Made<PolicyView>> {
    let rule = rule(&new)?;
    let clients = rule.clients.clone();
    let position = asked.query.position.map(|position| usize::try_from(position).unwrap_or(usize::MAX));
    api.export_policies()?.rule_add(&policy, rule, position).await?;
    note(&api, Kind::ExportPolicyChanged, &policy, &format!("rule for {clients} added"), &asked.caller);
    let view = shown(&api, &policy)?;
    let at = view.rules.iter().position(|rule| rule.clients == clients.to_string()).unwrap_or_default();
    let place = format!("export-policies/{policy}/rules/{}", at.saturating_add(1));
    Ok(made(StatusCode::CREATED, place, view))
}

/// Change a rule, without interrupting its clients' access
#[utoipa::path(
    patch, path = "/export-policies/{policy}/rules/{position}", tag = "exports", params(RulePath, ForClients), request_body = RuleChange,
    responses((status = 200, description = "The policy", body = PolicyView), (status = 409, description = "The rule is for other clients", body = ErrorBody)),
)]
pub async fn rule_change(
    State(api): Shared,
    asked: Operate<ForClients>,
    Params(path): Params<RulePath>,
    Content(change): Content<RuleChange>,
) -> Result<Json<PolicyView>> {
    let there = rule_at(&api, &path, &asked.query)?;
    let anonymous = (change.anonymous_uid.is_some() || change.anonymous_gid.is_some()).then(|| Anonymous {
        uid: change.anonymous_uid.unwrap_or(there.anonymous.uid),
        gid: change.anonymous_gid.unwrap_or(there.anonymous.gid),
    });
    let wanted = policy::RuleChange {
        access: change.access.map(Into::into),
        squash: change.squash.map(Into::into),
        anonymous,
        tls: change.tls.map(Into::into),
        groups: change.groups.map(Into::into),
    };
    let policies = api.export_policies()?;
    let before = rule_view(policies, &there);
    policies.rule_modify(&path.policy, &there.clients, wanted).await?;
    let rules = policies.get(&path.policy)?;
    let now = rules.rules.iter().find(|rule| rule.clients == there.clients).unwrap_or(&there);
    let changes = change.in_words(&before, &rule_view(policies, now));
    let message = format!("rule for {}: {changes}", there.clients);
    note(&api, Kind::ExportPolicyChanged, &path.policy, &message, &asked.caller);
    shown(&api, &path.policy).map(Json)
}

/// Remove a rule
#[utoipa::path(
    delete, path = "/export-policies/{policy}/rules/{position}", tag = "exports", params(RulePath, ForClients),
    responses((status = 200, description = "The policy", body = PolicyView), (status = 409, description = "The rule is for other clients", body = ErrorBody)),
)]
pub async fn rule_remove(
    State(api): Shared,
    asked: Operate<ForClients>,
    Params(path): Params<RulePath>,
) -> Result<Json<PolicyView>> {
    let there = rule_at(&api, &path, &asked.query)?;
    api.export_policies()?.rule_remove(&path.policy, &there.clients).await?;
    let message = format!("rule for {} removed", there.clients);
    note(&api, Kind::ExportPolicyChanged, &path.policy, &message, &asked.caller);
    shown(&api, &path.policy).map(Json)
}

/// The rule that a path names. Rules are identified by their clients, so a later change hits this rule or
/// fails.
fn rule_at(api: &Api, path: &RulePath, guard: &ForClients) -> Result<Rule> {
    let policy = api.export_policies()?.get(&path.policy)?;
    let index = usize::try_from(path.position).ok().and_then(|position| position.checked_sub(1));
    let rule = index.and_then(|index| policy.rules.get(index)).ok_or_else(|| {
        let (name, rules) = (&path.policy, policy.rules.len());
        let cause = format!("no rule at position {}, it has {rules}", path.position);
        ApiError::new(Code::ExportRuleNotFound, format!("export policy {name}"), cause)
    })?;
    if let Some(meant) = &guard.clients {
        let meant = clients(meant)?;
        if meant != rule.clients {
            let cause =
                format!("the rule at position {} is for {}, not for {meant}", path.position, rule.clients);
            let error = ApiError::new(Code::Differs, format!("export policy {}", path.policy), cause);
            return Err(error.with_remedy("look at the policy again"));
        }
    }
    Ok(rule.clone())
}

fn clients(text: &str) -> Result<Clients> {
    text.parse().map_err(|error: BadClients| ApiError::new(Code::Invalid, error.object(), error.cause()))
}

fn rules(new: &[NewRule]) -> Result<Vec<Rule>> {
    new.iter().map(rule).collect()
}

fn rule(new: &NewRule) -> Result<Rule> {
    let usual = Rule::new(clients(&new.clients)?);
    Ok(Rule {
        access: new.access.map_or(usual.access, Into::into),
        squash: new.squash.map_or(usual.squash, Into::into),
        anonymous: Anonymous {
            uid: new.anonymous_uid.unwrap_or(usual.anonymous.uid),
            gid: new.anonymous_gid.unwrap_or(usual.anonymous.gid),
        },
        security: new.security.map_or(usual.security, Into::into),
        tls: new.tls.map_or(usual.tls, Into::into),
        groups: new.groups.map_or(usual.groups, Into::into),
        clients: usual.clients,
    })
}

fn note(api: &Api, kind: Kind, policy: &str, message: &str, caller: &Caller) {
    api.service.events.note(kind, format!("export policy {policy}"), message, caller.who());
}

fn shown(api: &Api, name: &str) -> Result<PolicyView> {
    let policies = api.export_policies()?;
    let policy = policies.get(name)?;
    view(policies, name, &policy)
}

fn view(policies: &Policies, name: &str, policy: &Policy) -> Result<PolicyView> {
    let rules = policy.rules.iter().enumerate().map(|(at, rule)| RuleView {
        never_reached: policy
            .rules
            .iter()
            .take(at)
            .position(|earlier| earlier.clients.cover(&rule.clients))
            .map(number),
        ..rule_view(policies, rule)
    });
    Ok(PolicyView { name: name.to_owned(), rules: rules.collect(), volumes: policies.volumes_of(name)? })
}

/// A position, counted from 1.
fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX).saturating_add(1)
}

fn rule_view(policies: &Policies, rule: &Rule) -> RuleView {
    RuleView {
        clients: rule.clients.to_string(),
        access: rule.access.into(),
        squash: rule.squash.into(),
        anonymous_uid: rule.anonymous.uid,
        anonymous_gid: rule.anonymous.gid,
        security: rule.security.into(),
        tls: rule.tls.into(),
        groups: rule.groups.into(),
        addresses: match &rule.clients {
            Clients::Host(host) => policies
                .host_addresses(host)
                .map(|addresses| addresses.iter().map(ToString::to_string).collect()),
            _ => None,
        },
        never_reached: None,
    }
}

/// The client whose access is asked for.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OfClient {
    /// The client's IP address.
    #[param(min_length = 2, max_length = 45)]
    pub client: String,
}

/// Get the access of a client to a volume
///
/// Names the rule of the export policy that applies to a client with this address.
#[utoipa::path(
    get, path = "/volumes/{volume}/access", tag = "exports", params(VolumePath, OfClient),
    responses((status = 200, description = "The rule that applies", body = AccessView), (status = 404, description = "The volume does not exist", body = ErrorBody)),
)]
pub async fn volume_access(
    State(api): Shared,
    asked: Read<OfClient>,
    Params(path): Params<VolumePath>,
) -> Result<Json<AccessView>> {
    let wrong = |_| Problem::new("client", format!("{:?} is not an IP address", asked.query.client));
    let client: IpAddr = asked.query.client.parse().map_err(wrong)?;
    let volume = api.volume(&path.volume)?;
    let policies = api.export_policies()?;
    let Some(deciding) = policies.deciding(volume.id, client.to_canonical()) else {
        let cause = "is not known yet: a host name of its export policy is being looked up";
        let error = ApiError::new(Code::Unavailable, format!("access to volume {}", volume.spec.name), cause);
        return Err(error.with_remedy("try again in a few seconds"));
    };
    let policy = policies.get(&deciding.policy)?;
    let position =
        deciding.rule.as_ref().and_then(|rule| policy.rules.iter().position(|one| one == rule)).map(number);
    Ok(Json(AccessView {
        volume: deciding.volume,
        client: client.to_canonical().to_string(),
        policy: deciding.policy,
        rule: deciding.rule.as_ref().map(|rule| rule_view(policies, rule)),
        position,
    }))
}
