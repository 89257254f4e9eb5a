//! The daemon's view of itself, through its API.

use anyhow::{Result, anyhow};
use serde_json::Value;

use super::Contents;
use crate::admin::client::{Client, NoS3};
use crate::arguments::Remote;

/// The requests, and the file for each response.
const QUESTIONS: &[(&str, &str)] = &[
    ("api/health.json", "/api/v1/health"),
    ("api/status.json", "/api/v1/status"),
    ("api/alerts.json", "/api/v1/alerts"),
    ("api/config.json", "/api/v1/config"),
    ("api/capacity.json", "/api/v1/capacity"),
    ("api/alert-targets.json", "/api/v1/alert-targets"),
    ("api/pool.json", "/api/v1/pool"),
    ("api/scrub.json", "/api/v1/pool/scrub"),
    ("api/volumes.json", "/api/v1/volumes"),
    ("api/snapshots.json", "/api/v1/snapshots"),
    ("api/export-policies.json", "/api/v1/export-policies"),
    ("api/buckets.json", "/api/v1/buckets"),
    ("api/nfs-clients.json", "/api/v1/nfs/clients"),
    ("api/nfs-sessions.json", "/api/v1/nfs/sessions"),
    ("api/nfs-operations.json", "/api/v1/nfs/operations"),
    ("api/jobs.json", "/api/v1/jobs"),
    ("api/events.json", "/api/v1/events?limit=2000"),
    ("api/metrics-history.json", "/api/v1/metrics/history?step=60"),
    ("metrics.txt", "/metrics"),
];

/// Where the daemon is.
pub enum Place {
    /// On this machine, with this process id, if known.
    Here(Option<u32>),
    /// Possibly on another machine.
    Elsewhere,
}

/// Sends all requests to the daemon.
pub fn ask(remote: &Remote, contents: &mut Contents) -> Place {
    let client = match Client::new(remote) {
        Ok(client) => client,
        Err(error) => {
            contents.add("api/", Err(error));
            return if remote.server.is_some() { Place::Elsewhere } else { Place::Here(None) };
        }
    };
    let answered = ask_all(&client, contents);
    match client.is_local() {
        true => Place::Here(client.daemon_process().filter(|_| answered)),
        false => Place::Elsewhere,
    }
}

/// Whether the daemon responded.
fn ask_all(client: &Client, contents: &mut Contents) -> bool {
    for (index, (name, path)) in QUESTIONS.iter().enumerate() {
        let answer = client.fetch(path);
        // If the daemon does not answer the first request, the others are skipped.
        if index == 0
            && let Err(error) = answer
        {
            contents.add("api/", Err(error));
            return false;
        }
        // S3 is off, so there are no buckets to report.
        if answer.as_ref().is_err_and(|error| error.is::<NoS3>()) {
            continue;
        }
        contents.add(name, answer.map(|bytes| without_topics(laid_out(name, &bytes))));
    }
    true
}

/// Metrics without the samples that name topics of Kafka.
fn without_topics(text: Vec<u8>) -> Vec<u8> {
    const NAMED: &[u8] = b"forebay_kafka_topic_";
    let names =
        |line: &&[u8]| line.starts_with(NAMED) && !line.windows(OTHER.len()).any(|part| part == OTHER);
    const OTHER: &[u8] = b"topic=\"other\"";
    if !text.windows(NAMED.len()).any(|part| part == NAMED) {
        return text;
    }
    text.split_inclusive(|byte| *byte == b'\n').filter(|line| !names(line)).flatten().copied().collect()
}

/// JSON with line breaks and indentation.
fn laid_out(name: &str, bytes: &[u8]) -> Vec<u8> {
    let lines = || -> Result<Vec<u8>> {
        if !name.ends_with(".json") {
            return Err(anyhow!("not JSON"));
        }
        let mut value: Value = serde_json::from_slice(bytes)?;
        remove_users(&mut value);
        Ok(serde_json::to_vec_pretty(&value)?)
    };
    lines().unwrap_or_else(|_| bytes.to_vec())
}

/// Kinds of events that name users, tokens or keys.
const OF_USERS: [&str; 6] = ["user_", "token_", "access_refused", "s3_user_", "s3_key_", "s3_group_"];
/// Fields with the name of a user.
const USER_FIELDS: [&str; 2] = ["user", "by"];

/// Removes the names of users, wherever they are: a bundle has none.
fn remove_users(value: &mut Value) {
    match value {
        Value::Array(items) => {
            let is_of_users = |item: &Value| {
                let kind = item.get("kind").and_then(Value::as_str).unwrap_or_default();
                OF_USERS.iter().any(|prefix| kind.starts_with(prefix))
            };
            items.retain(|item| !is_of_users(item));
            items.iter_mut().for_each(remove_users);
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                if field.is_string() && USER_FIELDS.contains(&name.as_str()) {
                    *field = "[removed]".into();
                } else {
                    remove_users(field);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_of_users_are_removed_wherever_they_are() {
        let mut value = json!({"items": [
            {"kind": "user_changed", "object": "user bob"},
            {"kind": "volume_created", "object": "volume kafka", "user": "bob", "address": "local"},
            {"kind": "token_created", "object": "token 12"},
            {"name": "ForebayVolumeFull", "acknowledged": {"by": "bob", "comment": ""}, "user": null},
        ]});
        remove_users(&mut value);
        assert_eq!(
            value,
            json!({"items": [
                {"kind": "volume_created", "object": "volume kafka", "user": "[removed]", "address": "local"},
                {"name": "ForebayVolumeFull", "acknowledged": {"by": "[removed]", "comment": ""}, "user": null},
            ]})
        );
    }

    #[test]
    fn names_of_topics_stay_out() {
        let line =
            |topic: &str| format!("forebay_kafka_topic_logical_bytes{{cluster=\"c\",topic=\"{topic}\"}} 1\n");
        let help = "# HELP forebay_kafka_topic_logical_bytes Bytes.\n";
        let text = format!("{help}{}{}forebay_pool_boots 1\n", line("orders"), line("other"));
        let clean = String::from_utf8(without_topics(text.into_bytes())).unwrap();
        assert_eq!(clean, format!("{help}{}forebay_pool_boots 1\n", line("other")));
    }
}
