//! Operations on files and directories: one call for each common task.

use bytes::Bytes;
use forebay_nfs_proto::xdr::nfs4::{
    CloseArgs, CommitArgs, CreateArgs, CreateHow, CreateType, DirectoryEntry, GetattrArgs, LookupArgs,
    OpenArgs, OpenClaim, OpenHow, OpenResult, Operation, OperationResult, Payload, PutfhArgs, ReadArgs,
    ReaddirArgs, RemoveArgs, RenameArgs, SetattrArgs, StableHow, StateId, StateOwner, Verifier, WriteArgs,
    WriteResult, share,
};

use crate::{Attributes, Client, Error, Result};

/// A filehandle.
pub type FileHandle = Bytes;

/// An open file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenFile {
    /// The filehandle.
    pub handle: FileHandle,
    /// The stateid of the open.
    pub stateid: StateId,
    /// The flags that OPEN returned: see [`forebay_nfs_proto::xdr::nfs4::open_result_flags`].
    pub rflags: u32,
}

/// The result of the first successful operation with this name.
macro_rules! result_of {
    ($results:expr, $operation:ident) => {
        $results
            .into_iter()
            .find_map(|result| match result {
                OperationResult::$operation(Ok(result)) => Some(result),
                _ => None,
            })
            .ok_or(Error::Missing(stringify!($operation)))
    };
}

/// A client's view of the server's files.
#[derive(Clone, Copy)]
pub struct Files<'a> {
    client: &'a Client,
}

impl Client {
    /// The server's files.
    pub fn files(&self) -> Files<'_> {
        Files { client: self }
    }
}

impl Files<'_> {
    /// Returns the filehandle of a path from the server's root, such as `/kafka/topic-0`.
    pub async fn resolve(&self, path: &str) -> Result<FileHandle> {
        let names = path.split('/').filter(|name| !name.is_empty());
        let lookups =
            names.map(|name| Operation::Lookup(LookupArgs { name: Bytes::copy_from_slice(name.as_bytes()) }));
        let operations = [Operation::Putrootfh(())].into_iter().chain(lookups).chain([Operation::Getfh(())]);
        let results = self.client.compound(operations.collect::<Vec<_>>()).await?;
        Ok(result_of!(results, Getfh)?.object)
    }

    /// Returns the filehandle of `name` in a directory.
    pub async fn lookup(&self, directory: &FileHandle, name: &str) -> Result<FileHandle> {
        let lookup = Operation::Lookup(LookupArgs { name: bytes(name) });
        let results = self.client.compound([put(directory), lookup, Operation::Getfh(())]).await?;
        Ok(result_of!(results, Getfh)?.object)
    }

    /// Returns all attributes that this client can decode.
    pub async fn getattr(&self, handle: &FileHandle) -> Result<Attributes> {
        let getattr = Operation::Getattr(GetattrArgs { attributes: Attributes::all() });
        let results = self.client.compound([put(handle), getattr]).await?;
        Ok(Attributes::decode(&result_of!(results, Getattr)?.attributes)?)
    }

    /// Sets attributes. The server uses the stateid only if the size is among them.
    pub async fn setattr(
        &self,
        handle: &FileHandle,
        stateid: StateId,
        attributes: &Attributes,
    ) -> Result<()> {
        let setattr = Operation::Setattr(SetattrArgs { stateid, attributes: attributes.encode() });
        self.client.compound([put(handle), setattr]).await.map(|_| ())
    }

    /// Opens a file in a directory for reading and writing. Creates it if `how` says so.
    pub async fn open_as(
        &self,
        owner: &str,
        directory: &FileHandle,
        name: &str,
        how: OpenHow,
    ) -> Result<OpenFile> {
        let claim = OpenClaim::Null(bytes(name));
        self.open_with(directory, self.open_args(owner, share::ACCESS_BOTH, how, claim)).await
    }

    /// Opens a file, and creates it if it does not exist.
    pub async fn create(&self, directory: &FileHandle, name: &str) -> Result<OpenFile> {
        let how = CreateHow::Unchecked(Attributes::mode(0o644).encode());
        self.open_as("owner", directory, name, OpenHow::Create(how)).await
    }

    /// Opens a file that exists.
    pub async fn open(&self, directory: &FileHandle, name: &str) -> Result<OpenFile> {
        self.open_as("owner", directory, name, OpenHow::NoCreate).await
    }

    /// The arguments of OPEN, without share denial.
    pub fn open_args(&self, owner: &str, share_access: u32, openhow: OpenHow, claim: OpenClaim) -> OpenArgs {
        let owner = self.owner(owner);
        OpenArgs { seqid: 0, share_access, share_deny: share::DENY_NONE, owner, openhow, claim }
    }

    /// An owner of opens or locks.
    pub fn owner(&self, name: &str) -> StateOwner {
        StateOwner { clientid: self.client.id(), owner: bytes(name) }
    }

    /// Opens with these arguments. `current` is the directory or the file, depending on the claim.
    pub async fn open_with(&self, current: &FileHandle, args: OpenArgs) -> Result<OpenFile> {
        let operations = [put(current), Operation::Open(args), Operation::Getfh(())];
        let results = self.client.compound(operations).await?;
        let handle = result_of!(results.clone(), Getfh)?.object;
        let OpenResult { stateid, rflags, .. } = result_of!(results, Open)?;
        Ok(OpenFile { handle, stateid, rflags })
    }

    /// Closes a file.
    pub async fn close(&self, file: &OpenFile) -> Result<()> {
        let close = Operation::Close(CloseArgs { seqid: 0, open_stateid: file.stateid });
        self.client.compound([put(&file.handle), close]).await.map(|_| ())
    }

    /// Reads up to `count` bytes. Also returns true if the read reached the end of the file.
    pub async fn read(&self, file: &OpenFile, offset: u64, count: u32) -> Result<(Payload, bool)> {
        let read = Operation::Read(ReadArgs { stateid: file.stateid, offset, count });
        let result = result_of!(self.client.compound([put(&file.handle), read]).await?, Read)?;
        Ok((result.data, result.eof))
    }

    /// Writes `data` at `offset`.
    pub async fn write(
        &self,
        file: &OpenFile,
        offset: u64,
        data: Bytes,
        stable: StableHow,
    ) -> Result<WriteResult> {
        let write = Operation::Write(WriteArgs { stateid: file.stateid, offset, stable, data });
        result_of!(self.client.compound([put(&file.handle), write]).await?, Write)
    }

    /// Makes all writes to the file durable.
    pub async fn commit(&self, handle: &FileHandle) -> Result<Verifier> {
        let commit = Operation::Commit(CommitArgs { offset: 0, count: 0 });
        Ok(result_of!(self.client.compound([put(handle), commit]).await?, Commit)?.writeverf)
    }

    /// Creates a directory.
    pub async fn mkdir(&self, directory: &FileHandle, name: &str) -> Result<FileHandle> {
        let create = Operation::Create(CreateArgs {
            object_type: CreateType::Directory,
            name: bytes(name),
            attributes: Attributes::mode(0o755).encode(),
        });
        let results = self.client.compound([put(directory), create, Operation::Getfh(())]).await?;
        Ok(result_of!(results, Getfh)?.object)
    }

    /// Removes a name.
    pub async fn remove(&self, directory: &FileHandle, name: &str) -> Result<()> {
        let remove = Operation::Remove(RemoveArgs { target: bytes(name) });
        self.client.compound([put(directory), remove]).await.map(|_| ())
    }

    /// Renames `oldname` in `from` to `newname` in `to`.
    pub async fn rename(
        &self,
        from: &FileHandle,
        oldname: &str,
        to: &FileHandle,
        newname: &str,
    ) -> Result<()> {
        let rename = Operation::Rename(RenameArgs { oldname: bytes(oldname), newname: bytes(newname) });
        let operations = [put(from), Operation::Savefh(()), put(to), rename];
        self.client.compound(operations).await.map(|_| ())
    }

    /// Returns all entries of a directory.
    pub async fn readdir(&self, directory: &FileHandle) -> Result<Vec<DirectoryEntry>> {
        let mut entries: Vec<DirectoryEntry> = Vec::new();
        let mut cookieverf = Verifier::default();
        loop {
            let cookie = entries.last().map_or(0, |entry| entry.cookie);
            let attributes = Attributes::all();
            let args = ReaddirArgs { cookie, cookieverf, dircount: 8 << 10, maxcount: 32 << 10, attributes };
            let page =
                result_of!(self.client.compound([put(directory), Operation::Readdir(args)]).await?, Readdir)?;
            cookieverf = page.cookieverf;
            entries.extend(page.entries);
            if page.eof {
                return Ok(entries);
            }
        }
    }
}

fn put(handle: &FileHandle) -> Operation {
    Operation::Putfh(PutfhArgs { object: handle.clone() })
}

fn bytes(name: &str) -> Bytes {
    Bytes::copy_from_slice(name.as_bytes())
}
