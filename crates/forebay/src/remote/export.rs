//! `forebay export`.

use anyhow::Result;

use super::unexpected;
use crate::admin::client::call;
use crate::admin::protocol::{Answer, Command, ExportCommand as Asked, PolicyView, RuleChangeView};
use crate::cli::{ExportCommand, RuleCommand};
use crate::config::flags::AdminSettings;
use crate::output::{print, print_columns, print_json};

/// Carries out a `forebay export` command.
pub fn run(command: ExportCommand) -> Result<()> {
    match command {
        ExportCommand::List { json, settings } => match ask(&settings, Asked::List {})? {
            Answer::Exports(policies) if json => print_json(&policies),
            Answer::Exports(policies) => list(&policies),
            other => unexpected(&other),
        },
        ExportCommand::Show { name, json, settings } => {
            let policy = policy_of(ask(&settings, Asked::Show { name })?)?;
            if json { print_json(&policy) } else { show(&policy) }
        }
        ExportCommand::Create { name, settings } => {
            let policy = policy_of(ask(&settings, Asked::Create { name })?)?;
            print(&format!("created export policy {}\n", policy.name))
        }
        ExportCommand::Delete { name, settings } => {
            match ask(&settings, Asked::Delete { name: name.clone() })? {
                Answer::Done => print(&format!("deleted export policy {name}\n")),
                other => unexpected(&other),
            }
        }
        ExportCommand::Rule(command) => run_rule(command),
    }
}

/// Changes rules, and shows the policy that results.
fn run_rule(command: RuleCommand) -> Result<()> {
    let (settings, asked) = match command {
        RuleCommand::Add {
            policy,
            clients,
            access,
            squash,
            anonymous,
            security,
            tls,
            groups,
            position,
            settings,
        } => {
            let rule = RuleChangeView {
                clients: clients.to_string(),
                access: Some(access.to_string()),
                squash: Some(squash.to_string()),
                anonymous: Some(anonymous),
                security: Some(security.to_string()),
                tls: Some(tls.to_string()),
                groups: Some(groups.to_string()),
            };
            (settings, Asked::RuleAdd { policy, rule, position })
        }
        RuleCommand::Modify { policy, clients, access, squash, anonymous, tls, groups, settings } => {
            let rule = RuleChangeView {
                clients: clients.to_string(),
                access: access.map(|access| access.to_string()),
                squash: squash.map(|squash| squash.to_string()),
                anonymous,
                security: None,
                tls: tls.map(|tls| tls.to_string()),
                groups: groups.map(|groups| groups.to_string()),
            };
            (settings, Asked::RuleModify { policy, rule })
        }
        RuleCommand::Remove { policy, clients, settings } => {
            (settings, Asked::RuleRemove { policy, clients: clients.to_string() })
        }
    };
    show(&policy_of(ask(&settings, asked)?)?)
}

fn ask(settings: &AdminSettings, asked: Asked) -> Result<Answer> {
    call(&settings.load()?.admin_socket(), Command::Export(asked))
}

fn policy_of(answer: Answer) -> Result<PolicyView> {
    match answer {
        Answer::Export(policy) => Ok(policy),
        other => unexpected(&other),
    }
}

fn list(policies: &[PolicyView]) -> Result<()> {
    let row = |policy: &PolicyView| {
        vec![policy.name.clone(), policy.rules.len().to_string(), policy.volumes.join(", ")]
    };
    print_columns(&["name", "rules", "volumes"], policies.iter().map(row))
}

fn show(policy: &PolicyView) -> Result<()> {
    let volumes = if policy.volumes.is_empty() { "none".to_owned() } else { policy.volumes.join(", ") };
    print(&format!("export policy {}; volumes that have it: {volumes}\n", policy.name))?;
    if policy.rules.is_empty() {
        return print("no rules: nobody sees these volumes\n");
    }
    let rows = (1..).zip(&policy.rules).map(|(position, rule): (usize, _)| {
        vec![
            position.to_string(),
            rule.clients.clone(),
            rule.access.clone(),
            rule.squash.clone(),
            format!("{}:{}", rule.anonymous_uid, rule.anonymous_gid),
            rule.security.clone(),
            rule.tls.clone(),
            rule.groups.clone(),
            rule.addresses.as_deref().unwrap_or_default().join(", "),
        ]
    });
    print_columns(
        &["rule", "clients", "access", "squash", "anonymous", "security", "tls", "groups", "addresses"],
        rows,
    )
}
