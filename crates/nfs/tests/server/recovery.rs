//! What clients keep through a restart of the server, of themselves, and through silence.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use forebay_net::Answers;
use forebay_nfs_client::{Client, ClientOptions};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::*;

use crate::harness::*;
use crate::state::*;

/// Client records in the pool.
fn records(server: &Daemon) -> usize {
    server.pool().records("nfs-client").unwrap().len()
}

/// How an OPEN that is no reclaim fares.
async fn open_new(client: &Client) -> Result<(), Status> {
    let root = client.files().resolve("/kafka").await.unwrap();
    match client.files().create(&root, "new").await {
        Ok(file) => {
            client.files().close(&file).await.unwrap();
            Ok(())
        }
        Err(error) => Err(error.status().unwrap()),
    }
}

#[tokio::test]
async fn opens_and_locks_are_reclaimed_and_then_the_grace_period_is_over() {
    let mut server = Daemon::start().await;
    let (broker, root) = server.mount_root("broker").await;
    let file = broker.files().create(&root, ".lock").await.unwrap();
    lock(&broker, &file).await.unwrap();

    server.restart().await;
    let broker = server.connect("broker").await;
    let file = reclaim(&broker, &file.handle).await.unwrap();
    reclaim_lock(&broker, &file).await.unwrap();
    let (other, root) = server.mount_root("other").await;
    assert_eq!(open_new(&other).await, Err(Status::Grace));
    broker.reclaim_complete().await.unwrap();
    assert_eq!(open_new(&other).await, Ok(()));
    let theirs = other.files().open(&root, ".lock").await.unwrap();
    assert_eq!(lock(&other, &theirs).await, Err(Status::Denied), "the lock was reclaimed");
    assert_eq!(open_new(&broker).await, Ok(()));
}

#[tokio::test]
async fn a_session_from_before_the_restart_is_gone_and_so_is_its_client_id() {
    let mut server = Daemon::start().await;
    let (before, root) = server.mount_root("broker").await;
    let file = before.files().create(&root, "log").await.unwrap();
    server.restart().await;
    let options = ClientOptions::new("broker");
    let connection = options.connect(server.address()).await.unwrap();
    let slot = before.take_slot().unwrap();
    let reply = connection.compound(2, &[before.sequence(slot, false)]).await.unwrap();
    assert_eq!(reply.status, Status::BadSession);
    let create = Operation::CreateSession(options.create_session(before.id(), 2));
    assert_eq!(connection.compound(2, &[create]).await.unwrap().status, Status::StaleClientid);
    let after = server.connect("broker").await;
    assert_ne!(after.id(), before.id());
    assert_eq!(status(after.files().read(&file, 0, 1).await), Status::BadStateid);
}

#[tokio::test]
async fn without_clients_to_wait_for_there_is_no_grace_period() {
    let mut server = Daemon::start().await;
    let client = server.mount("client").await;
    assert_eq!(open_new(&client).await, Ok(()));
    let idle = server.mount("idle").await;
    assert_eq!(records(&server), 1, "who opened nothing has nothing to reclaim");
    client.unmount().await.unwrap();
    idle.unmount().await.unwrap();
    assert_eq!(records(&server), 0, "who left has nothing to reclaim");
    server.restart().await;
    let client = server.mount("client").await;
    assert_eq!(open_new(&client).await, Ok(()));
}

#[tokio::test]
async fn only_clients_that_had_state_may_reclaim_and_only_until_they_say_they_are_done() {
    let mut server = Daemon::start().await;
    let (broker, root) = server.mount_root("broker").await;
    let _idle = server.mount("idle").await;
    let file = broker.files().create(&root, "log").await.unwrap();

    server.restart().await;
    let idle = server.connect("idle").await;
    assert_eq!(status(reclaim(&idle, &file.handle).await), Status::ReclaimBad);
    let broker = server.connect("broker").await;
    reclaim(&broker, &file.handle).await.unwrap();
    broker.reclaim_complete().await.unwrap();
    assert_eq!(status(reclaim(&broker, &file.handle).await), Status::NoGrace);
    assert_eq!(status(broker.reclaim_complete().await), Status::CompleteAlready);
    assert_eq!(status(reclaim(&idle, &file.handle).await), Status::NoGrace);
    assert_eq!(open_new(&idle).await, Err(Status::Grace), "it has not said RECLAIM_COMPLETE");
    idle.reclaim_complete().await.unwrap();
    assert_eq!(open_new(&idle).await, Ok(()));
}

#[tokio::test]
async fn a_client_that_comes_back_too_late_gets_nothing_back_now_or_after_the_next_restart() {
    let mut server = Daemon::start().await;
    let (late, root) = server.mount_root("late").await;
    let file = late.files().create(&root, ".lock").await.unwrap();
    lock(&late, &file).await.unwrap();

    server.restart().await;
    let (other, root) = server.mount_root("other").await;
    assert_eq!(open_new(&other).await, Err(Status::Grace));
    server.expire_all_but(&[&other]).await;
    let theirs = other.files().open(&root, ".lock").await.unwrap();
    lock(&other, &theirs).await.unwrap();
    let late = server.connect("late").await;
    assert_eq!(status(reclaim(&late, &file.handle).await), Status::NoGrace);
    drop(late);

    server.restart().await;
    let late = server.connect("late").await;
    assert_eq!(status(reclaim(&late, &file.handle).await), Status::ReclaimBad);
    let other = server.connect("other").await;
    let theirs = reclaim(&other, &theirs.handle).await.unwrap();
    reclaim_lock(&other, &theirs).await.unwrap();
}

#[tokio::test]
async fn a_client_that_reclaimed_a_part_in_time_gets_nothing_back_after_the_next_restart_unless_it_is_done() {
    for done in [false, true] {
        let mut server = Daemon::start().await;
        let (late, root) = server.mount_root("late").await;
        let file = late.files().create(&root, ".lock").await.unwrap();
        lock(&late, &file).await.unwrap();

        server.restart().await;
        let (other, root) = server.mount_root("other").await;
        let late = server.connect("late").await;
        reclaim(&late, &file.handle).await.unwrap();
        server.expire_all_but(&[&other, &late]).await;
        let theirs = other.files().open(&root, ".lock").await.unwrap();
        lock(&other, &theirs).await.unwrap();
        if done {
            late.reclaim_complete().await.unwrap();
        }

        server.restart().await;
        let late = server.connect("late").await;
        let reclaimed = reclaim(&late, &file.handle).await;
        if done {
            reclaimed.unwrap();
        } else {
            assert_eq!(status(reclaimed), Status::ReclaimBad);
        }
        let other = server.connect("other").await;
        let theirs = reclaim(&other, &theirs.handle).await.unwrap();
        reclaim_lock(&other, &theirs).await.unwrap();
    }
}

#[tokio::test]
async fn who_does_not_know_yet_what_was_revoked_reclaims_nothing() {
    for knows in [false, true] {
        let mut server = Daemon::start().await;
        let (client, root) = server.mount_root("client").await;
        let kept = client.files().create(&root, "kept").await.unwrap();
        let revoked = client.files().create(&root, "revoked").await.unwrap();
        server.shared().state.revoke(&revoked.stateid).await.unwrap();
        if knows {
            let free = Operation::FreeStateid(FreeStateidArgs { stateid: revoked.stateid });
            client.compound([free]).await.unwrap();
        }

        server.restart().await;
        let client = server.connect("client").await;
        for file in [&revoked, &kept] {
            let reclaimed = reclaim(&client, &file.handle).await;
            assert_eq!(reclaimed.is_ok(), knows, "{reclaimed:?}");
        }
    }
}

#[tokio::test]
async fn a_client_that_was_evicted_before_the_restart_does_not_reclaim() {
    let mut server = Daemon::start().await;
    let (evicted, root) = server.mount_root("evicted").await;
    let other = server.mount("other").await;
    let file = evicted.files().create(&root, ".lock").await.unwrap();
    lock(&evicted, &file).await.unwrap();
    let theirs = other.files().open(&root, ".lock").await.unwrap();
    server.expire_all_but(&[&other]).await;
    lock(&other, &theirs).await.unwrap();

    server.restart().await;
    let evicted = server.connect("evicted").await;
    assert_eq!(status(reclaim(&evicted, &file.handle).await), Status::ReclaimBad);
}

#[tokio::test]
async fn a_client_that_restarted_meanwhile_is_not_waited_for_and_does_not_reclaim() {
    let mut server = Daemon::start().await;
    let (broker, root) = server.mount_root("broker").await;
    let file = broker.files().create(&root, "log").await.unwrap();
    server.restart().await;
    let options = ClientOptions::new("broker").rebooted();
    let broker = Client::connect(server.address(), options).await.unwrap();
    assert_eq!(status(reclaim(&broker, &file.handle).await), Status::NoGrace);
    broker.reclaim_complete().await.unwrap();
    assert_eq!(open_new(&broker).await, Ok(()));
}

#[tokio::test]
async fn a_client_that_reclaimed_may_do_so_after_the_next_restart_too() {
    let mut server = Daemon::start().await;
    let (broker, root) = server.mount_root("broker").await;
    let file = broker.files().create(&root, "log").await.unwrap();
    for _ in 0..3 {
        server.restart().await;
        let broker = server.connect("broker").await;
        reclaim(&broker, &file.handle).await.unwrap();
        broker.reclaim_complete().await.unwrap();
    }
}

#[tokio::test]
async fn what_is_gone_cannot_be_reclaimed() {
    let mut server = Daemon::start().await;
    let (broker, root) = server.mount_root("broker").await;
    let kept = broker.files().create(&root, "kept").await.unwrap();
    let removed = broker.files().create(&root, "removed").await.unwrap();
    broker.files().close(&removed).await.unwrap();
    broker.files().remove(&root, "removed").await.unwrap();
    server.wait_until_no_orphan().await;
    server.restart().await;
    let broker = server.connect("broker").await;
    assert_eq!(status(reclaim(&broker, &removed.handle).await), Status::Stale);
    reclaim(&broker, &kept.handle).await.unwrap();
}

#[tokio::test]
async fn the_owner_of_a_file_reclaims_it_whatever_its_mode_and_nobody_else() {
    let mut server = Daemon::start().await;
    let user = || ClientOptions::new("user").user(1000, 1000);
    let other = || ClientOptions::new("other").user(1001, 1001);
    let client = Client::mount(server.address(), user()).await.unwrap();
    let root = root(&client).await;
    let file = client.files().create(&root, "log").await.unwrap();
    let read_only = forebay_nfs_client::Attributes::mode(0o400);
    client.files().setattr(&file.handle, StateId::ANONYMOUS, &read_only).await.unwrap();
    let has_state = Client::mount(server.address(), other()).await.unwrap();
    has_state.files().create(&root, "other").await.unwrap();
    server.restart().await;
    let other = Client::connect(server.address(), other()).await.unwrap();
    assert_eq!(status(reclaim(&other, &file.handle).await), Status::Access);
    other.reclaim_complete().await.unwrap();
    let client = Client::connect(server.address(), user()).await.unwrap();
    let file = reclaim(&client, &file.handle).await.unwrap();
    client.reclaim_complete().await.unwrap();
    client.files().write(&file, 0, Bytes::from_static(b"x"), StableHow::FileSync).await.unwrap();
    assert_eq!(status(open_by_handle(&client, &file.handle).await), Status::Access);
}

#[tokio::test]
async fn during_the_grace_period_files_are_read_and_written_only_by_reclaimed_opens() {
    let mut server = Daemon::start().await;
    let (broker, root) = server.mount_root("broker").await;
    let file = broker.files().create(&root, "log").await.unwrap();
    server.restart().await;
    let broker = server.connect("broker").await;
    let anonymous = forebay_nfs_client::OpenFile { stateid: StateId::ANONYMOUS, ..file.clone() };
    assert_eq!(status(broker.files().read(&anonymous, 0, 1).await), Status::Grace);
    let file = reclaim(&broker, &file.handle).await.unwrap();
    broker.files().write(&file, 0, Bytes::from_static(b"x"), StableHow::Unstable).await.unwrap();
    broker.files().getattr(&file.handle).await.unwrap();
    broker.reclaim_complete().await.unwrap();
    broker.files().read(&anonymous, 0, 1).await.unwrap();
}

#[tokio::test]
async fn the_write_verifier_changes_with_every_start() {
    let mut server = Daemon::start().await;
    let (broker, root) = server.mount_root("broker").await;
    let file = broker.files().create(&root, "log").await.unwrap();
    let data = Bytes::from_static(b"x");
    let before = broker.files().write(&file, 0, data.clone(), StableHow::Unstable).await.unwrap().writeverf;
    assert_eq!(broker.files().commit(&file.handle).await.unwrap(), before);
    server.restart().await;
    let broker = server.connect("broker").await;
    let file = reclaim(&broker, &file.handle).await.unwrap();
    let after = broker.files().write(&file, 0, data, StableHow::Unstable).await.unwrap().writeverf;
    assert_ne!(before, after);
    assert_eq!(broker.files().commit(&file.handle).await.unwrap(), after);
}

#[tokio::test]
async fn a_rebooted_client_gets_its_lock_back_at_once() {
    let server = Daemon::start().await;
    let (broker, root) = server.mount_root("broker").await;
    let file = broker.files().create(&root, ".lock").await.unwrap();
    lock(&broker, &file).await.unwrap();

    let rebooted = Client::mount(server.address(), ClientOptions::new("broker").rebooted()).await.unwrap();
    let file = rebooted.files().open(&root, ".lock").await.unwrap();
    lock(&rebooted, &file).await.expect("what the earlier incarnation had is free");
    assert_eq!(status(broker.renew().await), Status::BadSession);
}

#[tokio::test]
async fn a_silent_client_loses_its_lock_to_the_first_who_wants_it() {
    let server = Daemon::start().await;
    let (silent, root) = server.mount_root("silent").await;
    let other = server.mount("other").await;
    let file = silent.files().create(&root, ".lock").await.unwrap();
    lock(&silent, &file).await.unwrap();
    let theirs = other.files().open(&root, ".lock").await.unwrap();
    assert_eq!(lock(&other, &theirs).await, Err(Status::Denied));
    server.expire_all_but(&[&other]).await;
    lock(&other, &theirs).await.unwrap();
    assert_eq!(status(silent.renew().await), Status::BadSession);
}

#[tokio::test]
async fn a_silent_client_keeps_what_nobody_wants_for_a_while() {
    let server = Daemon::start().await;
    let (silent, root) = server.mount_root("silent").await;
    let file = silent.files().create(&root, ".lock").await.unwrap();
    lock(&silent, &file).await.unwrap();
    server.pass(LEASE + COURTESY / 2).await;
    contents(&silent, &file).await;
    assert_eq!(records(&server), 1);
    server.pass(LEASE + COURTESY).await;
    assert_eq!(status(silent.renew().await), Status::BadSession);
    assert_eq!(records(&server), 0);
}

#[tokio::test]
async fn silent_clients_keep_no_more_than_the_server_wants_to_remember() {
    let config = forebay_nfs::Config { courtesy_states_max: 3, ..Default::default() };
    let server = Daemon::start_with(config).await;
    let alive = server.mount("alive").await;
    let mut silent = Vec::new();
    for name in ["first", "second", "third"] {
        let (client, root) = server.mount_root(name).await;
        let file = client.files().create(&root, name).await.unwrap();
        lock(&client, &file).await.unwrap();
        silent.push(client);
        server.pass(LEASE / 10).await;
        alive.renew().await.unwrap();
    }
    server.expire_all_but(&[&alive]).await;
    let mut gone = Vec::new();
    for client in &silent {
        gone.push(client.renew().await.is_err());
    }
    assert_eq!(
        gone,
        [true, true, false],
        "an open, a lock owner and a range each; the one silent for the shortest stays"
    );
}

#[tokio::test]
async fn a_restart_does_not_wait_for_a_client_that_was_absent_for_long() {
    let mut server = Daemon::start().await;
    let (absent, root) = server.mount_root("absent").await;
    let file = absent.files().create(&root, "log").await.unwrap();
    let alive = server.mount("alive").await;
    server.pass(LEASE * 12).await;
    server.restart().await;
    let alive_again = server.mount("alive").await;
    assert_eq!(open_new(&alive_again).await, Ok(()), "there is no grace period");
    drop(alive);
    let back = server.connect("absent").await;
    assert_eq!(status(reclaim(&back, &file.handle).await), Status::NoGrace);
    drop(back);
    // Others may have got what it had, so it must not reclaim after the next restart either.
    server.restart().await;
    let back = server.connect("absent").await;
    assert_ne!(reclaim(&back, &file.handle).await.unwrap_err().status(), None);
}

#[tokio::test]
async fn an_absent_client_may_reclaim_as_long_as_others_are_waited_for() {
    let mut server = Daemon::start().await;
    let (absent, root) = server.mount_root("absent").await;
    let file = absent.files().create(&root, ".lock").await.unwrap();
    lock(&absent, &file).await.unwrap();
    server.pass(LEASE * 12).await;
    let (late, root) = server.mount_root("late").await;
    late.files().create(&root, "log").await.unwrap();
    server.restart().await;
    let back = server.connect("absent").await;
    let file = reclaim(&back, &file.handle).await.unwrap();
    reclaim_lock(&back, &file).await.unwrap();
    let late = server.connect("late").await;
    late.reclaim_complete().await.unwrap();
    assert_eq!(open_new(&late).await, Err(Status::Grace), "now it is waited for");
    back.reclaim_complete().await.unwrap();
    assert_eq!(open_new(&late).await, Ok(()));
}

#[tokio::test]
async fn a_client_that_was_absent_and_is_back_is_waited_for_from_its_first_request_on() {
    let mut server = Daemon::start().await;
    let (broker, root) = server.mount_root("broker").await;
    let file = broker.files().create(&root, "log").await.unwrap();
    server.pass(LEASE * 12).await;
    broker.renew().await.unwrap();
    server.restart().await;
    let other = server.mount("other").await;
    assert_eq!(open_new(&other).await, Err(Status::Grace));
    let broker = server.connect("broker").await;
    reclaim(&broker, &file.handle).await.unwrap();
}

#[tokio::test]
async fn the_grace_period_goes_on_while_clients_reclaim() {
    let mut server = Daemon::start().await;
    let (slow, root) = server.mount_root("slow").await;
    let mut files = Vec::new();
    for number in 0..4 {
        files.push(slow.files().create(&root, &format!("log-{number}")).await.unwrap());
    }
    server.restart().await;
    let slow = server.connect("slow").await;
    server.pass(GRACE - Duration::from_secs(1)).await;
    for file in &files {
        reclaim(&slow, &file.handle).await.expect("somebody is at it");
        server.pass(Duration::from_secs(1)).await;
    }
    let other = server.mount("other").await;
    assert_eq!(open_new(&other).await, Err(Status::Grace));
    for _ in 0..LEASE.as_secs() {
        let _ = reclaim(&slow, &files[0].handle).await;
        server.pass(Duration::from_secs(1)).await;
    }
    assert_eq!(status(reclaim(&slow, &files[0].handle).await), Status::NoGrace, "but not for ever");
}

#[tokio::test]
async fn a_server_that_did_not_run_does_not_hold_it_against_its_clients() {
    let server = Daemon::start().await;
    let (holder, root) = server.mount_root("holder").await;
    let other = server.mount("other").await;
    let file = holder.files().create(&root, ".lock").await.unwrap();
    lock(&holder, &file).await.unwrap();
    let theirs = other.files().open(&root, ".lock").await.unwrap();
    server.halt(LEASE * 10);
    assert_eq!(lock(&other, &theirs).await, Err(Status::Denied));
    server.pass(LEASE / 2).await;
    holder.renew().await.expect("its lease began anew");
    server.expire_all_but(&[&other]).await;
    lock(&other, &theirs).await.expect("and ended as every lease does");
}

/// A server whose answers are held while the flag is set.
async fn holding() -> (Daemon, Arc<AtomicBool>) {
    let held = Arc::<AtomicBool>::default();
    let flag = held.clone();
    let answers = Answers::while_true(move || !flag.load(Ordering::SeqCst));
    (Daemon::start_with(forebay_nfs::Config { answers, ..config() }).await, held)
}

#[tokio::test]
async fn a_server_that_held_its_answers_does_not_hold_it_against_its_clients() {
    let (server, held) = holding().await;
    let (holder, root) = server.mount_root("holder").await;
    let other = server.mount("other").await;
    let file = holder.files().create(&root, ".lock").await.unwrap();
    lock(&holder, &file).await.unwrap();
    let theirs = other.files().open(&root, ".lock").await.unwrap();
    held.store(true, Ordering::SeqCst);
    server.pass(LEASE * 10 + COURTESY).await;
    held.store(false, Ordering::SeqCst);
    assert_eq!(lock(&other, &theirs).await, Err(Status::Denied), "before the leases are looked at");
    server.pass(LEASE / 2).await;
    holder.renew().await.expect("its lease began anew");
    assert_eq!(lock(&other, &theirs).await, Err(Status::Denied));
}

#[tokio::test]
async fn a_grace_period_lasts_longer_by_the_time_in_which_answers_were_held() {
    let (mut server, held) = holding().await;
    let (broker, root) = server.mount_root("broker").await;
    let file = broker.files().create(&root, "log").await.unwrap();
    server.restart().await;
    server.pass(GRACE / 2).await;
    held.store(true, Ordering::SeqCst);
    server.pass(GRACE * 2).await;
    held.store(false, Ordering::SeqCst);
    server.pass(GRACE / 3).await;
    let broker = server.connect("broker").await;
    reclaim(&broker, &file.handle).await.expect("a half and a third of its time are over");
    let late = server.mount("late").await;
    assert_eq!(open_new(&late).await, Err(Status::Grace));
    server.pass(GRACE).await;
    let last = server.mount("last").await;
    assert_eq!(open_new(&last).await, Ok(()), "it ends all the same");
}

#[tokio::test]
async fn a_pool_that_has_stopped_answers_nothing_if_another_server_can_take_it() {
    for gives_way in [true, false] {
        let server = Daemon::start_with(forebay_nfs::Config { gives_way, ..config() }).await;
        let (client, root) = server.mount_root("client").await;
        client.files().create(&root, "before").await.unwrap();
        server.pool().close().await.unwrap();
        let error = client.files().create(&root, "after").await.unwrap_err();
        assert_eq!(error.status().is_none(), gives_way, "{error}");
    }
}

#[tokio::test]
async fn a_client_with_files_open_cannot_leave() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let file = client.files().create(&root, "log").await.unwrap();
    let destroy =
        |client: &Client| [Operation::DestroyClientid(DestroyClientidArgs { clientid: client.id() })];
    assert_eq!(status(client.compound(destroy(&client)).await), Status::ClientidBusy);
    client.files().close(&file).await.unwrap();
    assert_eq!(status(client.compound(destroy(&client)).await), Status::ClientidBusy, "it has a session");
    client.unmount().await.unwrap();
}
