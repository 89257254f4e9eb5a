//! The commands that talk to a daemon and print its response.

pub mod lab;
