//! Does what a request asks for, against the pool and the NFS server.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::Result;
use forebay_nfs::throttle::Waits;
use forebay_pool::{
    CheckReport, CloneSpec, Efficiency, Pool, Snapshot, SnapshotPolicy, Volume, VolumeChange, VolumeSpec,
};

use super::protocol::{
    Answer, CheckView, Command, EfficiencyView, NewVolume, Plan, PoolView, ScrubView, SnapshotView,
    VolumeView, WaitsView,
};

/// What commands work on.
#[derive(Clone)]
pub struct Daemon {
    /// The NFS server, and its pool.
    pub nfs: Arc<forebay_nfs::Shared>,
    /// The pool's directory.
    pub directory: PathBuf,
}

/// Carries out one command.
pub async fn execute(daemon: &Daemon, command: Command) -> Result<Answer> {
    let (pool, policies) = (&daemon.nfs.pool, &daemon.nfs.policies);
    match command {
        Command::Export(command) => super::exports::execute(policies, command).await,
        Command::Nfs(command) => super::nfs::execute(&daemon.nfs, command).await,
        Command::VolumeCreate(new) => {
            let policy = new.export.clone();
            let volume = policies.volume_create(spec(new)?, &policy).await?;
            tracing::info!(
                volume = volume.spec.name,
                path = volume.spec.junction_path,
                policy,
                "volume created"
            );
            shown(daemon, &volume).await
        }
        Command::VolumeList {} => {
            let mut views = Vec::new();
            for volume in pool.volumes() {
                match view(daemon, &volume).await {
                    Ok(view) => views.push(view),
                    // Deleted since the list was taken.
                    Err(forebay_pool::Error::Stale | forebay_pool::Error::NotFound(_)) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(Answer::Volumes(views))
        }
        Command::VolumeResize { name, size } => {
            let volume = pool.volume_resize(&name, size).await?;
            tracing::info!(volume = name, size, "volume resized");
            shown(daemon, &volume).await
        }
        Command::VolumeModify { name, export, snapshots, throughput } => {
            if let Some(policy) = export {
                policies.assign(&name, &policy).await?;
                tracing::info!(volume = name, policy, "export policy of a volume changed");
            }
            let change = VolumeChange {
                snapshots: snapshots.map(policy),
                max_bytes_per_second: throughput.map(|throughput| throughput.max_bytes_per_second),
            };
            if change != VolumeChange::default() {
                pool.volume_modify(&name, change).await?;
                tracing::info!(volume = name, ?change, "volume changed");
            }
            shown(daemon, &pool.volume(&name)?).await
        }
        Command::VolumeClone { volume, snapshot, name, path, export } => {
            pool.volume(&volume)?;
            let export = export.unwrap_or_else(|| policies.of_volume(&volume));
            let clone = CloneSpec { name: name.clone(), junction_path: path };
            let make = async || match snapshot {
                Some(snapshot) => pool.volume_clone(&volume, &snapshot, clone).await,
                None => clone_as_it_is(pool, &volume, clone).await,
            };
            let made = policies.with_new_volume(&name, &export, make).await?;
            tracing::info!(volume, clone = made.spec.name, "volume cloned");
            shown(daemon, &made).await
        }
        Command::VolumeRollback { name, to, force } => {
            pool.volume_rollback(&name, &to, force).await?;
            tracing::info!(volume = name, snapshot = to, force, "volume rolled back");
            Ok(Answer::Done)
        }
        Command::SnapshotCreate { volumes, name } => {
            let taken = pool.snapshot_create(&volumes, &name).await?;
            tracing::info!(?volumes, name, "snapshot taken");
            Ok(Answer::Snapshots(taken.into_iter().map(snapshot_view).collect()))
        }
        Command::SnapshotList { volume } => {
            let volume = volume.map(|name| pool.volume(&name)).transpose()?;
            let snapshots = pool.snapshots(volume.map(|volume| volume.id));
            Ok(Answer::Snapshots(snapshots.into_iter().map(snapshot_view).collect()))
        }
        Command::SnapshotDelete { volume, name } => {
            pool.snapshot_delete(&volume, &name).await?;
            tracing::info!(volume, name, "snapshot deleted");
            Ok(Answer::Done)
        }
        Command::VolumeShow { name } => shown(daemon, &pool.volume(&name)?).await,
        Command::VolumeDelete { name, force } => {
            if !force {
                // A volume without names may still hold files that only clients have open who are not heard of any more.
                daemon.nfs.state.yield_space().await;
            }
            policies.volume_delete(&name, force).await?;
            tracing::info!(volume = name, force, "volume deleted");
            Ok(Answer::Done)
        }
        Command::PoolShow {} => pool_view(daemon).map(Answer::Pool),
        Command::PoolCheck { read_chunks } => {
            let report = pool.check_report(read_chunks).await?;
            tracing::info!(read_chunks, differences = report.differences_count, "pool checked");
            Ok(Answer::Checked(checked(report)))
        }
        Command::ScrubStart {} => {
            pool.scrub_start().await?;
            scrub(pool).map(Answer::Scrub)
        }
        Command::ScrubStop {} => {
            pool.scrub_stop().await?;
            scrub(pool).map(Answer::Scrub)
        }
        Command::ScrubStatus {} => scrub(pool).map(Answer::Scrub),
        Command::Efficiency { volume } => {
            let volume = volume.map(|name| pool.volume(&name)).transpose()?;
            let found = pool.efficiency(volume.map(|volume| volume.id)).await?;
            Ok(Answer::Efficiency(efficiency(&found)))
        }
    }
}

/// What a check found, as it is shown.
pub fn checked(report: CheckReport) -> CheckView {
    CheckView {
        inodes: report.inodes,
        extents: report.extents,
        chunks: report.chunks,
        segments: report.segments,
        bytes_live: report.bytes_live,
        frames_read: report.frames_read,
        bytes_read: report.bytes_read,
        differences_count: report.differences_count,
        differences: report.differences,
    }
}

fn scrub(pool: &Pool) -> Result<ScrubView> {
    let status = pool.scrub_status()?;
    let time =
        |time: Option<SystemTime>| time.map(|time| humantime::format_rfc3339_seconds(time).to_string());
    Ok(ScrubView {
        running: status.running,
        started: time(status.started),
        finished: time(status.finished),
        frames: status.frames,
        bytes: status.bytes,
        bytes_total: status.bytes_total,
        repaired: status.repaired,
        damaged: status.damaged,
        damage: status.damage,
        copies: status.copies,
        degraded: status.degraded,
    })
}

fn efficiency(found: &Efficiency) -> EfficiencyView {
    EfficiencyView {
        bytes_logical: found.bytes_logical,
        bytes_holes: found.bytes_holes,
        bytes_deduplicated: found.bytes_deduplicated,
        bytes_compressed: found.bytes_compressed,
        bytes_physical: found.bytes_physical,
        bytes_inline: found.bytes_inline,
        ratio: found.bytes_logical as f64 / found.bytes_physical.max(1) as f64,
    }
}

fn spec(new: NewVolume) -> Result<VolumeSpec> {
    Ok(VolumeSpec {
        name: new.name,
        junction_path: new.path,
        preserve_unlink: new.preserve_unlink,
        uid: new.uid,
        gid: new.gid,
        mode: new.mode,
        compression: new.compression.parse()?,
        size: new.size,
        max_bytes_per_second: new.max_bytes_per_second,
        snapshots: policy(new.snapshots),
    })
}

fn policy(plan: Plan) -> SnapshotPolicy {
    SnapshotPolicy { hourly: plan.hourly, daily: plan.daily, weekly: plan.weekly }
}

/// Clones a volume as it is, from a snapshot that is taken for it.
async fn clone_as_it_is(pool: &Pool, volume: &str, clone: CloneSpec) -> forebay_pool::Result<Volume> {
    let snapshot = format!("clone-{}", clone.name);
    pool.snapshot_create(&[volume.to_owned()], &snapshot).await?;
    let made = pool.volume_clone(volume, &snapshot, clone).await;
    if made.is_err() {
        // Nobody asked for it by name.
        pool.snapshot_delete(volume, &snapshot).await?;
    }
    made
}

fn snapshot_view(snapshot: Snapshot) -> SnapshotView {
    SnapshotView {
        volume: snapshot.volume_name,
        name: snapshot.name,
        created: humantime::format_rfc3339_seconds(snapshot.created).to_string(),
        bytes_logical: snapshot.bytes_logical,
        period: snapshot.period.map(|period| period.name().to_owned()),
        clones: snapshot.clones,
    }
}

async fn shown(daemon: &Daemon, volume: &Volume) -> Result<Answer> {
    Ok(Answer::Volume(view(daemon, volume).await?))
}

async fn view(daemon: &Daemon, volume: &Volume) -> forebay_pool::Result<VolumeView> {
    let pool = &daemon.nfs.pool;
    let root = pool.getattr(volume.root).await?;
    let space = pool.volume_space(volume.id)?;
    let origin = pool.snapshots(None).into_iter().find(|taken| taken.clones.contains(&volume.spec.name));
    let SnapshotPolicy { hourly, daily, weekly } = volume.spec.snapshots;
    Ok(VolumeView {
        compression: volume.spec.compression.to_string(),
        snapshots: Plan { hourly, daily, weekly },
        clone_of: origin.map(|taken| format!("{}@{}", taken.volume_name, taken.name)),
        name: volume.spec.name.clone(),
        export: daemon.nfs.policies.of_volume(&volume.spec.name),
        path: volume.spec.junction_path.clone(),
        preserve_unlink: volume.spec.preserve_unlink,
        uid: root.uid,
        gid: root.gid,
        mode: format!("{:04o}", root.mode),
        created: humantime::format_rfc3339_seconds(volume.created).to_string(),
        size: volume.spec.size,
        max_bytes_per_second: volume.spec.max_bytes_per_second,
        waits: daemon.nfs.throttle.waits(volume.id).map(waits),
        bytes_free: space.bytes_free,
        bytes_logical: space.bytes_logical,
        inodes_used: space.inodes_used,
        orphans: space.orphans,
    })
}

fn waits(counted: Waits) -> WaitsView {
    WaitsView {
        requests: counted.requests,
        waited_ms: u64::try_from(counted.time.as_millis()).unwrap_or(u64::MAX),
        turned_away: counted.turned_away,
    }
}

fn pool_view(daemon: &Daemon) -> Result<PoolView> {
    let pool = &daemon.nfs.pool;
    let (space, stored) = (pool.space()?, pool.stored()?);
    Ok(PoolView {
        id: pool.id().0.iter().map(|byte| format!("{byte:02x}")).collect(),
        boot: pool.boot(),
        directory: daemon.directory.display().to_string(),
        bytes_total: space.bytes_total,
        bytes_free: space.bytes_free,
        bytes_logical: space.bytes_logical,
        inodes_used: space.inodes_used,
        orphans: space.orphans,
        volumes: pool.volumes().len() as u64,
        segments: stored.segments,
        bytes_live: stored.bytes_live,
        bytes_dead: stored.bytes_dead,
        bytes_inline: stored.bytes_inline,
        scrub: scrub(pool)?,
        release: env!("CARGO_PKG_VERSION").to_owned(),
    })
}
