//! The S3 server.

pub mod checksum;
pub mod cleaning;
pub mod clock;
pub mod conditions;
pub mod configuration;
pub mod copy_source;
pub mod errors;
pub mod facts;
pub mod listing;
pub mod names;
pub mod ops;
pub mod percent;
pub mod pool_error;
pub mod range;
pub mod server;
pub mod shared;
pub mod store;
