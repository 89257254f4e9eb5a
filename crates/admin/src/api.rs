//! What requests work on.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use forebay_nfs::policy::Policies;
use forebay_ownership::Beats;
use forebay_s3::S3;
use forebay_service::Service;

use crate::efficiency::Efficiencies;
use crate::error::{ApiError, Code, Result};
use crate::health::Health;
use crate::history::History;
use crate::kafka::{Kafka, Settings};
use crate::lab::Lab;
use crate::metrics::{ClusterSeen, Observation, Run, Source, Sources};
use crate::object_store::ObjectStore;
use crate::views::{ClusterView, NfsView, SettingView};

/// The release of the daemon.
pub const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// This node as the owner of a pool that others can take.
pub struct NodeControl {
    /// The last sign of life that this node gave the others.
    pub beats: Box<dyn Fn() -> Beats + Send + Sync>,
    /// Begins to hand the pool over: to the node of this name, or to any.
    pub release: Box<dyn Fn(Option<String>) + Send + Sync>,
    /// The pools of the database, if the pool lies in one.
    pub cluster: Option<Arc<Cluster>>,
}

impl Source for NodeControl {
    fn observe(&self, observation: &mut Observation) {
        observation.node = Some((self.beats)());
        observation.cluster = self.cluster.as_ref().and_then(|cluster| cluster.seen());
    }
}

/// What the last look at the database of the pool has shown.
#[derive(Default)]
pub struct Cluster(Mutex<Option<ClusterSeen>>);

impl Cluster {
    /// Keeps what was seen. `came_from_another` says whether another node had the pool before this one.
    pub fn saw(&self, view: ClusterView, came_from_another: bool) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let had_candidates = kept.as_ref().is_some_and(|seen| seen.had_candidates);
        let has_candidates = view.own().is_some_and(|pool| !pool.waiting().is_empty());
        let had_candidates = had_candidates || has_candidates || came_from_another;
        *kept = Some(ClusterSeen { view, had_candidates });
    }

    /// What was seen last; nothing right after the start.
    pub fn seen(&self) -> Option<ClusterSeen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What requests work on.
pub struct Api {
    /// The pool, and what its protocols share.
    pub service: Arc<Service>,
    /// The NFS server, if NFS is served.
    pub nfs: Option<Arc<forebay_nfs::Shared>>,
    /// The S3 server, if S3 is served.
    pub s3: Option<S3>,
    /// The pool's directory.
    pub directory: PathBuf,
    /// The Kafka views.
    pub kafka: Arc<Kafka>,
    /// Reports of the lab.
    pub lab: Lab,
    /// Where clients reach NFS.
    pub nfs_view: NfsView,
    /// The history of the metrics.
    pub history: Arc<History>,
    /// The health rules and their alerts.
    pub health: Arc<Health>,
    /// This run of the daemon.
    pub run: Arc<Run>,
    /// The settings that the daemon runs with.
    pub settings: Vec<SettingView>,
    /// Whether metrics are served without a token.
    pub metrics_public: bool,
    /// This node, if other nodes can serve the pool.
    pub node: Option<Arc<NodeControl>>,
    /// The bucket that has the segments; `None` if they lie in a directory.
    pub object_store: Option<Arc<ObjectStore>>,
    /// How much less is stored than files have.
    pub efficiencies: Arc<Efficiencies>,
}

impl Api {
    /// The interface to a service whose pool is in `directory`. If NFS is served, clients reach it at `address`.
    pub fn new(
        service: Arc<Service>,
        nfs: Option<Arc<forebay_nfs::Shared>>,
        address: SocketAddr,
        directory: PathBuf,
    ) -> Api {
        let health = Arc::new(Health::new(service.clone()));
        let run = Arc::new(Run::new(service.pool.last_stop(), None));
        let with_tls = nfs.as_ref().is_some_and(|nfs| nfs.tls.is_some());
        let kafka = Arc::new(Kafka::new(service.pool.clone(), nfs.clone(), Settings::default()));
        let efficiencies = Arc::new(Efficiencies::new(service.pool.clone()));
        Api {
            kafka,
            service,
            nfs,
            s3: None,
            directory,
            lab: Lab::new(None),
            nfs_view: NfsView::of(address, with_tls),
            history: Arc::default(),
            health,
            run,
            settings: Vec::new(),
            metrics_public: false,
            node: None,
            object_store: None,
            efficiencies,
        }
    }

    /// The sources of the metrics.
    pub fn sources(&self) -> Sources {
        let mut sources = Sources::new(self.service.clone());
        if let Some(nfs) = &self.nfs {
            sources.add(nfs.clone());
        }
        if let Some(s3) = &self.s3 {
            sources.add(s3.shared.clone());
        }
        if let Some(node) = &self.node {
            sources.add(node.clone());
        }
        if let Some(bucket) = &self.object_store {
            sources.add(bucket.clone());
        }
        sources.add(self.kafka.clone());
        sources.add(self.efficiencies.clone());
        sources.add(self.run.clone());
        sources.add(self.health.clone());
        sources
    }

    /// The NFS server; an error for the caller if NFS is not served.
    pub(crate) fn nfs(&self) -> Result<&Arc<forebay_nfs::Shared>> {
        let missing = || {
            ApiError::new(Code::Unavailable, "NFS", "is not served")
                .with_remedy("set nfs.listen, and restart the daemon")
        };
        self.nfs.as_ref().ok_or_else(missing)
    }

    /// The NFS server's export policies; an error for the caller if NFS is not served.
    pub(crate) fn export_policies(&self) -> Result<&Arc<Policies>> {
        Ok(&self.nfs()?.policies)
    }

    /// The S3 server; an error for the caller if S3 is not served.
    pub(crate) fn s3(&self) -> Result<&S3> {
        let missing = || {
            ApiError::new(Code::S3IsOff, "S3", "is not served")
                .with_remedy("set s3.listen, and restart the daemon")
        };
        self.s3.as_ref().ok_or_else(missing)
    }
}
