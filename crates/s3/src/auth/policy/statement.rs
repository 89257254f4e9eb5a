//! One statement of a policy.

use std::collections::BTreeSet;

use super::actions::Action;
use super::condition::Condition;
use super::json::Json;
use super::keys::Key;
use super::malformed::{MalformedPolicy, Parsed};
use super::principal::Principals;
use super::resource::ResourcePattern;
use super::{Effect, PolicyKind, Request};

/// A statement. See the module.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    /// Its `Sid`, if that is not empty.
    pub(super) id: Option<String>,
    pub(super) effect: Effect,
    principals: Principals,
    /// All actions that the statement names. With `NotAction`: all others.
    actions: BTreeSet<Action>,
    resources: Vec<ResourcePattern>,
    /// The resources are those of `NotResource`.
    is_not_resource: bool,
    conditions: Vec<Condition>,
}

impl Statement {
    pub(super) fn parse(json: Json, kind: PolicyKind<'_>, variables: bool, place: &str) -> Parsed<Statement> {
        let within = |element: &str| format!("{place}, {element}");
        let mut members = json.into_members(place)?;
        let id = match members.take("Sid") {
            Some(id) => Some(id.into_text(&within("Sid"))?).filter(|id| !id.is_empty()),
            None => None,
        };
        let effect = match members.take("Effect") {
            Some(Json::Text(effect)) if effect == "Allow" => Effect::Allow,
            Some(Json::Text(effect)) if effect == "Deny" => Effect::Deny,
            Some(Json::Text(effect)) => {
                return Err(MalformedPolicy::new(within("Effect"), "must be Allow or Deny")
                    .worded(format!("Invalid effect: {effect}")));
            }
            _ => return Err(MalformedPolicy::new(within("Effect"), "must be Allow or Deny")),
        };
        let principals = match kind {
            PolicyKind::Group => Principals::Holders,
            PolicyKind::Bucket(_) => {
                let (principal, is_not) = members.take_one_of("Principal", "NotPrincipal")?;
                let place = within(if is_not { "NotPrincipal" } else { "Principal" });
                Principals::parse(principal, is_not, effect, &place)?
            }
        };
        let (action, is_not_action) = members.take_one_of("Action", "NotAction")?;
        let elements = parse_actions(action, &within(if is_not_action { "NotAction" } else { "Action" }))?;
        let (resource, is_not_resource) = members.take_one_of("Resource", "NotResource")?;
        let resource_place = within(if is_not_resource { "NotResource" } else { "Resource" });
        let resources = parse_resources(resource, kind, variables, &resource_place)?;
        if let PolicyKind::Bucket(bucket) = kind
            && !is_not_action
            && !is_not_resource
        {
            check_that_actions_apply(&elements, &resources, bucket, &within("Action"))?;
        }
        let named: BTreeSet<Action> = elements.into_iter().flat_map(|(_, actions)| actions).collect();
        let is_meant = |action: &Action| named.contains(action) != is_not_action;
        let conditions = match members.take("Condition") {
            Some(conditions) => Condition::parse_all(conditions, variables, &within("Condition"))?,
            None => Vec::new(),
        };
        members.finish()?;
        Ok(Statement {
            id,
            effect,
            principals,
            actions: Action::ALL.iter().copied().filter(is_meant).collect(),
            resources,
            is_not_resource,
            conditions,
        })
    }

    /// Whether the statement has its effect on a request, whose resource has this path.
    pub(super) fn applies(&self, request: &Request<'_>, path: &str) -> bool {
        self.principals.include(request.principal, self.effect)
            && self.actions.contains(&request.action)
            && self.resources.iter().any(|resource| resource.matches(path, &request.context))
                != self.is_not_resource
            && self.conditions.iter().all(|condition| condition.is_met(&request.context))
    }

    /// Whether the statement allows something to callers whom its author does not know.
    pub(super) fn is_public(&self) -> bool {
        self.effect == Effect::Allow
            && self.principals.include_everyone()
            && !self.conditions.iter().any(Condition::fixes_caller)
    }

    /// The keys whose values the statement can depend on: those of conditions and of variables.
    pub(super) fn keys(&self) -> impl Iterator<Item = &Key> {
        let of_conditions = self.conditions.iter().flat_map(Condition::keys);
        of_conditions.chain(self.resources.iter().flat_map(ResourcePattern::variables))
    }

    /// The users who are named as principals.
    pub(super) fn named_users(&self) -> impl Iterator<Item = &str> {
        self.principals.users()
    }
}

/// The elements of `Action`, each with the actions that it names.
fn parse_actions(json: Json, place: &str) -> Parsed<Vec<(String, BTreeSet<Action>)>> {
    let mut elements = Vec::new();
    for element in json.into_texts(place)? {
        let actions = Action::named_by(&element);
        if actions.is_empty() {
            let cause = format!("has {element:?}, which names no S3 action");
            return Err(MalformedPolicy::new(place, cause));
        }
        elements.push((element, actions));
    }
    Ok(elements)
}

fn parse_resources(
    json: Json,
    kind: PolicyKind<'_>,
    variables: bool,
    place: &str,
) -> Parsed<Vec<ResourcePattern>> {
    let mut resources = Vec::new();
    for text in json.into_texts(place)? {
        let resource = ResourcePattern::parse(&text, variables, place)?;
        if let PolicyKind::Bucket(bucket) = kind
            && !resource.is_of(bucket)
        {
            let cause = format!(
                "has the resource {text:?}, which is not of this bucket; use \"arn:aws:s3:::{bucket}\" for the bucket and \
                 \"arn:aws:s3:::{bucket}/*\" for its objects"
            );
            return Err(MalformedPolicy::new(place, cause));
        }
        resources.push(resource);
    }
    Ok(resources)
}

/// Refuses an action whose kind of resource the statement does not name, as S3 does: it would have no effect, and its author would not
/// learn of it.
fn check_that_actions_apply(
    elements: &[(String, BTreeSet<Action>)],
    resources: &[ResourcePattern],
    bucket: &str,
    place: &str,
) -> Parsed<()> {
    for (element, actions) in elements {
        let applies = |action: &Action| {
            resources.iter().any(|resource| resource.covers(action.resource_kind(), bucket))
        };
        if !actions.iter().any(applies) {
            let cause = format!("has {element:?}, which does not apply to any resource of the statement");
            return Err(MalformedPolicy::new(place, cause)
                .worded("Action does not apply to any resource(s) in statement"));
        }
    }
    Ok(())
}
