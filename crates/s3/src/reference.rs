//! The reference page of all operations.

use std::fmt::Write;

use crate::not_built::{HEADERS, OPERATIONS, SUBRESOURCES};
use crate::ops::BUILT;

/// The reference page of all operations, built or not, in Markdown.
pub fn reference() -> String {
    let mut rows: Vec<(String, Option<&str>)> = BUILT.iter().map(|name| (camel(name), None)).collect();
    rows.extend(OPERATIONS.iter().map(|(name, reason)| ((*name).to_owned(), Some(*reason))));
    rows.sort();
    let mut page = String::from(
        "# S3 operations\n\n\
         <!-- Made by `make docs` from crates/s3/src/not_built.rs and crates/s3/src/ops. Do not edit. -->\n\n\
         What is not built is answered with NotImplemented.\n\n\
         | operation | built |\n|---|---|\n",
    );
    for (name, reason) in rows {
        let said = reason.map_or_else(|| "yes".to_owned(), |reason| format!("no: {reason}"));
        // Writing to a string cannot fail.
        let _ = writeln!(page, "| {name} | {said} |");
    }
    for (title, table) in [("Subresources", SUBRESOURCES), ("Headers", HEADERS)] {
        let _ = write!(page, "\n## {title} that are refused\n\n| name | reason |\n|---|---|\n");
        for (name, reason) in table {
            let _ = writeln!(page, "| `{name}` | {reason} |");
        }
    }
    page
}

/// The name that S3 gives an operation.
pub(crate) fn camel(snake: &str) -> String {
    let capitalized = |word: &str| {
        let mut characters = word.chars();
        let first = characters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(characters).collect::<String>()
    };
    snake.split('_').map(capitalized).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::PathBuf;
    use std::process::Command;

    use super::*;

    /// The source of the library's trait. Cargo knows where it is.
    fn trait_source() -> String {
        // Without the platform cargo wants dependencies that only other platforms have.
        let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--offline", "--format-version", "1", "--filter-platform", &platform])
            .arg("--manifest-path")
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let packages = metadata["packages"].as_array().unwrap();
        let library = packages.iter().find(|package| package["name"] == "s3s").unwrap();
        let manifest = PathBuf::from(library["manifest_path"].as_str().unwrap());
        std::fs::read_to_string(manifest.with_file_name("src").join("s3_trait.rs")).unwrap()
    }

    #[test]
    fn each_operation_of_the_library_is_built_or_has_a_reason() {
        let source = trait_source();
        let known: BTreeSet<String> = source
            .split("async fn ")
            .skip(1)
            .filter_map(|rest| rest.split(['(', '<']).next())
            .map(camel)
            .collect();
        assert!(known.len() > 90, "{known:?}");
        let mut covered = BTreeSet::new();
        let refused = OPERATIONS.iter().map(|(name, _)| (*name).to_owned());
        for name in BUILT.iter().map(|name| camel(name)).chain(refused) {
            assert!(covered.insert(name.clone()), "{name} is built, and has a reason why it is not");
        }
        assert_eq!(covered, known);
    }

    #[test]
    fn every_operation_that_is_built_is_counted() {
        let mut built: Vec<String> = BUILT.iter().map(|name| camel(name)).collect();
        built.sort();
        assert_eq!(built, crate::statistics::OPERATIONS[1..]);
    }

    #[test]
    fn the_reference_page_has_all_operations() {
        let page = reference();
        assert!(page.contains("| ListObjectsV2 | yes |"));
        assert!(page.contains("| SelectObjectContent | no: Queries"));
        assert!(page.contains("| `renameObject` |") && page.contains("| `x-amz-write-offset-bytes` |"));
    }
}
