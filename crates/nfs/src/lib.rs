//! NFSv4.1 and 4.2 server on a pool.
//!
//! A connection's bytes become RPC records, records become COMPOUND arguments, each
//! operation of a COMPOUND runs against the pool and the protocol state, and the results go back.
