//! XDR encoding and decoding (RFC 4506).
//!
//! A [`Decoder`] reads from one [`Bytes`] and returns slices of it, so payloads are not copied. A length from
//! the input is checked against the rest of the input before it is used. An [`Encoder`] collects small items
//! in its own buffer and splices large [`Bytes`] in between, so a reply is sent with one vectored write
//! without copying its payload.

use bytes::{BufMut, Bytes, BytesMut};

/// Payloads of at least this size are spliced; shorter ones are copied.
const SPLICE_BYTES_MIN: usize = 1024;

/// Why the input is not the expected XDR.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum XdrError {
    /// The input ends inside an item.
    #[error("XDR ends early: {needed} bytes needed, {left} left")]
    Truncated {
        /// Bytes that the item needs.
        needed: usize,
        /// Bytes that were left.
        left: usize,
    },
    /// A length exceeds the protocol's limit.
    #[error("XDR length {length} is over the limit of {limit}")]
    TooLong {
        /// The length found.
        length: usize,
        /// The maximum length.
        limit: usize,
    },
    /// The value is not valid for the type.
    #[error("{value} is no {of}")]
    Unknown {
        /// The type.
        of: &'static str,
        /// The value found.
        value: u32,
    },
    /// Bytes follow the expected end of the input.
    #[error("{0} bytes follow the end of the XDR")]
    Trailing(usize),
}

/// A type that can be encoded as XDR.
pub trait Encode {
    /// Appends the item.
    fn encode(&self, out: &mut Encoder);
}

/// A type that can be decoded from XDR.
pub trait Decode: Sized {
    /// Decodes one item from the input.
    fn decode(input: &mut Decoder) -> Result<Self, XdrError>;
}

/// Decodes a sequence of XDR items.
#[derive(Clone, Debug)]
pub struct Decoder {
    input: Bytes,
}

impl Decoder {
    /// Starts at the beginning of `input`.
    pub fn new(input: Bytes) -> Self {
        Decoder { input }
    }

    /// Bytes not read yet.
    pub fn remaining(&self) -> usize {
        self.input.len()
    }

    /// The bytes not read yet.
    pub fn rest(&self) -> &Bytes {
        &self.input
    }

    /// Returns an error if bytes are left.
    pub fn finish(&self) -> Result<(), XdrError> {
        if self.input.is_empty() { Ok(()) } else { Err(XdrError::Trailing(self.input.len())) }
    }

    fn take(&mut self, length: usize) -> Result<Bytes, XdrError> {
        if length > self.input.len() {
            return Err(XdrError::Truncated { needed: length, left: self.input.len() });
        }
        Ok(self.input.split_to(length))
    }

    /// Reads `N` raw bytes. `N` must be a multiple of four unless the caller reads the padding.
    fn array<const N: usize>(&mut self) -> Result<[u8; N], XdrError> {
        let mut array = [0; N];
        array.copy_from_slice(&self.take(N)?);
        Ok(array)
    }

    /// Reads opaque bytes of a known length, and their padding.
    pub fn opaque_fixed(&mut self, length: usize) -> Result<Bytes, XdrError> {
        let bytes = self.take(length)?;
        self.take(padding(length))?;
        Ok(bytes)
    }

    /// Reads variable-length opaque bytes, at most `limit` of them.
    pub fn opaque(&mut self, limit: usize) -> Result<Bytes, XdrError> {
        let length = u32::decode(self)? as usize;
        if length > limit {
            return Err(XdrError::TooLong { length, limit });
        }
        self.opaque_fixed(length)
    }

    /// Reads a list of at most `limit` items. Every item takes at least four bytes on the wire, so a count
    /// that exceeds the rest of the input is refused before memory is reserved for it.
    pub fn list<T: Decode>(&mut self, limit: usize) -> Result<Vec<T>, XdrError> {
        let length = u32::decode(self)? as usize;
        let limit = limit.min(self.remaining() / 4);
        if length > limit {
            return Err(XdrError::TooLong { length, limit });
        }
        (0..length).map(|_| T::decode(self)).collect()
    }
}

/// Padding of an opaque of this length, up to the next multiple of four.
const fn padding(length: usize) -> usize {
    (4 - length % 4) % 4
}

/// Encodes a sequence of XDR items.
#[derive(Debug, Default)]
pub struct Encoder {
    pieces: Vec<Bytes>,
    pieces_bytes: usize,
    tail: BytesMut,
}

impl Encoder {
    /// An empty encoder.
    pub fn new() -> Self {
        Encoder::default()
    }

    /// The encoding of one item.
    pub fn of(item: &impl Encode) -> Self {
        let mut out = Encoder::new();
        item.encode(&mut out);
        out
    }

    /// Bytes written so far.
    pub fn len(&self) -> usize {
        self.pieces_bytes + self.tail.len()
    }

    /// Returns true if nothing has been written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends raw bytes.
    pub fn put_raw(&mut self, bytes: &[u8]) {
        self.tail.put_slice(bytes);
    }

    /// Appends raw bytes, by reference if they are many.
    pub fn put_raw_bytes(&mut self, bytes: Bytes) {
        if bytes.len() < SPLICE_BYTES_MIN {
            self.tail.put_slice(&bytes);
        } else {
            self.seal_tail();
            self.pieces_bytes += bytes.len();
            self.pieces.push(bytes);
        }
    }

    /// Appends opaque bytes whose length the reader knows, and their padding.
    pub fn put_opaque_fixed(&mut self, bytes: &[u8]) {
        self.tail.put_slice(bytes);
        self.tail.put_bytes(0, padding(bytes.len()));
    }

    /// Appends variable-length opaque bytes: length, bytes, padding.
    pub fn put_opaque(&mut self, bytes: &[u8]) {
        self.put_length(bytes.len());
        self.put_opaque_fixed(bytes);
    }

    /// Appends one variable-length opaque made of several pieces, spliced.
    pub fn put_opaque_pieces(&mut self, pieces: &[Bytes]) {
        let length = pieces.iter().map(Bytes::len).sum();
        self.put_length(length);
        for piece in pieces {
            self.put_raw_bytes(piece.clone());
        }
        self.tail.put_bytes(0, padding(length));
    }

    /// Appends the length of a list or opaque. Lengths fit into 32 bits, because replies are limited by the
    /// session's response size, which is far below.
    pub fn put_length(&mut self, length: usize) {
        self.tail.put_u32(u32::try_from(length).unwrap_or(u32::MAX));
    }

    /// Appends the contents of another encoder.
    pub fn append(&mut self, other: Encoder) {
        if other.pieces.is_empty() {
            self.tail.put_slice(&other.tail);
            return;
        }
        self.seal_tail();
        self.pieces_bytes += other.pieces_bytes;
        self.pieces.extend(other.pieces);
        self.tail = other.tail;
    }

    /// The encoded bytes, as pieces to send in order.
    pub fn into_pieces(mut self) -> Vec<Bytes> {
        self.seal_tail();
        self.pieces
    }

    /// The encoded bytes in one piece; copies if there were several.
    pub fn into_bytes(self) -> Bytes {
        let mut pieces = self.into_pieces();
        if pieces.len() == 1
            && let Some(only) = pieces.pop()
        {
            return only;
        }
        pieces.concat().into()
    }

    fn seal_tail(&mut self) {
        if !self.tail.is_empty() {
            self.pieces_bytes += self.tail.len();
            self.pieces.push(self.tail.split().freeze());
        }
    }
}

impl Encode for u32 {
    fn encode(&self, out: &mut Encoder) {
        out.tail.put_u32(*self);
    }
}

impl Decode for u32 {
    fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
        input.array().map(u32::from_be_bytes)
    }
}

impl Encode for u64 {
    fn encode(&self, out: &mut Encoder) {
        out.tail.put_u64(*self);
    }
}

impl Decode for u64 {
    fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
        input.array().map(u64::from_be_bytes)
    }
}

impl Encode for i64 {
    fn encode(&self, out: &mut Encoder) {
        out.tail.put_i64(*self);
    }
}

impl Decode for i64 {
    fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
        input.array().map(i64::from_be_bytes)
    }
}

impl Encode for bool {
    fn encode(&self, out: &mut Encoder) {
        u32::from(*self).encode(out);
    }
}

impl Decode for bool {
    fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
        match u32::decode(input)? {
            0 => Ok(false),
            1 => Ok(true),
            value => Err(XdrError::Unknown { of: "bool", value }),
        }
    }
}

/// Nothing on the wire.
impl Encode for () {
    fn encode(&self, _out: &mut Encoder) {}
}

/// Nothing on the wire.
impl Decode for () {
    fn decode(_input: &mut Decoder) -> Result<Self, XdrError> {
        Ok(())
    }
}

/// Fixed-length opaque.
impl<const N: usize> Encode for [u8; N] {
    fn encode(&self, out: &mut Encoder) {
        out.put_opaque_fixed(self);
    }
}

/// Fixed-length opaque.
impl<const N: usize> Decode for [u8; N] {
    fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
        let array = input.array()?;
        input.take(padding(N))?;
        Ok(array)
    }
}

/// Variable-length opaque or string.
impl Encode for Bytes {
    fn encode(&self, out: &mut Encoder) {
        out.put_opaque_pieces(std::slice::from_ref(self));
    }
}

/// Variable-length opaque or string.
impl Decode for Bytes {
    fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
        input.opaque(usize::MAX)
    }
}

/// Variable-length array.
impl<T: Encode> Encode for Vec<T> {
    fn encode(&self, out: &mut Encoder) {
        out.put_length(self.len());
        for item in self {
            item.encode(out);
        }
    }
}

/// Variable-length array.
impl<T: Decode> Decode for Vec<T> {
    fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
        input.list(usize::MAX)
    }
}

/// Optional data, and arrays of at most one item, which look the same.
impl<T: Encode> Encode for Option<T> {
    fn encode(&self, out: &mut Encoder) {
        self.is_some().encode(out);
        if let Some(item) = self {
            item.encode(out);
        }
    }
}

/// Optional data, and arrays of at most one item, which look the same.
impl<T: Decode> Decode for Option<T> {
    fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
        if bool::decode(input)? { T::decode(input).map(Some) } else { Ok(None) }
    }
}
