//! Puts the web console into the library, if it has been built: a table of the files of `console/dist`.
//!
//! What `npm run build` compressed is a file of the same name and `.gz` beside the plain one; both are taken.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let variable = |name: &str| env::var_os(name).map(PathBuf::from).ok_or(io::ErrorKind::NotFound);
    let console = variable("CARGO_MANIFEST_DIR")?.join("../../console");
    let dist = console.join("dist");
    let mut files = Vec::new();
    if dist.join("index.html").is_file() {
        let dist = dist.canonicalize()?;
        println!("cargo::rerun-if-changed={}", dist.display());
        collect(&dist, &dist, &mut files)?;
        files.sort();
    } else {
        // The whole folder, in which `dist` may appear; without the folder there is nothing that could.
        println!(
            "cargo::rerun-if-changed={}",
            if console.is_dir() { console } else { "build.rs".into() }.display()
        );
    }
    fs::write(variable("OUT_DIR")?.join("console.rs"), table(&files))
}

/// All files below a folder, with their names from the root as URLs have them.
fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
        } else if path.extension().is_none_or(|extension| extension != "gz") {
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            files.push((name, path));
        }
    }
    Ok(())
}

fn table(files: &[(String, PathBuf)]) -> String {
    let mut text = String::from("&[\n");
    for (name, path) in files {
        let compressed = PathBuf::from(format!("{}.gz", path.display()));
        let gzip = if compressed.is_file() {
            format!("Some(include_bytes!({compressed:?}))")
        } else {
            "None".to_owned()
        };
        // Writing to a String does not fail.
        let _ = writeln!(
            text,
            "    Embedded {{ name: {name:?}, plain: include_bytes!({path:?}), gzip: {gzip} }},"
        );
    }
    text.push_str("]\n");
    text
}
