//! One client: a kernel with a mount, in one of its incarnations (RFC 8881 §2.4).

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Mutex;

use super::activity::{Activity, ActivityView};
use super::records::Mark;
use crate::memory::audit::CLIENT_OBJECT_BYTES;
use crate::memory::{Account, Charge};
use crate::statistics::Direction;
use forebay_nfs_proto::rpc::Principal;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{ClientId, ClientOwner, CreateSessionResult};
use forebay_service::Clock;

// The charge for a registration covers it.
const _: () = assert!(size_of::<Client>() <= CLIENT_OBJECT_BYTES);

/// A client, from EXCHANGE_ID until it leaves, restarts or loses its lease.
pub struct Client {
    id: ClientId,
    owner: ClientOwner,
    principal: Principal,
    lease: Lease,
    confirmed: AtomicBool,
    gone: AtomicBool,
    recorded: AtomicBool,
    noted_absent: AtomicBool,
    may_reclaim: AtomicBool,
    has_revoked: AtomicBool,
    address: SocketAddr,
    charge: Charge,
    has_first_session: AtomicBool,
    reclaim_complete: AtomicBool,
    create_session: Mutex<CreateSessionSlot>,
    activity: Activity,
}

/// The single-slot reply cache of CREATE_SESSION (RFC 8881 §18.36.4).
pub struct CreateSessionSlot {
    /// The sequence id of the request that `reply` belongs to.
    sequence: u32,
    reply: Result<CreateSessionResult, Status>,
}

impl CreateSessionSlot {
    /// Returns the stored reply if the request is a retry, and [`Status::SeqMisordered`] if it is not the
    /// next one.
    pub fn replay(&self, sequence: u32) -> Result<Option<Result<CreateSessionResult, Status>>, Status> {
        if sequence == self.sequence {
            Ok(Some(self.reply.clone()))
        } else if sequence == self.sequence.wrapping_add(1) {
            Ok(None)
        } else {
            Err(Status::SeqMisordered)
        }
    }

    /// Stores the reply to the request with this sequence id.
    pub fn answer(&mut self, sequence: u32, reply: Result<CreateSessionResult, Status>) {
        *self = CreateSessionSlot { sequence, reply };
    }
}

impl Client {
    /// A client that registers from this address; `charge` is for the registration.
    pub(super) fn new(
        id: ClientId,
        owner: &ClientOwner,
        principal: Principal,
        address: SocketAddr,
        charge: Charge,
        clock: Clock,
    ) -> Client {
        // Copied, because a slice would keep the whole request in memory.
        let ownerid = Bytes::copy_from_slice(&owner.ownerid);
        Client {
            id,
            owner: ClientOwner { verifier: owner.verifier, ownerid },
            principal,
            lease: Lease::new(clock),
            confirmed: AtomicBool::new(false),
            gone: AtomicBool::new(false),
            recorded: AtomicBool::new(false),
            noted_absent: AtomicBool::new(false),
            may_reclaim: AtomicBool::new(false),
            has_revoked: AtomicBool::new(false),
            address,
            charge,
            has_first_session: AtomicBool::new(false),
            reclaim_complete: AtomicBool::new(false),
            create_session: Mutex::new(CreateSessionSlot { sequence: 0, reply: Err(Status::SeqMisordered) }),
            activity: Activity::default(),
        }
    }

    /// The client's id.
    pub fn id(&self) -> ClientId {
        self.id
    }

    /// The owner string that the client sends.
    pub fn owner(&self) -> &ClientOwner {
        &self.owner
    }

    /// The principal that registered it.
    pub fn principal(&self) -> Principal {
        self.principal
    }

    /// Returns true once a session has been created; before that, the client has no state and no lease.
    pub fn is_confirmed(&self) -> bool {
        self.confirmed.load(Ordering::Acquire)
    }

    pub(super) fn set_confirmed(&self) {
        self.confirmed.store(true, Ordering::Release);
    }

    /// Returns true once the client has left, restarted, or lost its lease: its sessions are void.
    pub fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Acquire)
    }

    pub(super) fn set_gone(&self) {
        self.gone.store(true, Ordering::Release);
    }

    /// The address that the client registered from.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Counts an operation.
    pub(crate) fn note_operation(&self) {
        self.activity.note_operation();
    }

    /// Counts bytes that the client has read or written, and the time that it took.
    pub(crate) fn note_moved(&self, direction: Direction, bytes: u64, took: Duration) {
        self.activity.note_moved(direction, bytes, took);
    }

    /// Counts a COMMIT.
    pub(crate) fn note_commit(&self, took: Duration) {
        self.activity.note_commit(took);
    }

    /// What the client has done.
    pub(super) fn activity(&self) -> ActivityView {
        self.activity.view()
    }

    /// The client's memory account.
    pub fn account(&self) -> &Arc<Account> {
        self.charge.account()
    }

    /// The memory of the client's first session, which is charged with the client; `None` if a session
    /// already uses it.
    pub(crate) fn take_first_session(self: &Arc<Self>) -> Option<FirstSession> {
        let taken = self.has_first_session.swap(true, Ordering::AcqRel);
        (!taken).then(|| FirstSession(self.clone()))
    }

    /// Returns true if an operator revoked state that the client has not freed.
    pub fn has_revoked(&self) -> bool {
        self.has_revoked.load(Ordering::Acquire)
    }

    pub(super) fn set_has_revoked(&self, revoked: bool) {
        self.has_revoked.store(revoked, Ordering::Release);
    }

    /// Time since the client's last request; `None` while a request is in progress.
    pub(super) fn silence(&self) -> Option<Duration> {
        self.lease.silence()
    }

    /// Returns true if a durable record says that the client has state.
    pub(super) fn is_recorded(&self) -> bool {
        self.recorded.load(Ordering::Acquire)
    }

    pub(super) fn set_recorded(&self) {
        self.recorded.store(true, Ordering::Release);
    }

    /// Returns true if its durable record marks it as absent.
    pub(super) fn is_noted_absent(&self) -> bool {
        self.noted_absent.load(Ordering::Acquire)
    }

    /// The mark of its durable record, unless that is barred.
    pub(super) fn mark(&self) -> Mark {
        if self.is_noted_absent() { Mark::Absent } else { Mark::Present }
    }

    pub(super) fn set_noted_absent(&self, absent: bool) {
        self.noted_absent.store(absent, Ordering::Release);
    }

    /// Returns true if the client had state when the server stopped.
    pub(super) fn may_reclaim(&self) -> bool {
        self.may_reclaim.load(Ordering::Acquire)
    }

    pub(super) fn set_may_reclaim(&self) {
        self.may_reclaim.store(true, Ordering::Release);
    }

    /// Returns true once the client has declared that it has nothing more to reclaim.
    pub(super) fn reclaim_is_complete(&self) -> bool {
        self.reclaim_complete.load(Ordering::Acquire)
    }

    /// Ends the client's reclaiming. Returns [`Status::CompleteAlready`] if it had already ended.
    pub(super) fn set_reclaim_complete(&self) -> Result<(), Status> {
        let complete = self.reclaim_complete.swap(true, Ordering::AcqRel);
        if complete { Err(Status::CompleteAlready) } else { Ok(()) }
    }

    /// The reply cache of CREATE_SESSION. Only the holder of the lock may create a session for the client.
    pub fn create_session(&self) -> &Mutex<CreateSessionSlot> {
        &self.create_session
    }

    /// The expected sequence id of the client's next CREATE_SESSION.
    pub async fn next_create_session(&self) -> u32 {
        self.create_session.lock().await.sequence.wrapping_add(1)
    }

    /// Renews the lease. The lease does not expire while the returned guard exists, so a long request, such
    /// as a WRITE that waits for the disk, does not cost the client its lease.
    pub fn renew(self: &Arc<Self>) -> Renewal {
        self.lease.in_work.fetch_add(1, Ordering::AcqRel);
        Renewal { client: Arc::clone(self) }
    }

    /// Time since the client's lease expired; `None` if the lease is valid.
    pub(super) fn overdue(&self, lease: Duration) -> Option<Duration> {
        self.lease.silence()?.checked_sub(lease).filter(|overdue| !overdue.is_zero())
    }
}

/// The memory of a client's first session, until this value is dropped.
pub(crate) struct FirstSession(Arc<Client>);

impl Drop for FirstSession {
    fn drop(&mut self) {
        self.0.has_first_session.store(false, Ordering::Release);
    }
}

/// A client's request in progress.
pub struct Renewal {
    client: Arc<Client>,
}

impl Drop for Renewal {
    fn drop(&mut self) {
        self.client.lease.touch();
        self.client.lease.in_work.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The client's lease.
struct Lease {
    clock: Clock,
    /// When the client was last heard of, in milliseconds on the clock.
    heard_ms: AtomicU64,
    /// Number of requests in progress.
    in_work: AtomicUsize,
}

impl Lease {
    fn new(clock: Clock) -> Lease {
        let lease = Lease { clock, heard_ms: AtomicU64::new(0), in_work: AtomicUsize::new(0) };
        lease.touch();
        lease
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.clock.now().as_millis()).unwrap_or(u64::MAX)
    }

    fn touch(&self) {
        self.heard_ms.fetch_max(self.now_ms(), Ordering::AcqRel);
    }

    fn silence(&self) -> Option<Duration> {
        if self.in_work.load(Ordering::Acquire) > 0 {
            return None;
        }
        let heard_ms = self.heard_ms.load(Ordering::Acquire);
        Some(Duration::from_millis(self.now_ms().saturating_sub(heard_ms)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Kind, StateMemory};
    use forebay_nfs_proto::xdr::nfs4::Verifier;

    const LEASE: Duration = Duration::from_secs(30);

    fn client(clock: &Clock) -> Arc<Client> {
        let owner = ClientOwner { verifier: Verifier([1; 8]), ownerid: Bytes::from_static(b"broker") };
        let address = SocketAddr::from(([192, 0, 2, 1], 1000));
        let account = StateMemory::new(1 << 20, 1).open_account(address.ip());
        let charge = account.charge(Kind::Client, 1000).expect("room");
        let principal = Principal { flavor: 1, uid: 0 };
        Arc::new(Client::new(ClientId(1), &owner, principal, address, charge, clock.clone()))
    }

    #[test]
    fn a_lease_runs_from_the_end_of_the_last_request() {
        let clock = Clock::manual();
        let client = client(&clock);
        clock.advance(LEASE);
        assert_eq!(client.overdue(LEASE), None);
        let request = client.renew();
        clock.advance(LEASE * 5);
        assert_eq!(client.overdue(LEASE), None, "a request is in work");
        drop(request);
        clock.advance(LEASE);
        assert_eq!(client.overdue(LEASE), None);
        clock.advance(Duration::from_secs(2));
        assert_eq!(client.overdue(LEASE), Some(Duration::from_secs(2)));
    }

    #[test]
    fn a_resent_create_session_is_recognised() {
        let clock = Clock::manual();
        let client = client(&clock);
        let mut slot = client.create_session().try_lock().expect("free");
        assert_eq!(slot.replay(0), Ok(Some(Err(Status::SeqMisordered))));
        assert_eq!(slot.replay(1), Ok(None));
        assert_eq!(slot.replay(2), Err(Status::SeqMisordered));
        slot.answer(1, Err(Status::TooSmall));
        assert_eq!(slot.replay(1), Ok(Some(Err(Status::TooSmall))));
        assert_eq!(slot.replay(2), Ok(None));
    }
}
