//! `forebay serve`: the daemon. Start reading at [`run`](mod@run).

mod notify;
mod run;
mod s3;
mod signals;

pub use run::run;
