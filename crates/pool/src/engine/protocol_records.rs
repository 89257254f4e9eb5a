//! Small durable records that the protocols keep in the pool. The pool does not interpret them.

use std::ops::ControlFlow;
use std::sync::Arc;

use bytes::Bytes;

use crate::engine::Engine;
use crate::engine::txn::Txn;
use crate::format::keys;
use crate::{Error, ProtocolRecord, RecordOf, Result};

const NAMESPACE_BYTES_MAX: usize = 255;
const KEY_BYTES_MAX: usize = 4096;
const VALUE_BYTES_MAX: usize = 1 << 20;

fn check(namespace: &str, key: &[u8], value: &[u8]) -> Result<()> {
    let bounds = [
        (namespace.len(), NAMESPACE_BYTES_MAX, "namespace"),
        (key.len(), KEY_BYTES_MAX, "key"),
        (value.len(), VALUE_BYTES_MAX, "value"),
    ];
    match bounds.iter().find(|(bytes, bytes_max, _)| bytes > bytes_max) {
        Some((_, bytes_max, what)) => Err(Error::invalid(
            format!("a record's {what}"),
            format!("must not be longer than {bytes_max} bytes"),
        )),
        None => Ok(()),
    }
}

impl Txn<'_> {
    /// Stages the record that belongs to the result of an operation, if there is one.
    pub(crate) fn put_record_of<T>(&mut self, record: Option<RecordOf<T>>, result: &T) -> Result<()> {
        if let Some(make) = record {
            let ProtocolRecord { namespace, key, value } = make(result);
            check(namespace, &key, &value)?;
            self.put_bytes(keys::record(namespace, &key), value);
        }
        Ok(())
    }
}

impl Engine {
    pub(crate) async fn record_put(
        self: &Arc<Self>,
        namespace: &str,
        key: &[u8],
        value: &[u8],
    ) -> Result<()> {
        check(namespace, key, value)?;
        let (key, value) = (keys::record(namespace, key), Bytes::copy_from_slice(value));
        self.transact(move |txn| {
            txn.put_bytes(key, value);
            Ok(())
        })
        .await
    }

    /// Deletes those of the records that exist, in one batch.
    pub(crate) async fn records_delete(self: &Arc<Self>, namespace: &str, keys: &[Bytes]) -> Result<()> {
        keys.iter().try_for_each(|key| check(namespace, key, b""))?;
        let keys: Vec<_> = keys.iter().map(|key| keys::record(namespace, key)).collect();
        self.transact(move |txn| {
            for key in keys {
                if txn.get(&key)?.is_some() {
                    txn.delete(key);
                }
            }
            Ok(())
        })
        .await
    }

    pub(crate) fn record(&self, namespace: &str, key: &[u8]) -> Result<Option<Bytes>> {
        check(namespace, key, b"")?;
        self.stores.meta.get(&keys::record(namespace, key))
    }

    pub(crate) fn records(&self, namespace: &str) -> Result<Vec<(Bytes, Bytes)>> {
        check(namespace, b"", b"")?;
        let (range, prefix) = keys::records_of(namespace);
        let mut records = Vec::new();
        self.stores.meta.scan(range, &mut |key, value| {
            let key = key.get(prefix..).unwrap_or_default();
            records.push((Bytes::copy_from_slice(key), Bytes::copy_from_slice(value)));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(records)
    }
}
