//! Signed requests through the guard and s3s to an operation.

use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use bytes::Bytes;
use futures::StreamExt;
use hmac::{Hmac, KeyInit, Mac};
use http_body_util::BodyExt;
use hyper::Request;
use s3s::auth::SimpleAuth;
use s3s::dto::{PutObjectInput, PutObjectOutput};
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s::{S3, S3Request, S3Response, S3Result, s3_error};
use sha2::{Digest, Sha256};

use super::body::TestBody;
use super::signature::written_date;
use super::*;

const EMPTY_SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// The request as the operation saw it.
#[derive(Debug, Default)]
struct Seen {
    data: Vec<u8>,
    largest_piece: usize,
    trailer: Option<String>,
    end: Option<BodyEnd>,
    length: Option<DataLength>,
}

#[derive(Clone, Default)]
struct Store(Arc<Mutex<Seen>>);

#[async_trait::async_trait]
impl S3 for Store {
    async fn put_object(&self, request: S3Request<PutObjectInput>) -> S3Result<S3Response<PutObjectOutput>> {
        let fate = request.extensions.get::<BodyFate>().cloned().unwrap();
        let mut seen = Seen { length: request.extensions.get::<DataLength>().copied(), ..Seen::default() };
        let mut body = request.input.body.unwrap();
        let mut failed = false;
        while let Some(piece) = body.next().await {
            let Ok(piece) = piece else {
                failed = true;
                break;
            };
            seen.largest_piece = seen.largest_piece.max(piece.len());
            seen.data.extend_from_slice(&piece);
        }
        seen.end = fate.get().cloned();
        let trailers = request.trailing_headers.and_then(|trailers| trailers.take());
        seen.trailer = trailers
            .and_then(|trailers| Some(trailers.get("x-amz-checksum-crc32")?.to_str().unwrap().to_owned()));
        let end = seen.end.clone();
        *self.0.lock().unwrap() = seen;
        match end.and_then(|end| end.refusal()) {
            Some(refusal) => Err(refusal.to_s3_error()),
            None if failed => Err(s3_error!(SignatureDoesNotMatch)),
            None => Ok(S3Response::new(PutObjectOutput::default())),
        }
    }
}

fn service(store: &Store) -> S3Service {
    let mut builder = S3ServiceBuilder::new(store.clone());
    builder.set_auth(SimpleAuth::from_single("K", "secret"));
    builder.build()
}

fn hmac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Signs with the test's key on one date.
struct Signer {
    date: String,
}

impl Signer {
    fn now() -> Self {
        let date = written_date(SystemTime::now()).chars().filter(|c| !"-:".contains(*c)).collect();
        Signer { date }
    }

    fn scope(&self) -> String {
        format!("{}/us-east-1/s3/aws4_request", &self.date[..8])
    }

    fn sign(&self, algorithm: &str, text: &str) -> String {
        let key = ["us-east-1", "s3", "aws4_request"]
            .iter()
            .fold(hmac(b"AWS4secret", &self.date[..8]), |key, part| hmac(&key, part));
        hex(&hmac(&key, &format!("{algorithm}\n{}\n{}\n{text}", self.date, self.scope())))
    }

    /// A PUT of /bucket/key, and its signature.
    fn put(
        &self,
        payload: &str,
        headers: &[(&'static str, &str)],
    ) -> (hyper::http::request::Builder, String) {
        let mut headers = [headers, &[("x-amz-content-sha256", payload), ("host", "localhost")]].concat();
        headers.push(("x-amz-date", &self.date));
        headers.sort_unstable();
        let lines: String = headers.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
        let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
        let names = names.join(";");
        let canonical = format!("PUT\n/bucket/key\n\n{lines}\n{names}\n{payload}");
        let signature = self.sign("AWS4-HMAC-SHA256", &sha256(canonical.as_bytes()));
        let scope = self.scope();
        // In an order that s3s itself would not understand.
        let authorization =
            format!("AWS4-HMAC-SHA256 SignedHeaders={names},Signature={signature},Credential=K/{scope}");
        let request =
            Request::builder().method("PUT").uri("/bucket/key").header("authorization", authorization);
        (headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)), signature)
    }

    /// A body of signed chunks.
    fn chunks(&self, seed: String, sizes: &[usize]) -> Vec<u8> {
        let (mut body, mut previous) = (Vec::new(), seed);
        for size in sizes.iter().chain(&[0]) {
            let data = vec![b'a'; *size];
            let text = format!("{previous}\n{EMPTY_SHA256}\n{}", sha256(&data));
            previous = self.sign("AWS4-HMAC-SHA256-PAYLOAD", &text);
            body.extend(format!("{size:x};chunk-signature={previous}\r\n").into_bytes());
            body.extend(data);
            body.extend(b"\r\n");
        }
        body
    }
}

/// Sends a request through the guard and s3s, and returns the status and the request as the operation saw it.
async fn send(request: hyper::http::request::Builder, body: Vec<u8>) -> (u16, Seen) {
    let pieces: Vec<Bytes> = body.chunks(100_000).map(Bytes::copy_from_slice).collect();
    let admitted = Guard::new("us-east-1", ["s3.example.com"])
        .admit(request.body(TestBody::new(pieces, false)).unwrap())
        .unwrap();
    let store = Store::default();
    let response = service(&store).call(admitted).await.unwrap();
    let status = response.status().as_u16();
    let body = BodyExt::collect(response.into_body()).await.unwrap().to_bytes();
    let seen = std::mem::take(&mut *store.0.lock().unwrap());
    assert!(status == 200 || !body.is_empty());
    (status, seen)
}

#[tokio::test]
async fn one_large_unsigned_chunk_arrives_in_small_pieces_with_its_trailer() {
    const BYTES: usize = 3_000_000;
    let headers = [("x-amz-decoded-content-length", "3000000"), ("x-amz-trailer", "x-amz-checksum-crc32")];
    let (request, _) = Signer::now().put("STREAMING-UNSIGNED-PAYLOAD-TRAILER", &headers);
    let mut body = format!("{BYTES:x}\r\n").into_bytes();
    body.extend(vec![b'a'; BYTES]);
    body.extend(b"\r\n0\r\nx-amz-checksum-crc32:sOO8/Q==\r\n\r\n");
    let (status, seen) = send(request, body).await;
    assert_eq!((status, seen.data.len()), (200, BYTES));
    assert!(seen.largest_piece <= 64 << 10);
    assert_eq!(seen.trailer.as_deref(), Some("sOO8/Q=="));
    assert_eq!((seen.end, seen.length), (Some(BodyEnd::Complete), Some(DataLength(3_000_000))));
}

#[tokio::test]
async fn a_trailer_need_not_be_announced_if_there_is_none() {
    let headers = [("x-amz-decoded-content-length", "5")];
    let (request, _) = Signer::now().put("STREAMING-UNSIGNED-PAYLOAD-TRAILER", &headers);
    let (status, seen) = send(request, b"5\r\nhello\r\n0\r\n\r\n".to_vec()).await;
    assert_eq!((status, seen.data.as_slice()), (200, b"hello".as_slice()));
}

#[tokio::test]
async fn signed_chunks_pass_and_a_changed_one_is_told_from_a_cut_one() {
    let put = || {
        let signer = Signer::now();
        let headers = [("x-amz-decoded-content-length", "10010")];
        let (request, seed) = signer.put("STREAMING-AWS4-HMAC-SHA256-PAYLOAD", &headers);
        let body = signer.chunks(seed, &[10_000, 10]);
        (request, body)
    };
    let (request, body) = put();
    let (status, seen) = send(request, body).await;
    assert_eq!((status, seen.data.len(), seen.end), (200, 10_010, Some(BodyEnd::Complete)));

    let (request, mut body) = put();
    body[200] = b'b';
    let (status, seen) = send(request, body).await;
    assert_eq!((status, seen.data.len()), (403, 0));
    assert!(matches!(seen.end, None | Some(BodyEnd::Complete)));

    // s3s alone takes a body without its last chunk as complete.
    let (request, mut body) = put();
    body.truncate(body.len() - "0;chunk-signature=\r\n\r\n".len() - 64);
    let (status, seen) = send(request, body).await;
    assert_eq!((status, seen.data.len(), seen.end), (400, 10_010, Some(BodyEnd::Cut)));
}
