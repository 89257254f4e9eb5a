//! Users, groups and keys, in memory and after the pool is read again.

use std::time::Duration;

use forebay_pool::PoolOptions;

use super::*;

async fn users() -> (Pool, Users) {
    let pool = Pool::in_memory(PoolOptions::default()).await.unwrap();
    (pool.clone(), again(&pool))
}

/// The users as the pool has them.
fn again(pool: &Pool) -> Users {
    Users::load(pool.clone(), MasterKey::from([7; 32])).unwrap()
}

fn refusal(users: &Users, id: &str) -> Option<Refusal> {
    users.lookup(id).err()
}

#[tokio::test]
async fn a_key_is_looked_up_with_its_secret_and_its_users_groups_also_after_a_restart() {
    let (pool, users) = users().await;
    users.create_user("alice").await.unwrap();
    users.create_group("staff").await.unwrap();
    users.put_group_policy("staff", "all", ALLOW_ALL).await.unwrap();
    users.add_member("staff", "alice").await.unwrap();
    users.add_member(ADMINISTRATORS, "alice").await.unwrap();
    let made = users.create_key("alice", None).await.unwrap();
    for users in [&users, &again(&pool)] {
        let found = users.lookup(&made.key.id).unwrap();
        assert_eq!(found.secret.expose(), made.secret.expose());
        assert_eq!(found.identity.principal().name(), Some("alice"));
        assert_eq!(found.identity.policies().count(), 2);
        assert!(found.identity.is_administrator() && found.identity.groups().contains("staff"));
    }
    let stored = format!("{:?}", pool.records(record::KEYS).unwrap());
    assert!(!stored.contains(made.secret.expose()));
}

#[tokio::test]
async fn a_user_has_two_keys_at_most() {
    let (_, users) = users().await;
    users.create_user("alice").await.unwrap();
    let first = users.create_key("alice", None).await.unwrap();
    users.create_key("alice", None).await.unwrap();
    assert!(matches!(users.create_key("alice", None).await, Err(Error::TooManyKeys(_))));
    users.delete_key(&first.key.id).await.unwrap();
    users.create_key("alice", None).await.unwrap();
    assert_eq!(refusal(&users, &first.key.id), Some(Refusal::UnknownKey));
    assert!(matches!(users.create_key("bob", None).await, Err(Error::UserNotFound(_))));
}

#[tokio::test]
async fn disabled_and_expired_keys_and_disabled_users_are_refused_with_the_reason() {
    let (pool, users) = users().await;
    users.create_user("alice").await.unwrap();
    assert!(matches!(users.create_key("alice", Some(SystemTime::now())).await, Err(Error::BadExpiry)));
    let hour = Duration::from_secs(3600);
    let id = users.create_key("alice", Some(SystemTime::now() + hour)).await.unwrap().key.id;
    let later = users.0.read().lookup(&id, SystemTime::now() + hour).err();
    assert_eq!(later, Some(Refusal::KeyExpired));
    users.set_key_disabled(&id, true).await.unwrap();
    assert_eq!([refusal(&users, &id), refusal(&again(&pool), &id)], [Some(Refusal::KeyDisabled); 2]);
    users.set_key_disabled(&id, false).await.unwrap();
    assert_eq!(refusal(&users, &id), None);
    users.set_user_disabled("alice", true).await.unwrap();
    assert_eq!([refusal(&users, &id), refusal(&again(&pool), &id)], [Some(Refusal::UserDisabled); 2]);
    users.set_user_disabled("alice", false).await.unwrap();
    assert_eq!([refusal(&users, &id), refusal(&again(&pool), &id)], [None; 2]);
}

#[tokio::test]
async fn a_deleted_user_leaves_no_key_and_no_membership_to_a_new_one_of_that_name() {
    let (pool, users) = users().await;
    let before = users.create_user("alice").await.unwrap();
    assert!(matches!(users.create_user("alice").await, Err(Error::UserExists(_))));
    users.add_member(ADMINISTRATORS, "alice").await.unwrap();
    let id = users.create_key("alice", None).await.unwrap().key.id;
    users.delete_user("alice").await.unwrap();
    let new = users.create_user("alice").await.unwrap();
    for users in [&users, &again(&pool)] {
        let user = users.user("alice").unwrap();
        assert!(user.keys.is_empty() && user.groups.is_empty() && user.id == new.id && user.id != before.id);
        assert_eq!(refusal(users, &id), Some(Refusal::UnknownKey));
    }
}

#[tokio::test]
async fn the_built_in_group_is_always_there_and_only_its_members_change() {
    let (pool, users) = users().await;
    assert!(matches!(users.delete_group(ADMINISTRATORS).await, Err(Error::BuiltInGroup(_))));
    assert!(matches!(
        users.put_group_policy(ADMINISTRATORS, "a", ALLOW_ALL).await,
        Err(Error::BuiltInGroup(_))
    ));
    assert!(matches!(users.delete_group_policy(ADMINISTRATORS, "all").await, Err(Error::BuiltInGroup(_))));
    assert!(matches!(users.create_group(ADMINISTRATORS).await, Err(Error::GroupExists(_))));
    assert_eq!(again(&pool).group(ADMINISTRATORS).unwrap().policies.len(), 1);
}

#[tokio::test]
async fn a_policy_that_is_malformed_is_not_stored() {
    let (pool, users) = users().await;
    users.create_group("staff").await.unwrap();
    assert!(matches!(users.put_group_policy("staff", "bad", "{}").await, Err(Error::MalformedPolicy(_))));
    users.put_group_policy("staff", "good", ALLOW_ALL).await.unwrap();
    assert!(matches!(users.delete_group_policy("staff", "bad").await, Err(Error::PolicyNotFound { .. })));
    assert_eq!(again(&pool).group("staff").unwrap().policies.len(), 1);
    users.delete_group_policy("staff", "good").await.unwrap();
    assert!(again(&pool).group("staff").unwrap().policies.is_empty());
}

#[tokio::test]
async fn the_time_of_last_use_is_stored_once_a_minute_at_most() {
    let (pool, users) = users().await;
    users.create_user("alice").await.unwrap();
    let id = users.create_key("alice", None).await.unwrap().key.id;
    users.used(&id);
    assert!(
        users.key(&id).unwrap().last_used.is_some() && again(&pool).key(&id).unwrap().last_used.is_none()
    );
    assert_eq!(users.flush_last_used(false).await.unwrap(), 1);
    assert!(again(&pool).key(&id).unwrap().last_used.is_some());
    users.0.read().keys[&id].last_used.store(5, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(users.flush_last_used(false).await.unwrap(), 0);
    assert_eq!(users.flush_last_used(true).await.unwrap(), 1);
    assert_eq!(users.flush_last_used(true).await.unwrap(), 0);
}

#[tokio::test]
async fn a_key_that_another_master_key_sealed_is_refused_and_can_be_replaced() {
    let (pool, users) = users().await;
    users.create_user("alice").await.unwrap();
    let id = users.create_key("alice", None).await.unwrap().key.id;
    let other = Users::load(pool, MasterKey::from([8; 32])).unwrap();
    assert_eq!(refusal(&other, &id), Some(Refusal::SecretUnreadable));
    assert!(!other.key(&id).unwrap().is_readable);
    let new = other.create_key("alice", None).await.unwrap();
    assert_eq!(refusal(&other, &new.key.id), None);
}

#[tokio::test]
async fn without_the_file_of_the_master_key_sealed_secrets_are_not_given_up() {
    let (pool, users) = users().await;
    let folder = tempfile::tempdir().unwrap();
    Users::open(pool.clone(), &folder.path().join("one")).unwrap();
    users.create_user("alice").await.unwrap();
    users.create_key("alice", None).await.unwrap();
    let error = Users::open(pool, &folder.path().join("other")).err().unwrap();
    assert!(matches!(error, Error::MasterKeyMissing(_)), "{error}");
}

#[tokio::test]
async fn a_record_with_an_unknown_field_is_refused() {
    let (pool, _) = users().await;
    let record = br#"{"id": "AIDA1", "created": 1, "disabled": false, "only_from": "10.0.0.0/8"}"#;
    pool.record_put(record::USERS, b"alice", record).await.unwrap();
    let error = Users::load(pool, MasterKey::from([7; 32])).err().unwrap();
    assert!(matches!(error, Error::Unreadable { what: "user", .. }), "{error}");
}

#[tokio::test]
async fn a_change_whose_caller_goes_away_is_carried_out_in_memory_and_pool() {
    let (pool, users) = users().await;
    tokio::select! {
        biased;
        _ = users.create_user("alice") => panic!("answered at once"),
        () = std::future::ready(()) => {}
    }
    let deadline = Instant::now() + Duration::from_secs(10);
    while users.user("alice").is_err() {
        assert!(Instant::now() < deadline);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(again(&pool).user("alice").is_ok());
}
