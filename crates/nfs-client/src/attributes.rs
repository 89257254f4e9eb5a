//! The attributes that the client understands.

use bytes::Bytes;
pub use forebay_nfs_proto::xdr::nfs4::attribute;
use forebay_nfs_proto::xdr::nfs4::{Bitmap, Fattr, FileType, NfsTime};
use forebay_nfs_proto::xdr::{Decode, Decoder, Encode, Encoder, XdrError};

/// Attributes of an object. Those that the server did not send are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "RFC 8881 §5.8 defines each")]
pub struct Attributes {
    pub file_type: Option<FileType>,
    pub change: Option<u64>,
    pub size: Option<u64>,
    pub fileid: Option<u64>,
    pub mode: Option<u32>,
    pub numlinks: Option<u32>,
    pub owner: Option<Bytes>,
    pub owner_group: Option<Bytes>,
    pub space_used: Option<u64>,
    pub time_metadata: Option<NfsTime>,
    pub time_modify: Option<NfsTime>,
}

impl Attributes {
    /// The attributes that this client can decode.
    pub fn all() -> Bitmap {
        Bitmap::of(&[
            attribute::TYPE,
            attribute::CHANGE,
            attribute::SIZE,
            attribute::FILEID,
            attribute::MODE,
            attribute::NUMLINKS,
            attribute::OWNER,
            attribute::OWNER_GROUP,
            attribute::SPACE_USED,
            attribute::TIME_METADATA,
            attribute::TIME_MODIFY,
        ])
    }

    /// Decodes the server's attributes. An attribute that is not in [`Attributes::all`] is an error.
    pub fn decode(fattr: &Fattr) -> Result<Self, XdrError> {
        let mut input = Decoder::new(fattr.values.clone());
        let mut attributes = Attributes::default();
        for bit in fattr.mask.iter() {
            attributes.decode_one(bit, &mut input)?;
        }
        input.finish()?;
        Ok(attributes)
    }

    fn decode_one(&mut self, bit: u32, input: &mut Decoder) -> Result<(), XdrError> {
        match bit {
            attribute::TYPE => self.file_type = Some(Decode::decode(input)?),
            attribute::CHANGE => self.change = Some(Decode::decode(input)?),
            attribute::SIZE => self.size = Some(Decode::decode(input)?),
            attribute::FILEID => self.fileid = Some(Decode::decode(input)?),
            attribute::MODE => self.mode = Some(Decode::decode(input)?),
            attribute::NUMLINKS => self.numlinks = Some(Decode::decode(input)?),
            attribute::OWNER => self.owner = Some(Decode::decode(input)?),
            attribute::OWNER_GROUP => self.owner_group = Some(Decode::decode(input)?),
            attribute::SPACE_USED => self.space_used = Some(Decode::decode(input)?),
            attribute::TIME_METADATA => self.time_metadata = Some(Decode::decode(input)?),
            attribute::TIME_MODIFY => self.time_modify = Some(Decode::decode(input)?),
            value => return Err(XdrError::Unknown { of: "attribute", value }),
        }
        Ok(())
    }

    /// Encodes the attributes that a client can set and that are `Some`: size, mode, owner and group.
    pub fn encode(&self) -> Fattr {
        let mut mask = Bitmap::default();
        let mut values = Encoder::new();
        put(&mut mask, &mut values, attribute::SIZE, &self.size);
        put(&mut mask, &mut values, attribute::MODE, &self.mode);
        put(&mut mask, &mut values, attribute::OWNER, &self.owner);
        put(&mut mask, &mut values, attribute::OWNER_GROUP, &self.owner_group);
        Fattr { mask, values: values.into_bytes() }
    }

    /// Sets the size only.
    pub fn size(size: u64) -> Self {
        Attributes { size: Some(size), ..Attributes::default() }
    }

    /// Sets the permission bits only.
    pub fn mode(mode: u32) -> Self {
        Attributes { mode: Some(mode), ..Attributes::default() }
    }
}

fn put(mask: &mut Bitmap, values: &mut Encoder, bit: u32, value: &Option<impl Encode>) {
    if let Some(value) = value {
        mask.insert(bit);
        value.encode(values);
    }
}
