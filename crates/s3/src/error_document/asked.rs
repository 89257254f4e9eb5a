//! What a request asked for, as far as error documents repeat it.

use hyper::header::{AUTHORIZATION, HeaderMap};
use hyper::{Method, Request, StatusCode, Uri};

use crate::host::bucket_of_host;
use crate::percent::{self, Plus};

/// What a request asked for.
#[derive(Debug, Clone)]
pub struct Asked {
    method: Method,
    uri: Uri,
    bucket: Option<String>,
    key: Option<String>,
    access_key: Option<String>,
    signature: Option<String>,
}

/// Errors that name the bucket.
const ABOUT_BUCKETS: [&str; 11] = [
    "BucketAlreadyExists",
    "BucketAlreadyOwnedByYou",
    "BucketNotEmpty",
    "InvalidBucketName",
    "NoSuchBucket",
    "NoSuchBucketPolicy",
    "NoSuchCORSConfiguration",
    "NoSuchLifecycleConfiguration",
    "NoSuchTagSet",
    "ObjectLockConfigurationNotFoundError",
    "OwnershipControlsNotFoundError",
];

impl Asked {
    /// Reads a request. Below each of `domains` a host name names a bucket.
    pub fn of<B>(request: &Request<B>, domains: &[String]) -> Asked {
        let uri = request.uri().clone();
        let path = percent::decode(uri.path(), Plus::Itself).unwrap_or_default();
        let path = path.strip_prefix('/').unwrap_or(&path);
        let (bucket, key) = match bucket_of_host(request.headers(), domains) {
            Some(bucket) => (bucket, path),
            None => {
                path.split_once('/').map_or((path.to_owned(), ""), |(bucket, key)| (bucket.to_owned(), key))
            }
        };
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let (access_key, signature) = signed_by(request.headers(), uri.query().unwrap_or_default());
        let (bucket, key) = (text(&bucket), text(key));
        Asked { method: request.method().clone(), bucket, key, access_key, signature, uri }
    }

    /// The method.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// The bucket, if one is named.
    pub fn bucket(&self) -> Option<&str> {
        self.bucket.as_deref()
    }

    /// The key, if one is named.
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// A parameter of the query, decoded.
    pub fn parameter(&self, name: &str) -> Option<String> {
        parameter(self.uri.query().unwrap_or_default(), name)
    }

    /// Whether the query has a parameter, even without a value.
    pub fn has_parameter(&self, name: &str) -> bool {
        self.names().any(|found| found == name)
    }

    /// Whether the query names no subresource: at most the operation and a signature.
    pub fn has_no_subresource(&self) -> bool {
        self.names().all(|name| name == "x-id" || name.starts_with("X-Amz-"))
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        let pairs = self.uri.query().unwrap_or_default().split('&');
        pairs.map(|pair| pair.split('=').next().unwrap_or_default()).filter(|name| !name.is_empty())
    }

    /// The path as it came.
    pub fn path(&self) -> &str {
        self.uri.path()
    }

    /// The elements that the document of an error has because of the request.
    pub(super) fn details(&self, code: &str, _: StatusCode) -> Vec<(&'static str, String)> {
        let some = |name, value: &Option<String>| value.clone().map(|value| (name, value));
        let parameter = |name| parameter(self.uri.query().unwrap_or_default(), name);
        let found = match code {
            "NoSuchKey" => vec![some("Key", &self.key)],
            "NoSuchVersion" => vec![some("Key", &self.key), some("VersionId", &parameter("versionId"))],
            "NoSuchUpload" => vec![some("UploadId", &parameter("uploadId"))],
            "InvalidAccessKeyId" => vec![some("AWSAccessKeyId", &self.access_key)],
            "SignatureDoesNotMatch" => {
                vec![some("AWSAccessKeyId", &self.access_key), some("SignatureProvided", &self.signature)]
            }
            "MethodNotAllowed" | "AccessForbidden" => {
                let kind = match (&self.bucket, &self.key) {
                    (None, _) => "SERVICE",
                    (_, None) => "BUCKET",
                    _ => "OBJECT",
                };
                vec![Some(("Method", self.method.to_string())), Some(("ResourceType", kind.to_owned()))]
            }
            code if ABOUT_BUCKETS.contains(&code) => vec![some("BucketName", &self.bucket)],
            _ => Vec::new(),
        };
        found.into_iter().flatten().collect()
    }
}

/// The access key and the signature that a request names.
fn signed_by(headers: &HeaderMap, query: &str) -> (Option<String>, Option<String>) {
    let header = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let component = |name: &str| {
        let (_, rest) = header.split_once(&format!("{name}="))?;
        rest.split([',', ' ']).next().map(str::to_owned)
    };
    let credential = component("Credential").or_else(|| parameter(query, "X-Amz-Credential"));
    let access_key = credential.and_then(|text| text.split('/').next().map(str::to_owned));
    (access_key, component("Signature").or_else(|| parameter(query, "X-Amz-Signature")))
}

/// A parameter of a query, decoded.
fn parameter(query: &str, name: &str) -> Option<String> {
    query.split('&').find_map(|pair| {
        let (found, value) = pair.split_once('=')?;
        (percent::decode(found, Plus::Space)? == name).then(|| percent::decode(value, Plus::Space))?
    })
}
