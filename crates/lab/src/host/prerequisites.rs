//! Checks, before anything is started, that this machine can run the lab, and says what to do if it cannot.

use std::fs::OpenOptions;
use std::path::Path;

use anyhow::{Result, bail};

/// A program that the lab calls, and the Debian package that contains it.
struct Needed {
    program: &'static str,
    package: &'static str,
    purpose: &'static str,
}

/// What a run needs.
#[derive(Debug, Clone, Copy)]
pub struct Needs {
    /// Run in namespaces of its own, instead of on an existing cluster.
    pub namespaces: bool,
    /// Boot guests.
    pub guests: bool,
    /// Run Kafka.
    pub kafka: bool,
}

const NAMESPACES: [Needed; 2] = [
    Needed { program: "ip", package: "iproute2", purpose: "sets up the lab's network" },
    Needed { program: "unshare", package: "util-linux", purpose: "gives the lab namespaces of its own" },
];

const GUESTS: [Needed; 3] = [
    Needed { program: "mkfs.ext4", package: "e2fsprogs", purpose: "makes disk images" },
    Needed { program: "apt-get", package: "apt", purpose: "fetches the guest kernel from Debian" },
    Needed { program: "dpkg", package: "dpkg", purpose: "unpacks the guest kernel" },
];

const KAFKA: [Needed; 2] = [
    Needed { program: "java", package: "openjdk-17-jre-headless", purpose: "runs Kafka and its tools" },
    Needed { program: "mvn", package: "maven", purpose: "fetches Kafka" },
];

/// Fails with all reasons why this machine cannot do it, each with its remedy.
pub fn check(needs: Needs) -> Result<()> {
    let mut problems = Vec::new();
    let root = rustix::process::geteuid().is_root();
    if needs.namespaces && !root {
        problems
            .push("it is not root, and namespaces, tap devices and guests need that: use sudo".to_owned());
    }
    if needs.guests {
        problems.extend(root.then(tap_problem).flatten());
        if std::env::consts::ARCH != "x86_64" {
            let arch = std::env::consts::ARCH;
            problems.push(format!("the guest kernel is built for x86_64 only, and this is {arch}"));
        }
    }
    let programs: [(bool, &[Needed]); 3] =
        [(needs.namespaces, &NAMESPACES), (needs.guests, &GUESTS), (needs.kafka, &KAFKA)];
    for Needed { program, package, purpose } in
        programs.iter().filter(|(is, _)| *is).flat_map(|(_, all)| *all)
    {
        if !in_search_path(program) {
            problems.push(format!("{program}, which {purpose}, is missing: apt-get install {package}"));
        }
    }
    if problems.is_empty() {
        return Ok(());
    }
    bail!("the lab cannot run here:\n  - {}", problems.join("\n  - "))
}

fn tap_problem() -> Option<String> {
    let error = OpenOptions::new().read(true).write(true).open("/dev/net/tun").err()?;
    Some(format!(
        "/dev/net/tun cannot be opened ({error}), so guests have no network: load the module tun, or give the \
         container the device (for Docker: --device /dev/net/tun --cap-add NET_ADMIN,SYS_ADMIN)"
    ))
}

fn in_search_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).chain(["/usr/sbin".into(), "/sbin".into()]).any(|folder| {
        let candidate: &Path = &folder.join(program);
        candidate.is_file()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_there_is_noticed() {
        assert!(in_search_path("sh"));
        assert!(!in_search_path("no-such-program-of-forebay"));
    }
}
