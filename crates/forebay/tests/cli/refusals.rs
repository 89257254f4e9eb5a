//! Who may ask what: every operation of the OpenAPI document, by everyone who can ask.
//!
//! What must hold is written here once more, by hand: a handler that asks for too low a role makes this fail, and so does an operation that
//! nobody has thought about.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::daemon::{Daemon, wait_until};
use crate::http::{Answer, User};

/// The least role that an operation needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Least {
    /// Not even a token.
    Nothing,
    ReadOnly,
    Operator,
    Admin,
}

use Least::{Admin, Nothing, Operator, ReadOnly};

/// As docs/operate.md says it.
const TABLE: &[(&str, &str, Least)] = &[
    ("GET", "/health", Nothing),
    ("GET", "/openapi.json", Nothing),
    ("GET", "/status", ReadOnly),
    ("GET", "/alerts", ReadOnly),
    ("PUT", "/alerts/{alert}/acknowledgement", Operator),
    ("DELETE", "/alerts/{alert}/acknowledgement", Operator),
    ("GET", "/silences", ReadOnly),
    ("POST", "/silences", Operator),
    ("DELETE", "/silences/{silence}", Operator),
    ("GET", "/alert-targets", ReadOnly),
    ("POST", "/alert-targets/{target}/test", Operator),
    ("GET", "/capacity", ReadOnly),
    ("GET", "/config", ReadOnly),
    ("GET", "/volumes/{volume}/access", ReadOnly),
    ("GET", "/whoami", ReadOnly),
    ("GET", "/events", ReadOnly),
    ("GET", "/metrics/history", ReadOnly),
    ("GET", "/jobs", ReadOnly),
    ("GET", "/jobs/{job}", ReadOnly),
    ("DELETE", "/jobs/{job}", Operator),
    ("GET", "/pool", ReadOnly),
    ("GET", "/pool/efficiency", ReadOnly),
    ("POST", "/pool/check", Operator),
    ("POST", "/pool/finalize", Admin),
    ("GET", "/pool/backups", ReadOnly),
    ("POST", "/pool/backups", Operator),
    ("POST", "/pool/speed", Admin),
    ("GET", "/pool/lost-found", ReadOnly),
    ("DELETE", "/pool/lost-found/{segment}", Admin),
    ("GET", "/node", ReadOnly),
    ("GET", "/cluster", ReadOnly),
    ("GET", "/pool/scrub", ReadOnly),
    ("POST", "/pool/scrub", Operator),
    ("DELETE", "/pool/scrub", Operator),
    ("GET", "/volumes", ReadOnly),
    ("POST", "/volumes", Operator),
    ("GET", "/volumes/{volume}", ReadOnly),
    ("PUT", "/volumes/{volume}", Operator),
    ("PATCH", "/volumes/{volume}", Operator),
    ("DELETE", "/volumes/{volume}", Operator),
    ("POST", "/volumes/{volume}/clones", Operator),
    ("GET", "/volumes/{volume}/clients", ReadOnly),
    ("GET", "/volumes/{volume}/snapshot-space", ReadOnly),
    ("GET", "/deleted-volumes", ReadOnly),
    ("GET", "/deleted-volumes/{volume}", ReadOnly),
    ("DELETE", "/deleted-volumes/{volume}", Admin),
    ("POST", "/deleted-volumes/{volume}/recover", Operator),
    ("GET", "/volumes/{volume}/snapshots", ReadOnly),
    ("POST", "/volumes/{volume}/snapshots", Operator),
    ("GET", "/volumes/{volume}/snapshots/{snapshot}", ReadOnly),
    ("PUT", "/volumes/{volume}/snapshots/{snapshot}", Operator),
    ("PATCH", "/volumes/{volume}/snapshots/{snapshot}", Operator),
    ("DELETE", "/volumes/{volume}/snapshots/{snapshot}", Operator),
    ("POST", "/volumes/{volume}/snapshots/{snapshot}/clones", Operator),
    ("POST", "/volumes/{volume}/snapshots/{snapshot}/rollback", Admin),
    ("GET", "/snapshots", ReadOnly),
    ("POST", "/snapshots", Operator),
    ("GET", "/export-policies", ReadOnly),
    ("POST", "/export-policies", Operator),
    ("GET", "/export-policies/{policy}", ReadOnly),
    ("PUT", "/export-policies/{policy}", Operator),
    ("PATCH", "/export-policies/{policy}", Operator),
    ("DELETE", "/export-policies/{policy}", Operator),
    ("POST", "/export-policies/{policy}/rules", Operator),
    ("PATCH", "/export-policies/{policy}/rules/{position}", Operator),
    ("DELETE", "/export-policies/{policy}/rules/{position}", Operator),
    ("GET", "/lab/reports", ReadOnly),
    ("GET", "/lab/reports/{report}", ReadOnly),
    ("GET", "/lab/reports/{report}/page", ReadOnly),
    ("POST", "/lab/reports/{report}/page", ReadOnly),
    ("GET", "/nfs", ReadOnly),
    ("GET", "/nfs/clients", ReadOnly),
    ("GET", "/nfs/clients/{client}", ReadOnly),
    ("DELETE", "/nfs/clients/{client}", Operator),
    ("GET", "/nfs/sessions", ReadOnly),
    ("GET", "/nfs/opens", ReadOnly),
    ("DELETE", "/nfs/opens/{stateid}", Operator),
    ("GET", "/nfs/locks", ReadOnly),
    ("GET", "/nfs/operations", ReadOnly),
    ("GET", "/kafka/cleanup", ReadOnly),
    ("GET", "/kafka/clusters", ReadOnly),
    ("GET", "/kafka/clusters/{cluster}/brokers", ReadOnly),
    ("GET", "/kafka/clusters/{cluster}/cost", ReadOnly),
    ("GET", "/kafka/clusters/{cluster}/history", ReadOnly),
    ("GET", "/kafka/clusters/{cluster}/topics", ReadOnly),
    ("GET", "/kafka/clusters/{cluster}/topics/{topic}", ReadOnly),
    ("GET", "/kafka/clusters/{cluster}/topics/{topic}/history", ReadOnly),
    ("GET", "/kafka/clusters/{cluster}/topics/{topic}/sharing", ReadOnly),
    ("GET", "/volumes/{volume}/snapshots/{snapshot}/topics", ReadOnly),
    ("GET", "/volumes/{volume}/snapshots/{snapshot}/topics/{topic}", ReadOnly),
    ("POST", "/kafka/clusters/{cluster}/what-if", ReadOnly),
    ("GET", "/buckets", ReadOnly),
    ("POST", "/buckets", Operator),
    ("DELETE", "/buckets/{bucket}", Operator),
    ("GET", "/buckets/{bucket}", ReadOnly),
    ("PATCH", "/buckets/{bucket}", Operator),
    ("DELETE", "/buckets/{bucket}/cors", Operator),
    ("GET", "/buckets/{bucket}/cors", ReadOnly),
    ("PUT", "/buckets/{bucket}/cors", Operator),
    ("GET", "/buckets/{bucket}/efficiency", ReadOnly),
    ("DELETE", "/buckets/{bucket}/lifecycle", Admin),
    ("GET", "/buckets/{bucket}/lifecycle", ReadOnly),
    ("PUT", "/buckets/{bucket}/lifecycle", Admin),
    ("GET", "/buckets/{bucket}/objects", ReadOnly),
    ("POST", "/buckets/{bucket}/objects", Admin),
    ("DELETE", "/buckets/{bucket}/policy", Admin),
    ("GET", "/buckets/{bucket}/policy", ReadOnly),
    ("PUT", "/buckets/{bucket}/policy", Admin),
    ("GET", "/buckets/{bucket}/versions", ReadOnly),
    ("GET", "/s3/groups", Admin),
    ("POST", "/s3/groups", Admin),
    ("DELETE", "/s3/groups/{group}", Admin),
    ("GET", "/s3/groups/{group}", Admin),
    ("DELETE", "/s3/groups/{group}/members/{user}", Admin),
    ("PUT", "/s3/groups/{group}/members/{user}", Admin),
    ("DELETE", "/s3/groups/{group}/policies/{policy}", Admin),
    ("GET", "/s3/groups/{group}/policies/{policy}", Admin),
    ("PUT", "/s3/groups/{group}/policies/{policy}", Admin),
    ("GET", "/s3/users", Admin),
    ("POST", "/s3/users", Admin),
    ("DELETE", "/s3/users/{user}", Admin),
    ("GET", "/s3/users/{user}", Admin),
    ("PATCH", "/s3/users/{user}", Admin),
    ("GET", "/s3/users/{user}/keys", Admin),
    ("POST", "/s3/users/{user}/keys", Admin),
    ("DELETE", "/s3/users/{user}/keys/{key}", Admin),
    ("GET", "/s3/users/{user}/keys/{key}", Admin),
    ("PATCH", "/s3/users/{user}/keys/{key}", Admin),
    ("GET", "/users", Admin),
    ("GET", "/users/{user}", Admin),
    ("PUT", "/users/{user}", Admin),
    ("POST", "/node/release", Admin),
    ("POST", "/cluster/move", Admin),
    ("POST", "/cluster/release", Admin),
    ("DELETE", "/users/{user}", Admin),
    ("GET", "/tokens", Admin),
    ("POST", "/tokens", Admin),
    ("GET", "/tokens/{token}", Admin),
    ("DELETE", "/tokens/{token}", Admin),
];

/// What cannot be had again goes with these, and only admins may. In this order all of them can be carried out.
const DESTRUCTIVE: &[(&str, &str, Option<&str>)] = &[
    ("POST", "/volumes/kafka/snapshots/second/rollback", None),
    ("POST", "/volumes/kafka/snapshots/first/rollback", Some(r#"{"force":true}"#)),
    ("DELETE", "/volumes/kafka?force=true", None),
    ("DELETE", "/deleted-volumes/kafka", None),
];

/// Method and path of all that the document has, the path below the API's own.
fn described(document: &Value) -> Vec<(String, String)> {
    let paths = document["paths"].as_object().unwrap();
    let of_path = paths.iter().flat_map(|(path, item)| {
        let path = path.strip_prefix("/api/v1").unwrap();
        item.as_object().unwrap().keys().map(|method| (method.to_uppercase(), path.to_owned()))
    });
    of_path.collect()
}

/// A path whose parameters name nothing that there is, so that whoever may ask changes nothing.
fn filled(path: &str) -> String {
    let mut filled = String::new();
    for part in path.split('/').skip(1) {
        filled.push('/');
        filled.push_str(match part {
            "{job}" | "{position}" => "999",
            "{client}" | "{token}" => "0123456789abcdef",
            "{stateid}" => "0123456789abcdef01234567",
            part if part.starts_with('{') => "nothing",
            part => part,
        });
    }
    filled
}

fn ask(user: &User, method: &str, path: &str) -> Answer {
    // What a body must have is missing here: who may ask is told so, and who may not is not.
    user.ask(method, path, (method != "GET" && method != "DELETE").then_some("{\"unknown\":1}"))
}

/// Looks at each operation as one who can do what `has` can; all that is wrong, one line each.
fn wrong(user: &User, has: Least, refused: (u16, &str)) -> Vec<String> {
    let mut wrong = Vec::new();
    for (method, path, least) in TABLE {
        let answer = ask(user, method, &filled(path));
        let (status, code) = (answer.status, answer.body["error"]["code"].as_str().unwrap_or("none"));
        let is_refused = (status, code) == refused;
        if is_refused == (has >= *least) || (!is_refused && matches!(status, 401 | 403 | 500..)) {
            wrong.push(format!("{method} {path} needs {least:?}, and {has:?} is answered {status} {code}"));
        }
    }
    wrong
}

/// How often a refusal of each kind is noted whose message has all these words.
fn noted(daemon: &Daemon, kind: &str, words: &[&str]) -> usize {
    let events: Value =
        serde_json::from_str(&daemon.done(&["event", "list", "-o", "json", "--limit", "2000"])).unwrap();
    let is_of = |event: &&Value| {
        let text = format!("{} {}", event["object"], event["message"]);
        event["kind"] == kind && words.iter().all(|word| text.contains(word))
    };
    events.as_array().unwrap().iter().filter(is_of).count()
}

#[test]
fn everyone_is_let_in_as_far_as_the_role_reaches_and_no_further_and_refusals_are_noted() {
    let scratch = tempfile::tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let nobody = User::of(&daemon, None);
    let document = nobody.get("/openapi.json").body;
    let mut in_table: Vec<_> =
        TABLE.iter().map(|(method, path, _)| ((*method).to_owned(), (*path).to_owned())).collect();
    let mut in_document = described(&document);
    in_table.sort();
    in_document.sort();
    assert_eq!(in_table, in_document, "the table here says who may do what; it must have every operation");

    let expired = daemon.done(&["token", "create", "--expires-in", "1s"]);
    let wrong_secret = daemon.done(&["token", "create"]).trim().to_owned();
    let wrong_secret = format!("{}{}", &wrong_secret[..wrong_secret.len() - 4], "0000");
    let expired = User::of(&daemon, Some(expired.trim()));
    let no_role: BTreeMap<&str, (User, &str)> = BTreeMap::from([
        ("without a token", (nobody, "token_missing")),
        ("with what is no token", (User::of(&daemon, Some("fb_wrong")), "token_refused")),
        ("with a wrong secret", (User::of(&daemon, Some(&wrong_secret)), "token_refused")),
    ]);
    let mut all_wrong = Vec::new();
    for (who, (user, code)) in &no_role {
        all_wrong.extend(wrong(user, Nothing, (401, code)).iter().map(|line| format!("{who}: {line}")));
    }
    wait_until("a token expires", || expired.get("/whoami").status == 401);
    all_wrong.extend(
        wrong(&expired, Nothing, (401, "token_refused")).iter().map(|line| format!("expired: {line}")),
    );
    for (role, has) in [("read-only", ReadOnly), ("operator", Operator), ("admin", Admin)] {
        let user = User::with_role(&daemon, role);
        all_wrong.extend(wrong(&user, has, (403, "role_insufficient")));
    }
    assert!(all_wrong.is_empty(), "{}", all_wrong.join("\n"));

    // Each of those who were refused is noted, with the reason, and not once for each of the requests.
    for reason in ["missing token", "invalid token", "secret is wrong", "expired"] {
        let count = noted(&daemon, "token_refused", &["address 127.0.0.1", reason]);
        assert!((1..20).contains(&count), "{reason}: {count}");
        assert!(daemon.log().contains(reason), "{reason} is not in the log");
    }
    for user in ["read-only", "operator"] {
        let count = noted(&daemon, "access_refused", &[&format!("user {user}"), "needs the role"]);
        assert!((1..20).contains(&count), "{user}: {count}");
        assert!(daemon.log().contains(&format!("and user {user} is {user}")), "{user} is not in the log");
    }
    assert_eq!(noted(&daemon, "access_refused", &["user admin"]), 0);
}

#[test]
fn what_destroys_data_only_an_admin_may() {
    let scratch = tempfile::tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    for name in ["first", "second"] {
        daemon.done(&["snapshot", "create", "kafka", name]);
    }
    for role in ["read-only", "operator"] {
        let user = User::with_role(&daemon, role);
        for (method, path, body) in DESTRUCTIVE {
            let answer = user.ask(method, path, *body);
            assert_eq!((answer.status, answer.code()), (403, "role_insufficient"), "{role}: {method} {path}");
        }
    }
    assert_eq!(daemon.done(&["snapshot", "list", "kafka", "-o", "json"]).matches("\"name\"").count(), 2);
    let admin = User::with_role(&daemon, "admin");
    for (method, path, body) in DESTRUCTIVE {
        let answer = admin.ask(method, path, *body);
        assert!(answer.status < 300, "{method} {path}: {answer:?}");
    }
}
