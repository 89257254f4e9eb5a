//! Reports NFS clients whose requests export policies refuse.

use forebay_service::events::{Kind, Who};
use std::net::IpAddr;
use std::sync::Arc;

use forebay_nfs::Shared as Nfs;
use forebay_nfs::policy::{Access, Deciding, Reason, Refusal, TOLD_EVERY, Telling};

/// Emits an event for each report of refusals, as long as the future is polled.
pub async fn run(nfs: Arc<Nfs>) {
    loop {
        let telling = nfs.refusals.next().await;
        let (object, message, client) = match telling {
            Telling::First(refusal) => told(&nfs, &refusal, ""),
            Telling::Again(refusal, times) => told(
                &nfs,
                &refusal,
                &format!("{} more in the last {} s: ", count(times), TOLD_EVERY.as_secs()),
            ),
            Telling::Others(times) => {
                let message = format!(
                    "were refused by export policies {} in the last {} s; see which networks reach NFS that should not",
                    count(times),
                    TOLD_EVERY.as_secs()
                );
                ("further clients".to_owned(), message, None)
            }
        };
        let who = Who { user: None, address: client.map(|client| client.to_string()) };
        nfs.service.events.note(Kind::ClientRefused, object, message, who);
    }
}

fn told(nfs: &Nfs, refusal: &Refusal, often: &str) -> (String, String, Option<IpAddr>) {
    let Refusal { client, volume, reason } = *refusal;
    let message = match nfs.policies.deciding(volume, client) {
        Some(deciding) => {
            format!("was refused volume {}: {often}{}", deciding.volume, why(&deciding, client, reason))
        }
        None => format!("was refused a volume that is gone: {often}an export policy said so"),
    };
    (format!("client {client}"), message, Some(client))
}

/// The reason for a refusal according to the current policy, and the command that would allow the request. The policy may have changed
/// since the refusal.
fn why(deciding: &Deciding, client: IpAddr, reason: Reason) -> String {
    let policy = &deciding.policy;
    let Some(rule) = &deciding.rule else {
        return format!(
            "export policy {policy} has no rule for it; `forebay export rule add {policy} {client}` would let it in"
        );
    };
    let clients = &rule.clients;
    let modify = format!("`forebay export rule modify {policy} '{clients}'");
    let of = format!("the rule for {clients} of export policy {policy}");
    match reason {
        Reason::Hidden if rule.access == Access::None => {
            format!("{of} gives no access; {modify} --access rw` would")
        }
        Reason::Insecure => {
            format!(
                "{of} has tls {}, which its connection does not keep; mount it with the xprtsec that fits",
                rule.tls
            )
        }
        Reason::ReadOnly if rule.access == Access::ReadOnly => {
            format!(
                "{of} lets it only read, and it wanted to change something; {modify} --access rw` would let it"
            )
        }
        Reason::Hidden | Reason::ReadOnly => format!("{of} said so, and was changed since"),
    }
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
        let said = |rule, reason| why(&deciding(rule), client, reason);
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
