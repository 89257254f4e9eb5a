//! The commands: for each family, its command line and what it does.

pub mod account;
pub mod alert;
pub mod bucket;
pub mod cluster;
pub mod config;
pub mod event;
pub mod export;
pub mod init;
pub mod job;
pub mod kafka;
pub mod nfs;
pub mod object;
pub mod pool;
pub mod profile;
pub mod s3;
pub mod serve;
pub mod setup;
pub mod size;
pub mod snapshot;
pub mod status;
pub mod support;
pub mod volume;
