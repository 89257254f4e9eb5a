//! The foundations of the crate: paths, the id of a request, problems of a request, strict JSON, numbers in words, growth by day.

pub mod growth;
pub mod paths;
pub mod problem;
pub mod request_id;
pub mod strict;
pub mod words;
