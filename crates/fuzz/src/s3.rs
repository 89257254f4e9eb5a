//! The parsers of the S3 server that see what clients send before anything is known about them.

/// A request up to its body, which the guard admits or refuses.
pub fn guard(data: &[u8]) {
    forebay_s3::guard::fuzz::fuzz_guard(data);
}

/// A body of aws-chunks: it ends complete, or with an error that says why.
pub fn chunks(data: &[u8]) {
    forebay_s3::guard::fuzz::fuzz_aws_chunked(data);
}

/// A policy: what is accepted can be asked.
pub fn policy(data: &[u8]) {
    forebay_s3::auth::policy::fuzz_policy(data);
}

/// A range and a size: what is selected is not empty and lies within the object.
pub fn ranges(data: &[u8]) {
    forebay_s3::range::fuzz_ranges(data);
}
