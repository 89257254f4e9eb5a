//! `forebay setup`: from a new daemon to brokers that write to it. It can be repeated: what is there already is changed, not made twice.
//!
//! [`place`] measures the pool's disk, [`questions`] asks what is not given, [`plan`] makes volumes and lines of the answers, [`apply`]
//! creates them over the API, and [`wait`] watches the brokers. Start reading at [`run`](mod@run).

mod answers;
mod apply;
mod arguments;
mod place;
mod plan;
mod questions;
mod run;
mod wait;

pub use arguments::SetupArgs;
pub use run::run;
