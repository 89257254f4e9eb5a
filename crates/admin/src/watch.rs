//! Reports NFS clients whose requests export policies refuse.

use forebay_service::events::{Kind, Who};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::SystemTime;

use forebay_nfs::Shared as Nfs;
use forebay_nfs::policy::{Access, Deciding, Reason, TOLD_EVERY, Telling};

use crate::metrics::{RefusedClient, Run};

/// Emits an event for each report of refusals, and notes the clients for the health rules, as long as the future is polled.
pub async fn run(nfs: Arc<Nfs>, run: Arc<Run>) {
    loop {
        let telling = nfs.refusals.next().await;
        let seconds = TOLD_EVERY.as_secs();
        let (refusal, often) = match telling {
            Telling::First(refusal) => (refusal, String::new()),
            Telling::Again(refusal, times) => {
                (refusal, format!("{} more in the last {seconds} s: ", count(times)))
            }
            Telling::Others(times) => {
                let message = format!(
                    "were refused by export policies {} in the last {seconds} s; see which networks reach NFS that should not",
                    count(times)
                );
                nfs.service.events.note(Kind::ClientRefused, "further clients", message, Who::default());
                continue;
            }
        };
        let client = refusal.client;
        let message = match nfs.policies.deciding(refusal.volume, client) {
            Some(deciding) => {
                let why = why(&deciding, client, refusal.reason);
                let message = format!("was refused volume {}: {often}{}", deciding.volume, why.in_words());
                let (Why { cause, remedy }, volume) = (why, deciding.volume);
                run.note_refused(RefusedClient { client, volume, cause, remedy, last: SystemTime::now() });
                message
            }
            None => format!("was refused a volume that is gone: {often}an export policy said so"),
        };
        let who = Who { user: None, address: Some(client.to_string()) };
        nfs.service.events.note(Kind::ClientRefused, format!("client {client}"), message, who);
    }
}

/// The reason for a refusal according to the current policy, and what would allow the request.
struct Why {
    cause: String,
    remedy: Option<String>,
}

impl Why {
    fn in_words(&self) -> String {
        match &self.remedy {
            Some(remedy) => format!("{}; {remedy}", self.cause),
            None => self.cause.clone(),
        }
    }
}

/// The policy may have changed since the refusal.
fn why(deciding: &Deciding, client: IpAddr, reason: Reason) -> Why {
    let policy = &deciding.policy;
    let Some(rule) = &deciding.rule else {
        return Why {
            cause: format!("export policy {policy} has no rule for it"),
            remedy: Some(format!("`forebay export rule add {policy} {client}` would let it in")),
        };
    };
    let clients = &rule.clients;
    let modify = format!("`forebay export rule modify {policy} '{clients}'");
    let of = format!("the rule for {clients} of export policy {policy}");
    let (cause, remedy) = match reason {
        Reason::Hidden if rule.access == Access::None => {
            (format!("{of} gives no access"), Some(format!("{modify} --access rw` would")))
        }
        Reason::Insecure => (
            format!("{of} has tls {}, which its connection does not keep", rule.tls),
            Some("mount it with the xprtsec that fits".to_owned()),
        ),
        Reason::ReadOnly if rule.access == Access::ReadOnly => (
            format!("{of} lets it only read, and it wanted to change something"),
            Some(format!("{modify} --access rw` would let it")),
        ),
        Reason::Hidden | Reason::ReadOnly => (format!("{of} said so, and was changed since"), None),
    };
    Why { cause, remedy }
}

fn count(times: u64) -> String {
    if times == 1 { "once".to_owned() } else { format!("{times} times") }
}

#[cfg(test)]
mod tests {
    use forebay_nfs::policy::{Rule, TlsUse};

    use super::*;

    fn deciding(rule: Option<Rule>) -> Deciding {
        Deciding { volume: "kafka".into(), policy: "brokers".into(), rule }
    }

    #[test]
    fn the_rule_is_named_and_what_would_be_right() {
        let client: IpAddr = "192.0.2.7".parse().unwrap();
        let rule = |access| Rule { access, ..Rule::new("192.0.2.0/24".parse().unwrap()) };
        let said = |rule, reason| why(&deciding(rule), client, reason).in_words();
        let none = said(None, Reason::Hidden);
        assert!(none.contains("has no rule for it") && none.contains("rule add brokers 192.0.2.7"), "{none}");
        let shut = said(Some(rule(Access::None)), Reason::Hidden);
        assert!(shut.contains("rule for 192.0.2.0/24 of export policy brokers gives no access"), "{shut}");
        let reader = said(Some(rule(Access::ReadOnly)), Reason::ReadOnly);
        assert!(reader.contains("lets it only read") && reader.contains("--access rw"), "{reader}");
        let tls = Rule { tls: TlsUse::Required, ..rule(Access::ReadWrite) };
        assert!(said(Some(tls), Reason::Insecure).contains("tls required"));
        assert!(said(Some(rule(Access::ReadWrite)), Reason::Hidden).contains("was changed since"));
    }
}
