//! `forebay volume` and `forebay pool`: ask the running daemon, print its answer.

use anyhow::{Result, bail};

use crate::admin::client::call;
use crate::admin::protocol::{Answer, Command, NewVolume, PoolView, VolumeView};
use crate::cli::{Limit, PoolCommand, VolumeCommand};
use crate::config::size;
use crate::output::{print, print_columns, print_json, print_pairs};

/// Carries out a `forebay volume` command.
pub fn run(command: VolumeCommand) -> Result<()> {
    match command {
        VolumeCommand::Create { name, path, owner: (uid, gid), mode, size, no_preserve_unlink, settings } => {
            let path = path.unwrap_or_else(|| format!("/{name}"));
            let new = NewVolume { name, path, preserve_unlink: !no_preserve_unlink, uid, gid, mode, size };
            let volume = volume_of(call(&settings.load()?.admin_socket(), Command::VolumeCreate(new))?)?;
            print(&format!("created volume {} at {}\n", volume.name, volume.path))
        }
        VolumeCommand::List { json, settings } => {
            match call(&settings.load()?.admin_socket(), Command::VolumeList {})? {
                Answer::Volumes(volumes) if json => print_json(&volumes),
                Answer::Volumes(volumes) => list(&volumes),
                other => unexpected(&other),
            }
        }
        VolumeCommand::Show { name, json, settings } => {
            let volume = volume_of(call(&settings.load()?.admin_socket(), Command::VolumeShow { name })?)?;
            if json { print_json(&volume) } else { show(&volume) }
        }
        VolumeCommand::Resize { name, size: Limit(size), settings } => {
            let command = Command::VolumeResize { name, size };
            let volume = volume_of(call(&settings.load()?.admin_socket(), command)?)?;
            print(&format!("volume {} has size {}\n", volume.name, limit(volume.size)))
        }
        VolumeCommand::Delete { name, force, settings } => {
            let command = Command::VolumeDelete { name: name.clone(), force };
            match call(&settings.load()?.admin_socket(), command)? {
                Answer::Done => print(&format!("deleted volume {name}\n")),
                other => unexpected(&other),
            }
        }
    }
}

/// Carries out a `forebay pool` command.
pub fn run_pool(command: PoolCommand) -> Result<()> {
    match command {
        PoolCommand::Show { json, settings } => {
            match call(&settings.load()?.admin_socket(), Command::PoolShow {})? {
                Answer::Pool(pool) if json => print_json(&pool),
                Answer::Pool(pool) => show_pool(&pool),
                other => unexpected(&other),
            }
        }
        PoolCommand::Check { read, settings } => {
            match call(&settings.load()?.admin_socket(), Command::PoolCheck { read_chunks: read })? {
                Answer::Differences(differences) => report(&differences),
                other => unexpected(&other),
            }
        }
    }
}

fn report(differences: &[String]) -> Result<()> {
    if differences.is_empty() {
        return print("the pool is consistent\n");
    }
    print(&format!("{}\n", differences.join("\n")))?;
    bail!(
        "the pool is not consistent: {} differences; keep the pool's directory, and report them together with the \
         daemon's log",
        differences.len()
    )
}

fn volume_of(answer: Answer) -> Result<VolumeView> {
    match answer {
        Answer::Volume(volume) => Ok(volume),
        other => unexpected(&other),
    }
}

fn unexpected<T>(answer: &Answer) -> Result<T> {
    bail!("the daemon answered something else than was asked: {answer:?}; is it another release?")
}

fn list(volumes: &[VolumeView]) -> Result<()> {
    print_columns(
        &["name", "path", "size", "used", "inodes", "orphans", "owner", "mode", "created"],
        volumes.iter().map(|volume| {
            vec![
                volume.name.clone(),
                volume.path.clone(),
                limit(volume.size),
                size::rounded(volume.bytes_logical),
                volume.inodes_used.to_string(),
                volume.orphans.to_string(),
                format!("{}:{}", volume.uid, volume.gid),
                volume.mode.clone(),
                volume.created.clone(),
            ]
        }),
    )
}

/// A volume's size as it is shown.
fn limit(size: Option<u64>) -> String {
    size.map_or("none".to_owned(), size::rounded)
}

fn show(volume: &VolumeView) -> Result<()> {
    let preserve = if volume.preserve_unlink { "yes" } else { "no" };
    print_pairs(&[
        ("name", volume.name.clone()),
        ("path", volume.path.clone()),
        ("size", limit(volume.size)),
        ("free", size::rounded(volume.bytes_free)),
        ("used", format!("{} ({} bytes)", size::rounded(volume.bytes_logical), volume.bytes_logical)),
        ("inodes", volume.inodes_used.to_string()),
        ("orphans", volume.orphans.to_string()),
        ("owner", format!("{}:{}", volume.uid, volume.gid)),
        ("mode", volume.mode.clone()),
        ("open files survive unlink", preserve.to_owned()),
        ("created", volume.created.clone()),
    ])
}

fn show_pool(pool: &PoolView) -> Result<()> {
    print_pairs(&[
        ("directory", pool.directory.clone()),
        ("id", pool.id.clone()),
        ("release", pool.release.clone()),
        ("starts", pool.boot.to_string()),
        ("size", size::rounded(pool.bytes_total)),
        ("free", size::rounded(pool.bytes_free)),
        ("used", size::rounded(pool.bytes_logical)),
        ("volumes", pool.volumes.to_string()),
        ("inodes", pool.inodes_used.to_string()),
        ("orphans", pool.orphans.to_string()),
    ])
}
