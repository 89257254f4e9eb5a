//! Stands between the HTTP server and the library s3s, and refuses requests that the library would wrongly accept.
//!
//! ```text
//! http::Request<B>
//!    headers    sum of bytes, repeated and illegible headers
//!    target     bucket and key of the path, percent-decoded; limits of the key
//!    query      parameters, decoded as s3s decodes them
//!    signature  which kind of signature, and its scope, dates and list of signed headers; not the signature itself
//!    payload    the form of the body that x-amz-content-sha256 announces
//!    length     how many bytes the body may and must have
//!       body    ends a body that is too slow; counts it, gathers and verifies it if it is a message, or frames its aws-chunks
//! http::Request<s3s::Body>
//! ```
//!
//! The guard does not check the signature: s3s does. The guard writes the `Authorization` header anew from the parts that it has
//! parsed, so that s3s cannot read it in another way. It joins repeated headers of user metadata, as a signature does. All other
//! headers stay as they came, because the signature covers them.
//!
//! A request that the guard refuses becomes a [`Refusal`], which knows the error response of S3. Faults of the body are known only
//! while an operation reads it, and s3s turns them into opaque errors. So each admitted request carries a [`BodyFate`] as an
//! extension, which tells the operation how the body ended. It carries the length of the object or part
//! as a [`DataLength`], the bucket's name, and what the request costs. All that waits in memory is charged to its
//! [`Account`](crate::memory::Account), which must be an extension of the request before.

mod admission;
mod body;
mod cost;
pub mod fuzz;
mod headers;
mod length;
mod payload;
mod percent;
mod query;
mod refusal;
mod response;
mod signature;
mod signature_fault;
mod target;

pub use admission::Guard;
pub use body::{BodyEnd, BodyError, BodyFate, ChunkFault};
pub(crate) use body::{CHECK_PERIOD, PACE};
pub use length::DataLength;
pub use refusal::Refusal;
pub use signature_fault::SignatureFault;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod through_s3s;
