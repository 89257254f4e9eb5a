//! The building blocks of every stored value: fixed-width little-endian numbers and counted bytes. Reading checks all
//! bounds and never panics, because stored bytes are not trusted.

/// The error for stored bytes that do not have the required form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// The result of decoding.
pub(crate) type Decoded<T> = Result<T, Malformed>;

/// Reads fields one after another.
pub(crate) struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Decoder(bytes)
    }
    pub(crate) fn bytes(&mut self, count: usize) -> Decoded<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(count).ok_or(Malformed)?;
        self.0 = tail;
        Ok(head)
    }
    pub(crate) fn array<const N: usize>(&mut self) -> Decoded<[u8; N]> {
        self.bytes(N)?.try_into().map_err(|_| Malformed)
    }
    pub(crate) fn u8(&mut self) -> Decoded<u8> {
        Ok(u8::from_le_bytes(self.array()?))
    }
    pub(crate) fn u16(&mut self) -> Decoded<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }
    pub(crate) fn u32(&mut self) -> Decoded<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }
    pub(crate) fn u64(&mut self) -> Decoded<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }
    pub(crate) fn i64(&mut self) -> Decoded<i64> {
        Ok(i64::from_le_bytes(self.array()?))
    }
    /// A number that takes as few bytes as it needs: 7 bits in each byte, least significant first. The top bit is set
    /// in all bytes but the last.
    pub(crate) fn varint(&mut self) -> Decoded<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return Err(Malformed);
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Malformed)
    }
    /// Like [`Decoder::varint`], for a number that fits in 32 bits.
    pub(crate) fn varint_u32(&mut self) -> Decoded<u32> {
        u32::try_from(self.varint()?).map_err(|_| Malformed)
    }
    /// Bytes preceded by their count as a `u16`.
    pub(crate) fn counted(&mut self) -> Decoded<&'a [u8]> {
        let count = self.u16()?;
        self.bytes(usize::from(count))
    }
    /// The number of bytes that have not been read yet.
    pub(crate) fn remaining(&self) -> usize {
        self.0.len()
    }
    pub(crate) fn rest(self) -> &'a [u8] {
        self.0
    }
    /// Returns an error if any bytes remain.
    pub(crate) fn finish(self) -> Decoded<()> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed) }
    }
}

/// Writes fields one after another.
#[derive(Default)]
pub(crate) struct Encoder(Vec<u8>);

impl Encoder {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Encoder(Vec::with_capacity(bytes))
    }
    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }
    pub(crate) fn u8(self, value: u8) -> Self {
        self.bytes(&value.to_le_bytes())
    }
    pub(crate) fn u16(self, value: u16) -> Self {
        self.bytes(&value.to_le_bytes())
    }
    pub(crate) fn u32(self, value: u32) -> Self {
        self.bytes(&value.to_le_bytes())
    }
    pub(crate) fn u64(self, value: u64) -> Self {
        self.bytes(&value.to_le_bytes())
    }
    pub(crate) fn i64(self, value: i64) -> Self {
        self.bytes(&value.to_le_bytes())
    }
    pub(crate) fn varint(mut self, mut value: u64) -> Self {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.u8(value as u8)
    }
    /// Writes the bytes, preceded by their count. Cuts them off after 65,535 bytes, so callers must not pass more.
    pub(crate) fn counted(self, bytes: &[u8]) -> Self {
        let count = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
        self.u16(count).bytes(bytes.get(..usize::from(count)).unwrap_or(bytes))
    }
    pub(crate) fn done(self) -> Vec<u8> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_the_bytes_they_need_and_are_read_back() {
        for (value, bytes) in
            [(0, 1), (127, 1), (128, 2), (262_144, 3), (u64::from(u32::MAX), 5), (u64::MAX, 10)]
        {
            let stored = Encoder::default().varint(value).done();
            assert_eq!(stored.len(), bytes);
            assert_eq!(Decoder::new(&stored).varint(), Ok(value));
            assert_eq!(Decoder::new(&stored[1..]).varint().is_ok(), bytes > 1);
        }
        assert_eq!(Decoder::new(&[0xff; 10]).varint(), Err(Malformed));
        assert_eq!(Decoder::new(&[0x80; 12]).varint(), Err(Malformed));
        assert_eq!(Decoder::new(&[0xff; 5]).varint_u32(), Err(Malformed));
    }
}
