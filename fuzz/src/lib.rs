//! What is fuzzed, one module for each target. A target takes any bytes and panics when something does not hold.
//!
//! [`record`] splits a stream into records, [`rpc`] reads the headers of calls and replies, [`compound`] decodes operations and
//! results, [`execute`] has a server execute them, [`s3`] parses requests to the S3 server. `seeds.rs` makes the first inputs from recorded requests.

pub mod compound;
pub mod execute;
pub mod record;
pub mod rpc;
pub mod s3;
pub mod script;
