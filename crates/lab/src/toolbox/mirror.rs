//! Finds the Debian mirror that this machine already uses, in its own package sources.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// If a package source has one of these suites, it is a Debian mirror, which also has the suite that the lab uses.
const DEBIAN_SUITES: [&str; 8] =
    ["bullseye", "bookworm", "trixie", "forky", "sid", "stable", "testing", "unstable"];

/// The address of the Debian mirror in the machine's package sources.
pub fn find() -> Result<String> {
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    if let Ok(entries) = fs::read_dir("/etc/apt/sources.list.d") {
        files.extend(entries.flatten().map(|entry| entry.path()));
    }
    files.sort();
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        if let Some(address) = in_file(&file, &text) {
            return Ok(address);
        }
    }
    bail!(
        "no Debian mirror in this machine's package sources (/etc/apt): the lab downloads its guest kernel from Debian; \
         name a mirror with --mirror or FOREBAY_LAB_MIRROR"
    )
}

fn in_file(path: &Path, text: &str) -> Option<String> {
    match path.extension()?.to_str()? {
        "list" => text.lines().find_map(in_line),
        "sources" => text.split("\n\n").find_map(in_stanza),
        _ => None,
    }
}

/// Reads a line of the old format: `deb [option=value …] ADDRESS SUITE COMPONENT…`.
fn in_line(line: &str) -> Option<String> {
    let rest = line.trim().strip_prefix("deb ")?.trim_start();
    let rest = match rest.strip_prefix('[') {
        Some(options) => options.split_once(']')?.1,
        None => rest,
    };
    let mut words = rest.split_whitespace();
    let (address, suite) = (words.next()?, words.next()?);
    (DEBIAN_SUITES.contains(&suite) && words.any(|word| word == "main")).then(|| address.to_owned())
}

/// Reads a stanza of the deb822 format.
fn in_stanza(stanza: &str) -> Option<String> {
    let field = |name: &str| {
        stanza.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    };
    if field("Enabled").is_some_and(|value| value == "no") {
        return None;
    }
    let suites = field("Suites")?;
    let is_debian = suites.split_whitespace().any(|suite| DEBIAN_SUITES.contains(&suite));
    let has_main = field("Components")?.split_whitespace().any(|component| component == "main");
    let address = field("URIs")?.split_whitespace().next()?.to_owned();
    (is_debian && has_main).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirror_is_found_in_both_formats_of_package_sources() {
        let stanza = "Types: deb\n# snapshot\nURIs: http://mirror.test/debian\nSuites: bookworm bookworm-updates\n\
                      Components: main\n";
        let list =
            "# local\ndeb [arch=amd64 signed-by=/k.gpg] http://mirror.test/debian trixie main contrib\n";
        for (name, text) in [("debian.sources", stanza), ("sources.list", list)] {
            assert_eq!(in_file(Path::new(name), text).as_deref(), Some("http://mirror.test/debian"));
        }
    }

    #[test]
    fn other_vendors_security_and_disabled_sources_are_not_taken() {
        for (name, text) in [
            ("a.list", "deb https://vendor.test/apt nodistro main\n"),
            ("b.list", "deb http://mirror.test/debian-security bookworm-security main\n"),
            (
                "c.sources",
                "Types: deb\nEnabled: no\nURIs: http://m.test/debian\nSuites: sid\nComponents: main\n",
            ),
        ] {
            assert_eq!(in_file(Path::new(name), text), None, "{name}");
        }
    }
}
