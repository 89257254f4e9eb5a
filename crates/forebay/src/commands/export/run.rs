//! `forebay export`.

use std::net::IpAddr;
use std::time::Duration;

use anyhow::Result;
use forebay_admin::views::{
    Access, AccessView, List, NewPolicy, NewRule, PolicyEdit, PolicyView, RuleChange,
};
use forebay_nfs::policy::{Clients, PolicyError};

use super::arguments::{ExportCommand, RuleCommand};
use crate::admin::client::{Client, part};
use crate::arguments::Remote;
use crate::output::{print_as, print_columns, print_done, print_gone, print_line, print_list_as};

/// How long, and how often, a new rule waits for its host name.
const LOOKUP_WAIT: Duration = Duration::from_millis(300);
const LOOKUPS: usize = 6;

/// Carries out a `forebay export` command.
pub fn run(command: ExportCommand) -> Result<()> {
    match command {
        ExportCommand::List { remote } => {
            let policies: List<PolicyView> = Client::new(&remote)?.get("export-policies")?;
            print_as(remote.format(), &policies.items, |policies| list(policies))
        }
        ExportCommand::Show { name, remote } => {
            let policy: PolicyView = Client::new(&remote)?.get(&place(&name))?;
            print_list_as(remote.format(), &policy, &policy.rules, show)
        }
        ExportCommand::Create { name, remote } => {
            let new = NewPolicy { name, rules: Vec::new() };
            let policy: PolicyView = Client::new(&remote)?.post("export-policies", &new)?;
            print_done(remote.format(), &policy, &format!("created export policy {}", policy.name))
        }
        ExportCommand::Rename { name, new, remote } => {
            let policy: PolicyView = Client::new(&remote)?.patch(&place(&name), &PolicyEdit { name: new })?;
            print_done(remote.format(), &policy, &format!("renamed export policy {name} to {}", policy.name))
        }
        ExportCommand::Delete { name, remote } => {
            Client::new(&remote)?.delete(&place(&name))?;
            print_gone(remote.format(), &format!("deleted export policy {name}"))
        }
        ExportCommand::Check { client, volume, remote } => {
            let path = format!("volumes/{}/access?client={client}", part(&volume));
            let access: AccessView = Client::new(&remote)?.get(&path)?;
            print_as(remote.format(), &access, |access| print_line(&in_words(access)))
        }
        ExportCommand::Rule(command) => run_rule(command),
    }
}

fn in_words(view: &AccessView) -> String {
    let AccessView { volume, client, policy, .. } = view;
    let Some(rule) = &view.rule else {
        return format!(
            "{client} does not see volume {volume}: export policy {policy} has no rule for it; `forebay export rule add {policy} {client}` would let it in"
        );
    };
    let may = match rule.access {
        Access::ReadWrite => "may read and write",
        Access::ReadOnly => "may read",
        Access::None => "does not see",
    };
    let position = view.position.map(|position| format!("rule {position} ")).unwrap_or_default();
    format!(
        "{client} {may} volume {volume}: {position}of export policy {policy}, for {} (squash {}, TLS {})",
        rule.clients, rule.squash, rule.tls
    )
}

fn place(policy: &str) -> String {
    format!("export-policies/{}", part(policy))
}

/// Shows or changes rules, and prints the policy.
fn run_rule(command: RuleCommand) -> Result<()> {
    let (remote, policy) = match command {
        RuleCommand::List { policy, remote } => {
            let policy: PolicyView = Client::new(&remote)?.get(&place(&policy))?;
            (remote, policy)
        }
        RuleCommand::Add {
            policy,
            clients,
            access,
            squash,
            anonymous: (uid, gid),
            security,
            tls,
            groups,
            position,
            remote,
        } => {
            let rule = NewRule {
                clients: clients.to_string(),
                access: Some(access.into()),
                squash: Some(squash.into()),
                anonymous_uid: Some(uid),
                anonymous_gid: Some(gid),
                security: Some(security.into()),
                tls: Some(tls.into()),
                groups: Some(groups.into()),
            };
            let at = position.map(|position| format!("?position={position}")).unwrap_or_default();
            let client = Client::new(&remote)?;
            let changed = client.post(&format!("{}/rules{at}", place(&policy)), &rule)?;
            let changed = looked_up(&client, &policy, &rule.clients, changed)?;
            (remote, changed)
        }
        RuleCommand::Modify { policy, clients, access, squash, anonymous, tls, groups, remote } => {
            let change = RuleChange {
                access: access.map(Into::into),
                squash: squash.map(Into::into),
                anonymous_uid: anonymous.map(|(uid, _)| uid),
                anonymous_gid: anonymous.map(|(_, gid)| gid),
                tls: tls.map(Into::into),
                groups: groups.map(Into::into),
            };
            let changed = on_rule(&remote, &policy, &clients, |client, rule| client.patch(rule, &change))?;
            (remote, changed)
        }
        RuleCommand::Remove { policy, clients, remote } => {
            let changed = on_rule(&remote, &policy, &clients, |client, rule| client.end(rule))?;
            (remote, changed)
        }
    };
    print_list_as(remote.format(), &policy, &policy.rules, show)
}

/// Waits a moment until the daemon has looked up the host name of a new rule, if it is one.
fn looked_up(client: &Client, policy: &str, clients: &str, mut changed: PolicyView) -> Result<PolicyView> {
    let is_unknown = |policy: &PolicyView| {
        policy.rules.iter().any(|rule| rule.clients == clients && rule.addresses.is_none())
    };
    for _ in 0..LOOKUPS {
        if !is_host(clients) || !is_unknown(&changed) {
            break;
        }
        std::thread::sleep(LOOKUP_WAIT);
        changed = client.get(&place(policy))?;
    }
    Ok(changed)
}

/// Whether the clients of a rule are a host by its name.
fn is_host(clients: &str) -> bool {
    clients != "*" && !clients.contains('/') && clients.parse::<IpAddr>().is_err()
}

/// Applies a change to the rule for exactly these clients. The request names the clients, in case the rules
/// have changed by then.
fn on_rule(
    remote: &Remote,
    policy: &str,
    clients: &Clients,
    act: impl FnOnce(&Client, &str) -> Result<PolicyView>,
) -> Result<PolicyView> {
    let client = Client::new(remote)?;
    let now: PolicyView = client.get(&place(policy))?;
    let clients = clients.to_string();
    let found = (1_usize..).zip(&now.rules).find(|(_, rule)| rule.clients == clients);
    let Some((position, _)) = found else {
        let clients = clients.parse()?;
        return Err(PolicyError::NoSuchRule { name: policy.to_owned(), clients }.into());
    };
    act(&client, &format!("{}/rules/{position}?clients={}", place(policy), part(&clients)))
}

fn list(policies: &[PolicyView]) -> Result<()> {
    let row = |policy: &PolicyView| {
        vec![policy.name.clone(), policy.rules.len().to_string(), policy.volumes.join(", ")]
    };
    print_columns(&["name", "rules", "volumes"], policies.iter().map(row))
}

fn show(policy: &PolicyView) -> Result<()> {
    let volumes = if policy.volumes.is_empty() { "none".to_owned() } else { policy.volumes.join(", ") };
    print_line(&format!("export policy {}; used by volumes: {volumes}", policy.name))?;
    if policy.rules.is_empty() {
        return print_line("no rules: no client sees these volumes");
    }
    let rows = (1..).zip(&policy.rules).map(|(position, rule): (usize, _)| {
        vec![
            position.to_string(),
            rule.clients.clone(),
            rule.access.to_string(),
            rule.squash.to_string(),
            format!("{}:{}", rule.anonymous_uid, rule.anonymous_gid),
            rule.security.to_string(),
            rule.tls.to_string(),
            rule.groups.to_string(),
            rule.addresses.as_deref().unwrap_or_default().join(", "),
        ]
    });
    print_columns(
        &["rule", "clients", "access", "squash", "anonymous", "security", "tls", "groups", "addresses"],
        rows,
    )?;
    for (position, rule) in (1_usize..).zip(&policy.rules) {
        if is_host(&rule.clients) && rule.addresses.as_ref().is_none_or(Vec::is_empty) {
            print_line(&format!(
                "warning: rule {position} matches no client now, because {} was not found; the daemon looks it up every 30 s",
                rule.clients
            ))?;
        }
        if let Some(earlier) = rule.never_reached {
            print_line(&format!(
                "warning: rule {position} is never reached, because rule {earlier} is for these clients already; the first rule that matches wins"
            ))?;
        }
    }
    Ok(())
}
