//! A script of requests as bytes, such that small changes of the bytes are small changes of the script.
//!
//! ```text
//! request   how u8, operations u8, length u16 (big endian), that many bytes: the operations, as XDR has them
//! ```
//!
//! What differs from run to run stands in the bytes by a name: the pool's id as [`POOL`], an inode's generation behind it as
//! [`GENERATION`], the first half of a session's id as [`SESSION`].

/// Stands for the pool's id, in a filehandle.
pub const POOL: &[u8; 16] = b"<id of the pool>";
/// Stands for the generation that the inode has.
pub const GENERATION: &[u8; 4] = b"<ge>";
/// Stands for what the ids of all sessions begin with.
pub const SESSION: &[u8; 8] = b"<sessio>";
/// Where the pool's id begins in a filehandle.
pub const POOL_AT: usize = 2;
/// Where the generation begins in a filehandle.
pub const GENERATION_AT: usize = 30;
/// The length of a filehandle.
pub const HANDLE_BYTES: usize = 34;

/// Version 4.1, not 4.2.
pub const HOW_MINOR_1: u8 = 1;
/// The reply is to be kept.
pub const HOW_CACHE: u8 = 2;
/// Without SEQUENCE before it.
pub const HOW_BARE: u8 = 4;
/// From the second client.
pub const HOW_SECOND: u8 = 8;
/// As a user who is not root.
pub const HOW_USER: u8 = 16;
/// Time passes before.
pub const HOW_LATER: u8 = 32;
/// The last request of that client is sent again before.
pub const HOW_AGAIN: u8 = 64;

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The sum of some of the `HOW` constants.
    pub how: u8,
    /// How many operations the body has, as the request says.
    pub operations: u8,
    /// The operations, encoded.
    pub body: Vec<u8>,
}

/// The requests of a script. What is cut off is taken as it is.
pub fn parse(mut data: &[u8]) -> Vec<Request> {
    let mut requests = Vec::new();
    while let Some(([how, operations, high, low], rest)) = data.split_first_chunk() {
        let length = usize::from(u16::from_be_bytes([*high, *low])).min(rest.len());
        let (body, rest) = rest.split_at(length);
        requests.push(Request { how: *how, operations: *operations, body: body.to_vec() });
        data = rest;
    }
    requests
}

/// The script as bytes.
pub fn print(requests: &[Request]) -> Vec<u8> {
    let mut out = Vec::new();
    for request in requests {
        let length = u16::try_from(request.body.len()).expect("a short request");
        out.extend([request.how, request.operations]);
        out.extend(length.to_be_bytes());
        out.extend(&request.body);
    }
    out
}

/// Where `needle` begins in `bytes`, one after the other.
pub fn positions(bytes: &[u8], needle: &[u8]) -> Vec<usize> {
    bytes
        .windows(needle.len())
        .enumerate()
        .filter(|(_, window)| *window == needle)
        .map(|(at, _)| at)
        .collect()
}

/// Replaces every `from` by `to`, which is as long.
pub fn replace(bytes: &mut [u8], from: &[u8], to: &[u8]) {
    for at in positions(bytes, from) {
        if bytes[at..at + from.len()] == *from {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
    }
}
