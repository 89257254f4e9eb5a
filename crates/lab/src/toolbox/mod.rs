//! Programs that the lab fetches from Debian, crates.io and the Go module proxy: the guest kernel, servers, tools, and tests that run
//! inside guests.
//!
//! Packages are from Debian sid, because the kernel of older releases crashes on current processors. They are downloaded with all
//! their dependencies and *unpacked* into a folder of the cache. They are never installed, which would replace the machine's libc.
//! Programs are started through the unpacked dynamic loader with the unpacked libraries ([`Toolbox::command`]), independent of
//! the machine's libraries. A folder that exists is complete: it is prepared beside its final path and then renamed.

mod apt;
mod cargo;
mod go;
mod mirror;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::exec;
use crate::progress::{Progress, Tone};
use apt::{Apt, SUITE};

/// The cache of fetched programs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cache {
    /// The folder.
    pub folder: PathBuf,
    /// The address of a Debian mirror. With `None`, the lab uses the one in the machine's package sources.
    pub mirror: Option<String>,
}

/// A group of packages that are fetched together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toolset {
    /// The guest kernel and the kernel NFS server's user-space half.
    Guests,
    /// Programs for the experiment `bench`: fio, and NFS-Ganesha for comparison.
    Bench,
    /// The daemon that does the TLS handshakes of an NFS client.
    Tls,
    /// The tests of POSIX behaviour that the experiment `posix` runs.
    Pjdfstest,
    /// VersityGW, an S3 server to compare with.
    Versitygw,
    /// Garage, an S3 server to compare with.
    Garage,
    /// MinIO, an S3 server to compare with.
    Minio,
}

/// The source of a tool set.
enum Source {
    /// Debian packages.
    Debian(&'static [&'static str]),
    /// A program that is compiled from its source on crates.io: its name and version.
    Crate(&'static str, &'static str),
    /// A program that is compiled from a Go module: its name, package and version.
    Go(&'static str, &'static str, &'static str),
}

impl Toolset {
    /// The tool sets that `forebay lab setup` fetches. The S3 servers are compiled when a run names them: that takes minutes, and only
    /// comparisons need them.
    pub const ALL: &[Self] = &[Self::Guests, Self::Bench, Self::Tls, Self::Pjdfstest];

    fn folder(self) -> &'static str {
        match self {
            Self::Guests => "debian-guests",
            Self::Bench => "debian-bench",
            Self::Tls => "debian-tls",
            Self::Pjdfstest => "pjdfstest-0.2.2",
            Self::Versitygw => "versitygw-1.8.0",
            Self::Garage => "garage-2.5.0",
            Self::Minio => "minio-20260212201848",
        }
    }

    fn source(self) -> Source {
        match self {
            Self::Guests => {
                Source::Debian(&["user-mode-linux", "patchelf", "nfs-kernel-server", "rpcbind", "libc6"])
            }
            Self::Bench => Source::Debian(&["fio", "nfs-ganesha", "nfs-ganesha-vfs", "libc6"]),
            Self::Tls => Source::Debian(&["ktls-utils", "libc6"]),
            Self::Pjdfstest => Source::Crate("pjdfstest", "0.2.2"),
            Self::Versitygw => {
                Source::Go("versitygw", "github.com/versity/versitygw/cmd/versitygw", "v1.8.0")
            }
            Self::Garage => Source::Crate("garage", "2.5.0"),
            Self::Minio => {
                Source::Go("minio", "github.com/minio/minio", "v0.0.0-20260212201848-7aac2a2c5b7c")
            }
        }
    }
}

/// An unpacked [`Toolset`].
#[derive(Debug, Clone)]
pub struct Toolbox {
    folder: PathBuf,
}

/// The folders of libraries. The second is NFS-Ganesha's, the third is for fio's Ceph support.
const LIBRARIES: [&str; 3] = ["usr/lib/x86_64-linux-gnu", "usr/lib/ganesha", "usr/lib/x86_64-linux-gnu/ceph"];

impl Toolbox {
    /// Opens an unpacked tool set. Returns an error if it has not been fetched.
    pub fn open(cache: &Cache, set: Toolset) -> Result<Self> {
        let toolbox = Self::place(cache, set);
        if !toolbox.folder.exists() {
            bail!("{} is missing: run `forebay lab setup`", toolbox.folder.display());
        }
        Ok(toolbox)
    }

    /// Fetches the tool set if the cache does not have it. This needs the machine's network, which a worker cannot reach.
    pub fn provide(cache: &Cache, set: Toolset, progress: &Progress) -> Result<()> {
        let toolbox = Self::place(cache, set);
        if toolbox.folder.exists() {
            return Ok(());
        }
        fs::create_dir_all(&cache.folder)
            .with_context(|| format!("make the cache folder {}", cache.folder.display()))?;
        let lock_path = cache.folder.join("lock");
        let lock = File::create(&lock_path).with_context(|| format!("create {}", lock_path.display()))?;
        lock.lock().with_context(|| format!("lock {}", lock_path.display()))?;
        // Another process may have fetched it meanwhile.
        if toolbox.folder.exists() { Ok(()) } else { toolbox.fetch(cache, set, progress) }
    }

    fn place(cache: &Cache, set: Toolset) -> Self {
        Self { folder: cache.folder.join(set.folder()) }
    }

    fn fetch(&self, cache: &Cache, set: Toolset, progress: &Progress) -> Result<()> {
        let work = cache.folder.join(format!("fetch-{}", set.folder()));
        let _ = fs::remove_dir_all(&work);
        let tree = work.join("tree");
        match set.source() {
            Source::Debian(packages) => {
                let mirror = cache.mirror.clone().map_or_else(mirror::find, Ok)?;
                progress.event(Tone::Plain, &format!("fetching {} from Debian {SUITE}", packages.join(", ")));
                let apt = Apt::prepare(&work, &mirror)?;
                apt.update(progress)?;
                unpack(&apt.download(packages, progress)?, &tree, progress)?;
            }
            Source::Crate(name, version) => {
                progress.event(Tone::Plain, &format!("compiling {name} {version} from crates.io"));
                cargo::install(name, version, &work, &tree)?;
                write_versions(&tree, &[format!("{name} {version}\n")])?;
            }
            Source::Go(name, package, version) => {
                progress.event(Tone::Plain, &format!("compiling {package} {version}"));
                go::install(package, version, &tree)?;
                write_versions(&tree, &[format!("{name} {version}\n")])?;
            }
        }
        if set == Toolset::Guests {
            self.adapt_kernel(&tree)?;
        }
        fs::rename(&tree, &self.folder)
            .with_context(|| format!("move {} to {}", tree.display(), self.folder.display()))?;
        fs::remove_dir_all(&work).with_context(|| format!("remove {}", work.display()))?;
        progress.event(Tone::Plain, &format!("cached in {}", self.folder.display()));
        Ok(())
    }

    /// Makes the kernel use the unpacked loader and libraries. The kernel starts itself again by its own path, so it cannot be
    /// started through the loader like other programs.
    fn adapt_kernel(&self, tree: &Path) -> Result<()> {
        let kernel = tree.join("usr/bin/linux.uml");
        let unpacked = Self { folder: tree.to_owned() };
        let mut patchelf = unpacked.command("usr/bin/patchelf");
        patchelf
            .arg("--set-interpreter")
            .arg(self.loader())
            .arg("--set-rpath")
            .arg(self.libraries())
            .arg(&kernel);
        exec::run(&mut patchelf)
    }

    fn loader(&self) -> PathBuf {
        self.libraries().join("ld-linux-x86-64.so.2")
    }

    fn libraries(&self) -> PathBuf {
        self.path(LIBRARIES[0])
    }

    /// The command line that starts an unpacked program, on the host or in a guest. `program` is its path in the toolbox, such
    /// as `usr/sbin/rpcbind`.
    pub fn words(&self, program: &str) -> Vec<String> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        vec![
            text(&self.loader()),
            "--library-path".into(),
            LIBRARIES.map(|folder| text(&self.path(folder))).join(":"),
            text(&self.path(program)),
        ]
    }

    /// A command for the host that starts an unpacked program.
    pub fn command(&self, program: &str) -> Command {
        let words = self.words(program);
        let mut words = words.into_iter();
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        command
    }

    /// The path of an unpacked file.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.folder.join(relative)
    }

    /// The guest kernel.
    pub fn kernel(&self) -> PathBuf {
        self.path("usr/bin/linux.uml")
    }

    /// The folder of the guest kernel's modules, which is named after the kernel's version.
    pub fn modules_folder(&self) -> Result<PathBuf> {
        let parent = self.path("usr/lib/uml/modules");
        let entries = fs::read_dir(&parent).with_context(|| format!("list {}", parent.display()))?;
        let found =
            entries.flatten().map(|entry| entry.path()).find(|path| path.join("modules.dep").exists());
        found.with_context(|| {
            format!("there are no kernel modules in {}; remove the cache and try again", parent.display())
        })
    }

    /// The version of an unpacked package.
    pub fn version(&self, package: &str) -> Result<String> {
        let path = self.path(VERSIONS);
        let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("{package} ")));
        line.map(str::to_owned).with_context(|| format!("{} does not name {package}", path.display()))
    }
}

/// The file in a toolbox that lists the packages with their versions.
const VERSIONS: &str = "versions.txt";

fn unpack(archives: &[PathBuf], tree: &Path, progress: &Progress) -> Result<()> {
    fs::create_dir_all(tree).with_context(|| format!("make {}", tree.display()))?;
    let mut versions = Vec::new();
    for archive in archives {
        let name = archive.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        progress.detail(&format!("unpacking {name}"));
        exec::run(Command::new("dpkg").arg("-x").arg(archive).arg(tree))?;
        let mut parts = name.split('_');
        if let (Some(package), Some(version)) = (parts.next(), parts.next()) {
            versions.push(format!("{package} {}\n", version.replace("%3a", ":")));
        }
    }
    versions.sort();
    write_versions(tree, &versions)
}

fn write_versions(tree: &Path, versions: &[String]) -> Result<()> {
    fs::write(tree.join(VERSIONS), versions.concat()).context("write the list of versions")
}
