//! The S3 server.

pub mod checksum;
pub mod clock;
pub mod errors;
pub mod facts;
pub mod percent;
