//! What all protocols of the daemon share, above the pool and below any protocol.
//!
//! [`Service`] holds it together: the life cycle of volumes ([`volumes`]), users and tokens ([`accounts`]), throughput limits
//! ([`throttle`]), labels of volumes ([`labels`]), tokens of files ([`file_tokens`]), counters by volume ([`per_volume`]), backups ([`backups`]), events ([`events`]) and jobs ([`jobs`]), which the [`keeper`] writes to disk ([`disk`]).
//! The NFS server and the REST API hang off one `Service`; neither reaches through the other. [`watch`] reports what happens in the pool by itself, and [`disk_speed`] measures a disk. Start reading at [`Service`].
//!
//! What must hold: a change is durable before it is in force and before it is answered; and a volume has each protocol's settings,
//! such as an export policy, from its first moment.

pub mod accounts;
pub mod backups;
mod clock;
pub mod disk;
pub mod disk_speed;
mod error;
pub mod events;
pub mod file_tokens;
pub mod jobs;
pub mod keeper;
pub mod labels;
pub mod per_volume;
mod service;
pub mod throttle;
pub mod volumes;
pub mod watch;

pub use clock::Clock;
pub use error::{Error, Result};
pub use service::{Service, ServiceOptions};
