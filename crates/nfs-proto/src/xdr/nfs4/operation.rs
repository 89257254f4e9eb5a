//! Operation numbers, with the arguments and result of each (RFC 8881 §16.2.3, RFC 7862 §12).

use bytes::Bytes;

use super::*;
use crate::xdr::{Decode, Decoder, Encode, Encoder, XdrError, xdr_enum};

xdr_enum! {
    /// The number of an operation (`nfs_opnum4`).
    #[expect(missing_docs, reason = "RFC 8881 §16.2.3 and RFC 7862 §12.1 name them")]
    pub enum OpCode {
        Access = 3,
        Close = 4,
        Commit = 5,
        Create = 6,
        Delegpurge = 7,
        Delegreturn = 8,
        Getattr = 9,
        Getfh = 10,
        Link = 11,
        Lock = 12,
        Lockt = 13,
        Locku = 14,
        Lookup = 15,
        Lookupp = 16,
        Nverify = 17,
        Open = 18,
        Openattr = 19,
        OpenConfirm = 20,
        OpenDowngrade = 21,
        Putfh = 22,
        Putpubfh = 23,
        Putrootfh = 24,
        Read = 25,
        Readdir = 26,
        Readlink = 27,
        Remove = 28,
        Rename = 29,
        Renew = 30,
        Restorefh = 31,
        Savefh = 32,
        Secinfo = 33,
        Setattr = 34,
        Setclientid = 35,
        SetclientidConfirm = 36,
        Verify = 37,
        Write = 38,
        ReleaseLockowner = 39,
        BackchannelCtl = 40,
        BindConnToSession = 41,
        ExchangeId = 42,
        CreateSession = 43,
        DestroySession = 44,
        FreeStateid = 45,
        GetDirDelegation = 46,
        Getdeviceinfo = 47,
        Getdevicelist = 48,
        Layoutcommit = 49,
        Layoutget = 50,
        Layoutreturn = 51,
        SecinfoNoName = 52,
        Sequence = 53,
        SetSsv = 54,
        TestStateid = 55,
        WantDelegation = 56,
        DestroyClientid = 57,
        ReclaimComplete = 58,
        Allocate = 59,
        Copy = 60,
        CopyNotify = 61,
        Deallocate = 62,
        IoAdvise = 63,
        Layouterror = 64,
        Layoutstats = 65,
        OffloadCancel = 66,
        OffloadStatus = 67,
        ReadPlus = 68,
        Seek = 69,
        WriteSame = 70,
        Clone = 71,
        Getxattr = 72,
        Setxattr = 73,
        Listxattrs = 74,
        Removexattr = 75,
        Illegal = 10044,
    }
}

impl OpCode {
    /// Returns true if the operation was introduced with minor version 2 or as an extension of it.
    pub fn is_of_minor_2(self) -> bool {
        (OpCode::Allocate..=OpCode::Removexattr).contains(&self)
    }
}

/// The part of an operation's result after the status.
///
/// For most operations it is the result if the status is OK, and empty otherwise; every type with [`Encode`]
/// and [`Decode`] behaves like this. Exceptions implement the trait themselves.
pub trait ResultBody: Sized {
    /// The status of this result.
    fn status(&self) -> Status {
        Status::Ok
    }

    /// Appends the part after the status.
    fn encode_body(&self, out: &mut Encoder);

    /// Appends the part after the status of a failure without a result.
    fn encode_error(_status: Status, _out: &mut Encoder) {}

    /// Decodes the part after the status.
    fn decode_body(status: Status, input: &mut Decoder) -> Result<Result<Self, Status>, XdrError>;
}

impl<T: Encode + Decode> ResultBody for T {
    fn encode_body(&self, out: &mut Encoder) {
        self.encode(out);
    }

    fn decode_body(status: Status, input: &mut Decoder) -> Result<Result<Self, Status>, XdrError> {
        if status == Status::Ok { T::decode(input).map(Ok) } else { Ok(Err(status)) }
    }
}

/// Appends status and body of an operation's result.
fn encode_outcome<T: ResultBody>(outcome: &Result<T, Status>, out: &mut Encoder) {
    match outcome {
        Ok(result) => {
            result.status().encode(out);
            result.encode_body(out);
        }
        Err(status) => {
            status.encode(out);
            T::encode_error(*status, out);
        }
    }
}

/// Decodes status and body of an operation's result.
fn decode_outcome<T: ResultBody>(input: &mut Decoder) -> Result<Result<T, Status>, XdrError> {
    let status = Status::decode(input)?;
    T::decode_body(status, input)
}

macro_rules! operations {
    ($($code:ident($args:ty) -> $result:ty;)*) => {
        /// An operation of a COMPOUND and its arguments (`nfs_argop4`).
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Operation {
            $(#[doc = concat!("`", stringify!($code), "`")] $code($args),)*
            /// An operation that this server does not support. Nothing after it is executed, so its arguments
            /// are not decoded. A client may send any bytes this way.
            Other(u32, Bytes),
        }

        impl Operation {
            /// The operation's number.
            pub fn code(&self) -> u32 {
                match self {
                    $(Operation::$code(_) => OpCode::$code as u32,)*
                    Operation::Other(code, _) => *code,
                }
            }
        }

        impl Encode for Operation {
            fn encode(&self, out: &mut Encoder) {
                self.code().encode(out);
                match self {
                    $(Operation::$code(args) => args.encode(out),)*
                    Operation::Other(_, args) => out.put_raw(args),
                }
            }
        }

        impl Operation {
            /// Decodes the arguments of the operation with this number.
            pub fn decode_args(code: u32, input: &mut Decoder) -> Result<Self, XdrError> {
                match OpCode::try_from(code) {
                    $(Ok(OpCode::$code) => <$args>::decode(input).map(Operation::$code),)*
                    _ => Ok(Operation::Other(code, Bytes::new())),
                }
            }
        }

        /// The result of an operation (`nfs_resop4`).
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum OperationResult {
            $(#[doc = concat!("`", stringify!($code), "`")] $code(Result<$result, Status>),)*
            /// The result of an operation without its own type: an unsupported one, or OP_ILLEGAL.
            Other(u32, Status),
        }

        impl OperationResult {
            /// The status.
            pub fn status(&self) -> Status {
                match self {
                    $(OperationResult::$code(outcome) => match outcome {
                        Ok(result) => result.status(),
                        Err(status) => *status,
                    },)*
                    OperationResult::Other(_, status) => *status,
                }
            }

            /// The operation's number.
            pub fn code(&self) -> u32 {
                match self {
                    $(OperationResult::$code(_) => OpCode::$code as u32,)*
                    OperationResult::Other(code, _) => *code,
                }
            }

            /// The result of an operation that failed before it could run.
            pub fn failed(code: u32, status: Status) -> Self {
                match OpCode::try_from(code) {
                    $(Ok(OpCode::$code) => OperationResult::$code(Err(status)),)*
                    _ => OperationResult::Other(code, status),
                }
            }
        }

        impl Encode for OperationResult {
            fn encode(&self, out: &mut Encoder) {
                match self {
                    $(OperationResult::$code(outcome) => {
                        OpCode::$code.encode(out);
                        encode_outcome(outcome, out);
                    })*
                    OperationResult::Other(code, status) => {
                        code.encode(out);
                        status.encode(out);
                    }
                }
            }
        }

        impl Decode for OperationResult {
            fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
                let code = u32::decode(input)?;
                match OpCode::try_from(code) {
                    $(Ok(OpCode::$code) => decode_outcome(input).map(OperationResult::$code),)*
                    _ => Ok(OperationResult::Other(code, Status::decode(input)?)),
                }
            }
        }
    };
}

operations! {
    Access(AccessArgs) -> AccessResult;
    Close(CloseArgs) -> CloseResult;
    Commit(CommitArgs) -> CommitResult;
    Create(CreateArgs) -> CreateResult;
    Delegpurge(DelegpurgeArgs) -> ();
    Delegreturn(DelegreturnArgs) -> ();
    Getattr(GetattrArgs) -> GetattrResult;
    Getfh(()) -> GetfhResult;
    Link(LinkArgs) -> LinkResult;
    Lock(LockArgs) -> LockResult;
    Lockt(LocktArgs) -> LocktResult;
    Locku(LockuArgs) -> LockuResult;
    Lookup(LookupArgs) -> ();
    Lookupp(()) -> ();
    Nverify(VerifyArgs) -> ();
    Open(OpenArgs) -> OpenResult;
    OpenDowngrade(OpenDowngradeArgs) -> OpenDowngradeResult;
    Putfh(PutfhArgs) -> ();
    Putpubfh(()) -> ();
    Putrootfh(()) -> ();
    Read(ReadArgs) -> ReadResult;
    Readdir(ReaddirArgs) -> ReaddirResult;
    Readlink(()) -> ReadlinkResult;
    Remove(RemoveArgs) -> RemoveResult;
    Rename(RenameArgs) -> RenameResult;
    Restorefh(()) -> ();
    Savefh(()) -> ();
    Secinfo(SecinfoArgs) -> SecinfoResult;
    Setattr(SetattrArgs) -> SetattrResult;
    Verify(VerifyArgs) -> ();
    Write(WriteArgs) -> WriteResult;
    BackchannelCtl(BackchannelCtlArgs) -> ();
    BindConnToSession(BindConnToSessionArgs) -> BindConnToSessionResult;
    ExchangeId(ExchangeIdArgs) -> ExchangeIdResult;
    CreateSession(CreateSessionArgs) -> CreateSessionResult;
    DestroySession(DestroySessionArgs) -> ();
    FreeStateid(FreeStateidArgs) -> ();
    GetDirDelegation(GetDirDelegationArgs) -> GetDirDelegationResult;
    SecinfoNoName(SecinfoNoNameArgs) -> SecinfoResult;
    Sequence(SequenceArgs) -> SequenceResult;
    TestStateid(TestStateidArgs) -> TestStateidResult;
    DestroyClientid(DestroyClientidArgs) -> ();
    ReclaimComplete(ReclaimCompleteArgs) -> ();
    Allocate(AllocateArgs) -> ();
    Clone(CloneArgs) -> ();
    Copy(CopyArgs) -> CopyResult;
    Deallocate(DeallocateArgs) -> ();
    IoAdvise(IoAdviseArgs) -> IoAdviseResult;
    ReadPlus(ReadPlusArgs) -> ReadPlusResult;
    Seek(SeekArgs) -> SeekResult;
    Getxattr(GetxattrArgs) -> GetxattrResult;
    Listxattrs(ListxattrsArgs) -> ListxattrsResult;
    Removexattr(RemovexattrArgs) -> RemovexattrResult;
    Setxattr(SetxattrArgs) -> SetxattrResult;
}
