//! Does what is asked for with export policies.

use std::str::FromStr;

use anyhow::{Result, anyhow};
use forebay_nfs::policy::{
    Access, Anonymous, Clients, Groups, Policies, Policy, Rule, RuleChange, Security, Squash, TlsUse,
};

use super::protocol::{Answer, ExportCommand, PolicyView, RuleChangeView, RuleView};

/// Carries out one command.
pub async fn execute(policies: &Policies, command: ExportCommand) -> Result<Answer> {
    let name = match command {
        ExportCommand::List {} => {
            let all = policies.list();
            let views = all.iter().map(|(name, policy)| view(policies, name, policy)).collect();
            return Ok(Answer::Exports(views));
        }
        ExportCommand::Delete { name } => {
            policies.delete(&name).await?;
            tracing::info!(policy = name, "export policy deleted");
            return Ok(Answer::Done);
        }
        ExportCommand::Show { name } => name,
        ExportCommand::Create { name } => {
            policies.create(&name).await?;
            tracing::info!(policy = name, "export policy created");
            name
        }
        ExportCommand::RuleAdd { policy, rule, position } => {
            let rule = new_rule(&rule)?;
            tracing::info!(policy, ?rule, ?position, "rule to be added");
            policies.rule_add(&policy, rule, position).await?;
            policy
        }
        ExportCommand::RuleModify { policy, rule } => {
            let (clients, change) = (word(&rule.clients)?, change(&rule)?);
            tracing::info!(policy, %clients, ?change, "rule to be changed");
            policies.rule_modify(&policy, &clients, change).await?;
            policy
        }
        ExportCommand::RuleRemove { policy, clients } => {
            let clients: Clients = word(&clients)?;
            tracing::info!(policy, %clients, "rule to be removed");
            policies.rule_remove(&policy, &clients).await?;
            policy
        }
    };
    let policy = policies.get(&name)?;
    Ok(Answer::Export(view(policies, &name, &policy)))
}

fn word<T: FromStr<Err: std::fmt::Display>>(text: &str) -> Result<T> {
    text.parse().map_err(|error| anyhow!("{error}"))
}

fn change(rule: &RuleChangeView) -> Result<RuleChange> {
    Ok(RuleChange {
        access: rule.access.as_deref().map(word::<Access>).transpose()?,
        squash: rule.squash.as_deref().map(word::<Squash>).transpose()?,
        anonymous: rule.anonymous.map(|(uid, gid)| Anonymous { uid, gid }),
        tls: rule.tls.as_deref().map(word::<TlsUse>).transpose()?,
        groups: rule.groups.as_deref().map(word::<Groups>).transpose()?,
    })
}

fn new_rule(rule: &RuleChangeView) -> Result<Rule> {
    let usual = Rule::new(word(&rule.clients)?);
    let RuleChange { access, squash, anonymous, tls, groups } = change(rule)?;
    Ok(Rule {
        access: access.unwrap_or(usual.access),
        squash: squash.unwrap_or(usual.squash),
        anonymous: anonymous.unwrap_or(usual.anonymous),
        security: rule.security.as_deref().map(word::<Security>).transpose()?.unwrap_or(usual.security),
        tls: tls.unwrap_or(usual.tls),
        groups: groups.unwrap_or(usual.groups),
        clients: usual.clients,
    })
}

fn view(policies: &Policies, name: &str, policy: &Policy) -> PolicyView {
    let rules = policy.rules.iter().map(|rule| RuleView {
        clients: rule.clients.to_string(),
        access: rule.access.to_string(),
        squash: rule.squash.to_string(),
        anonymous_uid: rule.anonymous.uid,
        anonymous_gid: rule.anonymous.gid,
        security: rule.security.to_string(),
        tls: rule.tls.to_string(),
        groups: rule.groups.to_string(),
        addresses: match &rule.clients {
            Clients::Host(host) => policies
                .host_addresses(host)
                .map(|addresses| addresses.iter().map(ToString::to_string).collect()),
            _ => None,
        },
    });
    PolicyView { name: name.to_owned(), rules: rules.collect(), volumes: policies.volumes_of(name) }
}
