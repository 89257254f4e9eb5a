//! Loads kernel modules with their dependencies, like modprobe, which a host may not have.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};

/// The content of `modules.dep`: for each module its file, and the files of all its dependencies, nearest first.
#[derive(Debug, Clone)]
pub struct Modules {
    folder: PathBuf,
    by_name: Arc<HashMap<String, Vec<PathBuf>>>,
}

impl Modules {
    /// Reads `modules.dep` in a folder of kernel modules.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join("modules.dep");
        let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        Ok(Self { folder: folder.to_owned(), by_name: Arc::new(parse(&text)) })
    }

    /// Loads a module and its dependencies, unless they are already loaded.
    pub fn load(&self, name: &str) -> Result<()> {
        let files = self.by_name.get(&normal(name)).with_context(|| {
            format!("the guest's kernel has no module {name} in {}", self.folder.display())
        })?;
        // modules.dep lists dependencies in reverse order of loading.
        for file in files.iter().rev() {
            self.load_file(file)?;
        }
        Ok(())
    }

    fn load_file(&self, relative: &Path) -> Result<()> {
        let path = self.folder.join(relative);
        let file = File::open(&path).with_context(|| format!("open {}", path.display()))?;
        match rustix::system::finit_module(&file, c"", 0) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => Ok(()),
            Err(error) => Err(error).with_context(|| format!("load {}", path.display())),
        }
    }
}

fn parse(text: &str) -> HashMap<String, Vec<PathBuf>> {
    text.lines()
        .filter_map(|line| {
            let (file, needed) = line.split_once(':')?;
            let name = Path::new(file).file_name()?.to_str()?.split('.').next()?;
            let files = std::iter::once(file).chain(needed.split_whitespace()).map(PathBuf::from).collect();
            Some((normal(name), files))
        })
        .collect()
}

/// The kernel treats `-` and `_` in a module's name as the same.
fn normal(name: &str) -> String {
    name.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_comes_with_all_it_needs() {
        let text = "kernel/fs/nfs/nfsv4.ko: kernel/net/dns-resolver.ko kernel/net/sunrpc.ko\nkernel/net/sunrpc.ko:\n";
        let modules = parse(text);
        let files = ["kernel/fs/nfs/nfsv4.ko", "kernel/net/dns-resolver.ko", "kernel/net/sunrpc.ko"];
        assert_eq!(modules["nfsv4"], files.map(PathBuf::from));
        assert_eq!(modules["sunrpc"], [PathBuf::from("kernel/net/sunrpc.ko")]);
    }
}
