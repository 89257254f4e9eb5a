//! EXCHANGE_ID and CREATE_SESSION: who a client is, and that asking twice does not count twice.

use forebay_nfs_client::{Client, ClientOptions, Connection};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::*;

use crate::harness::*;

async fn exchange(connection: &Connection, args: ExchangeIdArgs) -> Result<ExchangeIdResult, Status> {
    let reply = connection.compound(2, &[Operation::ExchangeId(args)]).await.unwrap();
    match reply.results.into_iter().next() {
        Some(OperationResult::ExchangeId(result)) => result,
        other => panic!("{other:?}"),
    }
}

async fn create(connection: &Connection, args: CreateSessionArgs) -> Result<CreateSessionResult, Status> {
    let reply = connection.compound(2, &[Operation::CreateSession(args)]).await.unwrap();
    match reply.results.into_iter().next() {
        Some(OperationResult::CreateSession(result)) => result,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_create_session_sent_again_is_answered_again() {
    let server = Daemon::start().await;
    let options = ClientOptions::new("client");
    let connection = options.connect(server.address()).await.unwrap();
    let registration = exchange(&connection, options.exchange_id()).await.unwrap();
    let ask = |sequence| options.create_session(registration.clientid, sequence);
    let first = registration.sequenceid;
    assert_eq!(create(&connection, ask(first + 1)).await, Err(Status::SeqMisordered));
    assert_eq!(create(&connection, ask(first.wrapping_sub(1))).await, Err(Status::SeqMisordered));
    let session = create(&connection, ask(first)).await.unwrap();
    assert_eq!(create(&connection, ask(first)).await, Ok(session.clone()));
    let second = create(&connection, ask(first + 1)).await.unwrap();
    assert_ne!(second.sessionid, session.sessionid);
    assert_eq!(create(&connection, ask(first)).await, Err(Status::SeqMisordered));
}

#[tokio::test]
async fn what_no_session_can_be_is_refused_without_using_up_the_sequence() {
    let server = Daemon::start().await;
    let options = ClientOptions::new("client");
    let connection = options.connect(server.address()).await.unwrap();
    let registration = exchange(&connection, options.exchange_id()).await.unwrap();
    let good = options.create_session(registration.clientid, registration.sequenceid);
    for _ in 0..2 {
        let tiny = ChannelAttributes { maxrequestsize: 10, ..good.fore_chan_attrs.clone() };
        let args = CreateSessionArgs { fore_chan_attrs: tiny, ..good.clone() };
        assert_eq!(create(&connection, args).await, Err(Status::TooSmall));
        assert_eq!(
            create(&connection, CreateSessionArgs { flags: 8, ..good.clone() }).await,
            Err(Status::Inval)
        );
    }
    create(&connection, good).await.unwrap();
}

#[tokio::test]
async fn flags_that_clients_cannot_set_are_invalid() {
    let server = Daemon::start().await;
    let options = ClientOptions::new("client");
    let connection = options.connect(server.address()).await.unwrap();
    for flags in [exchange_flags::CONFIRMED_R, 0x8, 0x10_0000] {
        let args = ExchangeIdArgs { flags, ..options.exchange_id() };
        assert_eq!(exchange(&connection, args).await, Err(Status::Inval));
    }
    let update = exchange_flags::UPD_CONFIRMED_REC_A;
    let args = ExchangeIdArgs { flags: update, ..options.exchange_id() };
    assert_eq!(exchange(&connection, args.clone()).await, Err(Status::NoEnt));
    Client::connect(server.address(), options.clone()).await.unwrap();
    let updated = exchange(&connection, args).await.unwrap();
    assert_eq!(updated.flags & exchange_flags::CONFIRMED_R, exchange_flags::CONFIRMED_R);
    let machine = StateProtectArgs::MachineCredential(StateProtectOps::default());
    let args = ExchangeIdArgs { state_protect: machine, ..options.exchange_id() };
    assert_eq!(exchange(&connection, args).await, Err(Status::Inval), "there is no machine credential");
}

#[tokio::test]
async fn a_name_with_state_is_not_given_to_another_user() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let file = client.files().create(&root, "f").await.unwrap();
    let thief = ClientOptions::new("client").user(1000, 1000);
    let connection = thief.connect(server.address()).await.unwrap();
    assert_eq!(exchange(&connection, thief.exchange_id()).await, Err(Status::ClidInUse));
    client.files().close(&file).await.unwrap();
    exchange(&connection, thief.exchange_id()).await.unwrap();
    assert_eq!(status(client.renew().await), Status::BadSession);
}

#[tokio::test]
async fn registrations_that_are_not_confirmed_do_not_stay() {
    let server = Daemon::start().await;
    let options = ClientOptions::new("client");
    let connection = options.connect(server.address()).await.unwrap();
    let registration = exchange(&connection, options.exchange_id()).await.unwrap();
    server.pass(LEASE * 2).await;
    let args = options.create_session(registration.clientid, registration.sequenceid);
    assert_eq!(create(&connection, args).await, Err(Status::StaleClientid));
}

#[tokio::test]
async fn a_client_has_a_bounded_number_of_sessions() {
    let config = forebay_nfs::Config { sessions_per_client_max: 2, ..forebay_nfs::Config::default() };
    let server = Daemon::start_with(config).await;
    for _ in 0..2 {
        server.mount("other").await.unmount().await.unwrap();
    }
    let _one = server.connect("client").await;
    let _two = server.connect("client").await;
    let third = Client::connect(server.address(), ClientOptions::new("client")).await;
    assert_eq!(third.err().and_then(|error| error.status()), Some(Status::NoSpc));
}
