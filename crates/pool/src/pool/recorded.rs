//! The protocols' own records, and changes of directories and extended attributes that put one in the same batch.

use bytes::Bytes;

use super::Pool;
use crate::{ChangeInfo, Created, Handle, NewInode, RecordOf, Removed, Renamed, Result, SetXattr};

impl Pool {
    /// Stores a protocol's own record, durably, replacing any record with the same key.
    pub async fn record_put(&self, namespace: &str, key: &[u8], value: &[u8]) -> Result<()> {
        self.engine()?.record_put(namespace, key, value).await
    }
    /// Deletes a record if it exists.
    pub async fn record_delete(&self, namespace: &str, key: &[u8]) -> Result<()> {
        self.records_delete(namespace, &[Bytes::copy_from_slice(key)]).await
    }
    /// Deletes those of the records that exist, in one atomic step.
    pub async fn records_delete(&self, namespace: &str, keys: &[Bytes]) -> Result<()> {
        self.engine()?.records_delete(namespace, keys).await
    }
    /// The record with this key, if there is one.
    pub fn record(&self, namespace: &str, key: &[u8]) -> Result<Option<Bytes>> {
        self.engine()?.record(namespace, key)
    }
    /// All records of a namespace, ordered by key.
    pub fn records(&self, namespace: &str) -> Result<Vec<(Bytes, Bytes)>> {
        self.engine()?.records(namespace)
    }

    // In the following, the record is stored in the same atomic step as the change. An operation that fails, or that
    // changes nothing, stores none.

    /// Like [`Pool::create`]; also stores a record.
    pub async fn create_with(
        &self,
        directory: Handle,
        name: &[u8],
        new: NewInode,
        record: Option<RecordOf<Created>>,
    ) -> Result<Created> {
        self.engine()?.create(directory, name, new, record).await
    }
    /// Like [`Pool::link`]; also stores a record.
    pub async fn link_with(
        &self,
        handle: Handle,
        directory: Handle,
        name: &[u8],
        record: Option<RecordOf<ChangeInfo>>,
    ) -> Result<ChangeInfo> {
        self.engine()?.link(handle, directory, name, record).await
    }
    /// Like [`Pool::remove`]; also stores a record.
    pub async fn remove_with(
        &self,
        directory: Handle,
        name: &[u8],
        record: Option<RecordOf<Removed>>,
    ) -> Result<Removed> {
        self.engine()?.remove(directory, name, record).await
    }
    /// Like [`Pool::rename`]; also stores a record.
    pub async fn rename_with(
        &self,
        (from, from_name): (Handle, &[u8]),
        (to, to_name): (Handle, &[u8]),
        record: Option<RecordOf<Renamed>>,
    ) -> Result<Renamed> {
        self.engine()?.rename(from, from_name, to, to_name, record).await
    }
    /// Like [`Pool::xattr_set`]; also stores a record.
    pub async fn xattr_set_with(
        &self,
        handle: Handle,
        name: &[u8],
        value: Bytes,
        how: SetXattr,
        record: Option<RecordOf<ChangeInfo>>,
    ) -> Result<ChangeInfo> {
        self.engine()?.xattr_set(handle, name, value, how, record).await
    }
    /// Like [`Pool::xattr_remove`]; also stores a record.
    pub async fn xattr_remove_with(
        &self,
        handle: Handle,
        name: &[u8],
        record: Option<RecordOf<ChangeInfo>>,
    ) -> Result<ChangeInfo> {
        self.engine()?.xattr_remove(handle, name, record).await
    }
}
