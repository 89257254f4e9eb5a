//! Arguments and results of the operations on files and directories (RFC 8881 §18).

use bytes::Bytes;

use super::{Bitmap, ChangeInfo, Fattr, SpecData, StateId, Verifier};
use crate::xdr::{Decode, Decoder, Encode, Encoder, Status, XdrError, xdr_enum, xdr_struct, xdr_union};

/// `ACCESS4_*` (RFC 8881 §18.1).
pub mod access {
    /// Read data or list a directory.
    pub const READ: u32 = 0x1;
    /// Look up names.
    pub const LOOKUP: u32 = 0x2;
    /// Change data or entries.
    pub const MODIFY: u32 = 0x4;
    /// Append data or add entries.
    pub const EXTEND: u32 = 0x8;
    /// Delete entries.
    pub const DELETE: u32 = 0x10;
    /// Execute.
    pub const EXECUTE: u32 = 0x20;
    /// Read extended attributes (RFC 8276 §8.5).
    pub const XAREAD: u32 = 0x40;
    /// Set and remove extended attributes.
    pub const XAWRITE: u32 = 0x80;
    /// List extended attributes.
    pub const XALIST: u32 = 0x100;
    /// All bits of RFC 8881.
    pub const ALL: u32 = 0x3f;
}

xdr_struct! {
    /// Arguments of ACCESS.
    #[expect(missing_docs, reason = "RFC 8881 §18.1")]
    pub struct AccessArgs {
        pub access: u32,
    }
}

xdr_struct! {
    /// Result of ACCESS.
    #[expect(missing_docs, reason = "RFC 8881 §18.1")]
    pub struct AccessResult {
        pub supported: u32,
        pub access: u32,
    }
}

xdr_struct! {
    /// Arguments of COMMIT.
    #[expect(missing_docs, reason = "RFC 8881 §18.3")]
    pub struct CommitArgs {
        pub offset: u64,
        /// 0 means to the end of the file.
        pub count: u32,
    }
}

xdr_struct! {
    /// Result of COMMIT.
    #[expect(missing_docs, reason = "RFC 8881 §18.3")]
    pub struct CommitResult {
        pub writeverf: Verifier,
    }
}

xdr_union! {
    /// The kind of object to create (`createtype4`). The kinds that CREATE cannot create are included, so
    /// that it can return BADTYPE.
    #[expect(missing_docs, reason = "RFC 8881 §18.4")]
    pub enum CreateType {
        1 => Regular,
        2 => Directory,
        3 => BlockDevice(device: SpecData),
        4 => CharacterDevice(device: SpecData),
        5 => Symlink(link_text: Bytes),
        6 => Socket,
        7 => Fifo,
        8 => AttributeDirectory,
        9 => NamedAttribute,
    }
}

xdr_struct! {
    /// Arguments of CREATE.
    #[expect(missing_docs, reason = "RFC 8881 §18.4")]
    pub struct CreateArgs {
        pub object_type: CreateType,
        pub name: Bytes,
        pub attributes: Fattr,
    }
}

xdr_struct! {
    /// Result of CREATE.
    #[expect(missing_docs, reason = "RFC 8881 §18.4")]
    pub struct CreateResult {
        pub change_info: ChangeInfo,
        pub attributes_set: Bitmap,
    }
}

xdr_struct! {
    /// Arguments of GETATTR.
    #[expect(missing_docs, reason = "RFC 8881 §18.7")]
    pub struct GetattrArgs {
        pub attributes: Bitmap,
    }
}

xdr_struct! {
    /// Result of GETATTR.
    #[expect(missing_docs, reason = "RFC 8881 §18.7")]
    pub struct GetattrResult {
        pub attributes: Fattr,
    }
}

xdr_struct! {
    /// Result of GETFH.
    #[expect(missing_docs, reason = "RFC 8881 §18.8")]
    pub struct GetfhResult {
        pub object: Bytes,
    }
}

xdr_struct! {
    /// Arguments of LINK.
    #[expect(missing_docs, reason = "RFC 8881 §18.9")]
    pub struct LinkArgs {
        pub newname: Bytes,
    }
}

xdr_struct! {
    /// Result of LINK.
    #[expect(missing_docs, reason = "RFC 8881 §18.9")]
    pub struct LinkResult {
        pub change_info: ChangeInfo,
    }
}

xdr_struct! {
    /// Arguments of LOOKUP.
    #[expect(missing_docs, reason = "RFC 8881 §18.13")]
    pub struct LookupArgs {
        pub name: Bytes,
    }
}

xdr_struct! {
    /// Arguments of VERIFY and NVERIFY.
    #[expect(missing_docs, reason = "RFC 8881 §18.31")]
    pub struct VerifyArgs {
        pub attributes: Fattr,
    }
}

/// A filehandle on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PutfhArgs {
    /// At most [`super::FILE_HANDLE_BYTES_MAX`] bytes.
    pub object: Bytes,
}

impl Encode for PutfhArgs {
    fn encode(&self, out: &mut Encoder) {
        self.object.encode(out);
    }
}

impl Decode for PutfhArgs {
    fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
        Ok(PutfhArgs { object: input.opaque(super::FILE_HANDLE_BYTES_MAX)? })
    }
}

xdr_struct! {
    /// Arguments of READ.
    #[expect(missing_docs, reason = "RFC 8881 §18.22")]
    pub struct ReadArgs {
        pub stateid: StateId,
        pub offset: u64,
        pub count: u32,
    }
}

/// File data in pieces, which are sent one after the other without copying them into one buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payload(pub Vec<Bytes>);

impl Payload {
    /// Total bytes.
    pub fn len(&self) -> usize {
        self.0.iter().map(Bytes::len).sum()
    }

    /// Returns true if there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The data in one piece; copies if there are several.
    pub fn into_bytes(mut self) -> Bytes {
        if self.0.len() == 1
            && let Some(only) = self.0.pop()
        {
            return only;
        }
        self.0.concat().into()
    }
}

impl Encode for Payload {
    fn encode(&self, out: &mut Encoder) {
        out.put_opaque_pieces(&self.0);
    }
}

impl Decode for Payload {
    fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
        Ok(Payload(vec![Bytes::decode(input)?]))
    }
}

xdr_struct! {
    /// Result of READ.
    #[expect(missing_docs, reason = "RFC 8881 §18.22")]
    pub struct ReadResult {
        pub eof: bool,
        pub data: Payload,
    }
}

xdr_struct! {
    /// Arguments of READDIR.
    #[expect(missing_docs, reason = "RFC 8881 §18.23")]
    pub struct ReaddirArgs {
        pub cookie: u64,
        pub cookieverf: Verifier,
        pub dircount: u32,
        pub maxcount: u32,
        pub attributes: Bitmap,
    }
}

xdr_struct! {
    /// A directory entry (`entry4`).
    #[expect(missing_docs, reason = "RFC 8881 §18.23")]
    pub struct DirectoryEntry {
        pub cookie: u64,
        pub name: Bytes,
        pub attributes: Fattr,
    }
}

/// Result of READDIR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaddirResult {
    /// Returned by the client with its next READDIR.
    pub cookieverf: Verifier,
    /// A linked list on the wire: each entry is preceded by 1, and the end is 0. So an entry takes four bytes
    /// more than its own encoding, and the whole result sixteen more than its entries.
    pub entries: Vec<DirectoryEntry>,
    /// True at the end of the directory.
    pub eof: bool,
}

impl Encode for ReaddirResult {
    fn encode(&self, out: &mut Encoder) {
        self.cookieverf.encode(out);
        for entry in &self.entries {
            true.encode(out);
            entry.encode(out);
        }
        false.encode(out);
        self.eof.encode(out);
    }
}

impl Decode for ReaddirResult {
    fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
        let cookieverf = Decode::decode(input)?;
        let mut entries = Vec::new();
        while let Some(entry) = Option::decode(input)? {
            entries.push(entry);
        }
        Ok(ReaddirResult { cookieverf, entries, eof: Decode::decode(input)? })
    }
}

xdr_struct! {
    /// Result of READLINK.
    #[expect(missing_docs, reason = "RFC 8881 §18.24")]
    pub struct ReadlinkResult {
        pub link: Bytes,
    }
}

xdr_struct! {
    /// Arguments of REMOVE.
    #[expect(missing_docs, reason = "RFC 8881 §18.25")]
    pub struct RemoveArgs {
        pub target: Bytes,
    }
}

xdr_struct! {
    /// Result of REMOVE.
    #[expect(missing_docs, reason = "RFC 8881 §18.25")]
    pub struct RemoveResult {
        pub change_info: ChangeInfo,
    }
}

xdr_struct! {
    /// Arguments of RENAME.
    #[expect(missing_docs, reason = "RFC 8881 §18.26")]
    pub struct RenameArgs {
        pub oldname: Bytes,
        pub newname: Bytes,
    }
}

xdr_struct! {
    /// Result of RENAME.
    #[expect(missing_docs, reason = "RFC 8881 §18.26")]
    pub struct RenameResult {
        pub source_change_info: ChangeInfo,
        pub target_change_info: ChangeInfo,
    }
}

xdr_struct! {
    /// Arguments of SECINFO.
    #[expect(missing_docs, reason = "RFC 8881 §18.29")]
    pub struct SecinfoArgs {
        pub name: Bytes,
    }
}

xdr_enum! {
    /// The object that SECINFO_NO_NAME refers to (`secinfo_style4`).
    #[expect(missing_docs, reason = "RFC 8881 §18.45")]
    pub enum SecinfoStyle {
        CurrentFh = 0,
        Parent = 1,
    }
}

xdr_struct! {
    /// Arguments of SECINFO_NO_NAME.
    #[expect(missing_docs, reason = "RFC 8881 §18.45")]
    pub struct SecinfoNoNameArgs {
        pub style: SecinfoStyle,
    }
}

xdr_union! {
    /// An authentication method (`secinfo4`); RPCSEC_GSS is not offered.
    #[expect(missing_docs, reason = "RFC 8881 §18.29")]
    pub enum SecurityFlavor {
        0 => AuthNone,
        1 => AuthSys,
    }
}

xdr_struct! {
    /// Result of SECINFO and SECINFO_NO_NAME: authentication methods, best first.
    #[expect(missing_docs, reason = "RFC 8881 §18.29")]
    pub struct SecinfoResult {
        pub flavors: Vec<SecurityFlavor>,
    }
}

xdr_struct! {
    /// Arguments of SETATTR.
    #[expect(missing_docs, reason = "RFC 8881 §18.30")]
    pub struct SetattrArgs {
        pub stateid: StateId,
        pub attributes: Fattr,
    }
}

/// Result of SETATTR. Unlike other results, it includes the attributes that were set even if it failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetattrResult {
    /// Whether all attributes were set.
    pub status: Status,
    /// The attributes that were set.
    pub attributes_set: Bitmap,
}

impl super::ResultBody for SetattrResult {
    fn status(&self) -> Status {
        self.status
    }

    fn encode_body(&self, out: &mut Encoder) {
        self.attributes_set.encode(out);
    }

    fn encode_error(_status: Status, out: &mut Encoder) {
        Bitmap::default().encode(out);
    }

    fn decode_body(status: Status, input: &mut Decoder) -> Result<Result<Self, Status>, XdrError> {
        Ok(Ok(SetattrResult { status, attributes_set: Decode::decode(input)? }))
    }
}

xdr_enum! {
    /// The stability of a write (`stable_how4`).
    #[derive(Default)]
    #[expect(missing_docs, reason = "RFC 8881 §18.32")]
    pub enum StableHow {
        #[default]
        Unstable = 0,
        DataSync = 1,
        FileSync = 2,
    }
}

xdr_struct! {
    /// Arguments of WRITE.
    #[expect(missing_docs, reason = "RFC 8881 §18.32")]
    pub struct WriteArgs {
        pub stateid: StateId,
        pub offset: u64,
        pub stable: StableHow,
        pub data: Bytes,
    }
}

xdr_struct! {
    /// Result of WRITE.
    #[expect(missing_docs, reason = "RFC 8881 §18.32")]
    pub struct WriteResult {
        pub count: u32,
        pub committed: StableHow,
        pub writeverf: Verifier,
    }
}
