//! `forebay cluster`: the pools in a database, and the nodes that serve them.

mod arguments;
mod moving;
mod place;
mod run;
mod view;

pub use arguments::ClusterCommand;
pub use run::{run, status};
pub use view::view_of;
