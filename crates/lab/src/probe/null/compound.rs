//! Executes the operations of a COMPOUND.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use forebay_nfs_proto::rpc::message::{self, Call, PROCEDURE_COMPOUND};
use forebay_nfs_proto::xdr::nfs4::{
    AccessResult, BindConnToSessionResult, ChangeInfo, ChannelDirectionFromServer, ClientId, CloseResult,
    CommitResult, CreateHow, CreateResult, CreateSessionArgs, CreateSessionResult, ExchangeIdResult,
    FileType, GetattrResult, GetfhResult, OpenArgs, OpenClaim, OpenDelegation, OpenHow, OpenResult,
    Operation, OperationResult, Payload, ReadArgs, ReadResult, ReaddirResult, RemoveResult, SecinfoResult,
    SecurityFlavor, SequenceResult, ServerOwner, SessionId, SetattrResult, StateId, StateProtectResult,
    Verifier, WriteArgs, WriteResult, exchange_flags, open_result_flags,
};
use forebay_nfs_proto::xdr::{Decode, Decoder, Encode, Encoder, Status, XdrError};

use super::files::{Files, ROOT, handle};

/// The most bytes of one READ.
const READ_BYTES_MAX: usize = 1 << 20;
/// The most requests in flight of a session, like other servers'.
const SLOTS_MAX: u32 = 64;
const NAME: &[u8] = b"forebay-lab-null";
const VERIFIER: Verifier = Verifier([1; 8]);

static ZEROS: [u8; READ_BYTES_MAX] = [0; READ_BYTES_MAX];

/// The state of all clients.
pub struct NullServer {
    files: Mutex<Files>,
    /// Clients, sessions and opens are numbered with one counter.
    numbers: AtomicU64,
}

/// The filehandles of a COMPOUND.
struct Current {
    id: u64,
    saved: u64,
}

impl NullServer {
    /// A server without files.
    pub fn new() -> Self {
        Self { files: Mutex::new(Files::new()), numbers: AtomicU64::new(1) }
    }

    /// The reply to a call. Anything that is no call is an error.
    pub fn answer(&self, record: Bytes) -> Result<Vec<Bytes>, XdrError> {
        let mut input = Decoder::new(record);
        let call = Call::decode(&mut input)?;
        let mut out = Encoder::new();
        match call.check() {
            Ok(_) => {
                message::encode_success(call.xid, &mut out);
                if call.procedure == PROCEDURE_COMPOUND {
                    self.compound(&mut input, &mut out)?;
                }
            }
            Err(refusal) => refusal.encode_reply(call.xid, &mut out),
        }
        Ok(out.into_pieces())
    }

    fn compound(&self, input: &mut Decoder, out: &mut Encoder) -> Result<(), XdrError> {
        let tag = Bytes::decode(input)?;
        let _minor_version = u32::decode(input)?;
        let count = u32::decode(input)?;
        let mut current = Current { id: ROOT, saved: ROOT };
        let mut results = Encoder::new();
        let (mut done, mut status) = (0u32, Status::Ok);
        while done < count && status == Status::Ok {
            let code = u32::decode(input)?;
            let operation = Operation::decode_args(code, input)?;
            let result = self.execute(&mut current, operation);
            status = result.status();
            result.encode(&mut results);
            done += 1;
        }
        status.encode(out);
        tag.encode(out);
        done.encode(out);
        out.append(results);
        Ok(())
    }

    fn execute(&self, current: &mut Current, operation: Operation) -> OperationResult {
        let code = operation.code();
        match operation {
            Operation::Write(args) => OperationResult::Write(self.write(current.id, &args)),
            Operation::Read(args) => OperationResult::Read(self.read(current.id, &args)),
            Operation::Commit(_) => OperationResult::Commit(Ok(CommitResult { writeverf: VERIFIER })),
            Operation::Putrootfh(()) => OperationResult::Putrootfh(current.set(Ok(ROOT))),
            Operation::Putfh(args) => OperationResult::Putfh(current.set(self.id(&args.object))),
            Operation::Getfh(()) => OperationResult::Getfh(Ok(GetfhResult { object: handle(current.id) })),
            Operation::Savefh(()) => {
                current.saved = current.id;
                OperationResult::Savefh(Ok(()))
            }
            Operation::Restorefh(()) => OperationResult::Restorefh(current.set(Ok(current.saved))),
            Operation::Lookup(args) => {
                let found = self.with(|files| files.lookup(current.id, &args.name));
                OperationResult::Lookup(current.set(found))
            }
            Operation::Access(args) => {
                OperationResult::Access(Ok(AccessResult { supported: args.access, access: args.access }))
            }
            Operation::Getattr(args) => {
                let found = self.with(|files| files.attributes(current.id, &args.attributes));
                OperationResult::Getattr(found.map(|attributes| GetattrResult { attributes }))
            }
            Operation::Setattr(args) => {
                let set = self.with(|files| files.set(current.id, &args.attributes));
                let attributes_set = args.attributes.mask;
                OperationResult::Setattr(set.map(|()| SetattrResult { status: Status::Ok, attributes_set }))
            }
            Operation::Open(args) => OperationResult::Open(self.open(current, &args)),
            Operation::Close(args) => {
                OperationResult::Close(Ok(CloseResult { open_stateid: args.open_stateid }))
            }
            Operation::Create(args) => {
                let id = self.with(|files| files.make(current.id, &args.name, FileType::Directory));
                let made = CreateResult { change_info: CHANGED, attributes_set: args.attributes.mask };
                OperationResult::Create(current.set(Ok(id)).map(|()| made))
            }
            Operation::Remove(args) => {
                let removed = self.with(|files| files.remove(current.id, &args.target));
                OperationResult::Remove(removed.map(|()| RemoveResult { change_info: CHANGED }))
            }
            Operation::Readdir(args) => {
                let listed = self.with(|files| files.list(current.id, &args.attributes));
                let rest = |entries| if args.cookie == 0 { entries } else { Vec::new() };
                let result =
                    |entries| ReaddirResult { cookieverf: VERIFIER, entries: rest(entries), eof: true };
                OperationResult::Readdir(listed.map(result))
            }
            other => self.of_session(code, other),
        }
    }

    /// The operations on clients and sessions, which are not told apart.
    fn of_session(&self, code: u32, operation: Operation) -> OperationResult {
        match operation {
            Operation::Sequence(args) => OperationResult::Sequence(Ok(SequenceResult {
                sessionid: args.sessionid,
                sequenceid: args.sequenceid,
                slotid: args.slotid,
                highest_slotid: SLOTS_MAX - 1,
                target_highest_slotid: SLOTS_MAX - 1,
                status_flags: 0,
            })),
            Operation::ExchangeId(_) => OperationResult::ExchangeId(Ok(ExchangeIdResult {
                clientid: ClientId(self.number()),
                sequenceid: 1,
                flags: exchange_flags::USE_NON_PNFS,
                state_protect: StateProtectResult::None,
                server_owner: ServerOwner { minor_id: 0, major_id: Bytes::from_static(NAME) },
                server_scope: Bytes::from_static(NAME),
                server_impl_id: None,
            })),
            Operation::CreateSession(args) => OperationResult::CreateSession(Ok(self.create_session(args))),
            Operation::BindConnToSession(args) => {
                OperationResult::BindConnToSession(Ok(BindConnToSessionResult {
                    sessionid: args.sessionid,
                    direction: ChannelDirectionFromServer::Fore,
                    use_conn_in_rdma_mode: false,
                }))
            }
            Operation::ReclaimComplete(_) => OperationResult::ReclaimComplete(Ok(())),
            Operation::DestroySession(_) => OperationResult::DestroySession(Ok(())),
            Operation::DestroyClientid(_) => OperationResult::DestroyClientid(Ok(())),
            Operation::SecinfoNoName(_) => {
                OperationResult::SecinfoNoName(Ok(SecinfoResult { flavors: vec![SecurityFlavor::AuthSys] }))
            }
            _ => OperationResult::failed(code, Status::NotSupp),
        }
    }

    fn create_session(&self, args: CreateSessionArgs) -> CreateSessionResult {
        let mut sessionid = [0; 16];
        sessionid[..8].copy_from_slice(&self.number().to_be_bytes());
        let mut fore_chan_attrs = args.fore_chan_attrs;
        fore_chan_attrs.maxrequests = fore_chan_attrs.maxrequests.min(SLOTS_MAX);
        CreateSessionResult {
            sessionid: SessionId(sessionid),
            sequence: args.sequence,
            flags: 0,
            fore_chan_attrs,
            back_chan_attrs: args.back_chan_attrs,
        }
    }

    fn open(&self, current: &mut Current, args: &OpenArgs) -> Result<OpenResult, Status> {
        let given = match &args.openhow {
            OpenHow::Create(CreateHow::Unchecked(given) | CreateHow::Guarded(given)) => Some(given),
            OpenHow::Create(CreateHow::Exclusive41(create)) => Some(&create.attributes),
            _ => None,
        };
        let id = match &args.claim {
            OpenClaim::Null(name) => self.with(|files| match given {
                Some(_) => Ok(files.make(current.id, name, FileType::Regular)),
                None => files.lookup(current.id, name),
            })?,
            OpenClaim::Fh => current.id,
            _ => return Err(Status::NotSupp),
        };
        if let Some(given) = given {
            self.with(|files| files.set(id, given))?;
        }
        current.id = id;
        let mut other = [0; 12];
        other[..8].copy_from_slice(&self.number().to_be_bytes());
        Ok(OpenResult {
            stateid: StateId { seqid: 1, other },
            change_info: CHANGED,
            rflags: open_result_flags::LOCKTYPE_POSIX | open_result_flags::PRESERVE_UNLINKED,
            attributes_set: given.map(|given| given.mask.clone()).unwrap_or_default(),
            delegation: OpenDelegation::None,
        })
    }

    /// As stable as the client wants, so that it sends the same COMMITs as to another server.
    fn write(&self, id: u64, args: &WriteArgs) -> Result<WriteResult, Status> {
        let end = args.offset.saturating_add(args.data.len() as u64);
        self.with(|files| files.resize(id, |size| size.max(end)))?;
        let count = u32::try_from(args.data.len()).map_err(|_| Status::FBig)?;
        Ok(WriteResult { count, committed: args.stable, writeverf: VERIFIER })
    }

    fn read(&self, id: u64, args: &ReadArgs) -> Result<ReadResult, Status> {
        let rest = self.with(|files| files.size(id))?.saturating_sub(args.offset);
        let count =
            (args.count as usize).min(READ_BYTES_MAX).min(usize::try_from(rest).unwrap_or(usize::MAX));
        let zeros = ZEROS.get(..count).unwrap_or_default();
        Ok(ReadResult { eof: count as u64 == rest, data: Payload(vec![Bytes::from_static(zeros)]) })
    }

    fn id(&self, object: &[u8]) -> Result<u64, Status> {
        let id = object.try_into().map(u64::from_be_bytes).map_err(|_| Status::BadHandle)?;
        if self.with(|files| files.has(id)) { Ok(id) } else { Err(Status::Stale) }
    }

    fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    fn with<T>(&self, work: impl FnOnce(&mut Files) -> T) -> T {
        work(&mut self.files.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Not atomic, so that clients do not rely on the values.
const CHANGED: ChangeInfo = ChangeInfo { atomic: false, before: 0, after: 0 };

impl Current {
    fn set(&mut self, id: Result<u64, Status>) -> Result<(), Status> {
        id.map(|id| self.id = id)
    }
}
