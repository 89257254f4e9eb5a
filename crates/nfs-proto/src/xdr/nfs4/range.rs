//! Arguments and results of the operations on ranges of files (RFC 7862 §15).

use bytes::Bytes;

use super::{Bitmap, Payload, StableHow, StateId, Verifier};
use crate::xdr::{Decode, Decoder, Encode, Encoder, Status, XdrError, xdr_struct, xdr_union};

/// `NFS4_CONTENT_*`: the kind of content of a part of a file (RFC 7862 §15.10, §15.11).
pub mod content {
    /// Data.
    pub const DATA: u32 = 0;
    /// Zeros that take no space.
    pub const HOLE: u32 = 1;
}

/// `IO_ADVISE4_*`: hints of IO_ADVISE (RFC 7862 §15.5). Only those that this server uses.
pub mod advice {
    /// No special access pattern.
    pub const NORMAL: u32 = 0;
    /// The range will be read from its start to its end.
    pub const SEQUENTIAL: u32 = 1;
    /// The range will be read soon.
    pub const WILLNEED: u32 = 4;
}

xdr_struct! {
    /// Arguments of ALLOCATE.
    #[expect(missing_docs, reason = "RFC 7862 §15.1")]
    pub struct AllocateArgs {
        pub stateid: StateId,
        pub offset: u64,
        pub length: u64,
    }
}

xdr_struct! {
    /// Arguments of DEALLOCATE.
    #[expect(missing_docs, reason = "RFC 7862 §15.4")]
    pub struct DeallocateArgs {
        pub stateid: StateId,
        pub offset: u64,
        pub length: u64,
    }
}

xdr_struct! {
    /// An address (`netaddr4`).
    #[expect(missing_docs, reason = "RFC 8881 §3.3.9")]
    pub struct NetworkAddress {
        pub netid: Bytes,
        pub address: Bytes,
    }
}

xdr_union! {
    /// The location of another server (`netloc4`).
    #[expect(missing_docs, reason = "RFC 7862 §11.3")]
    pub enum NetworkLocation {
        1 => Name(name: Bytes),
        2 => Url(url: Bytes),
        3 => Address(address: NetworkAddress),
    }
}

xdr_struct! {
    /// Arguments of COPY: from the saved to the current filehandle.
    #[expect(missing_docs, reason = "RFC 7862 §15.2")]
    pub struct CopyArgs {
        pub src_stateid: StateId,
        pub dst_stateid: StateId,
        pub src_offset: u64,
        pub dst_offset: u64,
        /// 0 means to the end of the source.
        pub count: u64,
        pub consecutive: bool,
        pub synchronous: bool,
        /// Empty if the source is on this server.
        pub source_server: Vec<NetworkLocation>,
    }
}

xdr_struct! {
    /// The result of a write on behalf of the client (`write_response4`).
    #[expect(missing_docs, reason = "RFC 7862 §15.2")]
    pub struct WriteResponse {
        /// Identifies an asynchronous operation; `None` if it is complete.
        pub callback_id: Option<StateId>,
        pub count: u64,
        pub committed: StableHow,
        pub writeverf: Verifier,
    }
}

xdr_struct! {
    /// Properties of a copy (`copy_requirements4`).
    #[expect(missing_docs, reason = "RFC 7862 §15.2")]
    #[derive(Copy)]
    pub struct CopyRequirements {
        pub consecutive: bool,
        pub synchronous: bool,
    }
}

/// Result of COPY.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyResult {
    /// The data that was copied.
    pub response: WriteResponse,
    /// The properties of the copy.
    pub requirements: CopyRequirements,
}

/// The properties of this server's copies: synchronous, and in order from the start.
pub const COPY_REQUIREMENTS: CopyRequirements = CopyRequirements { consecutive: true, synchronous: true };

impl super::ResultBody for CopyResult {
    fn encode_body(&self, out: &mut Encoder) {
        self.response.encode(out);
        self.requirements.encode(out);
    }

    fn encode_error(status: Status, out: &mut Encoder) {
        if status == Status::OffloadNoReqs {
            COPY_REQUIREMENTS.encode(out);
        }
    }

    fn decode_body(status: Status, input: &mut Decoder) -> Result<Result<Self, Status>, XdrError> {
        match status {
            Status::Ok => {
                Ok(Ok(CopyResult { response: Decode::decode(input)?, requirements: Decode::decode(input)? }))
            }
            Status::OffloadNoReqs => CopyRequirements::decode(input).map(|_| Err(status)),
            _ => Ok(Err(status)),
        }
    }
}

xdr_struct! {
    /// Arguments of IO_ADVISE.
    #[expect(missing_docs, reason = "RFC 7862 §15.5")]
    pub struct IoAdviseArgs {
        pub stateid: StateId,
        pub offset: u64,
        /// 0 means to the end of the file.
        pub count: u64,
        /// See [`advice`].
        pub hints: Bitmap,
    }
}

xdr_struct! {
    /// Result of IO_ADVISE.
    pub struct IoAdviseResult {
        /// The hints that the server uses.
        pub hints: Bitmap,
    }
}

xdr_struct! {
    /// Arguments of READ_PLUS.
    #[expect(missing_docs, reason = "RFC 7862 §15.10")]
    pub struct ReadPlusArgs {
        pub stateid: StateId,
        pub offset: u64,
        pub count: u32,
    }
}

xdr_struct! {
    /// File data (`data4`).
    #[expect(missing_docs, reason = "RFC 7862 §15.10")]
    pub struct DataContent {
        pub offset: u64,
        pub data: Payload,
    }
}

xdr_struct! {
    /// A hole in a file (`data_info4`).
    #[expect(missing_docs, reason = "RFC 7862 §15.10")]
    #[derive(Copy)]
    pub struct HoleContent {
        pub offset: u64,
        pub length: u64,
    }
}

xdr_union! {
    /// A part of a file (`read_plus_content`).
    #[expect(missing_docs, reason = "RFC 7862 §15.10")]
    pub enum ReadPlusContent {
        0 => Data(data: DataContent),
        1 => Hole(hole: HoleContent),
    }
}

xdr_struct! {
    /// Result of READ_PLUS.
    #[expect(missing_docs, reason = "RFC 7862 §15.10")]
    pub struct ReadPlusResult {
        pub eof: bool,
        pub contents: Vec<ReadPlusContent>,
    }
}

xdr_struct! {
    /// Arguments of SEEK.
    #[expect(missing_docs, reason = "RFC 7862 §15.11")]
    pub struct SeekArgs {
        pub stateid: StateId,
        pub offset: u64,
        /// See [`content`].
        pub what: u32,
    }
}

xdr_struct! {
    /// Result of SEEK.
    #[expect(missing_docs, reason = "RFC 7862 §15.11")]
    pub struct SeekResult {
        pub eof: bool,
        pub offset: u64,
    }
}

xdr_struct! {
    /// Arguments of CLONE: from the saved to the current filehandle.
    #[expect(missing_docs, reason = "RFC 7862 §15.13")]
    pub struct CloneArgs {
        pub src_stateid: StateId,
        pub dst_stateid: StateId,
        pub src_offset: u64,
        pub dst_offset: u64,
        /// 0 means to the end of the source.
        pub count: u64,
    }
}
