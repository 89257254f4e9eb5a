//! The operations, one file for each, named as the RFC names them.
