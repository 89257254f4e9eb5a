//! Types shared by several operations (RFC 8881 §3).

use bytes::Bytes;

use crate::xdr::{Decode, Decoder, Encode, Encoder, XdrError, xdr_enum, xdr_struct};

/// Maximum size of a filehandle, in bytes (`NFS4_FHSIZE`).
pub const FILE_HANDLE_BYTES_MAX: usize = 128;
/// Maximum length of the name of an owner of opens or locks, or of a client, in bytes (`NFS4_OPAQUE_LIMIT`).
pub const OPAQUE_LIMIT: usize = 1024;
/// Maximum number of words of a [`Bitmap`]: far more than there are attributes.
const BITMAP_WORDS_MAX: usize = 64;

/// Eight opaque bytes that change when the verified state is lost (`verifier4`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Verifier(pub [u8; 8]);

/// Identifies a session (`sessionid4`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SessionId(pub [u8; 16]);

/// Identifies a client's registration (`clientid4`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClientId(pub u64);

macro_rules! xdr_newtype {
    ($($name:ident),*) => {$(
        impl Encode for $name {
            fn encode(&self, out: &mut Encoder) {
                self.0.encode(out);
            }
        }

        impl Decode for $name {
            fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
                Ok($name(Decode::decode(input)?))
            }
        }
    )*};
}
xdr_newtype!(Verifier, SessionId, ClientId);

/// Identifies open, lock or delegation state (`stateid4`, RFC 8881 §8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StateId {
    /// Counts the changes of the state; 0 means the newest.
    pub seqid: u32,
    /// Identifies the state.
    pub other: [u8; 12],
}

impl StateId {
    /// No state: I/O is subject to the share reservations and locks of all clients.
    pub const ANONYMOUS: StateId = StateId { seqid: 0, other: [0; 12] };
    /// No state: a READ may bypass locks. This server treats it as [`StateId::ANONYMOUS`].
    pub const READ_BYPASS: StateId = StateId { seqid: u32::MAX, other: [0xff; 12] };
    /// The stateid that an earlier operation of the same COMPOUND returned.
    pub const CURRENT: StateId = StateId { seqid: 1, other: [0; 12] };
    /// Never valid.
    pub const INVALID: StateId = StateId { seqid: u32::MAX, other: [0; 12] };
}

impl Encode for StateId {
    fn encode(&self, out: &mut Encoder) {
        self.seqid.encode(out);
        self.other.encode(out);
    }
}

impl Decode for StateId {
    fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
        Ok(StateId { seqid: Decode::decode(input)?, other: Decode::decode(input)? })
    }
}

/// A set of small numbers, such as attributes (`bitmap4`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bitmap(pub Vec<u32>);

impl Bitmap {
    /// The set of these numbers.
    pub fn of(bits: &[u32]) -> Self {
        let mut bitmap = Bitmap::default();
        for bit in bits {
            bitmap.insert(*bit);
        }
        bitmap
    }

    /// Returns true if the number is in the set.
    pub fn contains(&self, bit: u32) -> bool {
        self.0.get(bit as usize / 32).is_some_and(|word| word & (1 << (bit % 32)) != 0)
    }

    /// Adds a number. Numbers beyond the largest possible attribute (2047) are ignored.
    pub fn insert(&mut self, bit: u32) {
        let index = bit as usize / 32;
        if index >= BITMAP_WORDS_MAX {
            return;
        }
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        if let Some(word) = self.0.get_mut(index) {
            *word |= 1 << (bit % 32);
        }
    }

    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..).zip(&self.0).flat_map(|(index, word)| {
            (0..32).filter(move |bit| word & (1 << bit) != 0).map(move |bit| index * 32 + bit)
        })
    }
}

impl Encode for Bitmap {
    fn encode(&self, out: &mut Encoder) {
        self.0.encode(out);
    }
}

impl Decode for Bitmap {
    fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
        input.list(BITMAP_WORDS_MAX).map(Bitmap)
    }
}

xdr_struct! {
    /// Names a file system (`fsid4`).
    pub struct Fsid {
        /// The first half; the server chooses both.
        pub major: u64,
        /// The second half.
        pub minor: u64,
    }
}

xdr_struct! {
    /// Attributes: a bitmap, followed by their values (`fattr4`).
    pub struct Fattr {
        /// The attributes present; the values follow in ascending order of these numbers.
        pub mask: Bitmap,
        /// The values.
        pub values: Bytes,
    }
}

xdr_struct! {
    /// A directory's `change` before and after an operation (`change_info4`).
    pub struct ChangeInfo {
        /// True if no other change can have happened in between.
        pub atomic: bool,
        /// The value before.
        pub before: u64,
        /// The value after.
        pub after: u64,
    }
}

xdr_struct! {
    /// Time since 1970 (`nfstime4`).
    #[derive(Copy)]
    pub struct NfsTime {
        /// Seconds, negative before 1970.
        pub seconds: i64,
        /// Nanoseconds, less than a billion, counted forward from `seconds`.
        pub nseconds: u32,
    }
}

xdr_struct! {
    /// Device number (`specdata4`).
    #[derive(Copy)]
    pub struct SpecData {
        /// Major number.
        pub specdata1: u32,
        /// Minor number.
        pub specdata2: u32,
    }
}

xdr_struct! {
    /// Owner of opens or locks (`state_owner4`). The server ignores `clientid`: the session identifies the
    /// client.
    pub struct StateOwner {
        /// The client.
        pub clientid: ClientId,
        /// The client's name for the owner, at most [`OPAQUE_LIMIT`] bytes.
        pub owner: Bytes,
    }
}

xdr_enum! {
    /// The type of a file (`nfs_ftype4`).
    #[expect(missing_docs, reason = "the names say it")]
    pub enum FileType {
        Regular = 1,
        Directory = 2,
        BlockDevice = 3,
        CharacterDevice = 4,
        Symlink = 5,
        Socket = 6,
        Fifo = 7,
        AttributeDirectory = 8,
        NamedAttribute = 9,
    }
}
