//! `forebay serve`: the daemon. Start reading at [`run`](mod@run).

mod cluster;
mod connections;
pub mod database;
mod greeting;
mod listener;
mod node;
mod notify;
mod run;
mod s3;
mod s3_admin;
mod signals;
mod tls;

pub use run::run;
