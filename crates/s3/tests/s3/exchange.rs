//! What a request leaves behind: its id, counts, events.

use std::time::{Duration, Instant};

use forebay_pool::{Pool, PoolOptions};
use forebay_s3::auth::users::{ADMINISTRATORS, Users};
use forebay_s3::counters::S3Counters;
use forebay_s3::statistics::{Class, Refused};
use forebay_service::events::{Event, Severity, Wanted};

use crate::common::{Keys, Testbed};

struct Served {
    testbed: Testbed,
    users: Users,
    admin: Keys,
    alice: Keys,
}

impl Served {
    /// A server with the administrator `admin`, and with `alice`, whom no policy allows anything.
    async fn start() -> Served {
        let pool = Pool::in_memory(PoolOptions::default()).await.unwrap();
        let scratch = tempfile::tempdir().unwrap();
        let users = Users::open(pool.clone(), &scratch.path().join("key")).unwrap();
        let mut keys = Vec::new();
        for name in ["admin", "alice"] {
            users.create_user(name).await.unwrap();
            let created = users.create_key(name, None).await.unwrap();
            keys.push(Keys { id: created.key.id, secret: created.secret.expose().to_owned() });
        }
        users.add_member(ADMINISTRATORS, "admin").await.unwrap();
        let testbed = Testbed::with_users(&users, pool).await;
        let [admin, alice] = keys.try_into().ok().unwrap();
        Served { testbed, users, admin, alice }
    }

    fn events(&self) -> Vec<Event> {
        let wanted = Wanted { after: 0, severity: Severity::Info, limit: 99 };
        self.testbed.shared.service.events.list(wanted).0
    }

    /// The counts, once they are as they must be. What a request sent is counted when its answer is dropped, which may be a moment
    /// after the client has it.
    async fn counts(&self, are_right: impl Fn(&S3Counters) -> bool) -> S3Counters {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let counters = self.testbed.shared.counters();
            if are_right(&counters) {
                return counters;
            }
            assert!(Instant::now() < deadline, "{counters:?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test]
async fn every_answer_and_every_error_has_the_id_of_the_request() {
    let served = Served::start().await;
    let testbed = &served.testbed;
    let made = testbed.send_as(&served.admin, "PUT", "/logs", &[], "").await;
    let missing = testbed.send_as(&served.admin, "GET", "/logs/none&such", &[], "").await;
    let unsigned = testbed.send_as(&served.alice, "GET", "/logs", &[("x-amz-date", "never")], "").await;
    for answer in [&made, &missing, &unsigned] {
        let id = answer.header("x-amz-request-id").unwrap();
        assert_eq!(answer.header("x-amz-id-2"), Some(id), "{answer:?}");
        if answer.status >= 400 {
            assert_eq!((answer.element("RequestId"), answer.element("HostId")), (Some(id), Some(id)));
        }
    }
    assert_eq!((made.status, missing.status), (200, 404));
    assert_eq!(missing.element("Resource"), Some("/logs/none&amp;such"));
    assert_ne!(made.header("x-amz-request-id"), missing.header("x-amz-request-id"));
    let length: usize = missing.header("content-length").unwrap().parse().unwrap();
    assert_eq!(length, missing.body.len());
}

#[tokio::test]
async fn requests_and_bytes_are_counted_by_operation_and_bucket() {
    let served = Served::start().await;
    let (testbed, admin) = (&served.testbed, &served.admin);
    testbed.send_as(admin, "PUT", "/logs", &[], "").await;
    testbed.send_as(admin, "PUT", "/logs/a", &[], "12345").await;
    for _ in 0..2 {
        testbed.send_as(admin, "GET", "/logs/a", &[], "").await;
    }
    testbed.send_as(admin, "HEAD", "/logs/b", &[], "").await;
    testbed.send_as(admin, "GET", "/no-such-bucket/a", &[], "").await;
    let counters = served.counts(|counters| counters.in_progress == 0).await;
    let count = |operation: &str, class: Class| {
        let found = counters.operations.iter().find(|counted| counted.name == operation);
        found.map_or(0, |counted| counted.classes[class as usize])
    };
    assert_eq!((count("PutObject", Class::Success), count("GetObject", Class::Success)), (1, 2));
    assert_eq!((count("GetObject", Class::ClientError), count("HeadObject", Class::ClientError)), (1, 1));
    let [bucket] = &counters.buckets[..] else { panic!("{counters:?}") };
    assert_eq!((bucket.name.as_str(), bucket.objects, bucket.bytes), ("logs", 1, 5));
    assert_eq!((bucket.traffic.received, bucket.traffic.sent), (5, 10));
    assert_eq!(bucket.traffic.classes[Class::Success as usize], 3);
    assert_eq!(bucket.traffic.classes[Class::ClientError as usize], 1);
    assert_eq!(counters.connections.accepted, 6);
    let timed: u64 = counters.operations.iter().map(|operation| operation.times.count()).sum();
    assert_eq!(timed, 6);

    testbed.send_as(admin, "DELETE", "/logs/a", &[], "").await;
    testbed.send_as(admin, "DELETE", "/logs", &[], "").await;
    served.counts(|counters| counters.buckets.is_empty() && counters.in_progress == 0).await;
}

#[tokio::test]
async fn refused_requests_leave_a_line_for_each_user_or_reason_and_a_count() {
    let served = Served::start().await;
    let testbed = &served.testbed;
    testbed.send_as(&served.admin, "PUT", "/logs", &[], "").await;
    for key in ["a", "b", "c"] {
        testbed.send_as(&served.alice, "PUT", &format!("/logs/{key}"), &[], "1").await;
    }
    for number in 0..3 {
        let unknown = Keys { id: format!("AKIAUNKNOWN{number}"), secret: "x".to_owned() };
        testbed.send_as(&unknown, "GET", "/logs/a", &[], "").await;
    }
    let wrong = Keys { secret: "wrong".to_owned(), ..served.alice.clone() };
    testbed.send_as(&wrong, "GET", "/logs/a", &[], "").await;
    served.users.set_key_disabled(&served.alice.id, true).await.unwrap();
    testbed.send_as(&served.alice, "GET", "/logs/a", &[], "").await;
    let repeated = [("content-type", "multipart/form-data; boundary=x")];
    testbed.send_as(&served.admin, "POST", "/logs", &repeated, "").await;

    let counters = testbed.shared.counters();
    let refused = |reason: Refused| counters.refused[reason as usize];
    assert_eq!((refused(Refused::AccessDenied), refused(Refused::AccessKey)), (3, 4));
    assert_eq!((refused(Refused::Signature), refused(Refused::Guard)), (1, 1));

    let events = served.events();
    let lines: Vec<(&str, &str, &str)> = events
        .iter()
        .map(|event| (event.kind.word(), event.object.as_str(), event.message.as_str()))
        .filter(|(kind, ..)| kind.ends_with("refused"))
        .collect();
    let [denied, unknown, wrong, disabled] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!((denied.0, denied.1), ("access_refused", "S3 user alice"));
    assert!(denied.2.starts_with("s3:PutObject on arn:aws:s3:::logs/a with access key "), "{lines:?}");
    assert!(denied.2.contains("no policy allows it (request "), "{lines:?}");
    assert_eq!((unknown.0, unknown.1), ("s3_signature_refused", "address 127.0.0.1"));
    assert!(unknown.2.contains("AKIAUNKNOWN0") && unknown.2.contains("unknown access key"), "{lines:?}");
    assert!(wrong.2.contains("SignatureDoesNotMatch") && wrong.2.contains(&served.alice.id), "{lines:?}");
    assert!(disabled.2.contains("of user alice") && disabled.2.contains("is disabled"), "{lines:?}");
    assert!(events.iter().all(|event| event.who.address.as_deref() == Some("127.0.0.1")), "{events:?}");
}

#[tokio::test]
async fn a_key_of_a_batch_that_may_not_be_deleted_is_a_refusal_too() {
    let served = Served::start().await;
    served.testbed.send_as(&served.admin, "PUT", "/logs", &[], "").await;
    let document = "<Delete><Object><Key>a</Key></Object></Delete>";
    let answer = served.testbed.send_as(&served.alice, "POST", "/logs?delete", &[], document).await;
    assert_eq!((answer.status, answer.element("Code")), (200, Some("AccessDenied")), "{answer:?}");
    let events = served.events();
    let denied = events.iter().find(|event| event.kind.word() == "access_refused").unwrap();
    assert!(denied.message.starts_with("s3:DeleteObject on arn:aws:s3:::logs/a"), "{denied:?}");
}

#[tokio::test]
async fn every_change_of_a_bucket_leaves_a_line_with_user_key_request_and_address() {
    let served = Served::start().await;
    let (testbed, admin) = (&served.testbed, &served.admin);
    let versioning = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
    let mut ids = Vec::new();
    for (method, target, body) in
        [("PUT", "/logs", ""), ("PUT", "/logs?versioning", versioning), ("DELETE", "/logs", "")]
    {
        let answer = testbed.send_as(admin, method, target, &[], body).await;
        assert!(answer.status < 300, "{answer:?}");
        ids.push(answer.header("x-amz-request-id").unwrap().to_owned());
    }
    // A request that fails changes nothing.
    testbed.send_as(admin, "DELETE", "/logs", &[], "").await;
    let events = served.events();
    let kinds: Vec<&str> = events.iter().map(|event| event.kind.word()).collect();
    assert_eq!(kinds, ["bucket_created", "bucket_changed", "bucket_deleted"]);
    for (event, id) in events.iter().zip(ids) {
        assert_eq!((event.object.as_str(), event.who.user.as_deref()), ("bucket logs", Some("admin")));
        assert_eq!(event.who.address.as_deref(), Some("127.0.0.1"));
        assert!(event.message.contains(&id) && event.message.contains(&admin.id), "{event:?}");
    }
    assert!(events[1].message.contains("PutBucketVersioning"), "{events:?}");
}

#[tokio::test]
async fn whoever_may_not_list_a_bucket_does_not_learn_which_keys_exist() {
    let served = Served::start().await;
    let (testbed, admin, alice) = (&served.testbed, &served.admin, &served.alice);
    testbed.send_as(admin, "PUT", "/logs", &[], "").await;
    testbed.send_as(admin, "PUT", "/logs/there", &[], "x").await;
    let allow = |statement: &str| {
        format!(
            r#"{{"Version": "2012-10-17", "Statement": {{"Effect": "Allow",
            "Principal": {{"AWS": "arn:aws:iam::000000000000:user/alice"}}, {statement}}}}}"#
        )
    };
    let list = r#""Action": "s3:ListBucket", "Resource": "arn:aws:s3:::logs",
            "Condition": {"StringLike": {"s3:prefix": "m*"}}"#;
    testbed.send_as(admin, "PUT", "/logs?policy", &[], &allow(list)).await;
    for (target, expected) in [("/logs/missing", 404), ("/logs/also-missing", 403), ("/logs/there", 403)] {
        assert_eq!(testbed.send_as(alice, "HEAD", target, &[], "").await.status, expected, "{target}");
    }
    let read = r#""Action": ["s3:GetObject*", "s3:PutObject"], "Resource": "arn:aws:s3:::logs/*""#;
    let also_list = r#""Action": ["s3:GetObject*", "s3:PutObject", "s3:ListBucket"],
            "Resource": ["arn:aws:s3:::logs", "arn:aws:s3:::logs/*"]"#;
    for (statement, expected) in [(read, (403, "AccessDenied")), (also_list, (404, "NoSuchKey"))] {
        let answer = testbed.send_as(admin, "PUT", "/logs?policy", &[], &allow(statement)).await;
        assert_eq!(answer.status, 204, "{answer:?}");
        assert_eq!(testbed.send_as(alice, "GET", "/logs/there", &[], "").await.status, 200);
        assert_eq!(testbed.send_as(alice, "HEAD", "/logs/missing", &[], "").await.status, expected.0);
        let attributes = [("x-amz-object-attributes", "ETag")];
        let copy = [("x-amz-copy-source", "logs/missing")];
        for (method, target, headers) in [
            ("GET", "/logs/missing", &[][..]),
            ("GET", "/logs/missing?tagging", &[]),
            ("GET", "/logs/missing?acl", &[]),
            ("GET", "/logs/missing?retention", &[]),
            ("GET", "/logs/missing?attributes", &attributes),
            ("PUT", "/logs/copy", &copy),
        ] {
            let answer = testbed.send_as(alice, method, target, headers, "").await;
            assert_eq!(
                (answer.status, answer.element("Code").unwrap_or_default()),
                expected,
                "{target}: {answer:?}"
            );
        }
    }
}
