//! What the lab takes from Debian: the guest kernel, and servers and tools that run inside guests.
//!
//! Packages of Debian sid are downloaded with all they need and *unpacked* into a folder of the cache, never installed:
//! the kernel of older releases dies on current processors, and installing from sid would replace the machine's libc.
//! Programs are started through the unpacked dynamic loader with the unpacked libraries ([`Toolbox::command`]), so they do
//! not care what the machine has. A folder is complete if it exists: it is prepared beside its place and then renamed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::{files, mirror};
use crate::progress::Progress;
use crate::report::Tone;

/// Where the lab keeps what it fetches, and from which mirror.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cache {
    /// The folder.
    pub folder: PathBuf,
    /// Address of a Debian mirror; taken from the machine's package sources if none.
    pub mirror: Option<String>,
}

/// A group of packages that are fetched together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toolset {
    /// The guest kernel and the kernel NFS server's user-space half.
    Guests,
    /// What only the experiment `bench` needs: fio, and NFS-Ganesha to compare with.
    Bench,
}

impl Toolset {
    fn name(self) -> &'static str {
        match self {
            Self::Guests => "guests",
            Self::Bench => "bench",
        }
    }

    fn packages(self) -> &'static [&'static str] {
        match self {
            Self::Guests => &["user-mode-linux", "patchelf", "nfs-kernel-server", "rpcbind", "libc6"],
            Self::Bench => &["fio", "nfs-ganesha", "nfs-ganesha-vfs", "libc6"],
        }
    }
}

/// An unpacked [`Toolset`].
#[derive(Debug, Clone)]
pub struct Toolbox {
    folder: PathBuf,
}

const SUITE: &str = "sid";
/// Folders of libraries; the second is NFS-Ganesha's own, the third is what fio's Ceph support wants.
const LIBRARIES: [&str; 3] = ["usr/lib/x86_64-linux-gnu", "usr/lib/ganesha", "usr/lib/x86_64-linux-gnu/ceph"];
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

impl Toolbox {
    /// The unpacked tool set; an error if it was not fetched.
    pub fn open(cache: &Cache, set: Toolset) -> Result<Self> {
        let toolbox = Self::place(cache, set);
        if !toolbox.folder.exists() {
            bail!("{} is missing: run `forebay lab setup`", toolbox.folder.display());
        }
        Ok(toolbox)
    }

    /// Fetches the tool set if the cache does not have it. Needs the machine's network, which a worker does not have.
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
        // Someone else may have fetched it while this waited.
        if toolbox.folder.exists() { Ok(()) } else { toolbox.fetch(cache, set, progress) }
    }

    fn place(cache: &Cache, set: Toolset) -> Self {
        Self { folder: cache.folder.join(format!("debian-{}", set.name())) }
    }

    fn fetch(&self, cache: &Cache, set: Toolset, progress: &Progress) -> Result<()> {
        let mirror = cache.mirror.clone().map_or_else(mirror::find, Ok)?;
        let work = cache.folder.join(format!("fetch-{}", set.name()));
        let _ = fs::remove_dir_all(&work);
        progress.event(Tone::Plain, &format!("fetching {} from Debian {SUITE}", set.packages().join(", ")));
        let apt = Apt::prepare(&work, &mirror)?;
        apt.update(progress)?;
        let archives = apt.download(set.packages(), progress)?;
        let tree = work.join("tree");
        unpack(&archives, &tree, progress)?;
        if set == Toolset::Guests {
            self.adapt_kernel(&tree)?;
        }
        fs::rename(&tree, &self.folder)
            .with_context(|| format!("move {} to {}", tree.display(), self.folder.display()))?;
        fs::remove_dir_all(&work).with_context(|| format!("remove {}", work.display()))?;
        progress.event(Tone::Plain, &format!("cached in {}", self.folder.display()));
        Ok(())
    }

    /// Makes the kernel start through the unpacked loader: it starts itself again by its own name, so the loader cannot be
    /// put in front of it as for other programs.
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
        files::run(&mut patchelf)
    }

    fn loader(&self) -> PathBuf {
        self.libraries().join("ld-linux-x86-64.so.2")
    }

    fn libraries(&self) -> PathBuf {
        self.path(LIBRARIES[0])
    }

    /// The words that start an unpacked program, named by its path in the tool box (`usr/sbin/rpcbind`), on the host or in a
    /// guest.
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
            format!("no kernel modules in {}; remove the cache and try again", parent.display())
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

/// File in a tool box that names each package and its version.
const VERSIONS: &str = "versions.txt";

/// apt with private folders, so that nothing of the machine's package management is read or changed but its mirror, its
/// keys and its proxy settings.
struct Apt {
    folder: PathBuf,
    options: Vec<String>,
}

impl Apt {
    fn prepare(work: &Path, mirror: &str) -> Result<Self> {
        let folder = work.to_owned();
        for name in ["lists/partial", "cache/archives/partial"] {
            fs::create_dir_all(folder.join(name)).with_context(|| format!("make {}", folder.display()))?;
        }
        let signed =
            if Path::new(KEYRING).exists() { format!("[signed-by={KEYRING}] ") } else { String::new() };
        fs::write(folder.join("sources.list"), format!("deb {signed}{mirror} {SUITE} main\n"))?;
        // An empty list of installed packages makes apt download everything that is needed.
        fs::write(folder.join("status"), "")?;
        let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
        let options = vec![
            format!("Dir::Etc::sourcelist={}", path("sources.list")),
            "Dir::Etc::sourceparts=-".into(),
            "Dir::Etc::preferences=/dev/null".into(),
            format!("Dir::Etc::preferencesparts={}", path("cache/archives/partial")),
            format!("Dir::State={}", path("")),
            format!("Dir::State::Lists={}", path("lists")),
            format!("Dir::State::status={}", path("status")),
            format!("Dir::Cache={}", path("cache")),
            "APT::Architecture=amd64".into(),
            "APT::Sandbox::User=root".into(),
            "Acquire::Languages=none".into(),
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false".into(),
            "APT::Update::Error-Mode=any".into(),
        ];
        Ok(Self { folder, options })
    }

    fn command(&self) -> Command {
        let mut command = Command::new("apt-get");
        command.env("LC_ALL", "C").env("DEBIAN_FRONTEND", "noninteractive").arg("-q");
        for option in &self.options {
            command.arg("-o").arg(option);
        }
        command
    }

    fn update(&self, progress: &Progress) -> Result<()> {
        progress.detail("reading Debian's list of packages");
        files::run(self.command().arg("update"))
            .context("could not read Debian's list of packages; is the mirror reachable?")
    }

    /// Downloads the packages and all they need; returns the archives.
    fn download(&self, packages: &[&str], progress: &Progress) -> Result<Vec<PathBuf>> {
        let mut command = self.command();
        command.args(["install", "--download-only", "--no-install-recommends", "-y"]).args(packages);
        let log = self.folder.join("download.log");
        let output = File::create(&log).with_context(|| format!("create {}", log.display()))?;
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        let mut child = command.spawn().context("start apt-get")?;
        let archives = self.folder.join("cache/archives");
        let status = loop {
            if let Some(status) = child.try_wait().context("wait for apt-get")? {
                break status;
            }
            let megabytes = files::folder_bytes(&archives) / 1_000_000;
            progress.detail(&format!("downloading packages: {megabytes} MB so far"));
            std::thread::sleep(Duration::from_millis(200));
        };
        if !status.success() {
            let text = fs::read_to_string(&log).unwrap_or_default();
            bail!("apt-get could not download {}: {}", packages.join(", "), files::last_lines(&text, 4));
        }
        let entries = fs::read_dir(&archives).with_context(|| format!("list {}", archives.display()))?;
        let paths = entries.flatten().map(|entry| entry.path());
        Ok(paths.filter(|path| path.extension().is_some_and(|extension| extension == "deb")).collect())
    }
}

fn unpack(archives: &[PathBuf], tree: &Path, progress: &Progress) -> Result<()> {
    fs::create_dir_all(tree).with_context(|| format!("make {}", tree.display()))?;
    let mut versions = Vec::new();
    for archive in archives {
        let name = archive.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        progress.detail(&format!("unpacking {name}"));
        files::run(Command::new("dpkg").arg("-x").arg(archive).arg(tree))?;
        let mut parts = name.split('_');
        if let (Some(package), Some(version)) = (parts.next(), parts.next()) {
            versions.push(format!("{package} {}\n", version.replace("%3a", ":")));
        }
    }
    versions.sort();
    fs::write(tree.join(VERSIONS), versions.concat()).context("write the list of versions")
}
