//! A pool with what brokers would have written.

use std::time::SystemTime;

use bytes::Bytes;
use forebay_pool::*;

pub const CLUSTER: &str = "5L6g3nShT-eMCtK--X86sw";
/// What is cut into chunks of this size leaves nothing in the metadata store.
pub const BLOCK: usize = 128 << 10;
pub const ID: &str = "0123456789abcdef0123456789abcdef";

pub struct Cluster {
    pub pool: Pool,
    pub root: Handle,
}

/// Bytes that do not repeat.
pub fn random(seed: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    blake3::Hasher::new().update(&seed.to_le_bytes()).finalize_xof().fill(&mut bytes);
    bytes
}

pub fn options() -> PoolOptions {
    PoolOptions { dirty_age_ms_max: 600_000, ..PoolOptions::default() }
}

impl Cluster {
    pub async fn new() -> Cluster {
        let pool = Pool::in_memory(options()).await.unwrap();
        let root = pool.volume_create(VolumeSpec::new("kafka", "/kafka")).await.unwrap().root;
        pool.reap_orphans().await.unwrap();
        Cluster { pool, root }
    }

    pub async fn directory(&self, parent: Handle, name: &str) -> Handle {
        let new = NewInode::new(Kind::Directory, 0o755);
        self.pool.create(parent, name.as_bytes(), new).await.unwrap().attributes.handle
    }

    pub async fn file(&self, parent: Handle, name: &str, content: &[u8]) -> Handle {
        let new = NewInode::new(Kind::File, 0o644);
        let file = self.pool.create(parent, name.as_bytes(), new).await.unwrap().attributes.handle;
        for (index, part) in content.chunks(1 << 20).enumerate() {
            let bytes = Bytes::copy_from_slice(part);
            self.pool.write(file, (index << 20) as u64, bytes, Stability::Unstable).await.unwrap();
        }
        self.pool.commit(file, 0, 0).await.unwrap();
        file
    }

    /// A log directory of a broker.
    pub async fn broker(&self, node: u32) -> Handle {
        self.broker_at(self.root, &format!("broker-{node}"), CLUSTER, node).await
    }

    pub async fn broker_at(&self, parent: Handle, name: &str, cluster: &str, node: u32) -> Handle {
        let directory = self.directory(parent, name).await;
        let meta = format!("#\ncluster.id={cluster}\nversion=1\nnode.id={node}\n");
        self.file(directory, "meta.properties", meta.as_bytes()).await;
        self.file(directory, ".lock", b"").await;
        directory
    }

    /// A replica with a segment for each of the contents.
    pub async fn replica(&self, broker: Handle, name: &str, segments: &[(u64, &[u8])]) -> Handle {
        let directory = self.directory(broker, name).await;
        for (base, content) in segments {
            self.file(directory, &format!("{base:020}.log"), content).await;
            let index = self.file(directory, &format!("{base:020}.index"), b"").await;
            let size = SetAttributes { size: Some(10 << 20), ..SetAttributes::default() };
            self.pool.setattr(index, size).await.unwrap();
        }
        directory
    }

    pub async fn age(&self, directory: Handle, name: &str, mtime: SystemTime) {
        let file = self.pool.lookup(directory, name.as_bytes()).await.unwrap().handle;
        let set = SetAttributes { mtime: Some(SetTime::To(mtime)), ..SetAttributes::default() };
        self.pool.setattr(file, set).await.unwrap();
    }

    /// Three brokers with factor 3: `orders` with a rebuilt replica, a compacted topic, and a topic that is being deleted.
    pub async fn with_brokers() -> (Cluster, [Handle; 3]) {
        let cluster = Cluster::new().await;
        let brokers = [cluster.broker(1).await, cluster.broker(2).await, cluster.broker(3).await];
        let log = random(1, 12 * BLOCK);
        for (index, broker) in brokers.into_iter().enumerate() {
            let all: [(u64, &[u8]); 2] = [(0, &log[..7 * BLOCK]), (9000, &log[7 * BLOCK..])];
            cluster.replica(broker, "orders-0", &all).await;
            let other = random(20, 6 * BLOCK);
            // Rebuilt from another offset, and written in batches of another size.
            let rebuilt = random(21, 6 * BLOCK);
            let of_one: &[(u64, &[u8])] = if index == 2 { &[(3500, &rebuilt)] } else { &[(0, &other)] };
            cluster.replica(broker, "orders-1", of_one).await;
            cluster
                .replica(broker, "__consumer_offsets-0", &[(0, &random(30 + index as u64, 2 * BLOCK))])
                .await;
            cluster
                .replica(broker, &format!("old-events-0.{ID}-delete"), &[(0, &random(40, 4 * BLOCK))])
                .await;
            cluster
                .file(broker, "replication-offset-checkpoint", b"0\n2\norders 0 9500\norders 1 4000\n")
                .await;
            cluster.file(broker, "cleaner-offset-checkpoint", b"0\n1\n__consumer_offsets 0 17\n").await;
        }
        cluster.file(cluster.root, "notes.txt", &random(50, 200_000)).await;
        (cluster, brokers)
    }
}
