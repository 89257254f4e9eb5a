//! Executes one request of the worker, and replies.

use std::ffi::CString;
use std::fs;
use std::io;
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use rustix::system::{RebootCommand, reboot};

use super::modules::Modules;
use super::{caches, programs};
use crate::wire::{self, DATA, Mount, Reply, Request, TreeEntry};

/// The kind of node that the agent serves.
#[derive(Debug, Clone)]
pub enum NodeKind {
    /// A guest, whose kernel serves only this agent. The modules are those that it can load.
    Guest(Modules),
    /// The host. The agent works only in this folder, and does nothing that affects the rest of the machine.
    Host(PathBuf),
}

impl NodeKind {
    fn modules(&self) -> Result<&Modules> {
        match self {
            Self::Guest(modules) => Ok(modules),
            Self::Host(_) => bail!("a program of the host does not do this; only a guest can"),
        }
    }
}

/// Reads a request from the connection, executes it, and replies on the connection.
pub fn answer(mut stream: TcpStream, node_kind: &NodeKind) -> Result<()> {
    stream.set_nodelay(true)?;
    let request: Request = match wire::read_frame(&mut stream)? {
        Some((wire::MESSAGE, payload)) => serde_json::from_slice(&payload).context("parse a request")?,
        // A connection without a request only checks whether the port answers.
        None => return Ok(()),
        Some((kind, _)) => bail!("a connection began with a frame of kind {kind}"),
    };
    match request {
        Request::Spawn(program) => programs::run(&program, stream),
        Request::ReadFile(path) => match fs::read(&path) {
            Ok(content) => {
                wire::write_message(&mut stream, &Reply::Done)?;
                Ok(wire::write_frame(&mut stream, DATA, &content)?)
            }
            Err(error) => fail(&mut stream, &format!("read {}: {error}", path.display())),
        },
        Request::WriteFile(path) => {
            let content = wire::read_expected(&mut stream, DATA)?;
            reply(&mut stream, write_file(&path, &content).map(|()| Reply::Done))
        }
        other => reply(&mut stream, perform(other, node_kind)),
    }
}

fn reply(stream: &mut TcpStream, result: Result<Reply>) -> Result<()> {
    match result {
        Ok(message) => Ok(wire::write_message(stream, &message)?),
        Err(error) => fail(stream, &format!("{error:#}")),
    }
}

fn fail(stream: &mut TcpStream, why: &str) -> Result<()> {
    Ok(wire::write_message(stream, &Reply::Failed(why.to_owned()))?)
}

fn perform(request: Request, node_kind: &NodeKind) -> Result<Reply> {
    match request {
        Request::Mount(what) => {
            node_kind.modules()?;
            mount_one(&what)?;
        }
        Request::Unmount(target) => {
            node_kind.modules()?;
            unmount(&target, UnmountFlags::empty())
                .with_context(|| format!("unmount {}", target.display()))?;
        }
        Request::MakeFolder(path) => {
            fs::create_dir_all(&path).with_context(|| format!("make folder {}", path.display()))?;
        }
        Request::ListTree(path) => return Ok(Reply::Tree(list_tree(&path)?)),
        Request::Sync => match node_kind {
            NodeKind::Guest(_) => rustix::fs::sync(),
            NodeKind::Host(folder) => caches::sync(folder)?,
        },
        Request::DropCaches => match node_kind {
            NodeKind::Guest(_) => caches::drop_all()?,
            NodeKind::Host(folder) => caches::drop_below(folder)?,
        },
        Request::LoadModules(names) => {
            let modules = node_kind.modules()?;
            for name in names {
                modules.load(&name)?;
            }
        }
        Request::PowerOff => {
            node_kind.modules()?;
            reboot(RebootCommand::PowerOff).context("power off")?;
        }
        Request::Ping => {}
        Request::Spawn(_) | Request::ReadFile(_) | Request::WriteFile(_) | Request::Signal(_) => {
            bail!("request is out of place here")
        }
    }
    Ok(Reply::Done)
}

fn mount_one(what: &Mount) -> Result<()> {
    let Mount { source, target, kind, options } = what;
    fs::create_dir_all(target).with_context(|| format!("make folder {}", target.display()))?;
    let data = CString::new(options.as_str()).context("mount options hold a zero byte")?;
    mount(source.as_str(), target, kind.as_str(), MountFlags::NOATIME, data.as_c_str())
        .with_context(|| format!("mount {source} ({kind}, {options}) on {}", target.display()))
}

fn write_file(path: &Path, content: &[u8]) -> Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).with_context(|| format!("make folder {}", parent.display()))?;
    }
    fs::write(path, content).with_context(|| format!("write {}", path.display()))
}

/// Lists everything below a folder. Files that disappear during the listing are left out, because brokers may delete files.
fn list_tree(root: &Path) -> Result<Vec<TreeEntry>> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound && folder != root => continue,
            Err(error) => return Err(error).with_context(|| format!("list {}", folder.display())),
        };
        for entry in entries {
            let entry = entry.with_context(|| format!("list {}", folder.display()))?;
            let path = entry.path();
            let Ok(stat) = path.symlink_metadata() else { continue };
            let relative = path.strip_prefix(root).unwrap_or(&path).to_owned();
            let (bytes, blocks) = if stat.is_dir() { (0, 0) } else { (stat.len(), stat.blocks()) };
            // The unit of stat's blocks, independent of the file system's block size.
            let allocated_bytes = blocks.saturating_mul(512);
            found.push(TreeEntry { path: relative, folder: stat.is_dir(), bytes, allocated_bytes });
            if stat.is_dir() {
                folders.push(path);
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_listed_with_sizes_and_relative_paths() {
        let root = std::env::temp_dir().join(format!("forebay-lab-tree-{}", std::process::id()));
        fs::create_dir_all(root.join("topic-0")).unwrap();
        fs::write(root.join("topic-0/.nfs0001"), b"four").unwrap();
        let mut tree = list_tree(&root).unwrap();
        fs::remove_dir_all(&root).unwrap();
        // The space of a small file depends on the file system.
        tree.iter_mut().for_each(|entry| entry.allocated_bytes = 0);
        let entry =
            |path: &str, folder, bytes| TreeEntry { path: path.into(), folder, bytes, allocated_bytes: 0 };
        let (folder, file) = (entry("topic-0", true, 0), entry("topic-0/.nfs0001", false, 4));
        assert_eq!(tree, [folder, file]);
    }
}
