//! Does what a request asks for, against the pool.

use std::path::Path;

use forebay_pool::{Pool, Volume, VolumeSpec};

use super::protocol::{Answer, Command, NewVolume, PoolView, VolumeView};
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
        Command::VolumeShow { name } => view(pool, &pool.volume(&name)?).await.map(Answer::Volume),
        Command::VolumeDelete { name, force } => {
            pool.volume_delete(&name, force).await?;
            tracing::info!(volume = name, force, "volume deleted");
            Ok(Answer::Done)
        }
        Command::PoolShow {} => pool_view(pool, directory).map(Answer::Pool),
        Command::PoolCheck { read_chunks } => {
            let differences = pool.check(read_chunks).await?;
            tracing::info!(read_chunks, differences = differences.len(), "pool checked");
            Ok(Answer::Differences(differences))
        }
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
        compression: forebay_pool::Compression::default(),
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
        bytes_logical: space.bytes_logical,
        inodes_used: space.inodes_used,
        orphans: space.orphans,
    })
}

fn pool_view(pool: &Pool, directory: &Path) -> Result<PoolView> {
    let space = pool.space()?;
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
        release: env!("CARGO_PKG_VERSION").to_owned(),
    })
}
