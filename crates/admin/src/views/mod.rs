//! The types of request and response bodies.
//!
//! The handlers and the command line both use them, so they cannot disagree, and the OpenAPI document is
//! generated from them. Request bodies reject unknown fields. Limits in the schema (patterns, bounds) are
//! checked by [`Check`] or by the code that uses the value. Sizes are in bytes; times are UTC in RFC 3339
//! format.

mod account;
mod alert;
mod backup;
mod bucket;
mod bucket_contents;
mod bucket_rules;
mod capacity;
mod check;
mod cluster;
mod event;
mod export;
mod fields;
mod health;
mod job;
mod kafka;
mod lab;
mod list;
mod mount;
mod nfs;
mod node;
mod pool;
mod recovery;
mod s3;
mod setting;
mod snapshot;
mod volume;
mod words;

pub use account::{NewToken, Role, SetUser, TokenCreated, TokenView, UserView, WhoView};
pub use alert::{
    Acknowledge, AcknowledgementView, AlertState, AlertTargetView, AlertView, NewSilence, SilenceView,
    TargetTestView,
};
pub use backup::{BackupRequest, BackupView, BackupsView};
pub use bucket::{
    BucketEdit, BucketView, DefaultRetentionView, LockMode, NewBucket, PublicAccessBlock, Versioning,
};
pub use bucket_contents::{NewObject, ObjectView, ObjectsView, OffsetsView, VersionView, VersionsView};
pub use bucket_rules::{CorsRule, CorsRules, LifecycleRule, LifecycleRules};
pub use capacity::{CapacityHistoryView, DayView, ForecastView, date};
pub use check::{BYTES_MAX, Check, ID_MAX};
pub use cluster::{
    CandidateView, ClusterMoveRequest, ClusterPoolState, ClusterPoolView, ClusterReleaseRequest, ClusterView,
    SynchronousState,
};
pub use event::{EventView, Severity};
pub use export::{
    Access, AccessView, Groups, NewPolicy, NewRule, PolicyEdit, PolicyRules, PolicyView, RuleChange,
    RuleView, Security, Squash, TlsUse,
};
pub use fields::{changes_in_words, time};
pub use health::{
    AlertSeverity, CapacityView, ClientsView, CommitView, FlowView, GraceView, HealthReason, HealthStatus,
    HealthView, LastStop, StatusView, VolumeSpaceView,
};
pub use job::{JobKind, JobState, JobView, ProgressUnit, ProgressView};
pub use kafka::{
    KafkaAnswerView, KafkaBrokerState, KafkaBrokerView, KafkaBrokersView, KafkaChange, KafkaChangeKind,
    KafkaCleanupView, KafkaClusterView, KafkaClustersView, KafkaCostRow, KafkaCostView, KafkaDayView,
    KafkaFigures, KafkaGroupBy, KafkaHistoryView, KafkaLeftoverKind, KafkaLeftoverView, KafkaOlderView,
    KafkaPartitionView, KafkaQuestion, KafkaReplicaState, KafkaReplicaView, KafkaReportView,
    KafkaReturnedView, KafkaSharingCell, KafkaSharingRow, KafkaSharingView, KafkaSnapshotReplicaView,
    KafkaSnapshotTopicDetailView, KafkaSnapshotTopicView, KafkaSnapshotView, KafkaTopicDetailView,
    KafkaTopicView, KafkaTopicsView, KafkaTotalsView, copy_command,
};
pub use lab::{LabPageView, LabReportKind, LabReportView, LabReportsView, LabRunView, LabVerdict};
pub use list::List;
pub use nfs::{
    BackChannel, ClientNowView, ClientState, ClientView, FileView, LockKind, LockView, NfsView, OpenView,
    OperationView, SessionView, TlsState,
};
pub use node::{NodePhase, NodeView, TakeoverKind, TakeoverView};
pub use pool::{
    CheckRequest, CheckView, DiskSpeedView, EfficiencyView, FormatView, LostSegmentView, MetadataView,
    ObjectCostView, ObjectStoreView, PoolView, ScrubView,
};
pub use recovery::{DeletedVolumeView, RecoverVolume, VolumeClientView, VolumeClientsView};
pub use s3::{
    NewS3Group, NewS3Key, NewS3User, S3GroupView, S3KeyCreated, S3KeyEdit, S3KeyView, S3PolicyDocument,
    S3UserEdit, S3UserView,
};
pub use setting::SettingView;
pub use snapshot::{
    NewSnapshot, NewSnapshots, Rollback, SnapshotEdit, SnapshotFreesView, SnapshotSpaceView, SnapshotView,
    snapshot_spec,
};
pub use volume::{
    Compression, NewClone, NewVolume, Plan, Shown, VolumeEdit, VolumeSettings, VolumeView, WaitsView,
};
