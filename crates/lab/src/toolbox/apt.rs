//! Downloads Debian packages with all their dependencies, without reading or changing the packages that the machine has installed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::exec;
use crate::progress::Progress;

/// The release of the packages.
pub(super) const SUITE: &str = "sid";
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// apt with private folders. Of the machine's package management it uses only the mirror, the keys and the proxy settings,
/// and it changes nothing there.
pub(super) struct Apt {
    folder: PathBuf,
    options: Vec<String>,
}

impl Apt {
    pub(super) fn prepare(work: &Path, mirror: &str) -> Result<Self> {
        let folder = work.to_owned();
        for name in ["lists/partial", "cache/archives/partial"] {
            fs::create_dir_all(folder.join(name)).with_context(|| format!("make {}", folder.display()))?;
        }
        let signed =
            if Path::new(KEYRING).exists() { format!("[signed-by={KEYRING}] ") } else { String::new() };
        fs::write(folder.join("sources.list"), format!("deb {signed}{mirror} {SUITE} main\n"))?;
        // With an empty list of installed packages, apt downloads all dependencies.
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

    pub(super) fn update(&self, progress: &Progress) -> Result<()> {
        progress.detail("downloading Debian's list of packages");
        exec::run(self.command().arg("update"))
            .context("cannot download Debian's list of packages; check that the mirror is reachable")
    }

    /// Downloads the packages and all their dependencies. Returns the paths of the archives.
    pub(super) fn download(&self, packages: &[&str], progress: &Progress) -> Result<Vec<PathBuf>> {
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
            let megabytes = exec::folder_bytes(&archives) / 1_000_000;
            progress.detail(&format!("downloading packages: {megabytes} MB so far"));
            std::thread::sleep(Duration::from_millis(200));
        };
        if !status.success() {
            let text = fs::read_to_string(&log).unwrap_or_default();
            bail!("apt-get cannot download {}: {}", packages.join(", "), exec::last_lines(&text, 4));
        }
        let entries = fs::read_dir(&archives).with_context(|| format!("list {}", archives.display()))?;
        let paths = entries.flatten().map(|entry| entry.path());
        Ok(paths.filter(|path| path.extension().is_some_and(|extension| extension == "deb")).collect())
    }
}
