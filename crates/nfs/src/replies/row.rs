//! The format of a row: the outcomes of one request.
//!
//! ```text
//! key      session id, 16 bytes; slot, 4 bytes, big-endian
//! value    XDR: format u32, 1; sequence id u32; highest slot of the session u32;
//!          fingerprint of the request, 16 bytes; hash of the client's name, 16 bytes; its verifier, 8 bytes;
//!          count u32, and for each outcome
//!              index of the operation in the COMPOUND u32
//!              the filehandle that the operation made the current one, opaque; empty: the same as before
//!              the result (nfs_resop4)
//! ```
//!
//! The fingerprint is the XXH3-128 of the caller's flavor (4 bytes) and user (4 bytes), and of the request from the operation after
//! SEQUENCE on. SEQUENCE itself is excluded, because a client encodes it again when it sends a request again. The hash of the name
//! is the XXH3-128 of co_ownerid. Both are big-endian.

use bytes::Bytes;
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use forebay_nfs_proto::rpc::Principal;
use forebay_nfs_proto::xdr::nfs4::{ClientOwner, OperationResult, SessionId, Verifier};
use forebay_nfs_proto::xdr::{Decode, Decoder, Encode, Encoder, XdrError};

/// The namespace of the rows in the pool.
pub(super) const NAMESPACE: &str = "nfs-reply";
const FORMAT: u32 = 1;
/// The maximum length of a filehandle, in bytes.
const HANDLE_BYTES_MAX: usize = 128;
/// A COMPOUND has no more operations.
const OUTCOMES_MAX: usize = 1 << 16;

/// The key of a slot's row.
pub(super) fn key(session: SessionId, slotid: u32) -> Bytes {
    [&session.0[..], &slotid.to_be_bytes()].concat().into()
}

/// Session and slot of a key.
pub(super) fn from_key(key: &[u8]) -> Option<(SessionId, u32)> {
    let (session, slotid) = key.split_first_chunk()?;
    Some((SessionId(*session), u32::from_be_bytes(slotid.try_into().ok()?)))
}

/// The fingerprint of a request.
pub(super) fn fingerprint(principal: &Principal, operations: &[u8]) -> [u8; 16] {
    let mut hasher = Xxh3::new();
    hasher.update(&principal.flavor.to_be_bytes());
    hasher.update(&principal.uid.to_be_bytes());
    hasher.update(operations);
    hasher.digest128().to_be_bytes()
}

/// A client between two of its restarts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Incarnation {
    /// The hash of the client's name.
    pub name: [u8; 16],
    pub verifier: Verifier,
}

impl Incarnation {
    pub fn of(owner: &ClientOwner) -> Incarnation {
        Incarnation { name: xxh3_128(&owner.ownerid).to_be_bytes(), verifier: owner.verifier }
    }
}

/// The outcome of one operation that succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The operation's index in the COMPOUND.
    pub index: u32,
    /// The filehandle that it made the current one; empty if it did not.
    pub current: Bytes,
    pub result: OperationResult,
}

/// The outcomes of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(super) sequenceid: u32,
    pub(super) highest_slotid: u32,
    pub(super) fingerprint: [u8; 16],
    pub(super) client: Incarnation,
    pub(super) outcomes: Vec<Outcome>,
}

impl Row {
    /// The highest slot of the session.
    pub fn highest_slotid(&self) -> u32 {
        self.highest_slotid
    }

    /// The outcome of the operation with this index and number, if the row has it.
    pub fn outcome(&self, index: u32, code: u32) -> Option<&Outcome> {
        self.outcomes.iter().find(|outcome| outcome.index == index && outcome.result.code() == code)
    }

    /// Adds an outcome. An operation that was tried again has its last one.
    pub(super) fn put(&mut self, outcome: Outcome) {
        self.outcomes.retain(|other| other.index != outcome.index);
        self.outcomes.push(outcome);
    }

    pub(super) fn encode(&self) -> Bytes {
        let mut out = Encoder::new();
        FORMAT.encode(&mut out);
        self.sequenceid.encode(&mut out);
        self.highest_slotid.encode(&mut out);
        self.fingerprint.encode(&mut out);
        self.client.name.encode(&mut out);
        self.client.verifier.0.encode(&mut out);
        out.put_length(self.outcomes.len());
        for outcome in &self.outcomes {
            outcome.index.encode(&mut out);
            outcome.current.encode(&mut out);
            outcome.result.encode(&mut out);
        }
        out.into_bytes()
    }

    pub(super) fn decode(value: Bytes) -> Result<Row, XdrError> {
        let mut input = Decoder::new(value);
        match u32::decode(&mut input)? {
            FORMAT => {}
            value => return Err(XdrError::Unknown { of: "format of a row", value }),
        }
        let row = Row {
            sequenceid: Decode::decode(&mut input)?,
            highest_slotid: Decode::decode(&mut input)?,
            fingerprint: Decode::decode(&mut input)?,
            client: Incarnation {
                name: Decode::decode(&mut input)?,
                verifier: Verifier(Decode::decode(&mut input)?),
            },
            outcomes: input.list(OUTCOMES_MAX)?,
        };
        input.finish()?;
        Ok(row)
    }
}

impl Decode for Outcome {
    fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
        Ok(Outcome {
            index: Decode::decode(input)?,
            current: input.opaque(HANDLE_BYTES_MAX)?,
            result: Decode::decode(input)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_nfs_proto::xdr::nfs4::{ChangeInfo, RemoveResult};

    fn row() -> Row {
        let owner = ClientOwner { verifier: Verifier([7; 8]), ownerid: Bytes::from_static(b"broker") };
        let principal = Principal { flavor: 1, uid: 0 };
        let change_info = ChangeInfo { atomic: true, before: 3, after: 4 };
        let removed = |index| Outcome {
            index,
            current: Bytes::from_static(b"handle"),
            result: OperationResult::Remove(Ok(RemoveResult { change_info: change_info.clone() })),
        };
        Row {
            sequenceid: 9,
            highest_slotid: 63,
            fingerprint: fingerprint(&principal, b"operations"),
            client: Incarnation::of(&owner),
            outcomes: vec![removed(2), removed(5)],
        }
    }

    #[test]
    fn a_row_comes_back_as_it_went() {
        assert_eq!(Row::decode(row().encode()), Ok(row()));
        let mut longer = row().encode().to_vec();
        longer.extend([0; 4]);
        assert_eq!(Row::decode(longer.into()), Err(XdrError::Trailing(4)));
        let mut other = row().encode().to_vec();
        other[3] += 1;
        assert!(Row::decode(other.into()).is_err());
    }

    #[test]
    fn what_a_row_holds_does_not_change_between_releases() {
        // A later release reads what this one wrote. Another hash would make it refuse every request.
        let principal = Principal { flavor: 1, uid: 1000 };
        let hash = fingerprint(&principal, b"abc");
        assert_eq!(hash, xxh3_128(b"\0\0\0\x01\0\0\x03\xe8abc").to_be_bytes());
        assert_ne!(hash, fingerprint(&Principal { uid: 1001, ..principal }, b"abc"));
        assert_eq!(from_key(&key(SessionId([5; 16]), 258)), Some((SessionId([5; 16]), 258)));
        assert_eq!(from_key(b"short"), None);
    }

    #[test]
    fn an_operation_that_was_tried_again_has_its_last_outcome() {
        let mut row = row();
        let mut again = row.outcomes[0].clone();
        again.current = Bytes::new();
        row.put(again.clone());
        assert_eq!(row.outcomes.len(), 2);
        assert_eq!(row.outcome(2, again.result.code()), Some(&again));
        assert_eq!(row.outcome(2, again.result.code() + 1), None);
        assert_eq!(row.outcome(3, again.result.code()), None);
    }
}
