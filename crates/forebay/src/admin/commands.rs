//! Does what a request asks for, against the pool.

use std::path::Path;
use std::time::SystemTime;

use forebay_pool::{CheckReport, Efficiency, Pool, Volume, VolumeSpec};

use super::protocol::{
    Answer, CheckView, Command, EfficiencyView, NewVolume, PoolView, ScrubView, VolumeView,
};
/// What a failed command is answered with.
type Result<T> = std::result::Result<T, forebay_pool::Error>;

/// Carries out one command.
pub async fn execute(pool: &Pool, directory: &Path, command: Command) -> Result<Answer> {
    match command {
        Command::VolumeCreate(new) => {
            let volume = pool.volume_create(spec(new)).await?;
            tracing::info!(volume = volume.spec.name, path = volume.spec.junction_path, "volume created");
            view(pool, &volume).await.map(Answer::Volume)
        }
        Command::VolumeList {} => {
            let mut views = Vec::new();
            for volume in pool.volumes() {
                match view(pool, &volume).await {
                    Ok(view) => views.push(view),
                    // Deleted since the list was taken.
                    Err(forebay_pool::Error::Stale | forebay_pool::Error::NotFound(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(Answer::Volumes(views))
        }
        Command::VolumeResize { name, size } => {
            let volume = pool.volume_resize(&name, size).await?;
            tracing::info!(volume = name, size, "volume resized");
            view(pool, &volume).await.map(Answer::Volume)
        }
        Command::VolumeShow { name } => view(pool, &pool.volume(&name)?).await.map(Answer::Volume),
        Command::VolumeDelete { name, force } => {
            pool.volume_delete(&name, force).await?;
            tracing::info!(volume = name, force, "volume deleted");
            Ok(Answer::Done)
        }
        Command::PoolShow {} => pool_view(pool, directory).map(Answer::Pool),
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

fn spec(new: NewVolume) -> VolumeSpec {
    VolumeSpec {
        name: new.name,
        junction_path: new.path,
        preserve_unlink: new.preserve_unlink,
        uid: new.uid,
        gid: new.gid,
        mode: new.mode,
        size: new.size,
    }
}

async fn view(pool: &Pool, volume: &Volume) -> Result<VolumeView> {
    let root = pool.getattr(volume.root).await?;
    let space = pool.volume_space(volume.id)?;
    Ok(VolumeView {
        name: volume.spec.name.clone(),
        path: volume.spec.junction_path.clone(),
        preserve_unlink: volume.spec.preserve_unlink,
        uid: root.uid,
        gid: root.gid,
        mode: format!("{:04o}", root.mode),
        created: humantime::format_rfc3339_seconds(volume.created).to_string(),
        size: volume.spec.size,
        bytes_free: space.bytes_free,
        bytes_logical: space.bytes_logical,
        inodes_used: space.inodes_used,
        orphans: space.orphans,
    })
}

fn pool_view(pool: &Pool, directory: &Path) -> Result<PoolView> {
    let (space, stored) = (pool.space()?, pool.stored()?);
    Ok(PoolView {
        id: pool.id().0.iter().map(|byte| format!("{byte:02x}")).collect(),
        boot: pool.boot(),
        directory: directory.display().to_string(),
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
