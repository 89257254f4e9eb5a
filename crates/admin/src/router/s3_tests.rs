//! Buckets and S3 users over the API, as callers with each role see it.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use axum::body::Body;
use axum::http::Request;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION};
use forebay_pool::{Pool, PoolOptions};
use forebay_s3::S3;
use forebay_s3::auth::users::Users;
use forebay_s3::shared::Shared;
use forebay_service::accounts::NewToken;
use forebay_service::{Service, ServiceOptions};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::Service as _;

use super::*;

/// An API, and a token for each role.
pub(super) struct Caller {
    api: Arc<Api>,
    router: Router,
    tokens: BTreeMap<&'static str, String>,
    _files: tempfile::TempDir,
}

/// A response.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) location: Option<String>,
    pub(super) body: Value,
}

impl Answer {
    pub(super) fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_default()
    }
}

impl Caller {
    pub(super) async fn new(with_s3: bool) -> Caller {
        let files = tempfile::tempdir().unwrap();
        let pool = Pool::in_memory(PoolOptions::default()).await.unwrap();
        let service = Arc::new(Service::open(pool.clone(), ServiceOptions::default()).unwrap());
        let mut tokens = BTreeMap::new();
        for role in ["admin", "operator", "read-only"] {
            let role_of = role.parse::<crate::views::Role>().unwrap();
            service.accounts.set_user(role, role_of.into()).await.unwrap();
            let new = NewToken { user: role.into(), description: String::new(), expires: None };
            tokens.insert(role, service.accounts.create_token(&new).await.unwrap().secret);
        }
        let address = SocketAddr::from(([127, 0, 0, 1], 2049));
        let mut api = Api::new(service.clone(), None, address, files.path().into());
        if with_s3 {
            let users = Users::open(pool, &files.path().join("key")).unwrap();
            let shared = Shared::new(service, "us-east-1");
            api.s3 = Some(S3 { shared: Arc::new(shared), users });
        }
        let api = Arc::new(api);
        Caller { router: router(api.clone()), api, tokens, _files: files }
    }

    /// What requests work on.
    pub(super) fn api(&self) -> &Arc<Api> {
        &self.api
    }

    pub(super) async fn ask(&self, role: &str, method: &str, path: &str, body: Option<Value>) -> Answer {
        self.send(role, method, path, body.map(|body| body.to_string())).await
    }

    pub(super) async fn send(&self, role: &str, method: &str, path: &str, body: Option<String>) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(format!("{BASE}{path}"))
            .header(AUTHORIZATION, format!("Bearer {}", self.tokens[role]))
            .header(CONTENT_TYPE, "application/json")
            .extension(Peer::Tcp(SocketAddr::from(([127, 0, 0, 1], 9))))
            .body(body.map_or_else(Body::empty, Body::from))
            .unwrap();
        let response = self.router.clone().call(request).await.unwrap();
        let status = response.status().as_u16();
        let location = response.headers().get(LOCATION).map(|value| value.to_str().unwrap().to_owned());
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Answer { status, location, body }
    }

    pub(super) async fn admin(&self, method: &str, path: &str, body: Value) -> Answer {
        self.ask("admin", method, path, Some(body).filter(|body| !body.is_null())).await
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        self.ask("admin", "GET", path, None).await
    }

    /// All events, as text.
    pub(super) async fn events(&self) -> String {
        self.get("/events").await.body.to_string()
    }

    /// Makes the user `admin`, an administrator of S3.
    pub(super) async fn with_administrator(self) -> Caller {
        assert_eq!(self.admin("POST", "/s3/users", json!({"name": "admin"})).await.status, 201);
        let added = self.admin("PUT", "/s3/groups/administrators/members/admin", Value::Null).await;
        assert_eq!(added.status, 200);
        self
    }

    pub(super) fn pool(&self) -> &Pool {
        &self.api.service.pool
    }
}

#[tokio::test]
async fn without_s3_every_operation_of_it_is_a_conflict_that_says_how_to_turn_it_on() {
    let caller = Caller::new(false).await;
    for (method, path) in [
        ("GET", "/buckets"),
        ("GET", "/buckets/logs"),
        ("DELETE", "/buckets/logs"),
        ("GET", "/buckets/logs/efficiency"),
        ("GET", "/buckets/logs/objects"),
        ("GET", "/buckets/logs/policy"),
        ("DELETE", "/buckets/logs/lifecycle"),
        ("GET", "/s3/users"),
        ("DELETE", "/s3/users/alice"),
        ("GET", "/s3/groups/staff"),
        ("PUT", "/s3/groups/staff/members/alice"),
    ] {
        let refused = caller.ask("admin", method, path, None).await;
        assert_eq!((refused.status, refused.code()), (409, "s3_is_off"), "{method} {path}");
        assert!(refused.body["error"]["remedy"].as_str().unwrap().contains("s3.listen"));
    }
}

#[tokio::test]
async fn a_user_is_created_disabled_and_deleted() {
    let caller = Caller::new(true).await;
    let created = caller.admin("POST", "/s3/users", json!({"name": "alice"})).await;
    assert_eq!((created.status, created.location.as_deref()), (201, Some("/api/v1/s3/users/alice")));
    assert_eq!(created.body["groups"], json!([]));
    let again = caller.admin("POST", "/s3/users", json!({"name": "alice"})).await;
    assert_eq!((again.status, again.code()), (409, "already_exists"));
    let bad = caller.admin("POST", "/s3/users", json!({"name": "-x"})).await;
    assert_eq!((bad.status, bad.code()), (400, "invalid"));
    let misspelt = caller.admin("PATCH", "/s3/users/alice", json!({"disable": true})).await;
    assert_eq!((misspelt.status, misspelt.code()), (400, "bad_request"));
    let disabled = caller.admin("PATCH", "/s3/users/alice", json!({"disabled": true})).await;
    assert_eq!((disabled.status, &disabled.body["disabled"]), (200, &json!(true)));
    let unchanged = caller.admin("PATCH", "/s3/users/alice", json!({})).await;
    assert_eq!(unchanged.body["disabled"], json!(true));
    assert_eq!(caller.get("/s3/users").await.body["total"], json!(1));
    assert_eq!(caller.admin("DELETE", "/s3/users/alice", Value::Null).await.status, 204);
    let gone = caller.get("/s3/users/alice").await;
    assert_eq!((gone.status, gone.code()), (404, "s3_user_not_found"));
    let events = caller.events().await;
    for part in ["s3_user_changed", "s3_user_deleted", "S3 user alice", "disabled"] {
        assert!(events.contains(part), "{part}: {events}");
    }
}

#[tokio::test]
async fn the_secret_of_an_access_key_is_shown_once_and_nowhere_else() {
    let caller = Caller::new(true).await;
    for user in ["alice", "bob"] {
        caller.admin("POST", "/s3/users", json!({"name": user})).await;
    }
    let created = caller.admin("POST", "/s3/users/alice/keys", json!({"expires_in": 3600})).await;
    assert_eq!(created.status, 201, "{created:?}");
    let secret = created.body["secret"].as_str().unwrap();
    let id = created.body["key"]["id"].as_str().unwrap();
    assert!(secret.len() >= 40 && created.body["key"]["expires"].is_string());
    assert_eq!(created.location, Some(format!("/api/v1/s3/users/alice/keys/{id}")));
    let key = format!("/s3/users/alice/keys/{id}");
    for path in ["/s3/users", "/s3/users/alice", "/s3/users/alice/keys", key.as_str(), "/events"] {
        let shown = caller.get(path).await;
        assert_eq!(shown.status, 200, "{path}");
        assert!(!shown.body.to_string().contains(secret), "{path}");
        assert!(shown.body.to_string().contains(id), "{path}");
    }
    let of_another = caller.get(&format!("/s3/users/bob/keys/{id}")).await;
    assert_eq!((of_another.status, of_another.code()), (404, "s3_key_not_found"));
    caller.admin("POST", "/s3/users/alice/keys", json!({})).await;
    let third = caller.admin("POST", "/s3/users/alice/keys", json!({})).await;
    assert_eq!((third.status, third.code()), (409, "too_many"));
    let disabled = caller.admin("PATCH", &key, json!({"disabled": true})).await;
    assert_eq!((&disabled.body["disabled"], &disabled.body["last_used"]), (&json!(true), &Value::Null));
    assert_eq!(caller.admin("DELETE", &key, Value::Null).await.status, 204);
    assert_eq!(caller.get("/s3/users/alice/keys").await.body["total"], json!(1));
    for wrong in [
        json!({"expires": "2001-01-01T00:00:00Z"}),
        json!({"expires_in": 0}),
        json!({"expires_in": 5, "expires": "2100-01-01T00:00:00Z"}),
        json!({"expires": "tomorrow"}),
    ] {
        let refused = caller.admin("POST", "/s3/users/bob/keys", wrong.clone()).await;
        assert_eq!(refused.status, 400, "{wrong}");
    }
}

#[tokio::test]
async fn a_group_has_members_and_policies_and_an_error_names_the_statement() {
    let caller = Caller::new(true).await;
    caller.admin("POST", "/s3/users", json!({"name": "alice"})).await;
    assert_eq!(caller.admin("POST", "/s3/groups", json!({"name": "staff"})).await.status, 201);
    let added = caller.admin("PUT", "/s3/groups/staff/members/alice", Value::Null).await;
    assert_eq!(added.body["members"], json!(["alice"]));
    assert_eq!(caller.get("/s3/users/alice").await.body["groups"], json!(["staff"]));
    let ghost = caller.admin("PUT", "/s3/groups/staff/members/ghost", Value::Null).await;
    assert_eq!((ghost.status, ghost.code()), (404, "s3_user_not_found"));
    let place = "/s3/groups/staff/policies/read";
    let text = r#"{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]}"#;
    let put = caller.send("admin", "PUT", place, Some(text.to_owned())).await;
    assert_eq!((put.status, &put.body["policies"]), (201, &json!(["read"])));
    assert_eq!(caller.send("admin", "PUT", place, Some(text.to_owned())).await.status, 200);
    assert_eq!(caller.get(place).await.body, text.parse::<Value>().unwrap());
    let wrong = text.replace("s3:GetObject", "s3:Fly");
    let refused = caller.send("admin", "PUT", place, Some(wrong)).await;
    assert_eq!((refused.status, refused.code()), (400, "invalid"));
    assert!(refused.body["error"]["message"].as_str().unwrap().contains("Statement 1"), "{refused:?}");
    let built_in = "/s3/groups/administrators";
    let refused = caller.send("admin", "PUT", &format!("{built_in}/policies/a"), Some(text.to_owned())).await;
    assert_eq!((refused.status, refused.code()), (409, "permanent"));
    assert_eq!(caller.admin("DELETE", built_in, Value::Null).await.code(), "permanent");
    assert_eq!(caller.get(built_in).await.body["built_in"], json!(true));
    assert_eq!(caller.admin("DELETE", place, Value::Null).await.status, 204);
    assert_eq!(caller.get(place).await.code(), "s3_policy_not_found");
    let removed = caller.admin("DELETE", "/s3/groups/staff/members/alice", Value::Null).await;
    assert_eq!(removed.status, 204);
    assert_eq!(caller.admin("DELETE", "/s3/groups/staff", Value::Null).await.status, 204);
    assert_eq!(caller.get("/s3/groups/staff").await.code(), "s3_group_not_found");
}

#[tokio::test]
async fn a_bucket_is_created_changed_and_deleted() {
    let caller = Caller::new(true).await.with_administrator().await;
    let new = json!({"name": "logs", "size": 1_000_000, "versioning": "enabled", "tags": {"team": "kafka"}});
    let created = caller.admin("POST", "/buckets", new).await;
    assert_eq!(
        (created.status, created.location.as_deref()),
        (201, Some("/api/v1/buckets/logs")),
        "{created:?}"
    );
    for (field, value) in [
        ("owner", json!("admin")),
        ("size", json!(1_000_000)),
        ("versioning", json!("enabled")),
        ("tags", json!({"team": "kafka"})),
        ("objects", json!(0)),
        ("object_lock", json!(false)),
    ] {
        assert_eq!(created.body[field], value, "{field}");
    }
    assert_eq!(caller.admin("POST", "/buckets", json!({"name": "logs"})).await.code(), "already_exists");
    let block = json!({"block_public_policy": true});
    let edit = json!({"size": null, "versioning": "suspended", "tags": {}, "public_access_block": block});
    let changed = caller.admin("PATCH", "/buckets/logs", edit).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(changed.body["size"], Value::Null);
    assert_eq!((&changed.body["versioning"], &changed.body["tags"]), (&json!("suspended"), &json!({})));
    assert_eq!(changed.body["public_access_block"]["block_public_policy"], json!(true));
    let lost = caller.admin("PATCH", "/buckets/logs", json!({"versioning": "unversioned"})).await;
    assert_eq!((lost.status, lost.code()), (400, "invalid"));
    assert_eq!(caller.get("/buckets/logs/efficiency").await.body["bytes_logical"], json!(0));
    assert_eq!(caller.admin("DELETE", "/buckets/logs", Value::Null).await.status, 204);
    assert_eq!(caller.get("/buckets/logs").await.code(), "bucket_not_found");
    let events = caller.events().await;
    for part in ["bucket_created", "bucket_changed", "bucket_deleted", "size limit removed (was 977 KiB)"] {
        assert!(events.contains(part), "{part}: {events}");
    }
}

#[tokio::test]
async fn a_change_of_a_bucket_is_made_as_a_whole_or_not_at_all() {
    let caller = Caller::new(true).await.with_administrator().await;
    caller.admin("POST", "/buckets", json!({"name": "locked", "object_lock": true})).await;
    let edit = json!({"size": 5_000_000, "tags": {"a": "b"}, "versioning": "suspended"});
    let refused = caller.admin("PATCH", "/buckets/locked", edit).await;
    assert_eq!((refused.status, refused.code()), (409, "bucket_locked"), "{refused:?}");
    let shown = caller.get("/buckets/locked").await.body;
    assert_eq!(
        (&shown["size"], &shown["tags"], &shown["versioning"]),
        (&Value::Null, &json!({}), &json!("enabled"))
    );
    for wrong in [
        json!({"size": 0}),
        json!({"max_bytes_per_second": 1}),
        json!({"tags": {"aws:x": "y"}}),
        json!({"name": "x"}),
    ] {
        assert_eq!(caller.admin("PATCH", "/buckets/locked", wrong.clone()).await.status, 400, "{wrong}");
    }
    for wrong in ["192.168.0.1", "xn--a", "Logs", "a"] {
        let refused = caller.admin("POST", "/buckets", json!({"name": wrong})).await;
        assert_eq!((refused.status, refused.code()), (400, "invalid"), "{wrong}");
    }
    let ghost = caller.admin("POST", "/buckets", json!({"name": "logs", "owner": "ghost"})).await;
    assert_eq!((ghost.status, ghost.code()), (404, "s3_user_not_found"));
}

#[tokio::test]
async fn buckets_are_listed_in_pages() {
    let caller = Caller::new(true).await.with_administrator().await;
    for name in ["a-1", "a-2", "a-3", "b-1"] {
        assert_eq!(caller.admin("POST", "/buckets", json!({"name": name})).await.status, 201);
    }
    let page = caller.get("/buckets?prefix=a-&after=a-1&limit=1").await.body;
    assert_eq!(
        (&page["total"], &page["items"][0]["name"], page["items"].as_array().unwrap().len()),
        (&json!(3), &json!("a-2"), 1)
    );
    assert_eq!(caller.get("/buckets").await.body["items"].as_array().unwrap().len(), 4);
    for wrong in ["/buckets?limit=0", "/buckets?limit=1001", "/buckets?colour=red"] {
        assert_eq!(caller.get(wrong).await.status, 400, "{wrong}");
    }
}

#[tokio::test]
async fn roles_bound_what_callers_may_do() {
    let caller = Caller::new(true).await.with_administrator().await;
    let new = Some(json!({"name": "logs"}));
    assert_eq!(caller.ask("read-only", "POST", "/buckets", new.clone()).await.code(), "role_insufficient");
    assert_eq!(caller.ask("operator", "POST", "/buckets", new).await.status, 201);
    for path in ["/buckets", "/buckets/logs", "/buckets/logs/efficiency"] {
        assert_eq!(caller.ask("read-only", "GET", path, None).await.status, 200, "{path}");
    }
    let open = Some(json!({"public_access_block": null}));
    for (method, path, body) in [
        ("GET", "/s3/users", None),
        ("POST", "/s3/users", Some(json!({"name": "bob"}))),
        ("GET", "/s3/users/admin/keys", None),
        ("POST", "/s3/users/admin/keys", Some(json!({}))),
        ("GET", "/s3/groups", None),
        ("PUT", "/s3/groups/administrators/members/admin", None),
        ("PUT", "/s3/groups/staff/policies/all", Some(json!({}))),
        ("DELETE", "/buckets/logs?force=true", None),
        ("PUT", "/buckets/logs/policy", Some(json!({}))),
        ("DELETE", "/buckets/logs/policy", None),
        ("PUT", "/buckets/logs/lifecycle", Some(json!({"rules": []}))),
        ("PATCH", "/buckets/logs", open),
    ] {
        let refused = caller.ask("operator", method, path, body).await;
        assert_eq!((refused.status, refused.code()), (403, "role_insufficient"), "{method} {path}");
    }
    assert_eq!(caller.ask("operator", "DELETE", "/buckets/logs", None).await.status, 204);
}

/// Puts an object, or a delete marker, into a bucket.
async fn put(caller: &Caller, bucket: &str, key: &str, bytes: Option<&'static [u8]>) {
    use forebay_pool::Stability;
    use forebay_s3::conditions::WriteConditions;
    use forebay_s3::facts::ObjectFacts;
    use forebay_s3::store::{NewVersion, publish};
    let pool = caller.pool();
    let id = pool.bucket(bucket).unwrap().id;
    let mut draft = None;
    if let Some(bytes) = bytes {
        let made = pool.draft_create(id).await.unwrap();
        pool.write(made.handle(), 0, bytes.into(), Stability::Unstable).await.unwrap();
        pool.commit(made.handle(), 0, 0).await.unwrap();
        draft = Some(made);
    }
    let facts = ObjectFacts {
        size: bytes.map_or(0, |bytes| bytes.len() as u64),
        modified_ms: 1_700_000_000_000,
        etag: bytes.map_or_else(String::new, |_| "0f".repeat(16)),
        owner: "admin".into(),
        delete_marker: bytes.is_none(),
        ..ObjectFacts::default()
    };
    let new = NewVersion { key: key.into(), facts, draft, part_list: Vec::new() };
    let conditions = WriteConditions::default();
    let done = pool.bucket_change(id, move |change| publish(change, new, &conditions)).await.unwrap();
    assert!(done.is_ok());
}

#[tokio::test]
async fn objects_and_versions_are_listed_by_prefix_and_page() {
    let caller = Caller::new(true).await.with_administrator().await;
    caller.admin("POST", "/buckets", json!({"name": "logs", "versioning": "enabled"})).await;
    for key in ["a", "dir/1", "dir/2", "dir/sub/3", "z"] {
        put(&caller, "logs", key, Some(b"bytes")).await;
    }
    put(&caller, "logs", "z", Some(b"newer")).await;
    put(&caller, "logs", "a", None).await;
    let keys = |page: &Value| -> Vec<String> {
        page["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["key"].as_str().unwrap().to_owned())
            .collect()
    };
    let top = caller.get("/buckets/logs/objects?delimiter=/").await.body;
    assert_eq!(
        (keys(&top), &top["prefixes"], &top["next"]),
        (vec!["z".to_owned()], &json!(["dir/"]), &Value::Null)
    );
    assert_eq!((&top["items"][0]["size"], &top["items"][0]["owner"]), (&json!(5), &json!("admin")));
    let page = caller.get("/buckets/logs/objects?prefix=dir/&limit=2").await.body;
    assert_eq!((keys(&page), &page["next"]), (vec!["dir/1".into(), "dir/2".into()], &json!("dir/2")));
    let rest = caller.get("/buckets/logs/objects?prefix=dir/&limit=2&after=dir/2").await.body;
    assert_eq!((keys(&rest), &rest["next"]), (vec!["dir/sub/3".into()], &Value::Null));

    let mut all = Vec::new();
    let mut place = "/buckets/logs/versions?limit=3".to_owned();
    loop {
        let page = caller.get(&place).await.body;
        all.extend(page["items"].as_array().unwrap().clone());
        let Some(next) = page["next"].as_str() else { break };
        place = format!("/buckets/logs/versions?limit=3&after={next}");
        if let Some(version) = page["next_version"].as_str() {
            place.push_str(&format!("&after_version={version}"));
        }
        assert!(all.len() < 10, "the listing has no end");
    }
    assert_eq!(all.len(), 7);
    assert_eq!(
        (&all[0]["key"], &all[0]["delete_marker"], &all[0]["latest"]),
        (&json!("a"), &json!(true), &json!(true))
    );
    assert_eq!(
        (&all[1]["key"], &all[1]["delete_marker"], &all[1]["latest"]),
        (&json!("a"), &json!(false), &json!(false))
    );
    for wrong in [
        "versions?after_version=null",
        "versions?after=a&after_version=x",
        "objects?limit=1001",
        "objects?marker=a",
    ] {
        assert_eq!(caller.get(&format!("/buckets/logs/{wrong}")).await.status, 400, "{wrong}");
    }
    assert_eq!(caller.get("/buckets/ghost/objects").await.code(), "bucket_not_found");
}

#[tokio::test]
async fn a_bucket_with_objects_is_deleted_only_by_force_and_never_with_object_lock() {
    let caller = Caller::new(true).await.with_administrator().await;
    for (name, lock) in [("logs", false), ("locked", true)] {
        caller.admin("POST", "/buckets", json!({"name": name, "object_lock": lock})).await;
        put(&caller, name, "a", Some(b"bytes")).await;
    }
    let shown = caller.get("/buckets/logs").await.body;
    assert_eq!((&shown["objects"], &shown["bytes_logical"]), (&json!(1), &json!(5)));
    let refused = caller.admin("DELETE", "/buckets/logs", Value::Null).await;
    assert_eq!((refused.status, refused.code()), (409, "bucket_not_empty"));
    let small = caller.admin("PATCH", "/buckets/logs", json!({"size": 4})).await;
    assert_eq!((small.status, small.code()), (409, "size_below_used"));
    assert_eq!(small.body["error"]["object"], json!("bucket logs"));
    let locked = caller.admin("DELETE", "/buckets/locked?force=true", Value::Null).await;
    assert_eq!((locked.status, locked.code()), (409, "bucket_locked"));
    assert_eq!(caller.admin("DELETE", "/buckets/logs?force=true", Value::Null).await.status, 204);
    assert!(caller.events().await.contains("deleted with all data"));
}

#[tokio::test]
async fn the_policy_of_a_bucket_is_shown_as_it_was_put_and_a_public_one_can_be_refused() {
    let caller = Caller::new(true).await.with_administrator().await;
    caller.admin("POST", "/buckets", json!({"name": "logs"})).await;
    let place = "/buckets/logs/policy";
    assert_eq!(caller.get(place).await.code(), "bucket_document_not_found");
    let public = json!({"Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::logs/*",
    }]});
    assert_eq!(caller.admin("PUT", place, public.clone()).await.status, 204);
    assert_eq!(caller.get(place).await.body, public);
    let shown = caller.get("/buckets/logs").await.body;
    assert_eq!((&shown["has_policy"], &shown["public"]), (&json!(true), &json!(true)));
    let mut wrong = public.clone();
    wrong["Statement"][0]["Resource"] = json!("arn:aws:s3:::other/*");
    let refused = caller.admin("PUT", place, wrong).await;
    assert_eq!((refused.status, refused.code()), (400, "invalid"));
    assert!(refused.body["error"]["message"].as_str().unwrap().contains("Statement 1"), "{refused:?}");
    let block = json!({"public_access_block": {"block_public_policy": true}});
    assert_eq!(caller.admin("PATCH", "/buckets/logs", block).await.status, 200);
    let refused = caller.admin("PUT", place, public).await;
    assert_eq!((refused.status, refused.code()), (409, "public_policy_blocked"));
    assert_eq!(caller.admin("DELETE", place, Value::Null).await.status, 204);
    assert_eq!(caller.admin("DELETE", place, Value::Null).await.status, 404);
}

#[tokio::test]
async fn lifecycle_and_cors_rules_are_shown_as_set_and_an_error_names_the_rule() {
    let caller = Caller::new(true).await.with_administrator().await;
    caller.admin("POST", "/buckets", json!({"name": "logs"})).await;
    let lifecycle = json!({"rules": [
        {"id": "old", "enabled": true, "prefix": "logs/", "expire_days": 30, "noncurrent_days": 7, "noncurrent_keep": 2},
        {"id": "new year", "enabled": false, "tags": {"a": "b"}, "size_above": 10, "expire_at": "2027-01-01T00:00:00Z"},
    ]});
    let cors = json!({"rules": [
        {"id": "web", "allowed_origins": ["https://*.example.com"], "allowed_methods": ["GET"], "max_age_seconds": 60},
    ]});
    for (document, rules) in [("lifecycle", &lifecycle), ("cors", &cors)] {
        let place = format!("/buckets/logs/{document}");
        assert_eq!(caller.get(&place).await.code(), "bucket_document_not_found");
        let put = caller.admin("PUT", &place, rules.clone()).await;
        assert_eq!((put.status, &put.body), (200, rules), "{document}");
        assert_eq!(&caller.get(&place).await.body, rules);
        let mut wrong = rules.clone();
        let list = wrong["rules"].as_array_mut().unwrap();
        list.push(json!({"id": "wrong", "allowed_origins": ["*"], "allowed_methods": ["FLY"]}));
        if document == "lifecycle" {
            list[2] = json!({"id": "wrong", "prefix": "a"});
        }
        let count = list.len();
        let refused = caller.admin("PUT", &place, wrong).await;
        assert_eq!((refused.status, refused.code()), (400, "invalid"), "{refused:?}");
        let message = refused.body["error"]["message"].as_str().unwrap();
        assert!(message.contains(&format!("rule {count}:")), "{message}");
        for wrong in [json!({"rules": []}), json!({"rules": [{"colour": 1}]}), json!({})] {
            assert_eq!(caller.admin("PUT", &place, wrong).await.status, 400, "{document}");
        }
    }
    let shown = caller.get("/buckets/logs").await.body;
    assert_eq!((&shown["has_lifecycle"], &shown["has_cors"]), (&json!(true), &json!(true)));
    for document in ["lifecycle", "cors"] {
        let place = format!("/buckets/logs/{document}");
        assert_eq!(caller.admin("DELETE", &place, Value::Null).await.status, 204);
        assert_eq!(caller.get(&place).await.status, 404);
    }
}
