//! CopyObject with a file as its source.

use bytes::Bytes;
use crc_fast::CrcAlgorithm;
use forebay_pool::{Handle, Kind, NewInode, Stability, VolumeSpec};

use crate::common::Testbed;

/// A record batch with these offsets.
fn batch(first: i64, last: i64, records: usize) -> Vec<u8> {
    let mut covered = vec![0, 0];
    covered.extend(((last - first) as i32).to_be_bytes());
    covered.extend([0; 34]);
    covered.extend((0..records).map(|at| (at % 251) as u8 ^ first as u8));
    let mut batch = first.to_be_bytes().to_vec();
    batch.extend((covered.len() as i32 + 9).to_be_bytes());
    batch.extend([0, 0, 0, 0, 2]);
    batch.extend((crc_fast::checksum(CrcAlgorithm::Crc32Iscsi, &covered) as u32).to_be_bytes());
    batch.extend(covered);
    batch
}

/// A server with a bucket, and a volume whose files are written without NFS.
struct Setting {
    testbed: Testbed,
    root: Handle,
}

impl Setting {
    async fn new() -> Setting {
        let testbed = Testbed::start().await;
        let volume = testbed.shared.pool().volume_create(VolumeSpec::new("kafka", "/kafka")).await.unwrap();
        // Otherwise removed files are kept for NFS clients that have not come back.
        testbed.shared.pool().reap_orphans().await.unwrap();
        testbed.ok("PUT", "/tier", &[], "").await;
        Setting { testbed, root: volume.root }
    }

    async fn file(&self, name: &str, content: Vec<u8>) -> Handle {
        let pool = self.testbed.shared.pool();
        let created =
            pool.create(self.root, name.as_bytes(), NewInode::new(Kind::File, 0o644)).await.unwrap();
        let file = created.attributes.handle;
        pool.write(file, 0, Bytes::from(content), Stability::Unstable).await.unwrap();
        pool.commit(file, 0, 0).await.unwrap();
        file
    }

    fn source(&self, file: Handle) -> String {
        format!("forebay--source/{}", self.testbed.shared.service.file_tokens.token(file))
    }

    async fn refused(&self, source: &str, headers: &[(&str, &str)]) -> String {
        let mut all = vec![("x-amz-copy-source", source)];
        all.extend(headers);
        let refused = self.testbed.refused("PUT", "/tier/refused", &all, "").await;
        assert_eq!(self.testbed.send("HEAD", "/tier/refused", &[], "").await.status, 404);
        refused
    }
}

fn segment() -> Vec<u8> {
    segment_of(60)
}

fn segment_of(batches: i64) -> Vec<u8> {
    (0..batches).flat_map(|at| batch(100 + at * 10, 109 + at * 10, 9_000)).collect()
}

#[tokio::test]
async fn the_object_has_the_bytes_of_the_file_and_shares_them() {
    let setting = Setting::new().await;
    let (testbed, content) = (&setting.testbed, segment_of(400));
    let file = setting.file("00000000000000000100.log", content.clone()).await;
    let size = content.len().to_string();
    let before = testbed.shared.pool().counters().unwrap();
    let source = setting.source(file);
    let headers = [
        ("x-amz-copy-source", source.as_str()),
        ("x-amz-meta-kind", "segment"),
        ("x-forebay-size", &size),
        ("x-forebay-records", "100-4099"),
    ];
    let copied = testbed.ok("PUT", "/tier/segment", &headers, "").await;
    let after = testbed.shared.pool().counters().unwrap();
    let crc = crc_fast::checksum(CrcAlgorithm::Crc64Nvme, &content).to_be_bytes();
    let crc = base64_simd::STANDARD.encode_to_string(crc);
    assert_eq!(copied.element("ChecksumCRC64NVME"), Some(&*crc));
    assert_eq!(
        copied.element("ETag").map(|etag| etag.ends_with("-1&quot;") || etag.ends_with("-1\"")),
        Some(true)
    );
    assert!(after.bytes_packed - before.bytes_packed < content.len() as u64 / 10, "it was stored again");

    let head = testbed.ok("HEAD", "/tier/segment", &[], "").await;
    assert_eq!(
        (head.header("content-length"), head.header("x-amz-meta-kind")),
        (Some(&*size), Some("segment"))
    );
    // The object stays as it is when the file goes.
    testbed.shared.pool().remove(setting.root, b"00000000000000000100.log").await.unwrap();
    testbed.shared.pool().settle().await.unwrap();
    let headers = [("x-amz-copy-source", "tier/segment"), ("x-amz-checksum-algorithm", "CRC32C")];
    let read = testbed.ok("PUT", "/tier/again", &headers, "").await;
    let crc = (crc_fast::checksum(CrcAlgorithm::Crc32Iscsi, &content) as u32).to_be_bytes();
    assert_eq!(read.element("ChecksumCRC32C"), Some(&*base64_simd::STANDARD.encode_to_string(crc)));
    assert_eq!(setting.refused(&source, &[]).await, "404 NoSuchKey");
}

#[tokio::test]
async fn a_file_that_is_not_as_said_is_refused() {
    let setting = Setting::new().await;
    let content = segment();
    let file = setting.source(setting.file("whole", content.clone()).await);
    let mut damaged = content.clone();
    damaged[300_000] ^= 1;
    let damaged = setting.source(setting.file("damaged", damaged).await);
    let torn = setting.source(setting.file("torn", content[..content.len() - 1].to_vec()).await);
    let empty = setting.source(setting.file("empty", Vec::new()).await);
    let records = |offsets| [("x-forebay-records", offsets)];
    assert_eq!(setting.refused(&file, &[("x-forebay-size", "1")]).await, "409 OperationAborted");
    for (source, headers) in [
        (&file, records("101-699")),
        (&file, records("100-698")),
        (&damaged, records("100-699")),
        (&torn, records("100-699")),
        (&empty, records("0-0")),
    ] {
        assert_eq!(setting.refused(source, &headers).await, "412 PreconditionFailed", "{headers:?}");
    }
    for header in [("x-forebay-records", "699-100"), ("x-forebay-records", "all"), ("x-forebay-size", "big")]
    {
        assert_eq!(setting.refused(&file, &[header]).await, "400 InvalidArgument", "{header:?}");
    }
    let condition = ("x-amz-copy-source-if-match", "\"etag\"");
    assert_eq!(setting.refused(&file, &[condition]).await, "501 NotImplemented");
    // Without the headers a copy is one of any file.
    let headers = [("x-amz-copy-source", damaged.as_str())];
    setting.testbed.ok("PUT", "/tier/damaged", &headers, "").await;
}

#[tokio::test]
async fn only_tokens_of_this_pool_name_files() {
    let setting = Setting::new().await;
    let other = Setting::new().await;
    let source = setting.source(setting.file("file", b"content".to_vec()).await);
    let last = if source.ends_with('0') { "1" } else { "0" };
    let forged = format!("{}{last}", &source[..source.len() - 1]);
    let directory = setting.source(setting.root);
    for (setting, source) in [
        (&setting, &*forged),
        (&setting, "forebay--source/token"),
        (&other, &*source),
        (&setting, &*directory),
    ] {
        assert_eq!(setting.refused(source, &[]).await, "404 NoSuchKey", "{source}");
    }
    let size = ("x-forebay-size", "1");
    assert_eq!(setting.refused("tier/object", &[size]).await, "400 InvalidRequest");
    assert_eq!(setting.testbed.refused("PUT", "/forebay--source", &[], "").await, "400 InvalidBucketName");
}
