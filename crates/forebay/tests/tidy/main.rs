//! House rules that neither the compiler nor clippy checks, for the whole repository.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod floors;
mod modules;
mod tokens;

use std::fs;
use std::path::{Path, PathBuf};

/// The crates that each crate may depend on, tests aside. Dependencies point inward, to the pool.
const MAY_DEPEND_ON: &[(&str, &[&str])] = &[
    ("forebay-pool", &[]),
    ("forebay-net", &[]),
    ("forebay-address", &[]),
    ("forebay-notify", &[]),
    ("forebay-nfs-proto", &["forebay-net"]),
    ("forebay-service", &["forebay-pool"]),
    ("forebay-kafka", &["forebay-pool"]),
    ("forebay-s3", &["forebay-pool", "forebay-service", "forebay-net"]),
    ("forebay-nfs", &["forebay-pool", "forebay-service", "forebay-net", "forebay-nfs-proto"]),
    (
        "forebay-admin",
        &[
            "forebay-pool",
            "forebay-service",
            "forebay-net",
            "forebay-nfs-proto",
            "forebay-nfs",
            "forebay-s3",
            "forebay-ownership",
            "forebay-notify",
            "forebay-kafka",
        ],
    ),
    (
        "forebay-fuzz",
        &["forebay-pool", "forebay-service", "forebay-net", "forebay-nfs-proto", "forebay-nfs", "forebay-s3"],
    ),
    ("forebay-ownership", &[]),
    ("forebay-pool-postgres", &["forebay-pool"]),
    ("forebay-pool-s3", &["forebay-pool"]),
    ("forebay-nfs-client", &["forebay-nfs-proto"]),
    ("forebay-lab", &["forebay-nfs-client", "forebay-nfs-proto"]),
    (
        "forebay",
        &[
            "forebay-pool",
            "forebay-service",
            "forebay-net",
            "forebay-nfs",
            "forebay-s3",
            "forebay-admin",
            "forebay-address",
            "forebay-pool-postgres",
            "forebay-pool-s3",
            "forebay-ownership",
            "forebay-notify",
        ],
    ),
];

const LINES_MAX: usize = 600;

struct File {
    /// Relative to the repository.
    path: String,
    text: String,
}

impl File {
    fn is_rust_source(&self) -> bool {
        self.path.ends_with(".rs") && self.path.contains("/src/")
    }

    fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.path.contains("/test/") || self.path.ends_with("tests.rs")
    }

    /// The text without the tests at its end.
    fn code(&self) -> &str {
        self.text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default()
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All text files of the repository, without what is built or downloaded.
fn files() -> Vec<File> {
    let root = repository();
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            let name = entry.file_name().into_string().unwrap();
            if entry.file_type().unwrap().is_dir() {
                let made = [
                    "target",
                    ".git",
                    "lab-results",
                    "forebay-data",
                    "node_modules",
                    "dist",
                    ".cache",
                    "test-results",
                ];
                if !made.contains(&name.as_str()) {
                    folders.push(path);
                }
            } else if let Ok(text) = fs::read_to_string(&path)
                && name != "Cargo.lock"
                && name != ".git"
            {
                let path = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
                files.push(File { path, text });
            }
        }
    }
    files
}

/// Fails with every file and line in which `wrong` finds something.
fn assert_no_line(rule: &str, files: &[File], wrong: impl Fn(&File, &str) -> bool) {
    let found: Vec<_> = files
        .iter()
        .flat_map(|file| file.text.lines().enumerate().map(move |(index, line)| (file, index + 1, line)))
        .filter(|(file, _, line)| wrong(file, line))
        .map(|(file, number, line)| format!("{}:{number}: {}", file.path, line.trim()))
        .collect();
    assert!(found.is_empty(), "{rule}\n{}", found.join("\n"));
}

#[test]
fn dependencies_point_inward() {
    for (package, allowed) in MAY_DEPEND_ON {
        let folder = if *package == "forebay" { "forebay" } else { &package["forebay-".len()..] };
        let path = repository().join("crates").join(folder).join("Cargo.toml");
        let manifest: toml::Table = fs::read_to_string(&path).unwrap().parse().unwrap();
        for dependency in manifest["dependencies"].as_table().unwrap().keys() {
            let own = dependency.starts_with("forebay");
            assert!(!own || allowed.contains(&dependency.as_str()), "{package} depends on {dependency}");
        }
    }
    let crates = fs::read_dir(repository().join("crates")).unwrap().count();
    assert_eq!(crates, MAY_DEPEND_ON.len(), "a crate has no rule about what it may depend on");
}

#[test]
fn nothing_is_left_for_later() {
    let markers: Vec<_> =
        ["TO_DO", "FIX_ME", "db_g!(", "to_do!(", "unimple_mented!("].map(|m| m.replace('_', "")).into();
    assert_no_line("finish it, or take it out", &files(), |_, line| {
        markers.iter().any(|marker| line.contains(marker.as_str()))
    });
}

#[test]
fn files_are_short_enough_to_be_read() {
    let long: Vec<_> = files()
        .iter()
        .filter(|file| (file.path.ends_with(".rs") || file.path.ends_with(".java")) && !file.is_test())
        .map(|file| (file.code().lines().count(), file.path.clone()))
        .filter(|(lines, _)| *lines > LINES_MAX)
        .collect();
    assert!(long.is_empty(), "more than {LINES_MAX} lines, tests aside: {long:?}");
}

#[test]
fn every_source_file_says_what_it_is_for() {
    let silent: Vec<_> = files()
        .into_iter()
        .filter(|file| file.is_rust_source() && !file.text.starts_with("//! "))
        .map(|file| file.path)
        .collect();
    assert!(silent.is_empty(), "no module documentation at the top: {silent:?}");
}

#[test]
fn every_source_file_is_part_of_its_crate() {
    let files = files();
    let undeclared: Vec<_> = files
        .iter()
        .filter(|file| file.is_rust_source() && !is_declared(file, &files))
        .map(|file| &file.path)
        .collect();
    assert!(undeclared.is_empty(), "compiled by nobody: {undeclared:?}");
}

fn is_declared(file: &File, files: &[File]) -> bool {
    if file.path.contains("/src/bin/") {
        return true; // A program of its own.
    }
    let path = Path::new(&file.path);
    let stem = path.file_stem().unwrap().to_str().unwrap();
    let module = match stem {
        "lib" | "main" => return true,
        "mod" => path.parent().unwrap().file_name().unwrap().to_str().unwrap(),
        stem => stem,
    };
    let declarations =
        [format!("mod {module};"), format!("mod r#{module};"), format!("#[path = \"{module}.rs\"]")];
    let source = file.path.split_inclusive("/src/").next().unwrap();
    files
        .iter()
        .filter(|other| other.path.starts_with(source))
        .any(|other| declarations.iter().any(|declaration| other.text.contains(declaration.as_str())))
}

#[test]
fn the_pool_gets_time_and_randomness_through_its_traits() {
    // tokio's clock is the tests' already: they pause it.
    let banned = ["SystemTime::now", "std::time::Instant", "getrandom", "thread_rng", "rand::rng"];
    assert_no_line("tests must own the pool's clock and randomness", &files(), |file, line| {
        file.path.starts_with("crates/pool/src/")
            && !file.path.ends_with("/sources.rs")
            && !file.is_test()
            && file.code().contains(line)
            && banned.iter().any(|call| line.contains(call))
    });
}

#[test]
fn lints_are_silenced_only_with_a_reason() {
    let files = files();
    let without: Vec<_> = files
        .iter()
        .filter(|file| file.path.ends_with(".rs"))
        .flat_map(|file| {
            let attributes = ["[allow(", "[expect("].map(|start| file.text.split(start).skip(1));
            attributes.into_iter().flatten().filter_map(|rest| {
                let attribute = rest.split(")]").next().unwrap_or_default();
                (!attribute.contains("reason = ")).then(|| format!("{}: {attribute}", file.path))
            })
        })
        .filter(|found| !found.starts_with("crates/forebay/tests/tidy/main.rs"))
        .collect();
    assert!(without.is_empty(), "say why: {without:#?}");
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut dead = Vec::new();
    for file in files().iter().filter(|file| file.path.ends_with(".md")) {
        let folder = repository().join(&file.path).parent().unwrap().to_owned();
        for rest in file.text.split("](").skip(1) {
            let target = rest.split([')', '#', ' ']).next().unwrap_or_default();
            if !target.is_empty() && !target.contains("://") && !folder.join(target).exists() {
                dead.push(format!("{}: {target}", file.path));
            }
        }
    }
    assert!(dead.is_empty(), "{dead:#?}");
}

#[test]
fn prose_is_plain_english() {
    // Turns of phrase that hide the actor. CONTRIBUTING.md quotes some of them as bad examples.
    let worst: Vec<String> = [
        "by_who ",
        "for_who ",
        " who_is to ",
        "what_came of",
        "is_told of",
        "also_if ",
        "description = \"They\"",
        "description = \"It\"",
    ]
    .map(|phrase| phrase.replace('_', " "))
    .into();
    assert_no_line("name the actor: see Text in CONTRIBUTING.md", &files(), |file, line| {
        file.path != "CONTRIBUTING.md" && worst.iter().any(|phrase| line.contains(phrase.as_str()))
    });
}

#[test]
fn nothing_names_a_place_on_one_machine() {
    let places = ["/ro_ot/", "/ho_me/", "/wo_rk/"].map(|place| place.replace('_', ""));
    assert_no_line("other machines do not have this", &files(), |_, line| {
        places.iter().any(|place| line.contains(place.as_str()))
    });
}

#[test]
fn tests_that_the_page_on_unlinked_files_names_exist() {
    let files = files();
    let page = files.iter().find(|file| file.path == "docs/unlinked-files.md").unwrap();
    let rows = page.text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| case"));
    let mut missing = Vec::new();
    for row in rows {
        let cell = row.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap();
        let named = cell.split('`').skip(1).step_by(2).filter(|word| !word.ends_with(".rs"));
        let tests: Vec<_> = named.collect();
        if tests.is_empty() {
            missing.push(format!("no test in the row: {row}"));
        }
        for test in tests {
            let function = format!("async fn {test}()");
            let tested = files.iter().any(|file| {
                file.path.starts_with("crates/nfs/tests/server/") && file.text.contains(&function)
            });
            if !tested {
                missing.push(format!("no such test: {test}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
