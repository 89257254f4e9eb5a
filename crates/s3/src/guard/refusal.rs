//! The reasons for which the guard refuses a request, and the answer of S3 to each.

use std::error::Error;
use std::fmt;

use hyper::StatusCode;
use s3s::S3Error;

use super::signature_fault::SignatureFault;

/// Why a request is refused. Displays as S3 words it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of the fields say all")]
pub enum Refusal {
    /// S3 has no such HTTP method.
    MethodNotAllowed { method: String },
    /// The headers have too many bytes in sum.
    HeadersTooLarge { bytes_max: usize },
    /// A header that decides something is there more than once.
    RepeatedHeader { name: String },
    /// A header that decides something is not ASCII.
    IllegibleHeader { name: String },
    /// Both a length and a transfer coding.
    TwoLengths,
    /// The path or the query is malformed, or is not UTF-8, or the path has a zero byte.
    InvalidUri,
    /// The query has too many bytes.
    QueryTooLong,
    /// The key has too many bytes.
    KeyTooLong { bytes: usize, bytes_max: usize },
    /// An upload by HTML form.
    PostForm,

    /// Signature Version 2, in the header or in the query.
    SignatureVersion2,
    /// The `Authorization` header is one word.
    AuthorizationForm { given: String },
    /// Another scheme of the `Authorization` header.
    AuthorizationType { given: String },
    /// A signature in the header and one in the query.
    SeveralSignatures,
    /// The `Authorization` header is malformed, or is for another server.
    Authorization(SignatureFault),
    /// The query of a presigned URL is malformed, or is for another server.
    Presigned(SignatureFault),
    /// `x-amz-date` is missing or malformed.
    MissingDate,
    /// The request was signed too long ago or too far ahead.
    RequestTimeTooSkewed { request: String, server: String, skew_seconds_max: i64 },
    /// The presigned URL's date lies in the future.
    NotYetValid,
    /// The presigned URL's lifetime is over.
    Expired { lifetime_seconds: i64, expires: String, server: String },
    /// These headers are there and must be signed.
    HeadersNotSigned { names: Vec<String> },
    /// The list of signed headers names one that is not there or is not text, or names it twice.
    InvalidSignedHeader { name: String },

    /// `x-amz-content-sha256` is missing.
    MissingContentSha256,
    /// `x-amz-content-sha256` has a form that S3 does not know.
    ContentSha256Form { given: String },
    /// Chunks signed with ECDSA.
    EcdsaChunks { given: String },
    /// aws-chunks in a request that stores no object or part.
    MisplacedChunks,
    /// aws-chunks behind a presigned URL.
    PresignedChunks,
    /// aws-chunks in an anonymous request.
    AnonymousChunks,
    /// Signed aws-chunks in an anonymous request.
    AnonymousSignedChunks,
    /// `x-amz-trailer` announces a trailer that this server does not know.
    UnsupportedTrailer,

    /// A length is missing, or is no number.
    MissingContentLength,
    /// The object or part is too large.
    EntityTooLarge { bytes: u64, bytes_max: u64 },
    /// The body is too large for its operation.
    MessageTooLong { bytes_max: u64 },
    /// The body ended early, or its framing is malformed.
    IncompleteBody,
    /// The body has another length than the request says.
    WrongLength,
    /// A chunk that is not the last is too small. Chunks are counted from 1.
    ChunkTooSmall { chunk: u64, bytes: u64 },
    /// A signed chunk is too large to be held in memory until its signature is checked. Chunks are counted from 1.
    ChunkTooLarge { chunk: u64, bytes: u64, bytes_max: u64 },
    /// The trailers are malformed, or are not those that were announced.
    MalformedTrailer,
    /// The body is a document with too many elements.
    TooManyElements,
    /// The checksums in the headers are malformed, or are not those of the body.
    Unverified { code: &'static str, message: String },
    /// The body came too slowly.
    RequestTimeout,
    /// There is no memory for the request.
    SlowDown,
}

impl Refusal {
    /// The refusal of a request whose checksums are malformed, unknown, or not those of its body.
    pub(super) fn of_checksum(error: &S3Error) -> Refusal {
        let code = ["BadDigest", "InvalidDigest", "InvalidArgument", "XAmzContentSHA256Mismatch"]
            .into_iter()
            .find(|code| *code == error.code().as_str())
            .unwrap_or("InvalidRequest");
        Refusal::Unverified { code, message: error.message().unwrap_or_default().to_owned() }
    }

    /// The code of S3.
    pub fn code(&self) -> &'static str {
        use Refusal::*;
        match self {
            MethodNotAllowed { .. } => "MethodNotAllowed",
            HeadersTooLarge { .. } => "RequestHeaderSectionTooLarge",
            InvalidUri | QueryTooLong => "InvalidURI",
            KeyTooLong { .. } => "KeyTooLongError",
            PostForm | EcdsaChunks { .. } | PresignedChunks | AnonymousChunks => "NotImplemented",
            AuthorizationForm { .. }
            | AuthorizationType { .. }
            | SeveralSignatures
            | ContentSha256Form { .. } => "InvalidArgument",
            Authorization(_) => "AuthorizationHeaderMalformed",
            Presigned(SignatureFault::SecurityToken) => "InvalidToken",
            Presigned(_) => "AuthorizationQueryParametersError",
            MissingDate | NotYetValid | Expired { .. } | HeadersNotSigned { .. } => "AccessDenied",
            RequestTimeTooSkewed { .. } => "RequestTimeTooSkewed",
            InvalidSignedHeader { .. } => "SignatureDoesNotMatch",
            RepeatedHeader { .. }
            | IllegibleHeader { .. }
            | TwoLengths
            | SignatureVersion2
            | MissingContentSha256
            | MisplacedChunks
            | AnonymousSignedChunks
            | UnsupportedTrailer => "InvalidRequest",
            MissingContentLength => "MissingContentLength",
            EntityTooLarge { .. } => "EntityTooLarge",
            MessageTooLong { .. } => "MaxMessageLengthExceeded",
            IncompleteBody | WrongLength => "IncompleteBody",
            ChunkTooSmall { .. } | ChunkTooLarge { .. } => "InvalidChunkSizeError",
            MalformedTrailer => "MalformedTrailerError",
            TooManyElements => "MalformedXML",
            Unverified { code, .. } => code,
            RequestTimeout => "RequestTimeout",
            SlowDown => "SlowDown",
        }
    }

    /// The HTTP status.
    pub fn status(&self) -> StatusCode {
        match self.code() {
            "MethodNotAllowed" => StatusCode::METHOD_NOT_ALLOWED,
            "NotImplemented" => StatusCode::NOT_IMPLEMENTED,
            "AccessDenied" | "RequestTimeTooSkewed" | "SignatureDoesNotMatch" => StatusCode::FORBIDDEN,
            "MissingContentLength" => StatusCode::LENGTH_REQUIRED,
            "SlowDown" => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::BAD_REQUEST,
        }
    }

    /// More elements of the error response.
    pub(super) fn details(&self) -> Vec<(&'static str, String)> {
        use Refusal::*;
        match self {
            MethodNotAllowed { method } => vec![("Method", method.clone())],
            HeadersTooLarge { bytes_max } => vec![("MaxSizeAllowed", bytes_max.to_string())],
            KeyTooLong { bytes, bytes_max } => {
                vec![("Size", bytes.to_string()), ("MaxSizeAllowed", bytes_max.to_string())]
            }
            AuthorizationForm { given } | AuthorizationType { given } => {
                vec![("ArgumentName", "Authorization".to_owned()), ("ArgumentValue", given.clone())]
            }
            ContentSha256Form { given } => {
                vec![("ArgumentName", "x-amz-content-sha256".to_owned()), ("ArgumentValue", given.clone())]
            }
            Authorization(SignatureFault::Region { expected, .. }) => vec![("Region", expected.clone())],
            RequestTimeTooSkewed { request, server, skew_seconds_max } => vec![
                ("RequestTime", request.clone()),
                ("ServerTime", server.clone()),
                ("MaxAllowedSkewMilliseconds", (skew_seconds_max * 1000).to_string()),
            ],
            Expired { lifetime_seconds, expires, server } => vec![
                ("X-Amz-Expires", lifetime_seconds.to_string()),
                ("Expires", expires.clone()),
                ("ServerTime", server.clone()),
            ],
            HeadersNotSigned { names } => vec![("HeadersNotSigned", names.join(", "))],
            EntityTooLarge { bytes, bytes_max } => {
                vec![("ProposedSize", bytes.to_string()), ("MaxSizeAllowed", bytes_max.to_string())]
            }
            MessageTooLong { bytes_max } => vec![("MaxMessageLengthBytes", bytes_max.to_string())],
            ChunkTooSmall { chunk, bytes } | ChunkTooLarge { chunk, bytes, .. } => {
                vec![("Chunk", chunk.to_string()), ("BadChunkSize", bytes.to_string())]
            }
            _ => Vec::new(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Refusal::*;
        f.write_str(match self {
            MethodNotAllowed { .. } => "The specified method is not allowed against this resource.",
            HeadersTooLarge { .. } => "Your request header section exceeds the maximum allowed size.",
            RepeatedHeader { name } => return write!(f, "The header {name} is there more than once."),
            IllegibleHeader { name } => return write!(f, "The value of the header {name} is not ASCII."),
            TwoLengths => "The request has both Content-Length and Transfer-Encoding.",
            InvalidUri => "The specified URI couldn't be parsed.",
            QueryTooLong => "The query of the specified URI is too long.",
            KeyTooLong { .. } => "Your key is too long.",
            PostForm => "Uploads by POST form are not implemented. Use PutObject or a presigned URL.",
            SignatureVersion2 => {
                "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256."
            }
            AuthorizationForm { .. } => "Authorization header is invalid -- one and only one ' ' (space) required.",
            AuthorizationType { .. } => "Unsupported Authorization Type",
            SeveralSignatures => {
                "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string \
                 parameter or the Authorization header should be specified"
            }
            Authorization(fault) => return write!(f, "The authorization header is malformed; {fault}"),
            Presigned(SignatureFault::MissingComponents) => {
                "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, \
                 X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters."
            }
            Presigned(fault) if fault.is_in_credential() => {
                return write!(f, "Error parsing the X-Amz-Credential parameter; {fault}");
            }
            Presigned(fault) => return fault.fmt(f),
            MissingDate => "AWS authentication requires a valid Date or x-amz-date header.",
            RequestTimeTooSkewed { .. } => {
                "The difference between the request time and the current time is too large."
            }
            NotYetValid => "Request is not valid yet.",
            Expired { .. } => "Request has expired.",
            HeadersNotSigned { .. } => "There were headers present in the request which were not signed",
            InvalidSignedHeader { .. } => {
                "The request signature we calculated does not match the signature you provided. Check your key and \
                 signing method."
            }
            MissingContentSha256 => "Missing required header for this request: x-amz-content-sha256",
            ContentSha256Form { .. } => {
                "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, \
                 STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER, \
                 STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD, STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER or a valid \
                 sha256 value."
            }
            EcdsaChunks { given } => {
                return write!(f, "The chunk encoding algorithm {given} is not supported.");
            }
            MisplacedChunks => "The value of x-amz-content-sha256 header is invalid.",
            PresignedChunks => "Chunked uploads with a presigned URL are not implemented.",
            AnonymousChunks => "Chunked uploads without a signature are not implemented.",
            AnonymousSignedChunks => {
                "Anonymous requests don't support this x-amz-content-sha256 value. Please use UNSIGNED-PAYLOAD or \
                 STREAMING-UNSIGNED-PAYLOAD-TRAILER."
            }
            UnsupportedTrailer => "The value specified in the x-amz-trailer header is not supported",
            MissingContentLength => "You must provide the Content-Length HTTP header.",
            EntityTooLarge { .. } => "Your proposed upload exceeds the maximum allowed object size.",
            MessageTooLong { .. } => "Your request was too big.",
            IncompleteBody => "The request body terminated unexpectedly",
            WrongLength => {
                "You did not provide the number of bytes specified by the Content-Length HTTP header"
            }
            ChunkTooSmall { .. } => "Only the last chunk is allowed to have a size less than 8192 bytes",
            ChunkTooLarge { bytes_max, .. } => {
                return write!(f, "A signed chunk may have at most {bytes_max} bytes.");
            }
            MalformedTrailer => {
                "The request contained trailing data that was not well-formed or did not conform to our published schema."
            }
            TooManyElements => {
                "The XML you provided was not well-formed or did not validate against our published schema"
            }
            Unverified { message, .. } => message,
            RequestTimeout => {
                "Your socket connection to the server was not read from or written to within the timeout period. Idle \
                 connections will be closed."
            }
            SlowDown => "Please reduce your request rate.",
        })
    }
}

impl Error for Refusal {}
