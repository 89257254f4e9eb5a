//! The real binary, as an operator or a script uses it.

mod admin;
mod configuration;
mod daemon;
mod reference;
mod serve;
mod volume;
