//! The handlers, one file for each family of resources.
//!
//! Every handler authenticates the caller first, then reads the path and body, does the work, records the
//! event, and responds with a view. Its annotation is its entry in the OpenAPI document; responses that any
//! handler may give are added in [`crate::openapi`].

pub mod accounts;
pub mod alerts;
pub mod backups;
pub mod bucket_contents;
pub mod bucket_documents;
pub mod buckets;
pub mod capacity;
pub mod cluster;
mod common;
pub mod events;
pub mod exports;
pub mod health;
pub mod jobs;
pub mod kafka;
pub mod lab;
pub mod metrics;
pub mod nfs;
pub mod node;
pub mod pool;
pub mod recovery;
pub mod s3_groups;
pub mod s3_users;
pub mod settings;
pub mod snapshots;
pub mod volumes;
