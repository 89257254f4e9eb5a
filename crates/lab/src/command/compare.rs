//! `forebay lab compare`: results of earlier runs side by side, as a page and on the terminal.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::output::print;
use crate::{experiment, report};

/// The options of `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Folders that `run` wrote; folders below them are read as well
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// File to write the page to
    #[arg(long, value_name = "FILE", default_value = "compare.html")]
    out: PathBuf,
}

/// Reads the results, prints the table and writes the page.
pub fn run(args: &CompareArgs) -> Result<()> {
    let found = report::read(&args.folders)?;
    if let Some(folder) = args.out.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).with_context(|| format!("make folder {}", folder.display()))?;
    }
    report::write_comparison(&args.out, &found, experiment::subject_of)?;
    print(&report::comparison_table(&found, experiment::subject_of))?;
    print(&format!("comparison: {}", args.out.display()))
}
