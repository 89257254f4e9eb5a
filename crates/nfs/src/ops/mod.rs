//! The operations, one file for each, named as the RFC names them. [`table`] ties names to functions.

pub mod access;
pub mod backchannel_ctl;
pub mod bind_conn_to_session;
pub mod commit;
pub mod create;
pub mod destroy_session;
pub mod getattr;
pub mod getfh;
pub mod link;
pub mod lookup;
pub mod lookupp;
pub mod nverify;
pub mod putfh;
pub mod putpubfh;
pub mod putrootfh;
pub mod read;
pub mod readdir;
pub mod readlink;
pub mod remove;
pub mod rename;
pub mod restorefh;
pub mod savefh;
pub mod secinfo;
pub mod secinfo_no_name;
pub mod sequence;
pub mod setattr;
pub mod verify;
pub mod write;

mod file;
mod table;

pub use table::run;
