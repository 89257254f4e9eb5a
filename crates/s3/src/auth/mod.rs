//! Who a request is from, and whether policies allow it.

pub mod policy;
