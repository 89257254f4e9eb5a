//! Makes the first inputs of all targets from recorded requests.
//!
//!     seeds RECORDINGS CORPUS
//!
//! A recording is a file of requests in the order in which they came to one server, each behind its length as four bytes (big endian);
//! `FOREBAY_RECORD_REQUESTS=DIR cargo test --package forebay-nfs --test server` makes some.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use bytes::Bytes;
use forebay_fuzz::compound::Numbered;
use forebay_fuzz::script::*;
use forebay_nfs_proto::rpc::message::{Call, PROCEDURE_COMPOUND};
use forebay_nfs_proto::rpc::record::write_record;
use forebay_nfs_proto::xdr::nfs4::{Operation, SessionId};
use forebay_nfs_proto::xdr::{Decode, Decoder, Encode, Encoder};

/// Longer requests teach nothing more.
const REQUEST_BYTES_MAX: usize = 2048;
const SCRIPT_REQUESTS_MAX: usize = 48;

fn main() {
    let mut words = std::env::args().skip(1);
    let (Some(recordings), Some(corpus)) = (words.next(), words.next()) else {
        eprintln!("usage: seeds RECORDINGS CORPUS");
        std::process::exit(2);
    };
    for target in ["record", "rpc", "compound", "execute"] {
        fs::create_dir_all(Path::new(&corpus).join(target)).expect("make the corpus");
    }
    let mut number = 0;
    for entry in fs::read_dir(&recordings).expect("list the recordings") {
        let recording = fs::read(entry.expect("an entry").path()).expect("read a recording");
        let requests: Vec<Bytes> =
            split(&recording).into_iter().filter(|r| r.len() <= REQUEST_BYTES_MAX).collect();
        convert(Path::new(&corpus), number, &requests);
        number += 1;
    }
    println!("{number} recordings");
}

fn split(mut recording: &[u8]) -> Vec<Bytes> {
    let mut requests = Vec::new();
    while let Some((length, rest)) = recording.split_first_chunk() {
        let (request, rest) = rest.split_at((u32::from_be_bytes(*length) as usize).min(rest.len()));
        requests.push(Bytes::copy_from_slice(request));
        recording = rest;
    }
    requests
}

fn convert(corpus: &Path, number: usize, requests: &[Bytes]) {
    let write = |target: &str, index: usize, content: &[u8]| {
        fs::write(corpus.join(target).join(format!("seed-{number:03}-{index:03}")), content)
            .expect("write a seed");
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    for (index, some) in requests.chunks(8).enumerate() {
        let mut stream = vec![index as u8];
        for request in some {
            runtime.block_on(write_record(&mut stream, &[request.clone()])).expect("a record");
        }
        write("record", index, &stream);
    }
    let mut script = Vec::new();
    let mut sessions: HashMap<SessionId, usize> = HashMap::new();
    for (index, request) in requests.iter().enumerate() {
        write("rpc", index, request);
        if let Some(compound) = Compound::read(request) {
            write("compound", index, &compound.operations_encoded());
            script.extend(compound.request(&mut sessions));
        }
    }
    for (index, part) in script.chunks(SCRIPT_REQUESTS_MAX).enumerate() {
        write("execute", index, &print(part));
    }
}

struct Compound {
    minor_version: u32,
    user: u32,
    operations: Vec<Operation>,
}

impl Compound {
    fn read(request: &Bytes) -> Option<Compound> {
        let mut input = Decoder::new(request.clone());
        let call = Call::decode(&mut input).ok()?;
        let (credential, _) = call.check().ok()?;
        if call.procedure != PROCEDURE_COMPOUND {
            return None;
        }
        Bytes::decode(&mut input).ok()?;
        let minor_version = u32::decode(&mut input).ok()?;
        let operations =
            Vec::<Numbered>::decode(&mut input).ok()?.into_iter().map(|numbered| numbered.0).collect();
        Some(Compound { minor_version, user: credential.uid, operations })
    }

    fn operations_encoded(&self) -> Vec<u8> {
        Encoder::of(&self.operations).into_bytes().to_vec()
    }

    /// The request as a script has it.
    fn request(&self, sessions: &mut HashMap<SessionId, usize>) -> Option<Request> {
        let mut how = if self.minor_version == 1 { HOW_MINOR_1 } else { 0 };
        if self.user != 0 {
            how |= HOW_USER;
        }
        let mut operations = self.operations.as_slice();
        let mut prefix = None;
        match operations.split_first() {
            Some((Operation::Sequence(args), rest)) => {
                operations = rest;
                prefix = args.sessionid.0.first_chunk::<8>().copied();
                let known = sessions.len();
                if *sessions.entry(args.sessionid).or_insert(known) % 2 == 1 {
                    how |= HOW_SECOND;
                }
                if args.cachethis {
                    how |= HOW_CACHE;
                }
            }
            _ => how |= HOW_BARE,
        }
        let mut out = Encoder::new();
        for operation in operations {
            operation.encode(&mut out);
        }
        let mut body = out.into_bytes().to_vec();
        if let Some(prefix) = prefix {
            replace(&mut body, &prefix, SESSION);
        }
        for operation in operations {
            if let Operation::Putfh(args) = operation
                && let Some(pool) = args.object.get(POOL_AT..POOL_AT + POOL.len())
            {
                name_handles(&mut body, pool);
            }
        }
        Some(Request { how, operations: u8::try_from(operations.len()).ok()?, body })
    }
}

fn name_handles(body: &mut [u8], pool: &[u8]) {
    for at in positions(body, pool) {
        body[at..at + POOL.len()].copy_from_slice(POOL);
        let generation = at - POOL_AT + GENERATION_AT;
        if body.get(at - POOL_AT + 1) == Some(&1)
            && let Some(bytes) = body.get_mut(generation..generation + GENERATION.len())
        {
            bytes.copy_from_slice(GENERATION);
        }
    }
}
