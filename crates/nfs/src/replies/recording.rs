//! Stores the outcomes of a request in progress.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use forebay_pool::{Handle, PoolId, ProtocolRecord, RecordOf};

use super::row::{self, Incarnation, NAMESPACE, Outcome, Row};
use crate::session::Session;
use crate::tree::FileHandle;
use forebay_nfs_proto::rpc::Principal;
use forebay_nfs_proto::xdr::nfs4::{OperationResult, SequenceArgs};

/// The recording of one request in a persistent session. It costs almost nothing until an operation needs it.
pub(crate) struct Recording {
    pool: PoolId,
    session: Arc<Session>,
    slotid: u32,
    sequenceid: u32,
    principal: Principal,
    /// The operations after SEQUENCE, encoded.
    operations: Bytes,
    /// The index of the operation in progress.
    index: u32,
    /// Jobs in the pool add to it, one after the other.
    row: OnceLock<Arc<Mutex<Row>>>,
}

impl Recording {
    /// For a request with these operations after SEQUENCE.
    pub fn new(
        pool: PoolId,
        session: &Arc<Session>,
        args: &SequenceArgs,
        principal: Principal,
        operations: Bytes,
    ) -> Recording {
        Recording {
            pool,
            session: session.clone(),
            slotid: args.slotid,
            sequenceid: args.sequenceid,
            principal,
            operations,
            index: 0,
            row: OnceLock::new(),
        }
    }

    /// The operation with this index is executed next.
    pub fn begin_operation(&mut self, index: u32) {
        self.index = index;
    }

    /// The record for the pool to store with the effect of the operation in progress. `make` returns the operation's result, and
    /// the inode that becomes the current one, if the operation changes it.
    pub fn record<T: 'static>(
        &self,
        make: impl FnOnce(&T) -> (OperationResult, Option<Handle>) + Send + 'static,
    ) -> RecordOf<T> {
        // Before the row can exist, so that nobody overlooks it.
        self.session.note_row(self.slotid);
        let row = self.row.get_or_init(|| Arc::new(Mutex::new(self.new_row()))).clone();
        let key = row::key(self.session.id, self.slotid);
        let (pool, index) = (self.pool, self.index);
        Box::new(move |done| {
            let (result, current) = make(done);
            let current = current.map(|handle| FileHandle::Inode(handle).to_wire(pool)).unwrap_or_default();
            // Each outcome is added whole.
            let mut row = row.lock().unwrap_or_else(PoisonError::into_inner);
            row.put(Outcome { index, current, result });
            ProtocolRecord { namespace: NAMESPACE, key, value: row.encode() }
        })
    }

    fn new_row(&self) -> Row {
        Row {
            sequenceid: self.sequenceid,
            highest_slotid: self.session.highest_slotid(),
            fingerprint: row::fingerprint(&self.principal, &self.operations),
            client: Incarnation::of(self.session.client.owner()),
            outcomes: Vec::new(),
        }
    }
}
